//! The dialogue with a mail server: commands, and the meaning of answers (RFC 5321; STARTTLS: RFC 3207; AUTH: RFC
//! 4954).
//!
//! In: answers. Out: lines to send, or the outcome of a mail. Holds: the state of the dialogue, the current mail.
//! Limits: one mail at a time; user and password are sent by PLAIN or LOGIN only.

use super::smtp::SmtpAnswer;
use crate::mail::Envelope;
use base64::{Engine, engine::general_purpose::STANDARD};

/// The server says that it closes the connection.
const CLOSING: u16 = 421;

/// State of the dialogue: the command that the next answer belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    Greeting,
    Hello,
    OldHello,
    StartTls,
    Plain,
    LoginUser,
    LoginPassword,
    LoginEnd,
    /// No command is outstanding.
    Ready,
    From,
    /// The recipient of this number.
    To(usize),
    Data,
    Text,
    Reset,
}

/// The credentials for a mail server.
#[derive(Clone, PartialEq, Eq)]
pub struct MailLogin {
    /// Name.
    pub user: String,
    /// Password.
    pub password: String,
}

impl std::fmt::Debug for MailLogin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "MailLogin({})", self.user)
    }
}

/// Outcome of a mail.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The server has it; refused recipients are reported.
    Delivered {
        /// The refused recipients, for users.
        refused: Option<String>,
    },
    /// The server will never accept it.
    Refused(String),
    /// The server may accept it later.
    Later(String),
}

/// Next step of the caller.
#[derive(PartialEq, Eq, Debug)]
pub enum Next {
    /// Send this, and wait for the answer.
    Say(Vec<u8>),
    /// Send the mail, and wait for the answer.
    SayMail,
    /// Encrypt, then call [`Dialogue::encrypted`].
    Encrypt,
    /// A mail may begin.
    Ready,
    /// A mail is settled, the next may begin.
    Settled(Verdict),
    /// This server cannot be used now.
    Failed(String),
}

/// Encryption that is still to be set up.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Encryption {
    /// Nothing: the connection stays as it was made.
    AsConnected,
    /// The connection, before anything else is sent.
    StartTls,
}

/// Decides about retrying a postponed mail.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Attempt {
    /// It may be retried.
    Repeatable,
    /// Last attempt: it goes to the recipients that the server accepts now.
    Last,
}

/// A conversation.
pub struct Dialogue {
    stage: Stage,
    own_name: String,
    encryption: Encryption,
    login: Option<MailLogin>,
    takes_utf8: bool,
    recipients: Vec<Vec<u8>>,
    accepted: usize,
    attempt: Attempt,
    later: Option<String>,
    refused: Option<String>,
    /// Reported when the answer to `RSET` arrives.
    verdict: Option<Verdict>,
}

impl Dialogue {
    /// Begins a conversation with a server that has not greeted yet.
    pub fn new(own_name: &str, encryption: Encryption, login: Option<MailLogin>) -> Dialogue {
        Dialogue {
            stage: Stage::Greeting,
            own_name: own_name.to_owned(),
            encryption,
            login,
            takes_utf8: false,
            recipients: Vec::new(),
            accepted: 0,
            attempt: Attempt::Repeatable,
            later: None,
            refused: None,
            verdict: None,
        }
    }

    /// Returns whether a mail may begin.
    pub fn is_ready(&self) -> bool {
        self.stage == Stage::Ready
    }

    /// Returns whether nothing of a mail has been said but its first line.
    pub fn is_at_begin(&self) -> bool {
        matches!(self.stage, Stage::Ready | Stage::From)
    }

    /// Begins a mail. On the last attempt it goes to the recipients that the server accepts.
    pub fn begin(&mut self, envelope: &Envelope<'_>, attempt: Attempt) -> Next {
        let is_ascii = envelope.from.is_ascii() && envelope.to.iter().all(|address| address.is_ascii());
        if envelope.to.is_empty() {
            return Next::Settled(Verdict::Refused("it has no recipient".to_owned()));
        }
        if !is_ascii && !self.takes_utf8 {
            let reason = "the server takes no addresses beyond ASCII";
            return Next::Settled(Verdict::Refused(reason.to_owned()));
        }
        self.recipients = envelope.to.iter().map(|address| address.to_vec()).collect();
        (self.accepted, self.attempt) = (0, attempt);
        (self.later, self.refused) = (None, None);
        let more: &[u8] = if is_ascii { b">" } else { b"> SMTPUTF8" };
        self.say(Stage::From, &[b"MAIL FROM:<", envelope.from, more])
    }

    /// The connection is encrypted now.
    pub fn encrypted(&mut self) -> Next {
        self.encryption = Encryption::AsConnected;
        self.hello()
    }

    /// Handles an answer.
    pub fn heard(&mut self, answer: &SmtpAnswer) -> Next {
        if answer.code == CLOSING && self.stage != Stage::Text {
            return Next::Failed(format!("the mail server closes the connection: {answer}"));
        }
        match self.stage {
            Stage::Greeting if answer.code == 220 => self.hello(),
            Stage::Hello if answer.is_yes() => self.introduced(answer),
            Stage::Hello
                if answer.is_never()
                    && self.encryption == Encryption::AsConnected
                    && self.login.is_none() =>
            {
                let name = self.own_name.clone();
                self.say(Stage::OldHello, &[b"HELO ", name.as_bytes()])
            }
            Stage::OldHello if answer.is_yes() => self.ready(),
            Stage::StartTls if answer.code == 220 => Next::Encrypt,
            Stage::LoginUser if answer.code == 334 => {
                let user = self.login.as_ref().map_or(String::new(), |login| STANDARD.encode(&login.user));
                self.say(Stage::LoginPassword, &[user.as_bytes()])
            }
            Stage::LoginPassword if answer.code == 334 => {
                let text =
                    self.login.as_ref().map_or(String::new(), |login| STANDARD.encode(&login.password));
                self.say(Stage::LoginEnd, &[text.as_bytes()])
            }
            Stage::Plain | Stage::LoginEnd if answer.code == 235 => self.ready(),
            Stage::Plain | Stage::LoginUser | Stage::LoginPassword | Stage::LoginEnd => {
                Next::Failed(format!("the mail server does not take user and password: {answer}"))
            }
            Stage::Ready => Next::Failed(format!("the mail server spoke without being asked: {answer}")),
            Stage::Reset => {
                self.stage = Stage::Ready;
                Next::Settled(self.verdict.take().unwrap_or(Verdict::Later(answer.to_string())))
            }
            Stage::From | Stage::To(_) | Stage::Data | Stage::Text => self.mail_heard(answer),
            _ => Next::Failed(format!("the mail server refused: {answer}")),
        }
    }

    fn mail_heard(&mut self, answer: &SmtpAnswer) -> Next {
        match self.stage {
            Stage::From if answer.is_yes() => self.recipient(0),
            Stage::To(index) => {
                if answer.is_yes() {
                    self.accepted += 1;
                } else if answer.is_never() {
                    let address = self.recipients.get(index).map(|address| String::from_utf8_lossy(address));
                    self.refused = Some(format!("{}: {answer}", address.unwrap_or_default()));
                } else {
                    self.later = Some(answer.to_string());
                }
                self.recipient(index + 1)
            }
            Stage::Data if answer.code == 354 => {
                self.stage = Stage::Text;
                Next::SayMail
            }
            Stage::Text if answer.is_yes() => {
                self.stage = Stage::Ready;
                let refused = self.refused.take().or(self.later.take());
                Next::Settled(Verdict::Delivered { refused })
            }
            _ if answer.is_never() => self.reset(Verdict::Refused(answer.to_string())),
            _ => self.reset(Verdict::Later(answer.to_string())),
        }
    }

    /// Names the next recipient, or asks to send the text when all are named.
    fn recipient(&mut self, index: usize) -> Next {
        if let Some(address) = self.recipients.get(index).cloned() {
            return self.say(Stage::To(index), &[b"RCPT TO:<", &address, b">"]);
        }
        match (&self.later, &self.refused) {
            (Some(later), _) if self.accepted == 0 || self.attempt == Attempt::Repeatable => {
                self.reset(Verdict::Later(later.clone()))
            }
            (_, Some(refused)) if self.accepted == 0 => self.reset(Verdict::Refused(refused.clone())),
            _ => self.say(Stage::Data, &[b"DATA"]),
        }
    }

    fn reset(&mut self, verdict: Verdict) -> Next {
        self.verdict = Some(verdict);
        self.say(Stage::Reset, &[b"RSET"])
    }

    fn hello(&mut self) -> Next {
        let name = self.own_name.clone();
        self.say(Stage::Hello, &[b"EHLO ", name.as_bytes()])
    }

    /// The server has said what it can.
    fn introduced(&mut self, answer: &SmtpAnswer) -> Next {
        self.takes_utf8 = answer.offer("SMTPUTF8").is_some();
        if self.encryption == Encryption::StartTls {
            return match answer.offer("STARTTLS") {
                Some(_) => self.say(Stage::StartTls, &[b"STARTTLS"]),
                None => Next::Failed("the mail server does not offer STARTTLS".to_owned()),
            };
        }
        let Some(login) = &self.login else { return self.ready() };
        let ways = answer.offer("AUTH").unwrap_or_default();
        let offers = |way: &str| ways.split_whitespace().any(|word| word.eq_ignore_ascii_case(way));
        if offers("PLAIN") {
            let secret = STANDARD.encode(format!("\0{}\0{}", login.user, login.password));
            return self.say(Stage::Plain, &[b"AUTH PLAIN ", secret.as_bytes()]);
        }
        if offers("LOGIN") {
            return self.say(Stage::LoginUser, &[b"AUTH LOGIN"]);
        }
        Next::Failed("the mail server offers neither AUTH PLAIN nor AUTH LOGIN".to_owned())
    }

    fn ready(&mut self) -> Next {
        self.stage = Stage::Ready;
        Next::Ready
    }

    fn say(&mut self, stage: Stage, parts: &[&[u8]]) -> Next {
        self.stage = stage;
        let mut line = parts.concat();
        line.extend_from_slice(b"\r\n");
        Next::Say(line)
    }
}

#[cfg(test)]
mod tests;
