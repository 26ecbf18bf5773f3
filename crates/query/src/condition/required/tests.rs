//! Rows of queries with their marks, and messages that match without a mark, which must not exist.

use super::*;
use crate::{ParseOptions, Query};

#[track_caller]
fn check(query: &str, want: &str) {
    let query = Query::parse(query, &ParseOptions::default()).unwrap();
    let marks = query.required_marks();
    let shown = marks
        .map_or_else(|| "none".to_owned(), |marks| marks.iter().map(show).collect::<Vec<_>>().join(" | "));
    assert_eq!(shown, want);
}

fn show(mark: &RequiredMark) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let name = |column: &Column| crate::column_name(column).to_owned();
    match mark {
        RequiredMark::Value(column, value) => format!("{}={}", name(column), text(value)),
        RequiredMark::Number(column, number) => format!("{}#{number}", name(column)),
        RequiredMark::ValuePart(column, part) => format!("{}~{}", name(column), text(part)),
        RequiredMark::Present(column) => format!("{}?", name(column)),
        RequiredMark::Word(word) => text(word),
        RequiredMark::Part(part) => format!("~{}", text(part)),
    }
}

#[test]
fn the_rarest_member_decides() {
    check("Failed password", "password");
    check("program:sshd \"failed password\"", "password");
    check("program:sshd AND severity:err", "program=sshd");
    check("severity:<=crit", "severity=emerg | severity=alert | severity=crit");
    check("a1 OR program:sshd", "a1 | program=sshd");
    check("a1 OR NOT b1", "none");
    check("NOT b1", "none");
    check("", "none");
    check("*", "none");
}

#[test]
fn values_words_and_parts_are_marks() {
    check("status:500", "status=500 | status#500");
    check("status:>=500", "status?");
    check("pid:>=500", "none");
    check("src:10.0.0.0/8", "src=10.0.0.0/8 | src?");
    check("user:==Eva", "user=eva");
    check(r"image:*\\whoami.exe", r"image~\whoami.exe");
    check("adm*", "~adm");
    check("ad*", "none");
    check("*min*tion", "~tion");
    check("/rt=0\\.9[0-9]+/", "none");
    check("/denied by (acl|policy)/", "~denied");
    check("raw:/x/", "none");
    check("@skew:>5m", "none");
}
