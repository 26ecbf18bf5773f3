//! Rows of what is taken over from elsewhere.

use super::*;
use crate::terminal::testing::Tape;
use flate2::read::GzDecoder;
use std::{fs::File, io::Read};

#[test]
fn names_from_messages_are_left_out() {
    let csv = "SourceName;SourceId;SourceInstance;State;Type;Number\n\
               dst.file;d#0;/var/log/secret;a;written;3\n\
               src.network;s#0;udp,0.0.0.0:514;a;processed;4\n\
               dst.network;d#1;tcp,joe@host:1;a;written;5\n\
               dst.http;d#2;\"http,a;b\";a;dropped;6\n\
               center;;received;a;processed;7\nshort;row\n";
    let want = "SourceName;SourceId;SourceInstance;State;Type;Number\n\
                dst.file;d#0;-;a;written;3\n\
                src.network;s#0;udp,0.0.0.0:514;a;processed;4\n\
                dst.network;d#1;-;a;written;5\n\
                dst.http;d#2;-;a;dropped;6\n\
                center;;-;a;processed;7\n";
    assert_eq!(statistics(csv), want);
    assert_eq!(without_texts("OK\ndestination d#0 (http,x): refused y\n"), "OK\ndestination d#0: [...]\n");
}

#[test]
fn only_our_own_messages_are_taken() {
    let own = "[2026-11-22T10:00:00.000000] duramen starting up;\n";
    let others = "First run: the page's user is `admin`, the password: x\n[not a stamp] y\n\
                  [2026-11-22T10:00:00.00000] short\n[2026-11-22T10:00:00.00000x] odd\n[2026-11-22T10:00:00.000000]none\n";
    assert_eq!(own_messages(&format!("{others}{own}")), own);
}

fn options(folder: &Path) -> SupportOptions {
    SupportOptions {
        control: folder.join("ctl"),
        config: folder.join("conf"),
        data: folder.join("data"),
        unit: "nothing.service".to_owned(),
        output: folder.join("bundle.tar.gz"),
    }
}

/// The files of a bundle, with their modes.
fn unpacked(path: &Path) -> Vec<(String, u32, String)> {
    let mut archive = tar::Archive::new(GzDecoder::new(File::open(path).unwrap()));
    let entries = archive.entries().unwrap().map(|entry| {
        let mut entry = entry.unwrap();
        let mut text = String::new();
        entry.read_to_string(&mut text).unwrap();
        let name = entry.path().unwrap().display().to_string();
        (name, entry.header().mode().unwrap(), text)
    });
    entries.collect()
}

#[test]
fn a_bundle_is_made_without_a_server() {
    let folder = tempfile::tempdir().unwrap();
    let options = options(folder.path());
    fs::write(
        &options.config,
        "@version: 4.8\nlog { source { network(port(514)); }; destination { file(\"/secret\"); }; };\n",
    )
    .unwrap();
    let tape = Tape::default();
    assert_eq!(tape.record(|| run(&options)), ExitCode::SUCCESS);
    let want = format!(
        "{}: read it before you send it; README.txt in it says what is there\n",
        options.output.display()
    );
    assert_eq!(String::from_utf8(tape.printed().output).unwrap(), want);
    assert_eq!(fs::metadata(&options.output).unwrap().mode() & 0o777, 0o600);
    let files = unpacked(&options.output);
    let names: Vec<&str> =
        files.iter().filter_map(|(name, ..)| name.strip_prefix("duramen-support/")).collect();
    let listed: Vec<&str> =
        README.lines().filter_map(|line| line.split_once("  ")).map(|(name, _)| name).collect();
    assert_eq!(names[0], "README.txt");
    assert_eq!(names[1..], listed, "the README lists the others");
    assert!(files.iter().all(|(_, mode, _)| *mode == 0o600));
    let text = |name: &str| &files.iter().find(|(known, ..)| known.ends_with(name)).unwrap().2;
    assert!(text("version.json").contains(env!("CARGO_PKG_VERSION")));
    assert_eq!(text("process.txt"), "no server answers\n");
    assert!(text("health.txt").starts_with("no server answers: "), "{}", text("health.txt"));
    assert!(text("config.txt").contains("network(port(514))") && !text("config.txt").contains("secret"));
    assert!(text("machine.txt").contains("== /proc/meminfo\nMemTotal:"));
    assert!(text("machine.txt").contains("file system of root: "));
    assert_eq!(
        *text("data.txt"),
        format!("nothing is in {}, or it cannot be read\n", options.data.display())
    );
    assert_eq!(tape.record(|| run(&options)), ExitCode::FAILURE, "the file is there already");
    let errors = String::from_utf8(tape.printed().errors).unwrap();
    assert!(errors.starts_with(&format!("duramen: cannot write {}: ", options.output.display())), "{errors}");
}

#[test]
fn a_configuration_with_errors_is_not_shown() {
    let folder = tempfile::tempdir().unwrap();
    let options = options(folder.path());
    assert!(configuration(&options).starts_with(&format!("cannot read {}: ", options.config.display())));
    fs::write(&options.config, "@version: 4.8\nlog { \"secret };\n").unwrap();
    assert_eq!(configuration(&options), "it has errors: `duramen check` lists them\n");
}

#[test]
fn own_files_are_listed_as_deep_as_the_days_of_a_logspace() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::create_dir_all(path.join("logspaces/a/2/3/4/5/6/7")).unwrap();
    for file in
        ["logspaces/a/b", "logspaces/a/2/3/4/5/f", "logspaces/a/2/3/4/5/6/g", "secret.log", "rows.key"]
    {
        fs::write(path.join(file), "12345").unwrap();
    }
    let text = data(path);
    let lines: Vec<(&str, &str)> = text
        .lines()
        .map(|line| {
            let mut fields = line.splitn(4, ' ');
            let mode = fields.next().unwrap();
            let (_, size, name) = (fields.next().unwrap(), fields.next().unwrap(), fields.next().unwrap());
            (if mode.starts_with("100") { size } else { "folder" }, name)
        })
        .collect();
    let want = [
        ("folder", "logspaces"),
        ("folder", "logspaces/a"),
        ("folder", "logspaces/a/2"),
        ("folder", "logspaces/a/2/3"),
        ("folder", "logspaces/a/2/3/4"),
        ("folder", "logspaces/a/2/3/4/5"),
        ("folder", "logspaces/a/2/3/4/5/6"),
        ("5", "logspaces/a/2/3/4/5/f"),
        ("5", "logspaces/a/b"),
        ("5", "rows.key"),
    ];
    assert_eq!(lines, want, "{text}");
}
