//! `redis()` of the language.
//!
//! In: its options. Out: a receiver. Holds: nothing.
//! Limits: a command that changes what the connection is for, or that has another number of replies than one, is refused.

use super::endpoint::{BATCH_BYTES, answer_within};
use crate::assemble::{destinations::batches::batches, lowering::Lowering, options::driver::Options};
use config::{Diagnostic, tree::Call};
use delivery::DestinationDriver;
use message::Render;
use outputs::{RedisLogin, RedisReceiver, RedisTarget};
use std::{sync::Arc, time::Duration};

const PORT: u16 = 6379;
/// Commands that are sent without waiting for each other.
const BATCH_LINES: usize = 1000;
/// Longest wait for a reply, as in syslog-ng.
const ANSWER_WITHIN: Duration = Duration::from_secs(10);

/// Commands that change the connection, wait on purpose, or have no reply or many.
const OF_CONNECTIONS: &[&str] = &[
    "AUTH",
    "BLMOVE",
    "BLMPOP",
    "BLPOP",
    "BRPOP",
    "BRPOPLPUSH",
    "BZMPOP",
    "BZPOPMAX",
    "BZPOPMIN",
    "CLIENT",
    "DISCARD",
    "EXEC",
    "HELLO",
    "MONITOR",
    "MULTI",
    "PSUBSCRIBE",
    "PSYNC",
    "QUIT",
    "REPLICAOF",
    "RESET",
    "SELECT",
    "SHUTDOWN",
    "SLAVEOF",
    "SSUBSCRIBE",
    "SUBSCRIBE",
    "SYNC",
    "WAIT",
    "WAITAOF",
    "WATCH",
];

impl<'t> Lowering<'t> {
    /// Makes the receiver of `redis()`. It renders by itself: the template beside it is not used.
    pub(crate) fn redis(&mut self, options: &Options<'t>) -> Option<(DestinationDriver, Box<dyn Render>)> {
        let written = options.own("command")?;
        let command = written.args.first().and_then(|name| name.text()).unwrap_or_default().to_owned();
        if command.is_empty() || command.contains(|c: char| c.is_whitespace() || c == '$') {
            let message = "`command()` begins with the name of a command of Redis, which is no template";
            self.report
                .push(Diagnostic::error(written.span, message).help("command(\"LPUSH\" \"$HOST\" \"$MSG\")"));
            return None;
        }
        if OF_CONNECTIONS.contains(&command.to_ascii_uppercase().as_str()) {
            let message =
                format!("`{command}` is a command about the connection, which cannot carry messages");
            self.report.push(Diagnostic::error(written.span, message));
            return None;
        }
        let mut arguments = Vec::new();
        for argument in &written.args[1..] {
            let template = self.template_argument(argument).map(Arc::new)?;
            arguments.push(self.template_renderer(template, options));
        }
        let login = self.redis_login(options)?;
        let target = RedisTarget {
            server: self.endpoint(options, PORT)?,
            login,
            command,
            arguments,
            timeout: answer_within(options, ANSWER_WITHIN),
            batches: batches(options, BATCH_LINES, BATCH_BYTES),
        };
        let receiver = DestinationDriver::Receiver(Box::new(RedisReceiver::new(target)));
        let unused = self.built_in_template("", options)?;
        Some((receiver, self.template_renderer(unused, options)))
    }

    /// Returns how to log in.
    pub(crate) fn redis_login(&mut self, options: &Options<'t>) -> Option<RedisLogin> {
        let text = |name: &str| options.own_text(name).filter(|text| !text.is_empty());
        let (user, password) = (text("username"), text("auth"));
        if let Some(option) = options.own("username").filter(|_| password.is_none()) {
            let error = Diagnostic::error(option.span, "`username()` needs the password of the user");
            self.report.push(error.help("auth(\"PASSWORD\")"));
            return None;
        }
        let database = options.own("database").and_then(Call::number);
        let database = database.and_then(|number| u32::try_from(number).ok()).filter(|number| *number > 0);
        Some(RedisLogin { user, password, database })
    }
}
