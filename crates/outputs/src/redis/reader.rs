//! Values that are read with commands which change nothing.
//!
//! In: commands. Out: the value that each reply has, or why there is none. Holds: a connection.
//! Limits: `timeout()` for the next reply; a text of a reply is no longer than [`REPLY_BYTES_MAX`](transport::redis::REPLY_BYTES_MAX).

use super::{
    connection::connect,
    options::RedisLogin,
    replies::{Replies, words},
    verdict,
};
use crate::link::{
    Endpoint,
    attempt::is_broken,
    dialogue::{Breach, Link, LinkError},
};
use delivery::Verdict;
use std::time::Duration;
use transport::redis::{Reply, encode};

/// A value of Redis.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RedisValue {
    /// There is none.
    Nothing,
    /// A text, or a number as text.
    Text(Vec<u8>),
    /// Several of them.
    List(Vec<RedisValue>),
}

/// The reason why a value could not be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ReadValueError {
    /// The server cannot be used at present; its words.
    Server(String),
    /// The server refuses this command, and may execute others.
    Refused,
}

/// A server that is read from.
#[derive(Clone, Debug)]
pub struct RedisSource {
    /// The server.
    pub server: Endpoint,
    /// How to log in.
    pub login: RedisLogin,
    /// Longest wait for the next reply.
    pub timeout: Duration,
}

/// Reads values over one connection.
pub struct RedisReader {
    source: RedisSource,
    open: Option<Link>,
}

impl RedisReader {
    /// Makes one that is not connected.
    pub fn new(source: RedisSource) -> RedisReader {
        RedisReader { source, open: None }
    }

    /// Sends commands together and returns what each reply says; once more over a new connection if the kept one was of no use.
    pub async fn read(&mut self, commands: &[Vec<Vec<u8>>]) -> Vec<Result<RedisValue, ReadValueError>> {
        let was_open = self.open.is_some();
        let mut values = self.attempt(commands).await;
        if was_open && is_broken(&values) {
            values = self.attempt(commands).await;
        }
        values.unwrap_or_else(|error| vec![Err(ReadValueError::Server(error.to_string())); commands.len()])
    }

    /// Closes the connection.
    pub fn close(&mut self) {
        self.open = None;
    }

    async fn attempt(
        &mut self,
        commands: &[Vec<Vec<u8>>],
    ) -> Result<Vec<Result<RedisValue, ReadValueError>>, LinkError> {
        let RedisSource { server, login, timeout } = &self.source;
        let mut link = match self.open.take() {
            Some(link) => link,
            None => match connect(server, login, *timeout).await {
                Ok(link) => link,
                Err(failure) => {
                    return Ok(vec![Err(ReadValueError::Server(failure.answer)); commands.len()]);
                }
            },
        };
        let mut out = Vec::new();
        for command in commands {
            encode(command.iter().map(Vec::as_slice), &mut out);
        }
        let mut replies = Replies::new(commands.len(), read);
        link.exchange(out, &mut replies, *timeout).await?;
        if link.has_rest() {
            // The next replies would be taken for those of other commands.
            return Err(LinkError::Breach(Breach("it answers what nobody asked")));
        }
        self.open = Some(link);
        Ok(replies.found)
    }
}

fn read(reply: &Reply<'_>) -> Result<RedisValue, ReadValueError> {
    match reply {
        Reply::Refused(text) => {
            let failure = verdict::failure(&words(text));
            Err(match failure.verdict {
                Verdict::Later(_) | Verdict::Hold(_) => ReadValueError::Server(failure.answer),
                _ => ReadValueError::Refused,
            })
        }
        reply => Ok(owned(reply)),
    }
}

/// Copies a value. An error within a list counts as nothing.
fn owned(reply: &Reply<'_>) -> RedisValue {
    match reply {
        Reply::Nothing | Reply::Refused(_) => RedisValue::Nothing,
        Reply::Text(text) => RedisValue::Text(text.to_vec()),
        Reply::List(list) => RedisValue::List(list.iter().map(owned).collect()),
    }
}
