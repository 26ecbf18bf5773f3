//! Mails.
//!
//! In: a channel, a notification. Out: a mail, and what the mail server says to it. Holds nothing.
//! Every attempt has the same `Message-ID`, and what follows on an alert refers to the first mail about it, so that programs
//! for mail show one thread. `Auto-Submitted` keeps others from answering automatically (RFC 3834).

use super::{delivery::Delivery, secret};
use crate::letter::Letter;
use delivery::{MailTarget, SocketKind, SocketTarget, send_mail};
use std::time::Duration;
use transport::tls::SenderTls;
use watch::{MailChannel, MailEncryption};
use wire::{
    mail::{Mail, Mailbox, Role},
    mail_dialogue::{MailLogin, Verdict},
};

/// Longest wait for an answer of a mail server.
const ANSWER_WITHIN: Duration = Duration::from_secs(60);

/// Sends a mail about a notification.
pub(super) fn send(
    channel: &MailChannel,
    letter: &Letter,
    server: &str,
    tls: SenderTls,
    go_on: &dyn Fn() -> bool,
) -> Delivery {
    let login = match &channel.login {
        None => None,
        Some((user, password)) => match secret::value(password) {
            Ok(password) => Some(MailLogin { user: user.clone(), password }),
            Err(error) => return Delivery::failed(error),
        },
    };
    let mut socket = SocketTarget::new(SocketKind::Tcp(channel.server.clone(), channel.port));
    let mut starttls = None;
    match channel.encryption {
        MailEncryption::StartTls => starttls = Some(tls),
        MailEncryption::Tls => socket.tls = Some(tls),
        MailEncryption::None => {}
    }
    let target = MailTarget { socket, starttls, login, answer_within: ANSWER_WITHIN, retries: 0 };
    let mut bytes = Vec::new();
    mail(channel, letter, server).append(&mut bytes);
    match send_mail(&target, &bytes, go_on) {
        Ok(Verdict::Delivered { refused: None }) => Delivery::Done("accepted".to_owned()),
        Ok(Verdict::Delivered { refused: Some(why) }) => {
            Delivery::Done(format!("accepted, but not for all recipients: {why}"))
        }
        Ok(Verdict::Refused(why)) => Delivery::Never(why),
        Ok(Verdict::Later(why)) => Delivery::failed(why),
        Err(error) => Delivery::failed(error),
    }
}

/// Makes the mail of a notification.
fn mail(channel: &MailChannel, letter: &Letter, server: &str) -> Mail {
    let someone =
        |role, address: &String| (role, Mailbox { name: Vec::new(), address: address.clone().into() });
    let recipients = channel.to.iter().map(|address| someone(Role::To, address));
    let id = |id: &str| format!("<{id}@{}>", domain(channel, server));
    let mut fields = vec![
        ("Subject", letter.content.subject()),
        ("Date", date(letter.created_us)),
        ("Message-ID", id(&letter.id)),
        ("Auto-Submitted", "auto-generated".to_owned()),
        ("X-Mailer", "duramen".to_owned()),
    ];
    if let Some(first) = &letter.thread {
        fields.push(("In-Reply-To", id(first)));
        fields.push(("References", id(first)));
    }
    Mail {
        people: std::iter::once(someone(Role::From, &channel.from)).chain(recipients).collect(),
        fields: fields.into_iter().map(|(name, value)| (name.to_owned(), value.into_bytes())).collect(),
        text: letter.content.body().into_bytes(),
    }
}

/// Returns the domain of ids: that of the sender.
fn domain<'c>(channel: &'c MailChannel, server: &'c str) -> &'c str {
    channel.from.rsplit_once('@').map_or(server, |(_, host)| host)
}

/// Returns a time as mails have it (RFC 5322), in UTC.
fn date(at_us: i64) -> String {
    let time = jiff::Timestamp::from_second(at_us.div_euclid(1_000_000)).unwrap_or_default();
    jiff::fmt::rfc2822::to_string(&time.to_zoned(jiff::tz::TimeZone::UTC)).unwrap_or_default()
}
