//! `duramen loggen`: sends messages at a rate and reports the speed. The options are those of syslog-ng's
//! loggen.
//!
//! In: options. Out: messages to one server, a summary on standard error.
//! Holds: a thread and a connection for each of `--active-connections`. Touches sockets and the clock.

mod connection;
mod content;
mod options;
mod sender;
mod summary;

pub(crate) use options::Options;

use crate::terminal;
use connection::Target;
use content::Content;
use sender::{Pace, Progress};
use std::{
    io::{self, Write},
    process::ExitCode,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// Interval at which the rate is printed while sending.
const REPORT_EVERY: Duration = Duration::from_millis(500);

/// Runs to the end of the interval or count; an error ends it at once.
pub(crate) fn run(options: &Options) -> ExitCode {
    match send_all(options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            errln!("loggen: {error}");
            ExitCode::FAILURE
        }
    }
}

fn send_all(options: &Options) -> io::Result<()> {
    let target = Arc::new(Target::new(options)?);
    let content = Arc::new(Content::new(options)?);
    let idle = (0..options.idle_connections).map(|_| target.open()).collect::<io::Result<Vec<_>>>()?;
    let progress = Arc::new(Progress::default());
    let stop = Arc::new(AtomicBool::new(false));
    let start = Instant::now();
    let pace = Pace::new(options, start);
    let threads: Vec<_> = (0..options.active_connections)
        .map(|number| {
            let (target, content, progress) = (target.clone(), content.clone(), progress.clone());
            let (pace, stop) = (pace.clone(), stop.clone());
            thread::Builder::new()
                .name(format!("loggen-{number}"))
                .spawn(move || sender::run(number, &target, &content, &pace, &progress, &stop))
        })
        .collect::<io::Result<_>>()?;
    report(options, &progress, &threads, start);
    stop.store(true, Ordering::Relaxed);
    let mut failure = None;
    for thread in threads {
        match thread.join() {
            Ok(Ok(())) => {}
            Ok(Err(error)) => failure = Some(error),
            Err(_) => failure = Some(io::Error::other("a sending thread ended by a bug")),
        }
    }
    drop(idle);
    if options.csv {
        summary::csv(&progress, start.elapsed());
    }
    errln!("{}", summary::line(&progress, start.elapsed()));
    failure.map_or(Ok(()), Err)
}

/// Prints the rate at intervals until all threads are done.
fn report<T>(options: &Options, progress: &Progress, threads: &[thread::JoinHandle<T>], start: Instant) {
    let (mut last, mut last_count) = (start, 0);
    if options.csv {
        outln!("ThreadId;Time;Rate;Count");
    }
    while !threads.iter().all(thread::JoinHandle::is_finished) {
        thread::sleep(Duration::from_millis(5));
        let elapsed = last.elapsed();
        if elapsed >= REPORT_EVERY {
            let count = progress.messages();
            let rate = (count - last_count) as f64 / elapsed.as_secs_f64();
            (last, last_count) = (Instant::now(), count);
            if !options.quiet && !options.csv {
                terminal::print_over(format_args!("count={count}, rate = {rate:.2} msg/s                 "));
                // A closed terminal is no reason to stop sending.
                let _ = io::stderr().flush();
            }
        }
    }
}

#[cfg(test)]
mod tests;
