//! Runs every row with every subject that supports it, alternating between the subjects.
//!
//! In: the options. Out: a Markdown table of medians: messages per second, CPU microseconds per message, peak memory,
//! and the ratio to the best rival; the same as a plot, `rows.svg`.

use super::{
    measure,
    options::Options,
    plot::{self, Group},
    row::Row,
    table::{self, Measured},
    udp,
    versus::{self, Subject},
};
use crate::warm;
use std::{fs, io};

/// Bytes that a run writes or keeps in sockets and buffers, as a multiple of the bytes sent.
const WRITTEN: f64 = 2.0;

/// Measures and prints.
pub(crate) fn run(options: &Options) -> io::Result<()> {
    if let Some(row) =
        options.rows.iter().find(|row| Row::ALL.iter().all(|known| known.name() != row.as_str()))
    {
        return Err(io::Error::other(format!("there is no row `{row}`")));
    }
    fs::create_dir_all(&options.out)?;
    let out = options.out.canonicalize()?;
    let duramen = options.duramen.canonicalize()?;
    let wanted = |list: &[String], name: &str| list.is_empty() || list.iter().any(|word| word == name);
    let subjects: Vec<Box<dyn Subject>> =
        versus::all(&duramen).into_iter().filter(|subject| wanted(&options.only, subject.family())).collect();
    let rows: Vec<Row> = Row::ALL.iter().copied().filter(|row| wanted(&options.rows, row.name())).collect();
    let largest = rows.iter().map(|row| row.corpus().average()).fold(0.0, f64::max);
    warm::memory((options.messages as f64 * largest * WRITTEN) as u64)?;
    let mut groups = Vec::new();
    for row in rows {
        let mut runs = Vec::new();
        for turn in 0..options.runs {
            for subject in subjects.iter().filter(|subject| subject.can(row)) {
                let outcome = match row {
                    Row::Udp | Row::UdpRuns => udp::run(row, subject.as_ref(), options, &out)?,
                    _ => measure::run(row, subject.as_ref(), options.messages, &out)?,
                };
                eprintln!("{} {} run {}: {outcome}", row.name(), subject.name(), turn + 1);
                runs.push(Measured { name: subject.name(), family: subject.family(), outcome });
            }
        }
        let medians = table::medians(&runs);
        println!("{}", table::render(row, options, &medians));
        groups.push(Group { row, medians });
    }
    fs::write(out.join("rows.svg"), plot::draw(&groups))
}
