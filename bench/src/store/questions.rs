//! The queries, their expected results, and their target times.
//!
//! In: nothing. Out: the table.

use crate::site::NEEDLE;
use serde_json::{Value, json};

/// One query.
pub(crate) struct Question {
    /// Its number in older tables of such measurements.
    pub(crate) number: &'static str,
    pub(crate) name: &'static str,
    /// In our query language.
    pub(crate) query: &'static str,
    /// Columns whose ten most common values are requested.
    pub(crate) columns: &'static [&'static str],
    /// True if bars and messages are requested as well.
    pub(crate) messages: bool,
    /// The messages that it must find, as a condition that is evaluated independently.
    pub(crate) finds: Finds,
    /// Milliseconds that it may take with up to 10 and with up to 50 million messages.
    pub(crate) target_ms: Option<[f64; 2]>,
    /// The nearest equivalent for grep.
    pub(crate) grep: Option<&'static [&'static str]>,
    /// In VictoriaLogs' language, whose words are case-sensitive.
    pub(crate) logsql: Option<&'static str>,
}

/// The condition on a message.
pub(crate) enum Finds {
    Any,
    Word(&'static str),
    Starts(&'static str),
    Ends(&'static str),
    Has(&'static str),
    /// A word at most one edit away.
    Near(&'static str),
    /// The words one after the other.
    Phrase(&'static [&'static str]),
    /// This host.
    Host(&'static str),
    All(&'static [Finds]),
    One(&'static [Finds]),
    Not(&'static Finds),
}

impl Finds {
    /// Returns the query as a tree for other programs.
    pub(crate) fn tree(&self) -> Value {
        let trees = |parts: &[Finds]| parts.iter().map(Finds::tree).collect::<Vec<_>>();
        match self {
            Finds::Any => json!("any"),
            Finds::Word(word) => json!({ "word": word }),
            Finds::Starts(start) => json!({ "starts": start }),
            Finds::Ends(end) => json!({ "ends": end }),
            Finds::Has(part) => json!({ "has": part }),
            Finds::Near(word) => json!({ "near": word }),
            Finds::Phrase(words) => json!({ "phrase": words }),
            Finds::Host(host) => json!({ "host": host }),
            Finds::All(parts) => json!({ "all": trees(parts) }),
            Finds::One(parts) => json!({ "one": trees(parts) }),
            Finds::Not(part) => json!({ "not": part.tree() }),
        }
    }
}

use Finds::*;

impl Question {
    const fn new(number: &'static str, name: &'static str, query: &'static str, finds: Finds) -> Question {
        let (columns, target_ms, grep, logsql) = (&[], None, None, None);
        Question { number, name, query, columns, messages: true, finds, target_ms, grep, logsql }
    }

    const fn within(self, at_10m: f64, at_50m: f64) -> Question {
        Question { target_ms: Some([at_10m, at_50m]), ..self }
    }

    const fn grep(self, words: &'static [&'static str]) -> Question {
        Question { grep: Some(words), ..self }
    }

    const fn logsql(self, query: &'static str) -> Question {
        Question { logsql: Some(query), ..self }
    }

    /// Returns the milliseconds that it may take with `messages` messages.
    pub(crate) fn limit_ms(&self, messages: u64) -> Option<f64> {
        let [at_10m, at_50m] = self.target_ms?;
        match messages {
            0..=10_000_000 => Some(at_10m),
            10_000_001..=50_000_000 => Some(at_50m),
            _ => None,
        }
    }
}

/// All queries, in the order of the table.
pub(crate) const ALL: &[Question] = &[
    Question::new("Q1", "rare token", NEEDLE, Word(NEEDLE))
        .within(2.0, 2.0)
        .grep(&["-ciw", NEEDLE])
        .logsql(NEEDLE),
    Question::new("Q2", "medium token", "blocked", Word("blocked"))
        .within(10.0, 10.0)
        .grep(&["-ciw", "blocked"])
        .logsql("blocked"),
    Question::new("Q3", "token of 20 %", "user", Word("user"))
        .within(5.0, 5.0)
        .grep(&["-ciw", "user"])
        .logsql("user"),
    Question::new("Q4", "AND", "failed AND root", All(&[Word("failed"), Word("root")]))
        .within(5.0, 5.0)
        .logsql("Failed root"),
    Question::new(
        "Q5",
        "OR of 4",
        "failed OR invalid OR deny OR blocked",
        One(&[Word("failed"), Word("invalid"), Word("deny"), Word("blocked")]),
    )
    .within(5.0, 5.0)
    .grep(&["-ciwE", "failed|invalid|deny|blocked"])
    .logsql("Failed or invalid or Deny or blocked"),
    Question::new("Q6", "NOT", "failed NOT root", All(&[Word("failed"), Not(&Word("root"))]))
        .within(5.0, 5.0)
        .logsql("Failed !root"),
    Question::new("Q7", "prefix", "syst*", Starts("syst"))
        .within(5.0, 5.0)
        .grep(&["-ci", r"\bsyst"])
        .logsql("syst*"),
    Question::new("Q8", "leading wildcard", "*bound", Ends("bound"))
        .within(100.0, 450.0)
        .grep(&["-ci", r"bound\b"])
        .logsql(r#"~"(?i)bound\\b""#),
    Question::new("Q8b", "leading wildcard, rare", "*beefcafe4711", Ends("beefcafe4711"))
        .within(100.0, 450.0)
        .grep(&["-ci", r"beefcafe4711\b"])
        .logsql(r#"~"beefcafe4711\\b""#),
    Question::new("Q9", "infix wildcard", "*ail*", Has("ail"))
        .within(100.0, 450.0)
        .grep(&["-ci", "ail"])
        .logsql(r#"~"(?i)ail""#),
    Question::new("Q10", "match all", "*", Any).within(2.0, 2.0).grep(&["-c", "^"]).logsql("*"),
    Question::new("Q10b", "one letter anywhere", "*a*", Has("a"))
        .within(100.0, 450.0)
        .grep(&["-ci", "a"])
        .logsql(r#"~"(?i)a""#),
    Question::new(
        "Q11",
        "phrase of frequent words",
        "\"authentication failure\"",
        Phrase(&["authentication", "failure"]),
    )
    .within(15.0, 15.0)
    .grep(&["-ci", r"\bauthentication failure\b"])
    .logsql("\"authentication failure\""),
    Question::new("Q11b", "any phrase", "\"user jenkins from\"", Phrase(&["user", "jenkins", "from"]))
        .within(150.0, 150.0)
        .grep(&["-ci", r"\buser jenkins from\b"])
        .logsql("\"user jenkins from\""),
    Question::new("Q12", "fuzzy, 1 edit", "autentication~1", Near("autentication")).within(60.0, 60.0),
    Question {
        columns: &["host"],
        messages: false,
        ..Question::new("Q13", "top 10 hosts of a token", "failed", Word("failed"))
            .within(15.0, 15.0)
            .logsql("Failed | top 10 by (hostname)")
    },
    Question {
        columns: &["host", "program", "severity"],
        ..Question::new("", "a first page: all, and top values of 3 columns", "*", Any)
    },
    Question::new(
        "Q14",
        "host AND token",
        "host:gru1-srv-005 AND failed",
        All(&[Host("gru1-srv-005"), Word("failed")]),
    )
    .logsql(r#"{hostname="gru1-srv-005"} Failed"#),
];
