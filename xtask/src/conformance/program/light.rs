//! Recorded runs of syslog-ng's functional tests: a configuration, input files, output files.
//!
//! In: `syslogng-light/*.jsonl`. Out: one row for each recording. Only cases that need no peers are run;
//! those that use a part of the language that we do not support yet are left out.

use super::executable::Program;
use crate::conformance::{
    error::RunError,
    records::{records, text},
    row::Row,
};
use serde_json::Value;
use std::{collections::BTreeMap, fs, path::Path};

/// Files of the recordings.
const RECORDINGS: [&str; 2] = ["syslog-ng-4.8.1", "axosyslog-4.27.0"];

/// In both recordings, one run prints the time at which it was made.
const FLOOR: f64 = 97.0;

/// Stands for the working folder.
const FOLDER: &str = "@DIR@";

/// The decrypted log of a run of secure logging.
const CLEAR: &str = "decrypted.txt";

pub(crate) fn run(folder: &Path) -> Result<Vec<Row>, RunError> {
    let program = Program::find()?;
    RECORDINGS.iter().map(|name| recording(&program, folder, name)).collect()
}

fn recording(program: &Program, folder: &Path, name: &str) -> Result<Row, RunError> {
    let cases = records(&folder.join(format!("syslogng-light/{name}.jsonl")))?;
    let mut row =
        Row { family: format!("light/{name}"), cases: 0, passed: 0, floor: FLOOR, differences: Vec::new() };
    for case in cases.iter().filter(|case| text(case, "kind").starts_with("self-contained")) {
        match replay(program, case)? {
            None => {}
            Some(difference) => {
                row.cases += 1;
                match difference.is_empty() {
                    true => row.passed += 1,
                    false => row.differences.push(format!("{}: {difference}", text(case, "test"))),
                }
            }
        }
    }
    Ok(row)
}

/// Returns how the output differs from the recording: an empty text when it does not. `None` when the case does not
/// apply to us yet.
fn replay(program: &Program, case: &Value) -> Result<Option<String>, RunError> {
    let scratch = tempfile::tempdir().map_err(RunError::io("make a folder"))?;
    let folder = scratch.path();
    let here = folder.display().to_string();
    let write = |name: &str, content: &str| {
        let path = folder.join(name);
        fs::write(&path, content.replace(FOLDER, &here)).map_err(RunError::write(&path))
    };
    write("syslog-ng.conf", text(case, "config"))?;
    for (name, content) in members(case, "input_files") {
        write(&name, &content)?;
    }
    let config = folder.join("syslog-ng.conf");
    let verdict = program.check(folder, &config)?;
    if !verdict.accepted {
        let is_later =
            ["not supported", "unknown template function"].iter().any(|why| verdict.text.contains(why));
        let was_refused = members(case, "output_files").is_empty();
        if was_refused && !is_later {
            return Ok(Some(String::new()));
        }
        return Ok((!is_later).then(|| verdict.text.lines().next().unwrap_or("refused").to_owned()));
    }
    if let Some(clear) = members(case, "other_files").remove(CLEAR) {
        return secured(program, folder, text(case, "config"), &clear).map(Some);
    }
    let wanted: BTreeMap<String, String> = members(case, "output_files");
    let got = || -> BTreeMap<String, String> {
        let read = |name: &String| Some((name.clone(), fs::read_to_string(folder.join(name)).ok()?));
        wanted.keys().filter_map(read).map(|(name, text)| (name, text.replace(&here, FOLDER))).collect()
    };
    let console = program.run(folder, &config, || got() == wanted)?;
    let got = got();
    if got == wanted {
        return Ok(Some(String::new()));
    }
    let last = console.lines().last().unwrap_or_default();
    Ok(Some(format!("wrote {got:?}, wanted {wanted:?}; last words: {last}")))
}

/// A run of secure logging is recorded without its keys, and no two are alike: it gets keys of its own, and
/// its log is compared after decryption.
fn secured(program: &Program, folder: &Path, config: &str, clear: &str) -> Result<String, RunError> {
    let words: Vec<&str> = config.split_whitespace().collect();
    let named = |option: &str| words.windows(2).find(|pair| pair[0] == option).map(|pair| pair[1]);
    let (Some(key), Some(mac)) = (named("-k"), named("-m")) else {
        return Ok("names no files of keys".to_owned());
    };
    let log = "output.log";
    program.slog(folder, &["key", "-m", "master.key"])?;
    program.slog(folder, &["key", "-d", "master.key", "00:00:5e:00:53:01", "1", key])?;
    fs::copy(folder.join(key), folder.join("first.key")).map_err(RunError::io(format!("copy {key}")))?;
    let lines = || fs::read_to_string(folder.join(log)).unwrap_or_default().lines().count();
    program.run(folder, &folder.join("syslog-ng.conf"), || lines() == clear.lines().count())?;
    program.slog(folder, &["verify", "-k", "first.key", "-m", mac, log, CLEAR])?;
    let got = fs::read_to_string(folder.join(CLEAR)).unwrap_or_default();
    Ok(if got == clear { String::new() } else { format!("in clear {got:?}, wanted {clear:?}") })
}

fn members(case: &Value, name: &str) -> BTreeMap<String, String> {
    let members = case[name].as_object().into_iter().flatten();
    members.map(|(name, content)| (name.clone(), content.as_str().unwrap_or_default().to_owned())).collect()
}
