//! The examples of the manual, run: tables whose rows hold an example and its result.

use super::{finds, got};
use std::path::Path;

const LINE: &str = "<165>1 2026-11-21T03:00:00.123456+01:00 gate cron 77 ID47 [ex@1 k=\"v\"] disk full";
const VALUES: &str = "rewrite { set('anna' value('user')); set(int('7') value('count'));
    set(list('a,\"b,c\",d') value('list')); set('shop' value('app.name')); set('8080' value('app.port'));
    set('k1' value('.app.key')); set-tag('.source.s'); };";
/// Marks a result that no test can know.
const DIFFERS: &str = "differs";

/// Returns the cells of a page's tables with at least `columns` columns, without their backticks.
fn rows(page: &str, columns: usize) -> Vec<Vec<String>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/manual").join(page);
    let text = std::fs::read_to_string(path).unwrap();
    let cells = |line: &str| -> Vec<String> {
        let line = line.trim_matches('|').replace("\\|", "\u{1}");
        let bare = |cell: &str| {
            let cell = cell.strip_prefix(' ').and_then(|cell| cell.strip_suffix(' ')).unwrap_or(cell);
            cell.trim_start_matches('`').trim_end_matches('`').replace('\u{1}', "|")
        };
        line.split('|').map(bare).collect()
    };
    let lines = text.lines().filter(|line| line.starts_with('|') && !line.starts_with("|--"));
    lines.map(cells).filter(|row| row.len() >= columns && row[columns - 1] != "result").collect()
}

/// Returns the text of a template after some steps; nothing when the message was stopped.
fn shown(definitions: &str, steps: &str, template: &str) -> String {
    let template = template.replace('\\', "\\\\").replace('"', "\\\"");
    let text = format!(
        "{definitions}\nsource s {{ network(flags(syslog-protocol)); }};
        log {{ source(s); {VALUES} {steps} destination {{ program(\"x\" template(\"{template}\")); }}; }};"
    );
    let lines = got(&text, &[LINE]);
    let line = lines.first().map_or("", String::as_str);
    line.split_once(": ").map_or(line, |(_, shown)| shown).to_owned()
}

#[track_caller]
fn check_all(checked: usize, least: usize, wrong: &[String]) {
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(checked >= least, "only {checked} examples");
}

#[test]
fn templates() {
    let (mut wrong, mut checked) = (Vec::new(), 0);
    let rows = rows("templates.md", 3);
    for row in rows.iter().filter(|row| row.last().is_some_and(|result| result != "result")) {
        let [.., example, want] = row.as_slice() else { continue };
        let shown = shown("", "", example);
        checked += 1;
        if want != DIFFERS && shown != *want {
            wrong.push(format!("{example}: {shown:?}, not {want:?}"));
        }
    }
    check_all(checked, 110, &wrong);
}

#[test]
fn filters() {
    let (mut wrong, mut checked) = (Vec::new(), 0);
    let definitions = "filter f_cron { program(cron); };";
    for row in rows("filters.md", 4).iter().filter(|row| row[3] != "passes") {
        let (example, want) = (&row[2], row[3].as_str());
        checked += 1;
        if want == DIFFERS {
            finds(&format!("filter f {{ {example}; }};"), &[]);
            continue;
        }
        let holds =
            if shown(definitions, &format!("filter {{ {example}; }};"), "x") == "x" { "yes" } else { "no" };
        if holds != want {
            wrong.push(format!("{example}: {holds}, not {want}"));
        }
    }
    check_all(checked, 28, &wrong);
}

#[test]
fn rewrites() {
    let (mut wrong, mut checked) = (Vec::new(), 0);
    for row in rows("rewrites.md", 5) {
        let [rule, _, example, template, want] = row.as_slice() else { continue };
        let kind = if rule.starts_with("map-value-pairs") { "parser" } else { "rewrite" };
        let shown = shown("", &format!("{kind} {{ {example}; }};"), template);
        checked += 1;
        if shown != *want {
            wrong.push(format!("{example}: {shown:?}, not {want:?}"));
        }
    }
    check_all(checked, 20, &wrong);
}
