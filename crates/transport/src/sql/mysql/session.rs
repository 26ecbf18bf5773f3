//! An open connection: login and statements.
//!
//! In: statements, payloads of values. Out: their answers, rows one at a time. Holds: the connection, one answer, one request.
//! Limits: the caller bounds the time; [`COLUMNS_MAX`] columns of results; [`BUFFER_BYTES_KEPT`] between two requests.

use super::{
    answer::{self, Answer, ResultColumn, ServerError},
    greeting::{self, LoginRefusal, Privacy},
    packet::{self, Fields, PacketError},
};
use crate::{
    endpoint::{Connector, OpenError, Wire, refusal},
    sql::SqlLogin,
};
use std::{fmt, io};
use tokio::{
    io::{AsyncWriteExt, BufReader},
    net::{TcpStream, UnixStream},
};

/// Most columns of results: no table has more.
const COLUMNS_MAX: usize = 4096;
/// Most packets of a login: a server requests another method at most once.
const LOGIN_PACKETS_MAX: usize = 8;
/// Bytes of the buffers that stay between two requests.
const BUFFER_BYTES_KEPT: usize = 1 << 20;

/// Commands of the protocol.
mod command {
    pub(super) const QUERY: u8 = 0x03;
    pub(super) const PING: u8 = 0x0e;
    pub(super) const PREPARE: u8 = 0x16;
    pub(super) const CLOSE: u8 = 0x19;
}

/// The reason why something did not work.
#[derive(Debug)]
pub enum SessionError {
    /// The server reported an error.
    Server(ServerError),
    /// The connection broke, or speaks something else.
    Packet(PacketError),
    /// We do not continue the login.
    Login(LoginRefusal),
    /// One side refuses the certificates of the other.
    Tls(OpenError),
}

impl fmt::Display for SessionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SessionError::Server(error) => error.fmt(f),
            SessionError::Packet(error) => error.fmt(f),
            SessionError::Login(refusal) => refusal.fmt(f),
            SessionError::Tls(error) => error.fmt(f),
        }
    }
}

impl From<PacketError> for SessionError {
    fn from(error: PacketError) -> SessionError {
        SessionError::Packet(error)
    }
}

impl From<io::Error> for SessionError {
    fn from(error: io::Error) -> SessionError {
        SessionError::Packet(PacketError::Io(error))
    }
}

impl From<LoginRefusal> for SessionError {
    fn from(refusal: LoginRefusal) -> SessionError {
        SessionError::Login(refusal)
    }
}

/// The results of a statement, as far as we need them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Results {
    /// Names of columns.
    pub columns: Vec<String>,
    /// The first value of the first row.
    pub first: Option<String>,
}

/// An open connection.
pub struct Session {
    stream: BufReader<Box<dyn Wire>>,
    number: u8,
    /// The last answer.
    payload: Vec<u8>,
    out: Vec<u8>,
}

impl Session {
    /// Connects and logs in.
    pub async fn open(login: &SqlLogin) -> Result<Session, SessionError> {
        if login.host.starts_with('/') {
            let stream = UnixStream::connect(&login.host).await?;
            return Session::greet(stream, login, Privacy::Private).await;
        }
        let stream = TcpStream::connect((login.host.as_str(), login.port)).await?;
        stream.set_nodelay(true)?;
        Session::greet(stream, login, Privacy::Open).await
    }

    /// Logs in over a connection.
    pub async fn greet<S>(mut stream: S, login: &SqlLogin, privacy: Privacy) -> Result<Session, SessionError>
    where
        S: Wire + 'static,
    {
        let settings = |error| SessionError::Tls(OpenError::Settings(error));
        let connector = login.tls.as_ref().map(Connector::of).transpose().map_err(settings)?;
        let (mut number, mut payload, mut out) = (0, Vec::new(), Vec::new());
        packet::read(&mut stream, &mut number, &mut payload).await?;
        if let Some(error) = answer::error(&payload) {
            return Err(SessionError::Server(error));
        }
        let greeting = greeting::parse(&payload).ok_or(PacketError::Protocol("its greeting is another's"))?;
        let abilities = greeting::abilities(&greeting, login)?;
        let (stream, privacy): (Box<dyn Wire>, Privacy) = match connector {
            None => (Box::new(stream), privacy),
            Some(connector) => {
                packet::frame(&greeting::opening(abilities), &mut number, &mut out);
                stream.write_all(&out).await?;
                let encrypted = connector.encrypt(&login.host, stream).await;
                (Box::new(encrypted.map_err(handshake_error)?), Privacy::Private)
            }
        };
        let response = greeting::response(&greeting, abilities, login, privacy)?;
        let mut session = Session { stream: BufReader::new(stream), number, payload, out };
        session.send(&response).await?;
        session.authenticate(login, &greeting.nonce, privacy).await?;
        Ok(session)
    }

    /// Continues the login until the server reports its result.
    async fn authenticate(
        &mut self,
        login: &SqlLogin,
        nonce: &[u8],
        privacy: Privacy,
    ) -> Result<(), SessionError> {
        for _ in 0..LOGIN_PACKETS_MAX {
            self.read().await?;
            match *self.payload.as_slice() {
                [0x00, ..] => return Ok(()),
                [0xff, ..] => return Err(self.refused()),
                // The method of servers before 4.1.
                [0xfe] => return Err(LoginRefusal::Plugin("mysql_old_password".to_owned()).into()),
                [0xfe, ..] => {
                    let mut fields = Fields(&self.payload[1..]);
                    let plugin = fields.until_zero().ok_or(PacketError::Protocol("a login has no name"))?;
                    let plugin = String::from_utf8_lossy(plugin);
                    let proof = greeting::proof(&plugin, &login.password, fields.0, privacy)?;
                    self.send(&proof).await?;
                }
                // The server accepted the password, and confirms it in the next packet.
                [0x01, 0x03] => {}
                [0x01, 0x04] if !nonce.is_empty() => {
                    let password = greeting::clear(&login.password, privacy)?;
                    self.send(&password).await?;
                }
                _ => break,
            }
        }
        Err(PacketError::Protocol("its login has another form").into())
    }

    /// Executes a statement without values, and returns what little most need of its results.
    pub async fn query(&mut self, text: &str) -> Result<Results, SessionError> {
        let columns = self.begin_rows(text).await?;
        let mut results =
            Results { columns: columns.into_iter().map(|column| column.name).collect(), first: None };
        let count = results.columns.len();
        if count == 0 {
            return Ok(results);
        }
        let mut rows = 0_u64;
        while let Some(row) = self.next_row(count).await? {
            if rows == 0 {
                let first = row.first().copied().flatten();
                results.first = first.map(|text| String::from_utf8_lossy(text).into_owned());
            }
            rows += 1;
        }
        Ok(results)
    }

    /// Executes a statement, and returns the columns of its results; when there are any, [`Session::next_row`] has to be called
    /// until it returns none. Without results there is no column.
    pub async fn begin_rows(&mut self, text: &str) -> Result<Vec<ResultColumn>, SessionError> {
        self.command(command::QUERY, text.as_bytes()).await?;
        self.read().await?;
        let count = match answer::parse(&self.payload)? {
            Answer::Done { .. } => return Ok(Vec::new()),
            Answer::Refused(error) => return Err(SessionError::Server(error)),
            Answer::Columns(count) if count <= COLUMNS_MAX => count,
            other => return Err(unexpected(&other)),
        };
        let mut columns = Vec::with_capacity(count);
        for _ in 0..count {
            self.read().await?;
            let column = answer::column(&self.payload);
            columns.push(column.ok_or(PacketError::Protocol("a column is described in another form"))?);
        }
        self.read_end().await?;
        Ok(columns)
    }

    /// Returns the values of the next row, as text; none after the last.
    pub async fn next_row(&mut self, columns: usize) -> Result<Option<Vec<Option<&[u8]>>>, SessionError> {
        self.read().await?;
        if answer::is_end(&self.payload) {
            return Ok(None);
        }
        if let Some(error) = answer::error(&self.payload) {
            return Err(SessionError::Server(error));
        }
        let texts = answer::texts(&self.payload, columns);
        Ok(Some(texts.ok_or(PacketError::Protocol("a row has another form"))?))
    }

    /// Prepares a statement and returns its id.
    pub async fn prepare(&mut self, text: &str) -> Result<u32, SessionError> {
        self.command(command::PREPARE, text.as_bytes()).await?;
        self.read().await?;
        if let Some(error) = answer::error(&self.payload) {
            return Err(SessionError::Server(error));
        }
        let prepared = answer::prepared(&self.payload);
        let prepared = prepared.ok_or(PacketError::Protocol("a statement is prepared in another form"))?;
        for definitions in [prepared.parameters, prepared.columns] {
            for _ in 0..definitions {
                self.read().await?;
            }
            if definitions > 0 {
                self.read_end().await?;
            }
        }
        Ok(prepared.id)
    }

    /// Executes a prepared statement with its values, and returns how many rows it changed.
    pub async fn execute(&mut self, payload: &[u8]) -> Result<u64, SessionError> {
        self.number = 0;
        self.send(payload).await?;
        self.read().await?;
        match answer::parse(&self.payload)? {
            Answer::Done { rows } => Ok(rows),
            Answer::Refused(error) => Err(SessionError::Server(error)),
            other => Err(unexpected(&other)),
        }
    }

    /// Executes a prepared statement whose result is one number.
    pub async fn count(&mut self, payload: &[u8]) -> Result<u64, SessionError> {
        self.number = 0;
        self.send(payload).await?;
        self.read().await?;
        match answer::parse(&self.payload)? {
            Answer::Columns(1) => {}
            Answer::Refused(error) => return Err(SessionError::Server(error)),
            other => return Err(unexpected(&other)),
        }
        self.read().await?;
        self.read_end().await?;
        self.read().await?;
        if let Some(error) = answer::error(&self.payload) {
            return Err(SessionError::Server(error));
        }
        let number =
            answer::only_number(&self.payload).ok_or(PacketError::Protocol("a count is no number"))?;
        self.read_end().await?;
        Ok(number)
    }

    /// Makes the server forget prepared statements.
    pub async fn close_statements(&mut self, ids: &[u32]) -> Result<(), SessionError> {
        self.out.clear();
        for id in ids {
            let [a, b, c, d] = id.to_le_bytes();
            packet::frame(&[command::CLOSE, a, b, c, d], &mut 0, &mut self.out);
        }
        Ok(self.stream.write_all(&self.out).await?)
    }

    /// Asks if the server is there.
    pub async fn ping(&mut self) -> Result<(), SessionError> {
        self.command(command::PING, &[]).await?;
        self.read().await?;
        match answer::parse(&self.payload)? {
            Answer::Done { .. } => Ok(()),
            other => Err(unexpected(&other)),
        }
    }

    async fn command(&mut self, command: u8, text: &[u8]) -> Result<(), SessionError> {
        self.number = 0;
        if self.payload.capacity() > BUFFER_BYTES_KEPT {
            self.payload = Vec::new();
        }
        let mut payload = Vec::with_capacity(text.len() + 1);
        payload.push(command);
        payload.extend_from_slice(text);
        self.send(&payload).await
    }

    async fn send(&mut self, payload: &[u8]) -> Result<(), SessionError> {
        self.out.clear();
        packet::frame(payload, &mut self.number, &mut self.out);
        self.stream.write_all(&self.out).await?;
        self.stream.flush().await?;
        if self.out.capacity() > BUFFER_BYTES_KEPT {
            self.out = Vec::new();
        }
        Ok(())
    }

    async fn read(&mut self) -> Result<(), SessionError> {
        Ok(packet::read(&mut self.stream, &mut self.number, &mut self.payload).await?)
    }

    async fn read_end(&mut self) -> Result<(), SessionError> {
        self.read().await?;
        if answer::is_end(&self.payload) {
            Ok(())
        } else if let Some(error) = answer::error(&self.payload) {
            Err(SessionError::Server(error))
        } else {
            Err(PacketError::Protocol("results have no end").into())
        }
    }

    fn refused(&self) -> SessionError {
        match answer::error(&self.payload) {
            Some(error) => SessionError::Server(error),
            None => PacketError::Protocol("an error is malformed").into(),
        }
    }
}

fn handshake_error(error: io::Error) -> SessionError {
    match refusal(&error) {
        Some(why) => SessionError::Tls(OpenError::Refused(why)),
        None => error.into(),
    }
}

fn unexpected(answer: &Answer<'_>) -> SessionError {
    SessionError::Packet(PacketError::Protocol(match answer {
        Answer::File => "it asks for a file of this machine",
        Answer::Columns(_) => "it sends a table of results",
        _ => "its answer has another form",
    }))
}
