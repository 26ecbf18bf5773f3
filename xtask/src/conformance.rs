//! Runs the samples of a folder through the crates and prints one row a family.
//!
//! In: the samples' folder. Out: a table; with `--explain FAMILY` also each difference.
//! Limits: a family without its files in the folder fails: what is missing is an error, never a skip.

mod applications;
mod configs;
mod decoded;
mod filters;
mod go_syslog;
mod golden;
mod grok;
mod hostile;
mod light;
mod lucene;
mod msgparse;
mod parsers;
mod patterndb;
mod program;
mod rfc_examples;
mod rsyslog;
mod started;
mod telegraf;
mod templates;

use std::path::Path;

/// The result of one family of samples.
pub(crate) struct Row {
    /// Name of the family.
    pub(crate) family: String,
    /// Samples run.
    pub(crate) cases: usize,
    /// Samples whose result was right in every field.
    pub(crate) passed: usize,
    /// Least percentage that counts as passed.
    pub(crate) floor: f64,
    /// One text a difference, shown on demand.
    pub(crate) differences: Vec<String>,
}

impl Row {
    /// A family without cases yet.
    fn empty(family: impl Into<String>, floor: f64) -> Row {
        Row { family: family.into(), cases: 0, passed: 0, floor, differences: Vec::new() }
    }

    /// Counts one case; `difference` is what was wrong with it, if anything.
    fn count(&mut self, name: &str, difference: Option<String>) {
        self.cases += 1;
        match difference {
            None => self.passed += 1,
            Some(difference) => self.differences.push(format!("{name}: {difference}")),
        }
    }

    /// Runs `check` on every case; it says what is different, field by field. `name` of a case is its input.
    fn of<'a>(
        family: impl Into<String>,
        floor: f64,
        cases: impl IntoIterator<Item = &'a serde_json::Value>,
        name: &str,
        check: impl Fn(&serde_json::Value) -> Vec<String>,
    ) -> Row {
        let mut row = Row::empty(family, floor);
        for case in cases {
            let found = check(case);
            let difference = (!found.is_empty()).then(|| format!("\n    {}", found.join("\n    ")));
            row.count(decoded::text(case, name), difference);
        }
        row
    }
}

/// A family: its name and what runs it. It gets the samples' folder.
type Family = (&'static str, fn(&Path) -> Result<Vec<Row>, String>);

const FAMILIES: &[Family] = &[
    ("golden", golden::run),
    ("msgparse", msgparse::run),
    ("rfc-examples", rfc_examples::run),
    ("go-syslog", go_syslog::run),
    ("hostile-wire", hostile::run),
    ("lucene", lucene::run),
    ("telegraf", telegraf::run),
    ("configs", configs::run),
    ("light", light::run),
    ("templates", templates::run),
    ("filters", filters::run),
    ("parsers", parsers::run),
    ("rsyslog", rsyslog::run),
    ("applications", applications::run),
    ("grok", grok::run),
    ("patterndb", patterndb::run),
];

/// The result of every family, by its name.
pub(crate) fn rows(folder: &Path) -> impl Iterator<Item = (&'static str, Result<Vec<Row>, String>)> {
    FAMILIES.iter().map(move |(name, family)| (*name, family(folder)))
}

/// Runs every family; false when one is below its floor.
pub(crate) fn run(_root: &Path, folder: &Path, options: &[&str]) -> bool {
    // Some families start programs elsewhere: a path from here must hold there, too.
    let folder = &match folder.canonicalize() {
        Ok(folder) => folder,
        Err(error) => {
            eprintln!("{}: {error}", folder.display());
            return false;
        }
    };
    let explain = match options {
        ["--explain", family] => Some(*family),
        _ => None,
    };
    let mut passed = true;
    println!("{:<32} {:>7} {:>7} {:>8} {:>8}", "family", "cases", "passed", "percent", "floor");
    for (name, family) in FAMILIES {
        if explain.is_some_and(|wanted| wanted != *name) {
            continue;
        }
        match family(folder) {
            Ok(rows) => rows.iter().for_each(|row| passed &= print(row, explain.is_some())),
            Err(error) => {
                println!("{name:<32} cannot run: {error}");
                passed = false;
            }
        }
    }
    passed
}

fn print(row: &Row, explain: bool) -> bool {
    let percent = if row.cases == 0 { 0.0 } else { 100.0 * row.passed as f64 / row.cases as f64 };
    println!("{:<32} {:>7} {:>7} {:>7.2}% {:>7.1}%", row.family, row.cases, row.passed, percent, row.floor);
    if explain {
        row.differences.iter().for_each(|difference| println!("  {difference}"));
    }
    percent >= row.floor
}
