//! Configurations and their findings, in one long file; `UPDATE=1` writes it again.
//!
//! A block of it is a configuration (`> `), the report as people read it, the tags that the configuration mentions
//! (`tags: `), and what `--skip-unsupported` leaves out (`left out: `).

use super::*;
use crate::Skipping;

fn surroundings(text: &str) -> Memory {
    memory(text).file("inc.conf", "source included { internal(); };\n").with_variable("HOME_PORT", "5514")
}

/// Returns the parts that are left out of a configuration with errors so that the rest can be used; `None`
/// when it is still refused.
fn left_out(files: &Memory) -> Option<Vec<String>> {
    let (mut tree, report) = parse(Path::new("main.conf"), files);
    let mut skipping = Skipping::start(&mut tree, &report)?;
    loop {
        let mut round = Report::default();
        check(&tree, &mut round);
        if round.is_usable() {
            return Some(skipping.left_out().into_iter().map(|one| one.what).collect());
        }
        if !skipping.round(&mut tree, &round) {
            return None;
        }
    }
}

fn shown(text: &str) -> String {
    let files = surroundings(text);
    let (tree, report) = read(&files);
    let mut out = report.render_plain(&tree.texts).trim_end().to_owned();
    let tags = tree.mentioned_tags();
    if !tags.is_empty() {
        out.push_str(&format!("\ntags: {}", tags.join(", ")));
    }
    if !report.is_usable() {
        let left_out = left_out(&files).map_or("nothing can be".to_owned(), |parts| parts.join(", "));
        out.push_str(&format!("\nleft out: {left_out}"));
    }
    out.trim_start().to_owned()
}

#[test]
fn configurations_have_the_findings_of_the_file() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/findings.txt");
    let want = std::fs::read_to_string(&path).unwrap();
    let mut got = String::new();
    for block in want.split_terminator("%%\n") {
        let lines: Vec<&str> = block.lines().filter_map(|line| line.strip_prefix("> ")).collect();
        lines.iter().for_each(|line| got.push_str(&format!("> {line}\n")));
        let shown = shown(&lines.join("\n"));
        got.extend(shown.lines().map(|line| format!("{}\n", line.trim_end())));
        got.push_str("%%\n");
    }
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &got).unwrap();
    }
    for (number, (want, got)) in want.lines().zip(got.lines()).enumerate() {
        assert_eq!(got, want, "line {} of the file", number + 1);
    }
    assert_eq!(got.len(), want.len());
}
