//! Long outputs of tests, compared with files of `testdata`; `UPDATE=1` writes the files again.
//!
//! In: a name, a text. Out: a failed test that shows the first line that differs. Holds nothing.

use std::{fs, path::Path};

/// Compares a text with the file of that name.
#[track_caller]
pub(crate) fn check(name: &str, shown: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata").join(name);
    if std::env::var_os("UPDATE").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, shown).unwrap();
    }
    let want = fs::read_to_string(&path).unwrap_or_default();
    for (number, (line, want)) in shown.lines().zip(want.lines()).enumerate() {
        assert_eq!(line, want, "line {} of {name}:\n{shown}", number + 1);
    }
    assert_eq!(shown.lines().count(), want.lines().count(), "{name}:\n{shown}");
}
