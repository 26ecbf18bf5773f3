//! Stack traces: the lines that runtimes print when a program fails.
//!
//! In: lines. Out: which belong to one trace. Holds: the position in a trace.
//! Limits: only shapes of the table; a line that could begin a trace waits for the next one.

use super::verdict::{Joined, LineUse};
use regex::bytes::RegexSet;
use std::sync::OnceLock;

/// The position of the last line in a stack trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Trace {
    /// Not in a trace.
    #[default]
    Outside,
    /// After the line that names an exception of Java, JavaScript or C#.
    Exception,
    /// Among its frames.
    ExceptionFrames,
    /// After `Traceback (most recent call last):`, or after a line of source.
    Python,
    /// After the location of a frame of Python: its source line.
    PythonSource,
    /// After the line that names an error of PHP.
    Php,
    /// Among its frames.
    PhpFrames,
    /// After `panic:` of Go.
    Go,
    /// After the signal of a panic.
    GoSignal,
    /// Before `goroutine N [running]:`.
    GoRoutine,
    /// Before the function of a frame.
    GoFunction,
    /// Before the location of a frame.
    GoPlace,
    /// After the line that names an error of Ruby on Rails.
    Rails,
    /// Among frames of Ruby.
    Ruby,
    /// After `panicked at` of Rust.
    Rust,
    /// Among the frames of Rust.
    RustFrames,
    /// After `Unhandled exception:` of Dart.
    Dart,
    /// Among the frames of Dart.
    DartFrames,
}

use Trace::*;

/// From, a pattern of the line, to. `Outside` as the last one: the line is the last of its trace.
const RULES: &[(Trace, &str, Trace)] = &[
    (Outside, r"(?:Exception|Error|Throwable|V8 errors stack trace)(?::|\r?$)", Exception),
    (Exception, r"^[\t ]*nested exception is:", Exception),
    (Exception, r"^\r?$", Exception),
    (Exception, r"^[\t ]+(?:eval )?at ", ExceptionFrames),
    (Exception, r"^[\t ]+--- End of inner exception stack trace ---", ExceptionFrames),
    (Exception, r"^[\t ]*(?:Caused by|Suppressed):", Exception),
    (Exception, r"^[\t ]*\.\.\. \d+ (?:more|common frames omitted)", ExceptionFrames),
    (ExceptionFrames, r"^[\t ]+(?:eval )?at ", ExceptionFrames),
    (
        ExceptionFrames,
        r"^[\t ]*--- End of (?:inner exception stack trace|stack trace from previous)",
        ExceptionFrames,
    ),
    (ExceptionFrames, r"^[\t ]*(?:Caused by|Suppressed):", Exception),
    (ExceptionFrames, r"^[\t ]*\.\.\. \d+ (?:more|common frames omitted)", ExceptionFrames),
    (Outside, r"^Traceback \(most recent call last\):\r?$", Python),
    (Python, r"^[\t ]*File ", PythonSource),
    (Python, r"^[\t ]+[\^~]+[\t ]*\r?$", Python),
    (Python, r"^(?:[^\s.():]+\.)*[^\s.():]+(?::|\r?$)", Outside),
    (PythonSource, r"[^\t ]", Python),
    (Outside, r"PHP (?:Notice|Parse error|Fatal error|Warning):|exception '[^']+' with message '", Php),
    (Php, r"^Stack trace:", PhpFrames),
    (PhpFrames, r"^#\d", PhpFrames),
    (PhpFrames, r"^\s+thrown in ", Outside),
    (Outside, r"\bpanic: ", Go),
    (Outside, r"http: panic serving", GoRoutine),
    (Go, r"^\r?$", GoRoutine),
    (Go, r"^\[signal ", GoSignal),
    (Go, r"^\s+panic: ", Go),
    (GoSignal, r"^\r?$", GoRoutine),
    (GoRoutine, r"^goroutine \d+ \[[^\]]+\]:\r?$", GoFunction),
    (GoFunction, r"^\r?$", GoRoutine),
    (GoFunction, r"^(?:[^\s.:]+\.)*[^\s.():]+\(|^created by ", GoPlace),
    (GoPlace, r"^\s", GoFunction),
    (Outside, r"Error \(.*\):\r?$", Rails),
    (Rails, r"^  \r?$", Ruby),
    (Rails, r"^[\t ]+.*?\.rb:\d+:in [`']", Ruby),
    (Ruby, r"^[\t ]+.*?\.rb:\d+:in [`']", Ruby),
    (Outside, r"\.rb:\d+:in [`'].*\(\w*(?:Error|Exception)\)\r?$", Ruby),
    (Ruby, r"^[\t ]+from .*?\.rb:\d+", Ruby),
    (Outside, r"^thread '.*' (?:\(\d+\) )?panicked at .*", Rust),
    (Rust, r"^stack backtrace:", RustFrames),
    (Rust, r"^[^\s\d\[<{]", Rust),
    (RustFrames, r"^\s+\d+: ", RustFrames),
    (RustFrames, r"^\s+at ", RustFrames),
    (RustFrames, r"^note: ", Outside),
    (Outside, r"^Unhandled exception:\r?$", Dart),
    (Dart, r"^#\d+\s+.*\(.*\)\r?$", DartFrames),
    (Dart, r"^[^\s#]", Dart),
    (DartFrames, r"^#\d+\s", DartFrames),
    (DartFrames, r"^<asynchronous suspension>\r?$", DartFrames),
];

/// The rules of one state: all patterns at once, and the state that each leads to.
struct StateRules {
    patterns: RegexSet,
    leads: Vec<Trace>,
}

fn rules_by_state() -> &'static [StateRules] {
    static STATES: OnceLock<Vec<StateRules>> = OnceLock::new();
    STATES.get_or_init(|| {
        (Outside as usize..=DartFrames as usize)
            .map(|state| {
                let rules = RULES.iter().filter(|(from, _, _)| *from as usize == state);
                let (patterns, leads): (Vec<&str>, Vec<Trace>) =
                    rules.map(|(_, text, to)| (*text, *to)).unzip();
                StateRules {
                    patterns: RegexSet::new(patterns).expect("the patterns of the table compile"),
                    leads,
                }
            })
            .collect()
    })
}

impl Trace {
    /// Returns the state after a line: that of the first rule that matches.
    fn step(self, line: &[u8]) -> Option<Trace> {
        let rules = &rules_by_state()[self as usize];
        rules.patterns.matches(line).iter().next().map(|rule| rules.leads[rule])
    }

    pub(super) fn judge(&mut self, line: &[u8]) -> Joined {
        if *self != Outside {
            match self.step(line) {
                Some(Outside) => {
                    *self = Outside;
                    return Joined { closes: false, line: LineUse::Ends(line.len()) };
                }
                Some(next) => {
                    *self = next;
                    return Joined { closes: false, line: LineUse::Open };
                }
                None => {}
            }
        }
        *self = Outside.step(line).unwrap_or(Outside);
        let used = if *self == Outside { LineUse::Ends(line.len()) } else { LineUse::Open };
        Joined { closes: true, line: used }
    }
}
