//! The errors of MySQL and MariaDB: which wait, which are held, which concern single rows.
//!
//! In: numbers and SQLSTATEs (MySQL 8.4 reference, "Server Error Message Reference"; MariaDB documentation, "Error Codes").
//! Out: verdicts. Holds: nothing. Limits: a number that is not here is judged by its SQLSTATE.

use crate::link::failure::{ANSWER_CHARACTERS_MAX, Failure};
use delivery::{HoldReason, Verdict, Wait};
use transport::{
    DeadReason,
    sql::mysql::{ServerError, SessionError},
};

/// The work that was being done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// Connecting: a refusal is about everything.
    Login,
    /// Looking at a table, making or widening it.
    Table,
    /// Writing rows.
    Rows,
}

/// Returns what an error means for the rows of a request.
pub(super) fn failure(error: SessionError, step: Step) -> Failure {
    match error {
        SessionError::Tls(error) => error.into(),
        SessionError::Packet(error) => Failure::unreachable(error.to_string()),
        SessionError::Login(refusal) => {
            Failure { verdict: Verdict::Hold(HoldReason::Credentials), answer: refusal.to_string() }
        }
        SessionError::Server(error) => {
            let verdict = verdict(&error, step);
            Failure { verdict, answer: answer(&error, verdict) }
        }
    }
}

/// Returns the text of the server, without parts that may come from a message.
fn answer(error: &ServerError, verdict: Verdict) -> String {
    let names_only_columns = matches!(error.number, 1048 | 1264 | 1265 | 1406);
    let message = match verdict {
        // After a quotation mark there may be values of the message, which our log must not contain.
        Verdict::Split(_) if !names_only_columns => {
            error.message.split(['\'', '"']).next().unwrap_or_default().trim_end_matches([' ', ':'])
        }
        _ => error.message.as_str(),
    };
    let message: String = message.chars().take(ANSWER_CHARACTERS_MAX).collect();
    let state = if error.state.is_empty() { String::new() } else { format!(" ({})", error.state) };
    format!("{}{state} {message}", error.number)
}

/// Returns the verdict over rows for which there was an error.
pub(super) fn verdict(error: &ServerError, step: Step) -> Verdict {
    if let Some(verdict) = of_server(error.number) {
        return verdict;
    }
    match step {
        Step::Login => Verdict::Hold(HoldReason::Credentials),
        Step::Table => of_table(error),
        Step::Rows => of_rows(error),
    }
}

/// Returns the verdict for errors that affect every table and every row.
fn of_server(number: u16) -> Option<Verdict> {
    Some(match number {
        // Handshake, shutdown, killed connections, broken packets, offline mode, Galera without its cluster (1047).
        1042 | 1043 | 1047 | 1053 | 1077..=1080 | 1152 | 1158..=1161 | 1184 | 1927 | 3032 | 3169 | 4031 => {
            Verdict::Later(Wait::Reopen)
        }
        // Too many connections, statements or locks; out of memory or threads; an engine's error (1030).
        1030 | 1037 | 1038 | 1040 | 1041 | 1135 | 1203 | 1206 | 1226 | 1461 | 1637 => {
            Verdict::Later(Wait::BackOff)
        }
        // Lock wait, deadlock, interrupted, out of time, table changed meanwhile, statement unknown or to be prepared again.
        1205 | 1213 | 1243 | 1317 | 1412 | 1613 | 1614 | 1615 | 1969 | 3024 | 3058 | 3572 => {
            Verdict::Later(Wait::BackOff)
        }
        // No space; read-only.
        1021 | 1036 | 1114 | 1290 | 1792 | 1836 | 3100 => Verdict::Hold(HoldReason::Quota),
        // No right for a table, a column, a database, or for something that needs a special one.
        1044 | 1142 | 1143 | 1227 | 1370 => Verdict::Hold(HoldReason::Access),
        // User, password, account, login method.
        1045 | 1130 | 1251 | 1524 | 1698 | 1820 | 1862 | 3118 | 3159 | 4151 => {
            Verdict::Hold(HoldReason::Credentials)
        }
        _ => return None,
    })
}

/// Returns the verdict for a table that can be neither inspected nor created.
fn of_table(error: &ServerError) -> Verdict {
    match error.state.get(..2).unwrap_or_default() {
        "08" => Verdict::Later(Wait::Reopen),
        "40" | "70" => Verdict::Later(Wait::BackOff),
        _ => Verdict::Hold(HoldReason::Schema),
    }
}

fn of_rows(error: &ServerError) -> Verdict {
    match error.number {
        // The table, or a column, is missing, or has no value for a column that is not ours; the database is missing.
        1049 | 1054 | 1109 | 1136 | 1146 | 1364 | 1471 | 1932 => Verdict::Hold(HoldReason::Schema),
        // Longer than the server's packets, or its rows.
        1118 | 1153 | 1301 | 1390 => Verdict::Split(DeadReason::TooLarge),
        // Checks, partitions, foreign keys, keys that are there.
        1022 | 1048 | 1062 | 1216 | 1217 | 1451 | 1452 | 1526 | 1557 | 1569 | 1586 | 1748 | 3819 | 4025 => {
            Verdict::Split(DeadReason::Constraint)
        }
        // Values that would be cut or changed.
        1264 | 1265 | 1292 | 1366 | 1367 | 1406 | 1411 | 1416 | 1690 | 3140 | 3141 | 3156 => {
            Verdict::Split(DeadReason::Type)
        }
        _ => match error.state.get(..2).unwrap_or_default() {
            "08" => Verdict::Later(Wait::Reopen),
            "40" | "70" => Verdict::Later(Wait::BackOff),
            "28" => Verdict::Hold(HoldReason::Credentials),
            "25" => Verdict::Hold(HoldReason::Quota),
            "01" | "22" => Verdict::Split(DeadReason::Type),
            "23" => Verdict::Split(DeadReason::Constraint),
            "0A" | "3D" | "3F" | "42" => Verdict::Hold(HoldReason::Schema),
            _ => Verdict::Split(DeadReason::Rejected),
        },
    }
}
