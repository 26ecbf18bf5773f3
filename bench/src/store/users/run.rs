//! The Store Box's two cases: messages come in over TLS while more and more users search: `bench users`.
//!
//! In: a rate, numbers of users, seconds a trial. Out: a table, a CSV file and a plot: searches finished, how
//! long they took, and the rate at which messages became searchable. Fails if that rate fell below the rate
//! sent.

use super::{
    options::Options,
    plot, report,
    trial::{Case, Trial, query},
};
use crate::{
    process::cpu,
    site::Site,
    store::{
        engines::{
            client::Client,
            duramen::wait_for,
            server::{Server, Setup},
        },
        load::{self, Steady},
        plain::SEED,
    },
    warm,
};
use std::{
    fs, io,
    sync::atomic::{AtomicBool, Ordering::Relaxed},
    thread,
    time::{Duration, Instant},
};

/// Interval at which it is checked that the messages sent can be found.
const LOOK: Duration = Duration::from_millis(500);
/// Messages that are sent while the number of users changes; these are not measured.
const BETWEEN: Duration = Duration::from_secs(1);
/// Measures and prints.
pub(crate) fn run(options: &Options) -> io::Result<()> {
    fs::create_dir_all(&options.out)?;
    let out = options.out.canonicalize()?;
    warm::memory(warm::MOST_BYTES)?;
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
            eprint!("{}", report::row(&trial));
            trials.push(trial);
        }
    }
    let sent = steady.stop()?;
    wait_for(&client, options.history + sent)?;
    server.remove()?;
    fs::write(out.join("users.csv"), report::csv(&trials, rate))?;
    fs::write(out.join("users.svg"), plot::draw(&trials, rate, options.seconds))?;
    println!("{}", report::table(&trials, options, rate));
    println!("{} and {} have the same", out.join("users.csv").display(), out.join("users.svg").display());
    let slow = trials.iter().filter(|trial| !trial.keeps_up(rate)).count();
    if slow > 0 {
        return Err(io::Error::other(format!(
            "in {slow} trials messages came in faster than they were taken"
        )));
    }
    Ok(())
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
