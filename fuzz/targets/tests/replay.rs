//! Replays the corpus as a plain test: every build reads again the inputs that once reached new code.

use std::{fs, path::Path};

/// Folders of golden files and examples, which `fuzz/run.sh` also passes to the fuzzer: a target and a folder
/// on each line.
const SEEDS: &str = include_str!("../../seeds.txt");

/// Runs a target with every file of a folder; returns how many files there were.
fn replay(name: &str, folder: &Path) -> usize {
    let run = fuzz_targets::target(name).unwrap_or_else(|| panic!("no target {name}"));
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let files: Vec<_> =
        entries.map(|entry| entry.expect("an entry").path()).filter(|path| path.is_file()).collect();
    for file in &files {
        let bytes = fs::read(file).expect("an input");
        // A failure has to name its input.
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
fn every_target_reads_its_seeds() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for line in SEEDS.lines().filter(|line| !line.starts_with('#')) {
        let (name, folder) = line.split_once(' ').expect("a target and a folder");
        assert!(replay(name, &project.join(folder)) > 0, "{folder} is empty");
    }
}
