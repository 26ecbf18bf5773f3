//! A file that is replaced, and damaged.

use super::*;
use crate::OsDisk;

#[test]
fn a_file_is_replaced_as_a_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("numbers");
    assert_eq!(read_whole(&OsDisk, &path).unwrap(), None);
    for bytes in [&b"one"[..], b"", b"a longer one"] {
        // What a crash left behind does not matter.
        std::fs::write(path.with_extension("new"), b"half").unwrap();
        write_whole(&OsDisk, &path, bytes).unwrap();
        assert_eq!(read_whole(&OsDisk, &path).unwrap().as_deref(), Some(bytes));
    }
    let whole = std::fs::read(&path).unwrap();
    for size in 0..whole.len() {
        std::fs::write(&path, &whole[..size]).unwrap();
        assert_eq!(
            read_whole(&OsDisk, &path).unwrap_err().kind(),
            io::ErrorKind::InvalidData,
            "{size} bytes"
        );
    }
}
