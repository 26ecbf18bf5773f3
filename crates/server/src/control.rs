//! The control socket: one line in, one answer out, in the protocol of syslog-ng-ctl.
//!
//! In: commands such as `STATS CSV` or `RELOAD`. Out: text, ended by a line with a single dot; failures start with
//! `FAIL`. Holds: the socket's file. Touches a unix socket, one thread.
//! Limits: a command has at most [`COMMAND_BYTES_MAX`]; a silent client is dropped after [`CLIENT_TIMEOUT`]. Closing
//! waits [`CLOSE_TIMEOUT`] for the answer that is being made or written: a client that was accepted hears its answer.

mod client;

pub(crate) use client::{ANSWER_TIMEOUT, Reply, ask, follow};

use std::{
    fs,
    io::{self, BufRead, BufReader, Read, Write},
    os::unix::{
        fs::PermissionsExt,
        net::{UnixListener, UnixStream},
    },
    path::{Path, PathBuf},
    sync::{Arc, Condvar, Mutex, PoisonError},
    thread,
    time::Duration,
};

/// Longest command: a query pattern or a credential.
const COMMAND_BYTES_MAX: u64 = 64 * 1024;
/// A client that says nothing for so long is dropped: the thread serves one at a time.
const CLIENT_TIMEOUT: Duration = Duration::from_secs(5);

/// Longest wait for the answer to the client being served when the socket is closed.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);

/// The pause when the system gives no connection.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// Descriptors that are kept for a client: its socket twice, and what its command opens.
const RESERVE: usize = 8;

/// What answers commands.
pub(crate) trait Commands: Send + Sync {
    /// The answer to one command, without its end line. An error becomes `FAIL` and its text.
    fn command(&self, line: &str) -> Result<String, String>;

    /// Called after the answer to a command was written, or could not be: the time for what ends this process.
    fn answered(&self, _line: &str) {}

    /// A command that takes its connection over and writes for as long as it likes, on a thread of its own.
    fn stream(&self, line: &str) -> Option<Result<Stream, String>>;
}

/// What writes to a connection that it has taken over.
pub(crate) type Stream = Box<dyn FnOnce(UnixStream) -> io::Result<()> + Send>;

/// The listening socket; its file goes with it.
pub(crate) struct Socket {
    path: PathBuf,
    in_flight: Arc<InFlight>,
}

/// Commands that were read and are not answered yet.
#[derive(Default)]
struct InFlight {
    count: Mutex<usize>,
    changed: Condvar,
}

impl InFlight {
    fn begin(self: &Arc<InFlight>) -> Unanswered {
        *self.count.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        Unanswered(self.clone())
    }

    fn wait_until_none(&self, within: Duration) {
        let count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        // At the limit the client hears that the server hung up.
        let _ = self.changed.wait_timeout_while(count, within, |count| *count > 0);
    }
}

/// One command without its answer.
struct Unanswered(Arc<InFlight>);

impl Drop for Unanswered {
    fn drop(&mut self) {
        *self.0.count.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.0.changed.notify_all();
    }
}

impl Socket {
    /// Listens on a path that only the owner may use. A socket that nobody answers on is replaced.
    pub(crate) fn open(path: &Path, commands: Arc<dyn Commands>) -> io::Result<Socket> {
        let named = |error: io::Error| {
            io::Error::new(error.kind(), format!("cannot open control socket {}: {error}", path.display()))
        };
        if UnixStream::connect(path).is_ok() {
            return Err(named(io::Error::new(io::ErrorKind::AddrInUse, "another server answers there")));
        }
        if let Some(folder) = path.parent() {
            journal::make_private_folders(folder).map_err(named)?;
        }
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(named(error)),
            _ => {}
        }
        let listener = UnixListener::bind(path).map_err(named)?;
        fs::set_permissions(path, fs::Permissions::from_mode(0o600)).map_err(named)?;
        let in_flight = Arc::<InFlight>::default();
        let unanswered = in_flight.clone();
        thread::Builder::new().name("control".into()).spawn(move || {
            let mut reserve = Reserve::default();
            loop {
                reserve.fill();
                match listener.accept() {
                    // A client that hangs up early has nothing more to hear.
                    Ok((peer, _)) => drop(serve(peer, commands.as_ref(), &unanswered)),
                    // Out of descriptors: the reserve lets somebody ask why.
                    Err(_) if reserve.release() => {
                        if let Ok((peer, _)) = listener.accept() {
                            let _ = serve(peer, commands.as_ref(), &unanswered);
                        }
                    }
                    Err(_) => thread::sleep(ACCEPT_PAUSE),
                }
            }
        })?;
        Ok(Socket { path: path.to_owned(), in_flight })
    }
}

/// Descriptors for when the process is out of them.
#[derive(Default)]
struct Reserve(Vec<fs::File>);

impl Reserve {
    fn fill(&mut self) {
        while self.0.len() < RESERVE {
            // Where there is none now, there may be some after the next client.
            let Ok(file) = fs::File::open("/dev/null") else { return };
            self.0.push(file);
        }
    }

    /// Gives the descriptors back; whether there were any.
    fn release(&mut self) -> bool {
        !std::mem::take(&mut self.0).is_empty()
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        // Nothing to do when somebody removed it already.
        let _ = fs::remove_file(&self.path);
        self.in_flight.wait_until_none(CLOSE_TIMEOUT);
    }
}

/// Answers the commands of one client until it hangs up.
fn serve(peer: UnixStream, commands: &dyn Commands, in_flight: &Arc<InFlight>) -> io::Result<()> {
    peer.set_read_timeout(Some(CLIENT_TIMEOUT))?;
    peer.set_write_timeout(Some(CLIENT_TIMEOUT))?;
    let mut lines = BufReader::new(peer.try_clone()?);
    let mut peer = peer;
    loop {
        let mut line = String::new();
        if lines.by_ref().take(COMMAND_BYTES_MAX).read_line(&mut line)? == 0 {
            return Ok(());
        }
        let unanswered = in_flight.begin();
        let answer = match commands.stream(line.trim()) {
            Some(Ok(stream)) => {
                // It ends when its client does; a thread less at the limit is a client that hears nothing.
                return thread::Builder::new().name("tap".into()).spawn(move || stream(peer)).map(drop);
            }
            Some(Err(error)) => Err(error),
            None => commands.command(line.trim()),
        };
        let mut answer = match answer {
            Ok(answer) => answer,
            Err(error) => format!("FAIL {error}"),
        };
        if !answer.is_empty() && !answer.ends_with('\n') {
            answer.push('\n');
        }
        answer.push_str(".\n");
        let written = peer.write_all(answer.as_bytes());
        drop(unanswered);
        commands.answered(line.trim());
        written?;
    }
}

#[cfg(test)]
mod tests {
    //! A server and its client on a socket of the test.

    use super::*;

    /// Counts the answers that were written before it heard so.
    #[derive(Default)]
    struct Echo(Mutex<Vec<String>>);

    impl Commands for Echo {
        fn answered(&self, line: &str) {
            self.0.lock().unwrap().push(line.to_owned());
        }

        fn command(&self, line: &str) -> Result<String, String> {
            match line {
                "SLOW" => {
                    thread::sleep(Duration::from_millis(100));
                    Ok(format!("{} answered before", self.0.lock().unwrap().len()))
                }
                "STATS" => Ok("a;b\nc;d\n".into()),
                other => Err(format!("unknown command {other}")),
            }
        }

        fn stream(&self, line: &str) -> Option<Result<Stream, String>> {
            let text = line.strip_prefix("FOLLOW ")?.to_owned();
            Some(match text.as_str() {
                "nothing" => Err("nothing to follow".into()),
                _ => Ok(Box::new(move |mut peer| writeln!(peer, "one {text}\ntwo {text}"))),
            })
        }
    }

    #[test]
    fn answers_and_fails() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ctl");
        let socket = Socket::open(&path, Arc::new(Echo::default())).unwrap();
        assert_eq!(ask(&path, "STATS", ANSWER_TIMEOUT).unwrap(), Reply::Done("a;b\nc;d\n".into()));
        assert_eq!(
            ask(&path, "DANCE", ANSWER_TIMEOUT).unwrap(),
            Reply::Failed("unknown command DANCE\n".into())
        );
        let mut lines = Vec::new();
        let mut keep = |line: &str| {
            lines.push(line.to_owned());
            Ok(true)
        };
        assert!(matches!(follow(&path, "FOLLOW it", &mut keep).unwrap(), Reply::Done(_)));
        assert_eq!(lines, ["one it", "two it"]);
        let refused = follow(&path, "FOLLOW nothing", &mut |_| Ok(true)).unwrap();
        assert_eq!(refused, Reply::Failed("nothing to follow\n".into()));
        assert!(Socket::open(&path, Arc::new(Echo::default())).is_err(), "two servers on one socket");
        drop(socket);
        assert!(!path.exists());
    }
    #[test]
    fn closing_waits_for_the_answer_and_a_command_is_done_after_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ctl");
        let echo = Arc::new(Echo::default());
        let socket = Socket::open(&path, echo.clone()).unwrap();
        let mut peer = UnixStream::connect(&path).unwrap();
        peer.write_all(b"STATS\nSLOW\n").unwrap();
        let mut answers = BufReader::new(peer).lines().map_while(Result::ok);
        assert_eq!(answers.by_ref().take(3).collect::<Vec<_>>(), ["a;b", "c;d", "."]);
        while echo.0.lock().unwrap().is_empty() {
            thread::yield_now();
        }
        let in_flight = socket.in_flight.clone();
        while *in_flight.count.lock().unwrap() == 0 {
            thread::yield_now();
        }
        drop(socket);
        assert_eq!(*in_flight.count.lock().unwrap(), 0, "closed while an answer was being made");
        assert_eq!(answers.take(2).collect::<Vec<_>>(), ["1 answered before", "."]);
    }
}
