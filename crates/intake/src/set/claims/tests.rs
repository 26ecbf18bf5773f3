//! Rows for owners, their names, and what becomes of the positions of earlier versions and other sources.

use super::*;
use crate::{FileSource, SourceOptions, WildcardSource, positions::Positions};
use std::{fs, sync::Arc, time::Duration};
use transport::{InternalLog, testing::Collected};

/// A file as a version wrote it that named positions by their files alone.
const WITHOUT_OWNERS: &str = include_str!("../../../testdata/positions-1");

/// `STATEMENT file PATH`, `STATEMENT wildcard FOLDER PATTERN`, with `persist-name=NAME` and `not=PATTERN` behind it.
fn spec(text: &str) -> SourceSpec {
    let words: Vec<&str> = text.split(' ').collect();
    let option = |key: &str| words.iter().find_map(|word| word.strip_prefix(key).map(str::to_owned));
    let (poll_every, persist_name) = (Duration::from_secs(1), option("persist-name="));
    let driver = match words[1] {
        "file" => SourceDriver::File(FileSource {
            path: words[2].replace('~', " ").into(),
            poll_every,
            from_start: true,
            persist_name,
        }),
        "wildcard" => SourceDriver::Wildcard(WildcardSource {
            folder: words[2].into(),
            pattern: words[3].to_owned(),
            excluded: option("not="),
            recursive: words.contains(&"recursive"),
            files_max: 1,
            from_start: true,
            poll_every,
            persist_name,
        }),
        _ => SourceDriver::Stdin,
    };
    SourceSpec {
        id: format!("{}#0", words[0]),
        component: words[1].to_owned(),
        driver,
        options: Arc::new(SourceOptions::new(words[0])),
        intake: Collected::new(),
    }
}

fn claims(sources: &[&str]) -> Vec<Claim> {
    let mut owners = Owners::default();
    let specs = sources.iter().map(|text| spec(text));
    specs.filter_map(|spec| claim(&mut owners, &spec)).collect()
}

#[track_caller]
fn check_names(sources: &[&str], path: &str, want: &[&str]) {
    let claims = claims(sources);
    let names: Vec<String> = claims.iter().map(|claim| claim.owner.position_name(Path::new(path))).collect();
    assert_eq!(names, want);
}

#[test]
fn each_source_has_an_owner_of_its_own() {
    check_names(
        &["a file /x", "b file /x", "c stdin", "a file /y"],
        "/x",
        &["file[a] /x", "file[b] /x", "file[a] /x"],
    );
    check_names(
        &["a file /x", "a file /x", "a file /x persist-name=a"],
        "/x",
        &["file[a] /x", "file[a #2] /x", "file[\"a\"] /x"],
    );
    check_names(
        &["a wildcard /l *.log", "a wildcard /l a*", "a wildcard /l *.log not=b*"],
        "/l/a] .log",
        &[
            "wildcard-file[a /l/*.log] /l/a] .log",
            "wildcard-file[a /l/a*] /l/a] .log",
            "wildcard-file[a /l/*.log #2] /l/a] .log",
        ],
    );
    // A block within a statement, and sources within log paths.
    check_names(
        &["s#anon-source4 file /x", "s#anon-source5 file /x", "anon-source7 file /x", "anon-source9 file /x"],
        "/x",
        &["file[s] /x", "file[s #2] /x", "file[] /x", "file[ #2] /x"],
    );
    // Nothing closes the brackets before their time, and no statement looks like a given name.
    check_names(
        &["]% file /x", "\"p\" file /x", "a file /x persist-name=p]\""],
        "/x",
        &["file[%5D%25] /x", "file[%22p%22] /x", "file[\"p%5D%22\"] /x"],
    );
}

/// Inherits from a file with the sources of a configuration, and compares the positions of files that it is then.
#[track_caller]
fn check(stored: &str, sources: &[&str], want: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("positions");
    fs::write(&path, stored).unwrap();
    let positions = Positions::open(Some(&path), &InternalLog::new("test", None)).unwrap();
    let claims = claims(sources);
    positions.inherit(&claims);
    positions.inherit(&claims);
    positions.save();
    let text = fs::read_to_string(&path).unwrap();
    let lines = text.lines().filter(|line| line.starts_with("file") || line.starts_with("wildcard"));
    let names: Vec<String> = lines
        .map(|line| {
            let (name, position) = line.split_once('\t').unwrap();
            format!("{name} @{}", position.rsplit(' ').next().unwrap())
        })
        .collect();
    assert_eq!(names, want, "{sources:?}");
    let others = |text: &str| text.lines().filter(|line| !line.contains("file")).count();
    assert_eq!(others(&text), others(stored), "the positions of others stay");
}

#[test]
fn positions_of_earlier_versions_go_to_the_first_that_reads_the_file() {
    // Two sources over one file: the first one keeps the place, the other begins as its options say.
    check(
        WITHOUT_OWNERS,
        &[
            "a file /var/log/app.log",
            "b file /var/log/app.log",
            "c wildcard /var/log *",
            "d wildcard /var/log *",
        ],
        &[
            "file /var/log/odd%0Aname 100%25 @3",
            "file relative.log @0",
            "file[a] /var/log/app.log @4096",
            "wildcard-file /var/log/deep/er.log @77",
            "wildcard-file[c /var/log/*] /var/log/app.log @1024",
        ],
    );
    check(
        WITHOUT_OWNERS,
        &[
            "e wildcard /var/log *.log not=app*",
            "d wildcard /var/log app* recursive",
            "c wildcard /var/log *.log recursive persist-name=n",
            "b file relative.log",
            "a file /var/log/odd\nname~100%",
        ],
        &[
            "file /var/log/app.log @4096",
            "file[a] /var/log/odd%0Aname 100%25 @3",
            "file[b] relative.log @0",
            "wildcard-file[\"n\"] /var/log/deep/er.log @77",
            "wildcard-file[d /var/log/app*] /var/log/app.log @1024",
        ],
    );
    check(
        WITHOUT_OWNERS,
        &[],
        &[
            "file /var/log/app.log @4096",
            "file /var/log/odd%0Aname 100%25 @3",
            "file relative.log @0",
            "wildcard-file /var/log/app.log @1024",
            "wildcard-file /var/log/deep/er.log @77",
        ],
    );
}

#[test]
fn a_renamed_source_keeps_its_positions_and_a_given_name_does_not() {
    let stored = |names: &[&str]| {
        let lines = names.iter().map(|name| format!("{name}\t1:2:3:4 9\n"));
        format!("duramen positions 1\n{}", lines.collect::<String>())
    };
    check(&stored(&["file[old] /x"]), &["new file /x", "more file /x"], &["file[new] /x @9"]);
    // The owner is there: nobody else takes its place.
    check(&stored(&["file[old] /x"]), &["new file /x", "old file /x"], &["file[old] /x @9"]);
    // It is there, and reads another file now.
    check(&stored(&["file[a] /x"]), &["a file /y", "b file /x"], &["file[b] /x @9"]);
    check(
        &stored(&["file[new] /x", "file[old] /x"]),
        &["new file /x"],
        &["file[new] /x @9", "file[old] /x @9"],
    );
    check(&stored(&["file[\"p\"] /x"]), &["a file /x", "b file /x persist-name=q"], &["file[\"p\"] /x @9"]);
    check(&stored(&["file[a] /x"]), &["a file /x persist-name=q"], &["file[a] /x @9"]);
    // A pattern that was changed.
    check(
        &stored(&["wildcard-file[a /l/*.log] /l/a.log"]),
        &["a wildcard /l *"],
        &["wildcard-file[a /l/*] /l/a.log @9"],
    );
    check(
        &stored(&["file", "file[a", "file[a]/x", "filex /x"]),
        &["a file /x"],
        &["file @9", "file[a @9", "file[a]/x @9", "filex /x @9"],
    );
}

#[test]
fn a_late_acknowledgement_does_not_bring_an_inherited_position_back() {
    let positions = Positions::open(None, &InternalLog::new("test", None)).unwrap();
    positions.begin("file[a] /x", "1:2 3".to_owned());
    positions.inherit(&claims(&["b file /x"]));
    positions.set("file[a] /x", "1:2 4".to_owned());
    let both = || (positions.position("file[a] /x"), positions.position("file[b] /x").unwrap());
    assert_eq!(both(), (None, "1:2 3".to_owned()));
    positions.begin("file[a] /x", "1:2 0".to_owned());
    assert_eq!(both(), (Some("1:2 0".to_owned()), "1:2 3".to_owned()));
}
