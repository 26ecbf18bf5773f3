//! The server under test with one source and one logspace.
//!
//! In: the binary and a folder of its own. Out: a running server, its session, what it keeps on disk.
//! Limits: [`SEAL_TIMEOUT`] to seal what was taken in.

use super::client::Client;
use crate::measure::{free_port, stop, wait_for_listener};
use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// Longest time to seal all complete segments.
const SEAL_TIMEOUT: Duration = Duration::from_secs(300);
/// The catalog has not changed for so long: everything complete is sealed. One segment takes a second or two.
const SETTLED: Duration = Duration::from_secs(8);
/// Longest wait for the page's password.
const PASSWORD_TIMEOUT: Duration = Duration::from_secs(20);

/// A running server.
pub(super) struct Server {
    process: Child,
    folder: PathBuf,
    port: u16,
    http: u16,
}

impl Server {
    /// Starts it on an empty folder.
    pub(super) fn start(duramen: &Path, folder: &Path) -> io::Result<Server> {
        if folder.exists() {
            fs::remove_dir_all(folder)?;
        }
        fs::create_dir_all(folder)?;
        let (port, http) = (free_port()?, free_port()?);
        let config = folder.join("server.conf");
        let text = format!(
            "@version: 4.8\noptions {{ keep-hostname(yes); use-dns(no); }};\n\
             source s {{ network(ip(\"127.0.0.1\") port({port}) transport(\"tcp\")); }};\n\
             destination d {{ logspace(\"bench\"); }};\n\
             log {{ source(s); destination(d); flags(flow-control); }};\n"
        );
        fs::write(&config, text)?;
        let process = Command::new(duramen)
            .args(["run", "--http", &format!("127.0.0.1:{http}"), "--config"])
            .arg(&config)
            .arg("--data")
            .arg(folder.join("data"))
            .arg("--control")
            .arg(folder.join("control"))
            .stdin(Stdio::null())
            .stdout(File::create(folder.join("words"))?)
            .stderr(File::create(folder.join("errors"))?)
            .spawn()?;
        let mut server = Server { process, folder: folder.to_owned(), port, http };
        wait_for_listener(port, folder, &mut server.process)?;
        Ok(server)
    }

    pub(super) fn id(&self) -> u32 {
        self.process.id()
    }

    pub(super) fn port(&self) -> u16 {
        self.port
    }

    /// Logs in with the password that the first start prints.
    pub(super) fn client(&self) -> io::Result<Client> {
        let start = Instant::now();
        loop {
            let words = fs::read_to_string(self.folder.join("words"))?;
            if let Some(line) = words.lines().find(|line| line.contains("the password: ")) {
                return Client::log_in(self.http, line.rsplit(' ').next().unwrap_or_default());
            }
            if start.elapsed() > PASSWORD_TIMEOUT {
                return Err(io::Error::other("the server printed no password"));
            }
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits until no more segments are sealed; messages and bytes in them, and when the last one was done.
    pub(super) fn settle(&self) -> io::Result<((u64, u64), Instant)> {
        let start = Instant::now();
        let (mut sealed, mut since) = (self.sealed()?, start);
        while since.elapsed() < SETTLED && start.elapsed() < SEAL_TIMEOUT {
            thread::sleep(Duration::from_millis(100));
            let now = self.sealed()?;
            if now != sealed {
                (sealed, since) = (now, Instant::now());
            }
        }
        Ok((sealed, since))
    }

    /// Messages and bytes of the sealed segments, as the catalog says.
    fn sealed(&self) -> io::Result<(u64, u64)> {
        let mut sum = (0, 0);
        let Ok(catalog) = fs::read_to_string(self.logspace().join("catalog")) else { return Ok(sum) };
        for line in catalog.lines().filter_map(|line| line.strip_prefix("segment ")) {
            let words: Vec<&str> = line.split(' ').collect();
            let number = |place: usize| words.get(place).and_then(|word| word.parse::<u64>().ok());
            let (Some(count), Some(bytes)) = (number(1), number(4)) else {
                return Err(io::Error::other(format!("cannot read the catalog's line `{line}`")));
            };
            sum = (sum.0 + count, sum.1 + bytes);
        }
        Ok(sum)
    }

    /// Bytes of the journal's files now.
    pub(super) fn journal_bytes(&self) -> io::Result<u64> {
        fs::read_dir(self.logspace().join("journal"))?.map(|entry| Ok(entry?.metadata()?.len())).sum()
    }

    fn logspace(&self) -> PathBuf {
        self.folder.join("data/logspaces/bench")
    }

    /// Stops it and removes what it kept.
    pub(super) fn stop(mut self) -> io::Result<()> {
        stop(&mut self.process)?;
        fs::remove_dir_all(&self.folder)
    }
}

/// An early error must not leave a server behind.
impl Drop for Server {
    fn drop(&mut self) {
        // It has ended already when all went well.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
