//! What an answer means for the messages of a batch.
//!
//! In: a status, and the code and the words of an exception. Out: a verdict. Holds: nothing. Limits: [`WORDS_CHARACTERS_MAX`].
//!
//! An INSERT that succeeded is answered with nothing, so whatever stands in the body of a success is examined: an exception
//! may come after the status. No message is lost because of a fault that an operator can fix: such a fault holds. A row that
//! the server cannot read fails its whole batch, so the row that the server names is tried alone, or the batch is halved until the row is.

use crate::http::{Answer, Judge, Reply};
use delivery::{HoldReason, Judgement, Verdict, Wait, failure::Failure, verdicts::Verdicts};
use hyper::HeaderMap;
use transport::DeadReason;

/// The header with the code of an exception; old versions do not send it.
const CODE_HEADER: &str = "x-clickhouse-exception-code";
/// The words before the code of an exception in a body.
const CODE_WORDS: &str = "Code: ";
/// Longest text of a server that is kept.
const WORDS_CHARACTERS_MAX: usize = 900;
/// Behind these words the server quotes a row, which our log must not hold.
const QUOTES_ROW: [&str; 5] = ["before: ", "while read", "while pars", "Row ", "(at row"];
/// The words of an exception about one row, whatever its code is.
const OF_ROW: &str = "(at row ";
/// A batch whose rows belong to many partitions: fewer rows belong to fewer. The code is that of too many parts.
const PARTITIONS: &str = "partitions for single INSERT block";
const UNKNOWN_SETTING: u32 = 115;

/// An exception of the server.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Exception {
    code: u32,
    words: String,
}

impl Exception {
    /// Finds the exception in an answer.
    fn find(headers: &HeaderMap, body: &[u8]) -> Option<Exception> {
        let text = String::from_utf8_lossy(body);
        let begin = text.find(CODE_WORDS);
        let digits = begin.map_or("", |at| &text[at + CODE_WORDS.len()..]);
        let digits = &digits[..digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len())];
        let told = headers.get(CODE_HEADER).and_then(|code| code.to_str().ok()?.trim().parse().ok());
        // Zero is the code of no exception.
        let code = told.or_else(|| digits.parse().ok()).filter(|code| *code != 0)?;
        let words = begin.map_or(&*text, |at| &text[at..]).trim();
        let plain = |c: char| if c.is_control() { ' ' } else { c };
        Some(Exception { code, words: words.chars().take(WORDS_CHARACTERS_MAX).map(plain).collect() })
    }

    fn verdict(&self) -> Verdict {
        match self.code {
            252 if self.words.contains(PARTITIONS) => Verdict::Split(DeadReason::Rejected),
            code => match of_code(code) {
                None | Some(Verdict::Hold(HoldReason::Schema)) if self.words.contains(OF_ROW) => {
                    Verdict::Split(DeadReason::Type)
                }
                verdict => verdict.unwrap_or(Verdict::Later(Wait::BackOff)),
            },
        }
    }

    /// Returns the words for our log; in the lines after the first those for a dead letter.
    fn answer(&self) -> String {
        let end = QUOTES_ROW.iter().filter_map(|words| self.words.find(words)).min();
        let end = end.unwrap_or(self.words.len());
        let line = format!("the server answered {}", self.words[..end].trim_end_matches([' ', ':', '(']));
        if end == self.words.len() { line } else { format!("{line}\n{}", self.words) }
    }
}

/// Judges the codes of exceptions; `None` for one whose meaning is not known.
fn of_code(code: u32) -> Option<Verdict> {
    Some(match code {
        // It cannot be read, is of another type, or is out of bounds.
        6 | 25 | 26 | 27 | 32 | 33 | 34 | 38 | 41 | 53 | 69 | 70 | 72 | 85 | 117 | 130 | 190 | 321 | 375
        | 376 | 407 | 434 | 441 | 467 | 536 | 635 | 675 | 676 | 691 => Verdict::Split(DeadReason::Type),
        // It breaks a constraint, or has no value where one must be.
        349 | 469 => Verdict::Split(DeadReason::Constraint),
        131 => Verdict::Split(DeadReason::TooLarge),
        // The user, the password, or the address that it comes from.
        192 | 193 | 194 | 195 | 516 => Verdict::Hold(HoldReason::Credentials),
        // It may not be written: by this user, by a read-only one.
        164 | 291 | 497 => Verdict::Hold(HoldReason::Access),
        // A column, a table, a database, a format, a type, a setting or a dictionary is not there.
        8 | 10 | 16 | 20 | 36 | 44 | 47 | 48 | 50 | 60 | 62 | 73 | 81 | UNKNOWN_SETTING | 218 | 452 => {
            Verdict::Hold(HoldReason::Schema)
        }
        // A quota is used up, or the disk.
        201 | 243 | 290 => Verdict::Hold(HoldReason::Quota),
        // Time, connections, memory, parts, replicas, ZooKeeper or Keeper: they come back.
        159 | 160 | 198 | 202 | 203 | 209 | 210 | 225 | 236 | 241 | 242 | 244 | 252 | 254 | 279 | 285
        | 286 | 289 | 319 | 394 | 425 | 439 | 473 | 499 | 999 => Verdict::Later(Wait::Busy),
        _ => return None,
    })
}

/// Returns true when the server does not know a setting of the request.
pub(super) fn is_unknown_setting(reply: &Reply) -> bool {
    let Reply::Status { headers, body, .. } = reply else { return false };
    Exception::find(headers, body).is_some_and(|exception| exception.code == UNKNOWN_SETTING)
}

/// Judges the outcome of a request. `Ok`: the rows are in the table.
pub(super) fn of_reply(judge: &Judge, reply: Reply) -> Result<(), Failure> {
    let Answer { status, wait, headers, body } = reply.answer()?;
    if let Some(exception) = Exception::find(&headers, &body) {
        return Err(Failure { verdict: exception.verdict(), answer: exception.answer() });
    }
    let foreign = |verdict| {
        let answer = format!("the server answered {status}: this is no answer of ClickHouse");
        Err(Failure { verdict, answer })
    };
    match judge.of_status(status, wait) {
        Verdict::Delivered if body.trim_ascii().is_empty() => Ok(()),
        Verdict::Delivered => foreign(Verdict::Hold(HoldReason::Schema)),
        // Somebody on the way refuses what ClickHouse has not seen.
        Verdict::Split(DeadReason::Rejected | DeadReason::Constraint) => {
            foreign(Verdict::Hold(HoldReason::Schema))
        }
        verdict => foreign(verdict),
    }
}

/// Judges all rows of a batch by its failure. A row that the server names is suspected: it is tried alone.
pub(super) fn over_rows(rows: usize, failure: &Failure) -> Vec<Judgement> {
    let Failure { verdict, answer } = failure;
    let mut verdicts = Verdicts::default();
    if let Verdict::Split(reason) = verdict
        && let Some(before) = rows_before(answer).filter(|before| *before < rows)
    {
        if before > 0 {
            verdicts.push_many(before, *verdict, answer);
        }
        verdicts.push(Verdict::Suspect(*reason), answer);
    }
    verdicts.finish(rows, Some(failure))
}

/// Returns how many rows are before the one that the words of an exception name. The last of such words are the server's: those before
/// may be of a row.
fn rows_before(words: &str) -> Option<usize> {
    let rest = &words[words.rfind(OF_ROW)? + OF_ROW.len()..];
    // It counts from one.
    rest.split_once(')')?.0.parse::<usize>().ok()?.checked_sub(1)
}

#[cfg(test)]
mod tests;
