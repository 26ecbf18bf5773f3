//! How the store scales: the same queries at several sizes of one logspace: `bench scale`.
//!
//! In: sizes. Out: a table of the cost of storing and of queries at each size, and how it grows; beside it
//! the figures of the Store Box's paper of 2017 for 200 million messages. Messages are generated while they
//! are sent, without a file.
//! Limits: a size for which the disk has no space is left out, and reported.

use super::{
    count::count,
    engines::{
        duramen::{Duramen, wait_for},
        server::{SealedSum, Setup},
    },
    load,
    plain::SEED,
    questions,
    results::{Timing, ask},
};
use crate::{
    process::{cpu, memory},
    site::Site,
    warm,
};
use clap::Args;
use std::{fs, io, path::PathBuf, time::Instant};

/// Most bytes that a message may need on disk, while there is a journal beside it.
const ROOM_BYTES: u64 = 90;
/// Bytes of the disk that are left free in any case.
const ROOM_REST: u64 = 4 << 30;
/// The figures of the Store Box's paper for 200 million messages: query, seconds at least and at most.
const STORE_BOX: &[(&str, &str)] = &[
    ("Q1", "1-5 s"),
    ("Q2", "1-5 s"),
    ("Q3", "1-5 s"),
    ("Q5", "sum of its parts"),
    ("Q7", "9 s"),
    ("Q8", "30-60 s"),
    ("Q8b", "30-60 s"),
    ("Q9", "30-60 s"),
    ("Q10", "at once"),
    ("Q10b", "80 s (`*?`)"),
    ("Q13", "as the search"),
];

/// Measure the store at several sizes.
#[derive(Args)]
pub(crate) struct Options {
    /// Numbers of messages at which the queries are run, in ascending order
    #[arg(long, value_delimiter = ',', default_values_t = [10_000_000, 50_000_000, 100_000_000, 200_000_000])]
    sizes: Vec<u64>,
    /// Options of logspace()
    #[arg(long, default_value = "")]
    logspace: String,
    /// Runs of each query after the first
    #[arg(long, default_value_t = 5)]
    repeats: usize,
    /// Count the expected results of the queries while messages are generated; takes CPU from the server
    #[arg(long)]
    check: bool,
    /// The binary under test
    #[arg(long, default_value = "target/release/duramen")]
    duramen: PathBuf,
    /// Scratch folder
    #[arg(long, default_value = "bench/out")]
    out: PathBuf,
}

/// The measurements at one size.
struct Size {
    messages: u64,
    /// Rate of the messages since the previous size.
    rate: f64,
    cpu_us: f64,
    memory_mib: f64,
    sealed: SealedSum,
    /// In the order of the queries.
    asked: Vec<Option<Timing>>,
}

/// Measures and prints; fails if a count is wrong.
pub(crate) fn run(options: &Options) -> io::Result<()> {
    fs::create_dir_all(&options.out)?;
    let out = options.out.canonicalize()?;
    warm::memory(warm::MOST_BYTES)?;
    let setup = Setup { logspace: options.logspace.clone(), ..Setup::default() };
    let mut engine = Duramen::new("scale", setup, &options.duramen.canonicalize()?, &out);
    engine.create()?;
    let mut site = Site::new(SEED)?;
    let (mut sizes, mut expected) = (Vec::<Size>::new(), vec![0; questions::ALL.len()]);
    for messages in &options.sizes {
        let before = sizes.last().map_or(0, |size| size.messages);
        let more = messages.checked_sub(before).filter(|more| *more > 0);
        let more = more.ok_or_else(|| io::Error::other("the sizes must grow"))?;
        let room = room(&out)?;
        if room < more * ROOM_BYTES + ROOM_REST {
            println!("{messages} messages: left out, the disk has room for {} MiB only", room >> 20);
            break;
        }
        let size = grow(options, &mut engine, &mut site, *messages, more, &mut expected)?;
        sizes.push(size);
        eprintln!("{}", table(&sizes));
    }
    println!("{}", table(&sizes));
    engine.destroy()?;
    let wrong = sizes.last().into_iter().flat_map(|size| size.asked.iter().zip(&expected));
    let wrong = wrong.filter(|(asked, expected)| asked.is_none_or(|asked| asked.total != **expected)).count();
    match wrong {
        0 => Ok(()),
        _ if !options.check => Ok(()),
        wrong => Err(io::Error::other(format!("{wrong} counts are not those of the messages sent"))),
    }
}

fn grow(
    options: &Options,
    engine: &mut Duramen,
    site: &mut Site,
    messages: u64,
    more: u64,
    expected: &mut [u64],
) -> io::Result<Size> {
    let (server, client) = engine.running()?;
    let (start, before) = (Instant::now(), cpu(server.id())?);
    load::send_made(site, more, server.port(), |piece| {
        if options.check {
            let found = count(piece, questions::ALL);
            expected.iter_mut().zip(found).for_each(|(sum, found)| *sum += found);
        }
    })?;
    wait_for(client, messages)?;
    let rate = more as f64 / start.elapsed().as_secs_f64();
    let (sealed, _) = server.settle()?;
    let (cpu_us, memory_mib) = ((cpu(server.id())? - before) * 1e6 / more as f64, memory(server.id())?);
    let mut asked = Vec::new();
    for question in questions::ALL {
        asked.push(ask(engine, question, options.repeats)?);
    }
    Ok(Size { messages, rate, cpu_us, memory_mib, sealed, asked })
}

fn table(sizes: &[Size]) -> String {
    let mut text = "### The same questions at several sizes\n\n| |".to_owned();
    sizes.iter().for_each(|size| text.push_str(&format!(" {} M |", size.messages as f64 / 1e6)));
    text.push_str(" ms more a 10 M | Store Box, 200 M |\n|---|");
    sizes.iter().for_each(|_| text.push_str("---:|"));
    text.push_str("---:|---:|\n");
    let mut line = |name: &str, figure: &dyn Fn(&Size) -> String| {
        text.push_str(&format!("| {name} |"));
        sizes.iter().for_each(|size| text.push_str(&format!(" {} |", figure(size))));
        text.push_str(" | |\n");
    };
    line("messages/s since the size before", &|size| format!("{:.0}", size.rate));
    line("CPU us a message", &|size| format!("{:.2}", size.cpu_us));
    line("peak memory, MiB", &|size| format!("{:.0}", size.memory_mib));
    line("bytes a message", &|size| format!("{:.1}", size.sealed.bytes as f64 / size.sealed.messages as f64));
    for (number, question) in questions::ALL.iter().enumerate() {
        text.push_str(&format!("| {} {} `{}`, ms |", question.number, question.name, question.query));
        let median = |size: &Size| size.asked[number].map(|asked| asked.median_ms);
        for size in sizes {
            text.push_str(&median(size).map_or(" - |".into(), |ms| format!(" {ms:.1} |")));
        }
        let (first, last) = (sizes.first(), sizes.last());
        let slope = first.zip(last).filter(|(first, last)| first.messages < last.messages).and_then(
            |(first, last)| {
                Some((median(last)? - median(first)?) / (last.messages - first.messages) as f64 * 1e7)
            },
        );
        let theirs = STORE_BOX.iter().find(|(name, _)| *name == question.number).map_or("", |(_, text)| text);
        text.push_str(&format!(
            " {} | {theirs} |\n",
            slope.map_or(String::new(), |slope| format!("{slope:.2}"))
        ));
    }
    text
}

/// Bytes that are free where a folder is.
fn room(folder: &std::path::Path) -> io::Result<u64> {
    let status = rustix::fs::statvfs(folder)?;
    Ok(status.f_bavail * status.f_frsize)
}
