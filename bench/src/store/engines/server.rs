//! The server under test with one source and one logspace.
//!
//! In: the binary and a folder of its own. Out: a running server, its session, its size on disk.
//! Limits: [`SEAL_TIMEOUT`] to seal the stored messages.

use super::client::Client;
use crate::{
    process::{self, cpu, free_port, stop, wait_for_listener},
    tls,
};
use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    process::{Child, Stdio},
    thread,
    time::{Duration, Instant},
};

/// Longest time to seal all complete segments and to recode them.
const SEAL_TIMEOUT: Duration = Duration::from_secs(3600);
/// After this long without a change of the catalog, and with the server idle, everything complete is sealed. A
/// segment takes a second or two.
const SETTLED: Duration = Duration::from_secs(8);
/// CPU seconds that an idle server uses at most in that time.
const IDLE_CPU_S: f64 = 0.8;
/// Longest wait for the page's password.
const PASSWORD_TIMEOUT: Duration = Duration::from_secs(20);

/// Name of the file that keeps a server's ports and password for a later run.
const SESSION: &str = "session";

/// Options of a server.
#[derive(Clone, Default)]
pub(in crate::store) struct Setup {
    /// Options of the logspace, as in its configuration.
    pub(in crate::store) logspace: String,
    /// Sealed segments are encrypted; the server holds the key to search them.
    pub(in crate::store) encrypted: bool,
    /// The source uses TLS.
    pub(in crate::store) tls: bool,
}

/// The sum of all sealed segments.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::store) struct SealedSum {
    pub(in crate::store) messages: u64,
    pub(in crate::store) bytes: u64,
}

/// A running server.
pub(in crate::store) struct Server {
    binary: PathBuf,
    process: Child,
    folder: PathBuf,
    port: u16,
    http: u16,
    password: String,
}

impl Server {
    /// Starts it on an empty folder.
    pub(in crate::store) fn create(binary: &Path, folder: &Path, setup: Setup) -> io::Result<Server> {
        if folder.exists() {
            fs::remove_dir_all(folder)?;
        }
        fs::create_dir_all(folder)?;
        let (port, http) = (free_port()?, free_port()?);
        fs::write(folder.join("server.conf"), configuration(folder, port, &setup)?)?;
        let process = start(binary, folder, http)?;
        let mut server = Server {
            binary: binary.to_owned(),
            process,
            folder: folder.to_owned(),
            port,
            http,
            password: String::new(),
        };
        wait_for_listener(port, folder, &mut server.process)?;
        server.password = server.password()?;
        fs::write(folder.join(SESSION), format!("{port} {http} {}", server.password))?;
        Ok(server)
    }

    /// Starts it on the data that an earlier run left in the folder, if any.
    pub(in crate::store) fn reopen(binary: &Path, folder: &Path) -> io::Result<Option<Server>> {
        let Ok(session) = fs::read_to_string(folder.join(SESSION)) else { return Ok(None) };
        let words: Vec<&str> = session.split(' ').collect();
        let [port, http, password] = words.as_slice() else { return Ok(None) };
        let number = |word: &str| word.parse::<u16>().map_err(io::Error::other);
        let (port, http) = (number(port)?, number(http)?);
        let mut process = start(binary, folder, http)?;
        wait_for_listener(port, folder, &mut process)?;
        let (binary, folder) = (binary.to_owned(), folder.to_owned());
        Ok(Some(Server { binary, process, folder, port, http, password: (*password).to_owned() }))
    }

    pub(in crate::store) fn id(&self) -> u32 {
        self.process.id()
    }

    pub(in crate::store) fn port(&self) -> u16 {
        self.port
    }

    /// A new session.
    pub(in crate::store) fn client(&self) -> io::Result<Client> {
        Client::log_in(self.http, &self.password)
    }

    /// The password that the first start prints.
    fn password(&self) -> io::Result<String> {
        let start = Instant::now();
        loop {
            let words = fs::read_to_string(self.folder.join("words"))?;
            if let Some(line) = words.lines().find(|line| line.contains("the password: ")) {
                return Ok(line.rsplit(' ').next().unwrap_or_default().to_owned());
            }
            if start.elapsed() > PASSWORD_TIMEOUT {
                return Err(io::Error::other("the server printed no password"));
            }
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits until nothing is being sealed or recoded any more; returns the totals of the segments, and when
    /// the last one was done.
    pub(in crate::store) fn settle(&self) -> io::Result<(SealedSum, Instant)> {
        let start = Instant::now();
        let (mut sealed, mut since, mut cpu_s) = (self.sealed()?, start, cpu(self.id())?);
        // The last time at which something changed.
        let mut done = start;
        while start.elapsed() < SEAL_TIMEOUT {
            thread::sleep(Duration::from_millis(100));
            let now = self.sealed()?;
            if now != sealed {
                (sealed, since, cpu_s) = (now, Instant::now(), cpu(self.id())?);
                done = since;
            } else if since.elapsed() >= SETTLED {
                if cpu(self.id())? - cpu_s < IDLE_CPU_S {
                    return Ok((sealed, done));
                }
                (since, cpu_s) = (Instant::now(), cpu(self.id())?);
                done = since;
            }
        }
        Err(io::Error::other("the server is still at work on its segments"))
    }

    /// Sums up the sealed segments of the catalog.
    fn sealed(&self) -> io::Result<SealedSum> {
        let mut sum = SealedSum::default();
        let Ok(catalog) = fs::read_to_string(self.logspace().join("catalog")) else { return Ok(sum) };
        for line in catalog.lines().filter_map(|line| line.strip_prefix("segment ")) {
            let words: Vec<&str> = line.split(' ').collect();
            let number = |place: usize| words.get(place).and_then(|word| word.parse::<u64>().ok());
            let (Some(count), Some(bytes)) = (number(1), number(4)) else {
                return Err(io::Error::other(format!("cannot read the catalog's line `{line}`")));
            };
            sum = SealedSum { messages: sum.messages + count, bytes: sum.bytes + bytes };
        }
        Ok(sum)
    }

    /// Bytes of the journal's files now.
    pub(in crate::store) fn journal_bytes(&self) -> io::Result<u64> {
        fs::read_dir(self.logspace().join("journal"))?.map(|entry| Ok(entry?.metadata()?.len())).sum()
    }

    fn logspace(&self) -> PathBuf {
        self.folder.join("data/logspaces/bench")
    }

    /// Ends the process.
    pub(in crate::store) fn pause(&mut self) -> io::Result<()> {
        stop(&mut self.process)
    }

    /// Starts it again.
    pub(in crate::store) fn resume(&mut self) -> io::Result<()> {
        self.process = start(&self.binary, &self.folder, self.http)?;
        wait_for_listener(self.port, &self.folder, &mut self.process)
    }

    /// Stops it and removes its data.
    pub(in crate::store) fn remove(mut self) -> io::Result<()> {
        stop(&mut self.process)?;
        fs::remove_dir_all(&self.folder)
    }
}

fn start(binary: &Path, folder: &Path, http: u16) -> io::Result<Child> {
    process::duramen(binary, folder, &format!("127.0.0.1:{http}"))
        .stdin(Stdio::null())
        .stdout(File::create(folder.join("words"))?)
        .stderr(File::create(folder.join("errors"))?)
        .spawn()
}

fn configuration(folder: &Path, port: u16, setup: &Setup) -> io::Result<String> {
    let path = |name: &str| folder.join(name).display().to_string();
    let transport = if setup.tls {
        tls::certificate(folder)?;
        let (certificate, key) = (path("server.pem"), path("server.key"));
        format!(
            "transport(\"tls\") tls(cert-file(\"{certificate}\") key-file(\"{key}\") peer-verify(optional-untrusted))"
        )
    } else {
        "transport(\"tcp\")".to_owned()
    };
    let mut logspace = setup.logspace.clone();
    if setup.encrypted {
        let made = rcgen::generate_simple_self_signed(["bench".to_owned()]).map_err(io::Error::other)?;
        fs::write(folder.join("auditor.pem"), made.cert.pem())?;
        fs::write(folder.join("auditor.key"), made.signing_key.serialize_pem())?;
        let (certificate, key) = (path("auditor.pem"), path("auditor.key"));
        logspace += &format!(" encrypt-certificate(\"{certificate}\") decrypt-key(\"{key}\")");
    }
    Ok(format!(
        "@version: 4.8\noptions {{ keep-hostname(yes); use-dns(no); }};\n\
         source s {{ network(ip(\"127.0.0.1\") port({port}) {transport}); }};\n\
         destination d {{ logspace(\"bench\" {logspace}); }};\n\
         log {{ source(s); destination(d); flags(flow-control); }};\n"
    ))
}

/// Stops the server, so that an early error leaves none running.
impl Drop for Server {
    fn drop(&mut self) {
        // It has already ended if all went well.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
