//! The questions, what each is to find, and how fast.
//!
//! In: nothing. Out: the table.

use crate::site::NEEDLE;

/// One question.
pub(crate) struct Question {
    pub(crate) name: &'static str,
    /// In our query language.
    pub(crate) query: &'static str,
    /// Asks for the ten commonest values of these columns.
    pub(crate) columns: &'static [&'static str],
    /// Shows bars and messages, too.
    pub(crate) messages: bool,
    /// What it is to find, said in another way.
    pub(crate) finds: Finds,
    /// Milliseconds that it may take.
    pub(crate) target_ms: Option<f64>,
    /// The nearest thing to ask of ripgrep.
    pub(crate) ripgrep: Option<&'static [&'static str]>,
}

/// What a message must have.
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

use Finds::*;

const fn question(name: &'static str, query: &'static str, finds: Finds) -> Question {
    Question { name, query, columns: &[], messages: true, finds, target_ms: None, ripgrep: None }
}

const fn within(question: Question, target_ms: f64) -> Question {
    Question { target_ms: Some(target_ms), ..question }
}

const fn beside(question: Question, ripgrep: &'static [&'static str]) -> Question {
    Question { ripgrep: Some(ripgrep), ..question }
}

/// All questions, in the order of the table.
pub(crate) const ALL: &[Question] = &[
    beside(within(question("rare token", NEEDLE, Word(NEEDLE)), 20.0), &["-ciw", NEEDLE]),
    beside(question("medium token", "blocked", Word("blocked")), &["-ciw", "blocked"]),
    beside(within(question("common token", "user", Word("user")), 30.0), &["-ciw", "user"]),
    question("AND", "failed AND root", All(&[Word("failed"), Word("root")])),
    beside(
        question(
            "OR of 4",
            "failed OR invalid OR deny OR blocked",
            One(&[Word("failed"), Word("invalid"), Word("deny"), Word("blocked")]),
        ),
        &["-ciw", "failed|invalid|deny|blocked"],
    ),
    question("NOT", "failed NOT root", All(&[Word("failed"), Not(&Word("root"))])),
    beside(question("prefix", "syst*", Starts("syst")), &["-ci", r"\bsyst"]),
    beside(question("leading wildcard", "*bound", Ends("bound")), &["-ci", r"bound\b"]),
    beside(
        question("leading wildcard, rare", "*beefcafe4711", Ends("beefcafe4711")),
        &["-ci", r"beefcafe4711\b"],
    ),
    beside(within(question("infix", "*ail*", Has("ail")), 300.0), &["-ci", "ail"]),
    beside(within(question("match all", "*", Any), 20.0), &["-c", "^"]),
    beside(
        question("phrase", "\"authentication failure\"", Phrase(&["authentication", "failure"])),
        &["-ci", r"\bauthentication failure\b"],
    ),
    question("fuzzy, 1 edit", "autentication~1", Near("autentication")),
    Question {
        columns: &["host"],
        messages: false,
        ..question("top 10 hosts of a token", "failed", Word("failed"))
    },
    Question {
        columns: &["host", "program", "severity"],
        ..question("a first page: all, and top values of 3 columns", "*", Any)
    },
    question("host AND token", "host:gru1-srv-005 AND failed", All(&[Host("gru1-srv-005"), Word("failed")])),
];
