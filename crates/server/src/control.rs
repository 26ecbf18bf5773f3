//! The control socket: one line in, one answer out, in the protocol of syslog-ng-ctl.
//!
//! In: commands such as `STATS CSV` or `RELOAD`. Out: text, ended by a line with a single dot; failures start with
//! `FAIL`. Holds: the socket's file. Touches a unix socket, one thread.
//! Limits: a command has at most [`COMMAND_BYTES_MAX`] and must arrive within [`CLIENT_TIMEOUT`]. Each client has a
//! thread, [`CLIENTS_MAX`] at most: one more replaces the client that has been silent longest. Commands are executed
//! one after the other. Closing waits [`CLOSE_TIMEOUT`] for the answer that is being made or written: a client whose
//! command was read gets its answer.

mod client;
mod clients;

pub(crate) use client::{ANSWER_TIMEOUT, Reply, ask, follow};

use clients::{Client, Clients};
use std::{
    fmt, fs,
    io::{self, Read, Write},
    os::unix::{
        fs::PermissionsExt,
        net::{UnixListener, UnixStream},
    },
    path::{Path, PathBuf},
    sync::{Arc, Condvar, Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

/// Longest command: a query pattern or a credential.
const COMMAND_BYTES_MAX: usize = 64 * 1024;
/// Longest time for a client to send a command, and to accept output.
const CLIENT_TIMEOUT: Duration = Duration::from_secs(5);
/// Most clients at once: each has a thread and a descriptor.
const CLIENTS_MAX: usize = 16;

/// Longest wait for the answer to the client being served when the socket is closed.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);

/// Pause when accepting a connection fails.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// Descriptors that are reserved for a client: its socket, and what its command opens.
const RESERVE: usize = 8;

/// Answers the commands of the control socket.
pub(crate) trait Commands: Send + Sync + 'static {
    /// The reason why a command fails: its client gets the text, after `FAIL`.
    type Error: fmt::Display;

    /// Answers one command, without the end line.
    fn command(&self, line: &str) -> Result<String, Self::Error>;

    /// Called after the answer to a command was written, or could not be; a command that ends this process
    /// acts then.
    fn answered(&self, _line: &str) {}

    /// Returns the stream of a command that takes its connection over and writes to it from a thread of its
    /// own.
    fn stream(&self, line: &str) -> Option<Result<Stream, Self::Error>>;
}

/// Writes to a connection that a command has taken over.
pub(crate) type Stream = Box<dyn FnOnce(UnixStream) -> io::Result<()> + Send>;

/// The listening socket; dropping it removes its file.
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
        // At the limit the client finds the connection closed.
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
    /// Listens on a path that only the owner may use. A socket without a listening process is replaced.
    pub(crate) fn open<C: Commands>(path: &Path, commands: Arc<C>) -> io::Result<Socket> {
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
        let service = Arc::new(Service {
            commands,
            in_flight: in_flight.clone(),
            clients: Arc::new(Clients::new(CLIENTS_MAX)),
            turn: Mutex::default(),
        });
        thread::Builder::new().name("control".into()).spawn(move || {
            let mut reserve = Reserve::default();
            loop {
                reserve.fill();
                match listener.accept() {
                    Ok((peer, _)) => service.begin(peer),
                    // Out of descriptors: the reserve lets an administrator ask why.
                    Err(_) if reserve.release() => {
                        if let Ok((peer, _)) = listener.accept() {
                            service.begin(peer);
                        }
                    }
                    Err(_) => thread::sleep(ACCEPT_PAUSE),
                }
            }
        })?;
        Ok(Socket { path: path.to_owned(), in_flight })
    }
}

/// Descriptors in reserve, for when the process runs out of them.
#[derive(Default)]
struct Reserve(Vec<fs::File>);

impl Reserve {
    fn fill(&mut self) {
        while self.0.len() < RESERVE {
            // If there are none now, there may be some after the next client.
            let Ok(file) = fs::File::open("/dev/null") else { return };
            self.0.push(file);
        }
    }

    /// Releases the descriptors; returns false if there were none.
    fn release(&mut self) -> bool {
        !std::mem::take(&mut self.0).is_empty()
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        // There is nothing to do when it has been removed already.
        let _ = fs::remove_file(&self.path);
        self.in_flight.wait_until_none(CLOSE_TIMEOUT);
    }
}

/// The parts that all clients share.
struct Service<C> {
    commands: Arc<C>,
    in_flight: Arc<InFlight>,
    clients: Arc<Clients>,
    /// Held while a command is carried out.
    turn: Mutex<()>,
}

impl<C: Commands> Service<C> {
    /// Serves a client on a thread of its own. The connection is closed if there is no thread, or if all
    /// slots are taken by clients whose commands are being executed.
    fn begin(self: &Arc<Service<C>>, peer: UnixStream) {
        let Some(client) = self.clients.admit(peer) else { return };
        let service = self.clone();
        let serve = move || {
            // A client that hangs up early gets no further answer.
            let _ = service.serve(&client);
        };
        let _ = thread::Builder::new().name("control-client".into()).spawn(serve);
    }

    /// Answers the commands of one client until it hangs up.
    fn serve(&self, client: &Client) -> io::Result<()> {
        client.peer().set_write_timeout(Some(CLIENT_TIMEOUT))?;
        let mut lines = Lines { peer: client.peer(), read: Vec::new() };
        while let Some(line) = lines.next(Instant::now() + CLIENT_TIMEOUT)? {
            let unanswered = self.in_flight.begin();
            client.set_busy();
            let line = line.trim();
            let answer = {
                let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
                match self.commands.stream(line) {
                    Some(Ok(stream)) => {
                        let peer = client.peer().try_clone()?;
                        // It ends with its client; if no thread can be started, the client gets no answer.
                        return thread::Builder::new()
                            .name("tap".into())
                            .spawn(move || stream(peer))
                            .map(drop);
                    }
                    Some(Err(error)) => Err(error),
                    None => self.commands.command(line),
                }
            };
            let mut answer = match answer {
                Ok(answer) => answer,
                Err(error) => format!("FAIL {error}"),
            };
            if !answer.is_empty() && !answer.ends_with('\n') {
                answer.push('\n');
            }
            answer.push_str(".\n");
            let written = client.peer().write_all(answer.as_bytes());
            drop(unanswered);
            self.commands.answered(line);
            written?;
            client.set_waiting();
        }
        Ok(())
    }
}

/// The lines of a client.
struct Lines<'a> {
    peer: &'a UnixStream,
    read: Vec<u8>,
}

impl Lines<'_> {
    /// Returns the next line; none at the end. A line that is too long or too late is an error.
    fn next(&mut self, deadline: Instant) -> io::Result<Option<String>> {
        loop {
            if let Some(end) = self.read.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.read.drain(..=end).collect();
                let line = String::from_utf8(line);
                return line.map(Some).map_err(|_| io::ErrorKind::InvalidData.into());
            }
            if self.read.len() >= COMMAND_BYTES_MAX {
                return Err(io::ErrorKind::InvalidData.into());
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(io::ErrorKind::TimedOut.into());
            }
            self.peer.set_read_timeout(Some(left))?;
            let mut piece = [0; 4096];
            match self.peer.read(&mut piece)? {
                0 => return Ok(None),
                count => self.read.extend_from_slice(&piece[..count]),
            }
        }
    }
}

#[cfg(test)]
mod tests;
