//! The measured processes: starting, waiting, stopping, and their cost.
//!
//! In: a process. Out: its CPU and memory from /proc. Limits: [`START_TIMEOUT`] to listen and to stop.

use rustix::process::{Pid, Signal, kill_process};
use std::{
    fs, io,
    net::{Ipv4Addr, TcpListener, TcpStream},
    path::Path,
    process::{Child, Command},
    thread,
    time::{Duration, Instant},
};

/// Longest wait until a process listens, and until it has ended.
const START_TIMEOUT: Duration = Duration::from_secs(20);
/// Clock ticks per second in /proc: the same on every Linux.
const TICKS: f64 = 100.0;

/// Returns the command that runs Duramen on the `server.conf` of a folder; it keeps everything in that folder.
pub(crate) fn duramen(binary: &Path, folder: &Path, http: &str) -> Command {
    let mut command = Command::new(binary);
    command
        .args(["run", "--http", http, "--config"])
        .arg(folder.join("server.conf"))
        .arg("--data")
        .arg(folder.join("data"))
        .arg("--control")
        .arg(folder.join("control"));
    command
}

/// Waits until a process listens on the port of a server's folder.
pub(crate) fn wait_for_listener(port: u16, folder: &Path, server: &mut Child) -> io::Result<()> {
    let start = Instant::now();
    while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
        if let Some(status) = server.try_wait()? {
            return Err(io::Error::other(format!(
                "the server ended with {status}: see {}",
                folder.display()
            )));
        }
        if start.elapsed() > START_TIMEOUT {
            return Err(io::Error::other(format!("the server does not listen: see {}", folder.display())));
        }
        thread::sleep(Duration::from_millis(20));
    }
    thread::sleep(Duration::from_millis(300));
    Ok(())
}

/// Stops a server cleanly, or by force if it takes too long.
pub(crate) fn stop(server: &mut Child) -> io::Result<()> {
    if let Some(pid) = Pid::from_raw(server.id() as i32) {
        // It may have ended already.
        let _ = kill_process(pid, Signal::TERM);
    }
    let start = Instant::now();
    while server.try_wait()?.is_none() {
        if start.elapsed() > START_TIMEOUT {
            server.kill()?;
        }
        thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}

/// Returns an unused port.
pub(crate) fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

/// CPU seconds of a process so far, user and system, all threads.
pub(crate) fn cpu(pid: u32) -> io::Result<f64> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat"))?;
    let after = text.rsplit(')').next().unwrap_or_default();
    let ticks = after.split_whitespace().skip(11).take(2).filter_map(|word| word.parse::<f64>().ok());
    Ok(ticks.sum::<f64>() / TICKS)
}

/// Peak resident memory of a process, MiB.
pub(crate) fn memory(pid: u32) -> io::Result<f64> {
    Ok(status_kib(pid, "VmHWM:")? / 1024.0)
}

/// Resident memory of a process now, KiB.
pub(crate) fn resident_kib(pid: u32) -> io::Result<f64> {
    status_kib(pid, "VmRSS:")
}

fn status_kib(pid: u32, name: &str) -> io::Result<f64> {
    let text = fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    let kib = line.and_then(|line| line.split_whitespace().next()).and_then(|word| word.parse::<f64>().ok());
    Ok(kib.unwrap_or_default())
}
