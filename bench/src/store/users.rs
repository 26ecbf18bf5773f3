//! The Store Box's two cases: messages come in over TLS while more and more users search: `bench users`.
//!
//! In: a rate, numbers of users, seconds a trial. Out: a table, a CSV file and a plot: searches finished, how long they took,
//! and the rate at which messages became searchable. An error when that rate fell below what was sent.

mod plot;

use super::{
    client::Client,
    duramen::wait_for,
    load::{self, Steady},
    plain::SEED,
    report::verdict,
    server::{Server, Setup},
};
use crate::{measure::cpu, site::Site};
use clap::Args;
use std::{
    fmt::Write as _,
    fs, io,
    path::PathBuf,
    sync::atomic::{AtomicBool, Ordering::Relaxed},
    thread,
    time::{Duration, Instant},
};

/// Most milliseconds for the 95th of 100 searches with the most users.
const P95_MS_MAX: f64 = 1000.0;
/// Time between two looks at whether the messages sent can be found.
const LOOK: Duration = Duration::from_millis(500);
/// Most time between sending a message and finding it, at the end of a trial and at each look.
const BEHIND_MAX: Duration = Duration::from_secs(2);
/// Messages that are sent while the users come and go, not measured.
const BETWEEN: Duration = Duration::from_secs(1);
/// Ours is a site of twelve places with a hundred servers or so each.
const PLACES: &[&str] =
    &["fra1", "ams2", "lon1", "nyc3", "sjc1", "sin1", "bud1", "vie1", "par2", "tok1", "syd1", "gru1"];

/// Messages over TLS while users search, as in the Store Box's paper of 2017.
#[derive(Args)]
pub(crate) struct Options {
    /// Messages an hour
    #[arg(long, default_value_t = 25_000_000)]
    hourly: u64,
    /// Users at the same time, one trial each
    #[arg(long, value_delimiter = ',', default_values_t = [1, 2, 4, 8, 16, 29])]
    users: Vec<usize>,
    /// Seconds a trial
    #[arg(long, default_value_t = 180)]
    seconds: u64,
    /// Messages that are there before
    #[arg(long, default_value_t = 10_000_000)]
    history: u64,
    /// Options of logspace()
    #[arg(long, default_value = "")]
    logspace: String,
    /// The binary under test
    #[arg(long, default_value = "target/release/duramen")]
    duramen: PathBuf,
    /// Scratch folder; users.csv and users.svg are left there
    #[arg(long, default_value = "bench/out")]
    out: PathBuf,
}

/// The query of the users.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Case {
    /// `Xn OR Ym`.
    Tokens,
    /// The same with a leading `*Z`.
    Wildcard,
}

/// One trial.
struct Trial {
    case: Case,
    users: usize,
    searches: usize,
    p50_ms: f64,
    p95_ms: f64,
    max_ms: f64,
    /// Messages a second that became searchable.
    rate: f64,
    /// The longest that the sender was held back.
    late_ms: u64,
    /// The most messages that were sent and not found yet.
    behind: u64,
    /// CPU seconds of the server a second.
    cores: f64,
}

/// Measures and prints.
pub(crate) fn run(options: &Options) -> io::Result<()> {
    fs::create_dir_all(&options.out)?;
    let out = options.out.canonicalize()?;
    crate::warm::memory(crate::warm::MOST_BYTES)?;
    let rate = options.hourly as f64 / 3600.0;
    let setup = Setup { logspace: options.logspace.clone(), tls: true, ..Setup::default() };
    let server = Server::create(&options.duramen.canonicalize()?, &out.join("users"), setup)?;
    let client = server.client()?;
    eprintln!("taking in {} messages of history", options.history);
    let mut site = Site::new(SEED)?;
    load::send_made_encrypted(&mut site, options.history, server.port())?;
    wait_for(&client, options.history)?;
    let steady = Steady::start(site, rate, server.port())?;
    let mut trials = Vec::new();
    for case in [Case::Tokens, Case::Wildcard] {
        for users in &options.users {
            thread::sleep(BETWEEN);
            let trial = trial(options, case, *users, &server, &steady)?;
            eprint!("{}", row(&trial));
            trials.push(trial);
        }
    }
    let sent = steady.stop()?;
    wait_for(&client, options.history + sent)?;
    server.remove()?;
    fs::write(out.join("users.csv"), csv(&trials, rate))?;
    fs::write(out.join("users.svg"), plot::draw(&trials, rate, options.seconds))?;
    println!("{}", table(&trials, options, rate));
    println!("{} and {} have the same", out.join("users.csv").display(), out.join("users.svg").display());
    let slow = trials.iter().filter(|trial| !trial.keeps_up(rate)).count();
    if slow > 0 {
        return Err(io::Error::other(format!(
            "in {slow} trials messages came in faster than they were taken"
        )));
    }
    Ok(())
}

impl Trial {
    /// Returns true when all messages that were sent were taken in time.
    fn keeps_up(&self, rate: f64) -> bool {
        let behind_max = rate * BEHIND_MAX.as_secs_f64();
        self.late_ms < BEHIND_MAX.as_millis() as u64 && (self.behind as f64) < behind_max
    }
}

fn trial(options: &Options, case: Case, users: usize, server: &Server, steady: &Steady) -> io::Result<Trial> {
    let clients = (0..users).map(|_| server.client()).collect::<io::Result<Vec<_>>>()?;
    let watcher = server.client()?;
    let (stop, progress) = (AtomicBool::new(false), &steady.shared);
    progress.take_late_ms();
    let (before, found_before, start) = (cpu(server.id())?, watcher.total()?, Instant::now());
    let mut behind = 0;
    let (times, end) = thread::scope(|scope| {
        let workers: Vec<_> = clients
            .iter()
            .enumerate()
            .map(|(user, client)| {
                let stop = &stop;
                scope.spawn(move || search(client, case, user as u64, stop))
            })
            .collect();
        let mut end = Ok((found_before, start));
        while start.elapsed() < Duration::from_secs(options.seconds) {
            thread::sleep(LOOK);
            let sent = options.history + progress.sent();
            end = watcher.total().map(|found| (found, Instant::now()));
            let Ok((found, _)) = &end else { break };
            behind = behind.max(sent.saturating_sub(*found));
        }
        stop.store(true, Relaxed);
        let mut times = Vec::new();
        for worker in workers {
            times.extend(worker.join().map_err(|_| io::Error::other("a user ended by a bug"))??);
        }
        Ok::<_, io::Error>((times, end?))
    })?;
    let seconds = end.1.duration_since(start).as_secs_f64();
    let mut times: Vec<f64> = times.into_iter().filter(|(at, _)| *at <= end.1).map(|(_, ms)| ms).collect();
    times.sort_by(f64::total_cmp);
    let part =
        |share: f64| times.get(((times.len() as f64 * share) as usize).min(times.len().saturating_sub(1)));
    let part = |share: f64| part(share).copied().unwrap_or(f64::NAN);
    Ok(Trial {
        case,
        users,
        searches: times.len(),
        p50_ms: part(0.5),
        p95_ms: part(0.95),
        max_ms: part(1.0),
        rate: (end.0 - found_before) as f64 / seconds,
        late_ms: progress.take_late_ms(),
        behind,
        cores: (cpu(server.id())? - before) / start.elapsed().as_secs_f64(),
    })
}

/// One busy user: when each search ended, and how long it took.
fn search(client: &Client, case: Case, user: u64, stop: &AtomicBool) -> io::Result<Vec<(Instant, f64)>> {
    let mut times = Vec::new();
    for turn in 0.. {
        if stop.load(Relaxed) {
            break;
        }
        let answer = client.search(&query(case, user, turn), &[])?;
        times.push((Instant::now(), answer.ms));
    }
    Ok(times)
}

/// `Xn OR Ym`: a server and a port, always others, so that no answer is known already.
fn query(case: Case, user: u64, turn: u64) -> String {
    // Two odd numbers without a common factor with the ranges: every pair comes before one comes again.
    let (n, m) = (user * 7_919 + turn * 31, user * 104_729 + turn * 6_007);
    let place = PLACES[(n % PLACES.len() as u64) as usize];
    let tokens = format!("{place}-srv-{:03} OR {}", n % 100, 1024 + m % 64_000);
    match case {
        Case::Tokens => tokens,
        Case::Wildcard => format!("*bound OR {tokens}"),
    }
}

impl Case {
    fn name(self) -> &'static str {
        match self {
            Case::Tokens => "Xn OR Ym",
            Case::Wildcard => "*Z OR Xn OR Ym",
        }
    }
}

fn row(trial: &Trial) -> String {
    format!(
        "| {} | {} | {} | {:.0} | {:.0} | {:.0} | {:.0} | {} | {} | {:.2} |\n",
        trial.case.name(),
        trial.users,
        trial.searches,
        trial.p50_ms,
        trial.p95_ms,
        trial.max_ms,
        trial.rate,
        trial.late_ms,
        trial.behind,
        trial.cores,
    )
}

fn table(trials: &[Trial], options: &Options, rate: f64) -> String {
    let mut text = format!(
        "### {} messages an hour over TLS while users search\n\n{:.0} messages/s are sent; {} are there before; {} s a trial; each search is answered with the \
         exact count, 30 bars and the newest 200 messages\n\n\
         | query | users | searches | p50 ms | p95 ms | max ms | messages/s found | sender held back, ms | behind, messages | cores of the server |\n\
         |---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
        options.hourly, rate, options.history, options.seconds
    );
    trials.iter().for_each(|trial| text.push_str(&row(trial)));
    let most = options.users.iter().max().copied().unwrap_or_default();
    let slowest =
        trials.iter().filter(|trial| trial.users == most).map(|trial| trial.p95_ms).fold(0.0, f64::max);
    // A formatted line into a String cannot fail.
    let _ = write!(
        text,
        "\nNothing held back, nothing more than {} s behind: {}. p95 with {most} users below {P95_MS_MAX:.0} ms: {}.",
        BEHIND_MAX.as_secs(),
        verdict(trials.iter().all(|trial| trial.keeps_up(rate))),
        verdict(slowest < P95_MS_MAX),
    );
    text
}

fn csv(trials: &[Trial], rate: f64) -> String {
    let mut text = "query,users,searches,p50_ms,p95_ms,max_ms,offered_per_s,found_per_s,held_back_ms,behind,server_cores\n".to_owned();
    for trial in trials {
        text.push_str(&format!(
            "{},{},{},{:.1},{:.1},{:.1},{rate:.1},{:.1},{},{},{:.3}\n",
            trial.case.name(),
            trial.users,
            trial.searches,
            trial.p50_ms,
            trial.p95_ms,
            trial.max_ms,
            trial.rate,
            trial.late_ms,
            trial.behind,
            trial.cores
        ));
    }
    text
}

#[cfg(test)]
mod tests;
