//! The corpus as a plain test: inputs that reached a branch of their own once are read again by every build.

use std::{fs, path::Path};

/// Golden files and examples, which the fuzzer begins with.
const SEEDS: [(&str, &str); 4] = [
    ("segment", "../../crates/segment/testdata"),
    ("journal", "../../crates/journal/testdata"),
    ("codec", "../../crates/message/testdata"),
    ("configuration", "../../examples"),
];

/// Runs a target with every file of a folder; how many there were.
fn replay(name: &str, folder: &Path) -> usize {
    let run = fuzz_targets::target(name).unwrap_or_else(|| panic!("no target {name}"));
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let files: Vec<_> =
        entries.map(|entry| entry.expect("an entry").path()).filter(|path| path.is_file()).collect();
    for file in &files {
        let bytes = fs::read(file).expect("an input");
        // The name of the input is what a failure needs.
        std::panic::catch_unwind(|| run(&bytes)).unwrap_or_else(|_| panic!("{name}: {}", file.display()));
    }
    files.len()
}

#[test]
fn every_target_reads_its_corpus() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus");
    for (name, _) in fuzz_targets::TARGETS {
        assert!(replay(name, &corpus.join(name)) > 0, "fuzz/corpus/{name} is empty");
    }
    let mut known =
        fs::read_dir(&corpus).expect("the corpus").map(|entry| entry.expect("an entry").file_name());
    let unknown = known.find(|name| fuzz_targets::target(&name.to_string_lossy()).is_none());
    assert_eq!(unknown, None, "a corpus without a target");
}

#[test]
fn targets_read_what_we_write() {
    for (name, folder) in SEEDS {
        assert!(replay(name, &Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)) > 0, "{folder} is empty");
    }
}
