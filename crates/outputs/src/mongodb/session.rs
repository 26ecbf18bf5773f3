//! An open connection to the server that takes writes: found by asking, logged in.
//!
//! In: servers to begin with, and who we are. Out: a session. Holds: the connection, the limits of its server.
//! Limits: those of [`MongodbTimes`]; at most [`SERVERS_MAX`] servers are asked for the primary.
//!
//! [`MongodbTimes`]: super::options::MongodbTimes

use super::{
    answer,
    options::{Mechanism, MongodbLogin, Seeds, Shared},
    scram::{self, ScramError},
    verdict::{self, ServerError},
};
use crate::link::{
    Endpoint,
    dialogue::{Breach, Dialogue, Link, LinkError},
    failure::Failure,
    open,
};
use aws_lc_rs::rand;
use base64::{Engine, engine::general_purpose::STANDARD};
use delivery::{HoldReason, Verdict, Wait};
use std::{collections::VecDeque, time::Duration};
use tokio::time::timeout;
use transport::mongodb::{Document, HEAD_BYTES, Reply, Scalar, Value, Writer, command, decode};

/// Longest answer: one with an error for each of many documents.
const ANSWER_BYTES_MAX: usize = 16 << 20;
/// Most servers that are asked: a set has fifty members at most.
const SERVERS_MAX: usize = 64;
/// The port of a server that names none.
pub(super) const PORT: u16 = 27017;
/// Random bytes that make a login one of its own.
const NONCE_BYTES: usize = 24;
/// Most steps of a login.
const LOGIN_STEPS_MAX: usize = 4;
/// Limits of a server unless it says otherwise.
const MESSAGE_BYTES: i64 = 48_000_000;
const DOCUMENT_BYTES: i64 = 16 << 20;
const BATCH_DOCUMENTS: i64 = 100_000;
/// Most documents of a command: the answer has an error for each.
const BATCH_DOCUMENTS_MAX: usize = 10_000;
/// Room in a message beside its documents.
const MESSAGE_EXTRA_BYTES: usize = 16 << 10;

/// An open connection.
pub(super) struct Session {
    talk: Talk,
    pub(super) limits: Limits,
}

/// Limits of a server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Limits {
    /// Bytes of a document.
    pub(super) document_bytes: usize,
    /// Bytes of the documents of a command.
    pub(super) documents_bytes: usize,
    /// Documents of a command.
    pub(super) documents: usize,
}

/// Commands and their answers over a connection.
struct Talk {
    link: Link,
    number: u32,
    patience: Duration,
}

/// Waits for the answer to a command.
struct Answer {
    number: u32,
    found: Option<Vec<u8>>,
}

impl Dialogue for Answer {
    fn take(&mut self, received: &[u8], _out: &mut Vec<u8>) -> Result<usize, Breach> {
        if self.found.is_some() {
            return Ok(0);
        }
        let Some((reply, size)) = decode(received, ANSWER_BYTES_MAX)? else { return Ok(0) };
        if reply.to != self.number {
            return Err(Breach("it answers what was not asked"));
        }
        self.found = Some(received[..size].to_vec());
        Ok(size)
    }

    fn awaited(&self) -> usize {
        usize::from(self.found.is_none())
    }
}

impl Talk {
    /// Sends a command, and reads its answer.
    async fn ask(
        &mut self,
        documents: Option<(&str, &[u8])>,
        fill: impl FnOnce(&mut Writer<'_>),
    ) -> Result<Vec<u8>, LinkError> {
        self.number = self.number.wrapping_add(1);
        let mut out = Vec::with_capacity(HEAD_BYTES + documents.map_or(0, |(_, documents)| documents.len()));
        command(self.number, &mut out, documents, fill);
        let mut answer = Answer { number: self.number, found: None };
        self.link.exchange(out, &mut answer, self.patience).await?;
        answer.found.ok_or(LinkError::Breach(Breach("it does not answer")))
    }
}

/// Returns the document of an answer.
pub(super) fn body(answer: &[u8]) -> Result<Document<'_>, Breach> {
    let Some((Reply { body, .. }, _)) = decode(answer, ANSWER_BYTES_MAX)? else {
        return Err(Breach("an answer is not whole"));
    };
    Ok(body)
}

/// The words of a server about itself.
#[derive(Debug)]
struct Greeting {
    is_writable: bool,
    set: Option<String>,
    primary: Option<String>,
    others: Vec<String>,
    mechanisms: Vec<String>,
    limits: Limits,
}

impl Greeting {
    fn read(answer: Document<'_>) -> Result<Greeting, Breach> {
        let is_writable = match answer.number("isWritablePrimary")? {
            None => answer.number("ismaster")?,
            said => said,
        };
        let mut others = answer.texts("hosts")?;
        others.extend(answer.texts("passives")?);
        let size = |name: &str, default: i64| {
            let said = answer.number(name)?.filter(|size| *size > 0).unwrap_or(default);
            Ok(usize::try_from(said).unwrap_or(usize::MAX))
        };
        let limits = Limits {
            document_bytes: size("maxBsonObjectSize", DOCUMENT_BYTES)?,
            documents_bytes: size("maxMessageSizeBytes", MESSAGE_BYTES)?.saturating_sub(MESSAGE_EXTRA_BYTES),
            documents: size("maxWriteBatchSize", BATCH_DOCUMENTS)?.min(BATCH_DOCUMENTS_MAX),
        };
        Ok(Greeting {
            is_writable: is_writable == Some(1),
            set: answer.text("setName")?,
            primary: answer.text("primary")?,
            others,
            mechanisms: answer.texts("saslSupportedMechs")?,
            limits,
        })
    }
}

/// Returns a server that another one names: `host:port`.
fn named(name: &str, shared: &Shared) -> Option<Endpoint> {
    let (host, port) = match name.rsplit_once(':') {
        Some((host, port)) if !host.ends_with(':') => (host, port.parse().ok()?),
        _ => (name, PORT),
    };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    (!host.is_empty() && !host.starts_with('/')).then(|| Endpoint {
        host: host.to_owned(),
        port,
        tls: shared.tls.clone(),
    })
}

fn breach(Breach(what): Breach) -> Failure {
    LinkError::Breach(Breach(what)).into()
}

/// Connects to a server and asks what it is.
async fn greet(server: &Endpoint, shared: &Shared) -> Result<(Talk, Greeting), Failure> {
    let stream = timeout(shared.times.connect, open(server)).await;
    let stream = stream.unwrap_or_else(|_| Err(Failure::unreachable("cannot connect in time")))?;
    let mut link = Link::new(stream);
    link.set_answer_bytes_max(ANSWER_BYTES_MAX);
    let mut talk = Talk { link, number: 0, patience: shared.times.answer };
    let answer = talk.ask(None, |writer| {
        // Every server knows this name of the question; `hello` came with 4.4.
        writer.put(b"isMaster", 1);
        writer.put(b"helloOk", true);
        if let Some(login) = &shared.login {
            writer.put(b"saslSupportedMechs", format!("{}.{}", login.source, login.user).as_str());
        }
        writer.document(b"client", |writer| {
            writer.document(b"driver", |writer| {
                writer.put(b"name", "Duramen");
                writer.put(b"version", env!("CARGO_PKG_VERSION"));
            });
            writer.document(b"os", |writer| writer.put(b"type", "Linux"));
        });
        writer.put(b"$db", "admin");
    });
    let answer = answer.await?;
    let document = body(&answer).map_err(breach)?;
    if let Some(error) = answer::refusal(document).map_err(breach)? {
        return Err(verdict::of_login(&error));
    }
    Ok((talk, Greeting::read(document).map_err(breach)?))
}

/// Says which of two reasons why there is no session is the one to tell: that a set has no primary says most.
fn rank(failure: &Failure) -> u8 {
    match failure.verdict {
        Verdict::Later(Wait::Reopen) => 0,
        Verdict::Hold(_) => 1,
        _ => 2,
    }
}

impl Session {
    /// Finds the server that takes writes, and logs in there.
    pub(super) async fn open(shared: &Shared) -> Result<Session, Failure> {
        let within = shared.times.selection;
        timeout(within, Session::search(shared)).await.unwrap_or_else(|_| {
            Err(Failure::unreachable(format!(
                "no server that takes writes was found within {} s",
                within.as_secs_f32()
            )))
        })
    }

    async fn search(shared: &Shared) -> Result<Session, Failure> {
        let mut candidates: VecDeque<Endpoint> = shared.seeds.servers().to_vec().into();
        let mut asked: Vec<(String, u16)> = Vec::new();
        let mut failure = Failure::unreachable("no server is known");
        while let Some(server) = candidates.pop_front() {
            let name = (server.host.clone(), server.port);
            if asked.contains(&name) || asked.len() >= SERVERS_MAX {
                continue;
            }
            asked.push(name);
            let why = match greet(&server, shared).await {
                Ok((talk, greeting)) => match fit(&server, &greeting, &shared.seeds) {
                    Ok(()) => return Session::log_in(talk, &greeting, shared).await,
                    Err(why) => {
                        if matches!(shared.seeds, Seeds::Discover(..)) {
                            let primary = greeting.primary.iter().filter_map(|name| named(name, shared));
                            primary.for_each(|server| candidates.push_front(server));
                            candidates.extend(greeting.others.iter().filter_map(|name| named(name, shared)));
                        }
                        why
                    }
                },
                Err(why) => {
                    let answer = format!("{}:{}: {}", server.host, server.port, why.answer);
                    Failure { answer, ..why }
                }
            };
            if asked.len() == 1 || rank(&why) > rank(&failure) {
                failure = why;
            }
        }
        Err(failure)
    }

    async fn log_in(mut talk: Talk, greeting: &Greeting, shared: &Shared) -> Result<Session, Failure> {
        if let Some(login) = &shared.login {
            let has_better = greeting.mechanisms.iter().any(|name| name == "SCRAM-SHA-256");
            let mechanism = login.mechanism.unwrap_or(match has_better {
                true => Mechanism::Sha256,
                false => Mechanism::Sha1,
            });
            prove(&mut talk, login, mechanism).await?;
        }
        Ok(Session { talk, limits: greeting.limits })
    }

    /// Inserts whole documents into a collection, and returns the answer.
    pub(super) async fn insert(
        &mut self,
        documents: &[u8],
        fill: impl FnOnce(&mut Writer<'_>),
    ) -> Result<Vec<u8>, LinkError> {
        self.talk.ask(Some(("documents", documents)), fill).await
    }

    /// Sends a command, and returns the answer.
    pub(super) async fn ask(&mut self, fill: impl FnOnce(&mut Writer<'_>)) -> Result<Vec<u8>, LinkError> {
        self.talk.ask(None, fill).await
    }
}

/// Checks that a server is one that takes writes, of the set that is meant.
fn fit(server: &Endpoint, greeting: &Greeting, seeds: &Seeds) -> Result<(), Failure> {
    let Seeds::Discover(_, wanted) = seeds else { return Ok(()) };
    let name = format!("{}:{}", server.host, server.port);
    if wanted.is_some() && *wanted != greeting.set {
        let set = greeting.set.as_deref().unwrap_or("none");
        let answer = format!("{name} is of another replica set: {set}");
        return Err(Failure { verdict: Verdict::Hold(HoldReason::Schema), answer });
    }
    if greeting.is_writable {
        return Ok(());
    }
    let answer = format!("{name} takes no writes, and no primary is known");
    Err(Failure { verdict: Verdict::Later(Wait::Busy), answer })
}

/// Logs in with a password.
async fn prove(talk: &mut Talk, login: &MongodbLogin, mechanism: Mechanism) -> Result<(), Failure> {
    let mut nonce = [0; NONCE_BYTES];
    rand::fill(&mut nonce).map_err(|_| Failure::unreachable("this machine has no random numbers"))?;
    let nonce = STANDARD.encode(nonce);
    let first = scram::first(&login.user, &nonce);
    let answer = talk.ask(None, |writer| {
        writer.put(b"saslStart", 1);
        writer.put(
            b"mechanism",
            match mechanism {
                Mechanism::Sha1 => "SCRAM-SHA-1",
                Mechanism::Sha256 => "SCRAM-SHA-256",
            },
        );
        writer.put(b"payload", Scalar::Binary(first.as_bytes()));
        writer.document(b"options", |writer| writer.put(b"skipEmptyExchange", true));
        writer.put(b"$db", login.source.as_str());
    });
    let mut step = Step::read(&answer.await?)?;
    let last = scram::last(login, mechanism, &nonce, &step.words).map_err(unproven)?;
    let mut words = last.message.as_bytes();
    let mut is_proven = false;
    for _ in 0..LOGIN_STEPS_MAX {
        let conversation = step.conversation;
        let answer = talk.ask(None, |writer| {
            writer.put(b"saslContinue", 1);
            writer.put(b"conversationId", conversation);
            writer.put(b"payload", Scalar::Binary(words));
            writer.put(b"$db", login.source.as_str());
        });
        step = Step::read(&answer.await?)?;
        if !is_proven {
            last.check(&step.words).map_err(unproven)?;
            is_proven = true;
        }
        if step.is_done {
            return Ok(());
        }
        words = b"";
    }
    Err(unproven(ScramError("the server does not end the login")))
}

/// One step of a login.
struct Step {
    conversation: i64,
    words: String,
    is_done: bool,
}

impl Step {
    fn read(answer: &[u8]) -> Result<Step, Failure> {
        let document = body(answer).map_err(breach)?;
        if let Some(ServerError { code, name, words, is_retryable }) =
            answer::refusal(document).map_err(breach)?
        {
            return Err(verdict::of_login(&ServerError { code, name, words, is_retryable }));
        }
        let payload = document.get("payload").map_err(breach)?;
        let words = match payload {
            Some(Value::Binary(words) | Value::Text(words)) => String::from_utf8_lossy(words).into_owned(),
            _ => String::new(),
        };
        let number = |name: &str| document.number(name).map_err(breach);
        Ok(Step {
            conversation: number("conversationId")?.unwrap_or(1),
            words,
            is_done: number("done")? == Some(1),
        })
    }
}

fn unproven(ScramError(why): ScramError) -> Failure {
    Failure { verdict: Verdict::Hold(HoldReason::Credentials), answer: why.to_owned() }
}
