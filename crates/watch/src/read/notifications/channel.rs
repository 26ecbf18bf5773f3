//! A channel from a map.
//!
//! In: a map. Out: a channel, or all that is wrong with it. Holds nothing. Limits: none of its own.

use super::model::{
    Channel, ChannelKind, HttpChannel, MailChannel, MailEncryption, RECIPIENTS_MAX, Reach, Service, Setting,
};
use crate::read::{
    fault::{NotificationFault, RuleError, RuleFault},
    node::Node,
    options::Options,
};
use std::path::PathBuf;

/// The kinds of channels, for errors.
const KINDS: &str = "mail, webhook, slack, teams, telegram, matrix or pagerduty";
/// The address of the bots of Telegram.
const TELEGRAM: &str = "https://api.telegram.org";
/// The address of PagerDuty's Events API v2; accounts in Europe have another one.
const PAGERDUTY: &str = "https://events.pagerduty.com/v2/enqueue";
/// Ports of mail servers: for clients with STARTTLS, with TLS from the start, and between servers.
const SUBMISSION: u16 = 587;
const SUBMISSIONS: u16 = 465;
const SMTP: u16 = 25;

/// Reads a channel; returns all that is wrong with it.
pub(super) fn read(node: &Node, text: &str) -> Result<Channel, Vec<RuleError>> {
    let mut options = Options::of(node, text)?;
    let id = options.id();
    let kind = match options.required_text("kind").as_deref() {
        Some("webhook") => webhook(&mut options).map(ChannelKind::Http),
        Some("slack") => http(&mut options, Service::Slack).map(ChannelKind::Http),
        Some("teams") => http(&mut options, Service::Teams).map(ChannelKind::Http),
        Some("telegram") => telegram(&mut options).map(ChannelKind::Http),
        Some("matrix") => matrix(&mut options).map(ChannelKind::Http),
        Some("pagerduty") => pagerduty(&mut options).map(ChannelKind::Http),
        Some("mail") => mail(&mut options).map(ChannelKind::Mail),
        other => {
            if let Some(word) = other {
                options.fault("kind", RuleFault::UnknownWord { word: word.to_owned(), known: KINDS });
            }
            options.ignore_unknown();
            None
        }
    };
    options.finish()?;
    match (id, kind) {
        (Some(id), Some(kind)) => Ok(Channel { id: id.into(), kind }),
        // Whatever is missing was noted as an error.
        _ => Err(vec![node.fault(RuleFault::Notification(NotificationFault::NoLists))]),
    }
}

fn webhook(options: &mut Options<'_>) -> Option<HttpChannel> {
    let secret = setting(options, ["", "secret-file", "secret-env"]);
    http(options, Service::Webhook { secret })
}

fn telegram(options: &mut Options<'_>) -> Option<HttpChannel> {
    let token = required(options, ["", "token-file", "token-env"]);
    let chat = options.required_text("chat");
    let url = setting(options, ["url", "url-file", "url-env"]);
    let url = url.unwrap_or_else(|| Setting::Text(TELEGRAM.to_owned()));
    at(options, Service::Telegram { token: token?, chat: chat? }, url)
}

fn pagerduty(options: &mut Options<'_>) -> Option<HttpChannel> {
    let routing_key = required(options, ["", "routing-key-file", "routing-key-env"]);
    let url = setting(options, ["url", "url-file", "url-env"]);
    let url = url.unwrap_or_else(|| Setting::Text(PAGERDUTY.to_owned()));
    at(options, Service::PagerDuty { routing_key: routing_key? }, url)
}

fn matrix(options: &mut Options<'_>) -> Option<HttpChannel> {
    let token = required(options, ["", "token-file", "token-env"]);
    let room = options.required_text("room");
    if room.as_ref().is_some_and(|room| !room.starts_with('!')) {
        options.fault("room", RuleFault::Notification(NotificationFault::NotARoom));
    }
    let url = required(options, ["url", "url-file", "url-env"]);
    at(options, Service::Matrix { token: token?, room: room? }, url?)
}

/// Reads what all channels over HTTP have.
fn http(options: &mut Options<'_>, service: Service) -> Option<HttpChannel> {
    let url = required(options, ["url", "url-file", "url-env"]);
    at(options, service, url?)
}

/// Reads what channels at a URL have.
fn at(options: &mut Options<'_>, service: Service, url: Setting) -> Option<HttpChannel> {
    if let Setting::Text(url) = &url
        && !is_url(url)
    {
        options.fault("url", RuleFault::Notification(NotificationFault::NotAUrl));
    }
    let reach = match options.text("addresses").as_deref() {
        None | Some("public") => Reach::Public,
        Some("any") => Reach::Any,
        Some(word) => {
            let fault = RuleFault::UnknownWord { word: word.to_owned(), known: "public or any" };
            options.fault("addresses", fault);
            Reach::Public
        }
    };
    Some(HttpChannel { service, url, reach, ca_file: path(options, "ca-file") })
}

/// Returns true for a URL of HTTP with a host and without a user.
fn is_url(url: &str) -> bool {
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    let host = |rest: &str| rest.split(['/', '?']).next().map(str::to_owned).unwrap_or_default();
    rest.map(host).is_some_and(|host| !host.is_empty() && !host.contains('@'))
        && url.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'#')
}

fn mail(options: &mut Options<'_>) -> Option<MailChannel> {
    let server = options.required_text("server");
    let encryption = match options.text("encryption").as_deref() {
        None | Some("starttls") => MailEncryption::StartTls,
        Some("tls") => MailEncryption::Tls,
        Some("none") => MailEncryption::None,
        Some(word) => {
            let fault = RuleFault::UnknownWord { word: word.to_owned(), known: "starttls, tls or none" };
            options.fault("encryption", fault);
            MailEncryption::StartTls
        }
    };
    let port = options.count("port", 1, 65_535).map(|port| port as u16).unwrap_or(match encryption {
        MailEncryption::StartTls => SUBMISSION,
        MailEncryption::Tls => SUBMISSIONS,
        MailEncryption::None => SMTP,
    });
    let from = options.required_text("from");
    if from.as_ref().is_some_and(|from| !is_address(from)) {
        options.fault("from", RuleFault::Notification(NotificationFault::NotAnAddress));
    }
    let to = options.some_texts("to", RECIPIENTS_MAX);
    if to.iter().any(|to| !is_address(to)) {
        options.fault("to", RuleFault::Notification(NotificationFault::NotAnAddress));
    }
    let user = options.text("user");
    let password = setting(options, ["", "password-file", "password-env"]);
    let login = match (user, password) {
        (Some(user), Some(password)) => Some((user, password)),
        (None, None) => None,
        (Some(_), None) => {
            options.fault("user", RuleFault::MissingKey { key: "password-file" });
            None
        }
        (None, Some(_)) => {
            options.fault("password-file", RuleFault::MissingKey { key: "user" });
            None
        }
    };
    if login.is_some() && encryption == MailEncryption::None {
        options.fault("encryption", RuleFault::Notification(NotificationFault::PasswordInClear));
    }
    let ca_file = path(options, "ca-file");
    Some(MailChannel { server: server?, port, encryption, from: from?, to, login, ca_file })
}

/// Returns true for the address of a mailbox.
fn is_address(text: &str) -> bool {
    let is_plain = |character: char| !character.is_control() && !" <>\",;".contains(character);
    let parts = text.rsplit_once('@');
    parts.is_some_and(|(user, host)| !user.is_empty() && !host.is_empty()) && text.chars().all(is_plain)
}

fn path(options: &mut Options<'_>, key: &'static str) -> Option<PathBuf> {
    let path = PathBuf::from(options.text(key)?);
    if !path.is_absolute() {
        options.fault(key, RuleFault::Notification(NotificationFault::NotAbsolute));
    }
    Some(path)
}

/// Reads a value that stands here, in a file or in the environment; an empty key: it must not stand here.
fn setting(options: &mut Options<'_>, keys: [&'static str; 3]) -> Option<Setting> {
    let [here, file, environment] = keys;
    let text = if here.is_empty() { None } else { options.text(here).map(Setting::Text) };
    let file_value = path(options, file).map(Setting::File);
    let variable = options.text(environment).map(Setting::Environment);
    let mut found: Vec<Setting> = [text, file_value, variable].into_iter().flatten().collect();
    if found.len() > 1 {
        options.fault(
            environment,
            RuleFault::Notification(NotificationFault::OneOf {
                keys: keys.join(", ").trim_start_matches(", ").to_owned(),
            }),
        );
    }
    found.pop()
}

/// The same for one that must be there.
fn required(options: &mut Options<'_>, keys: [&'static str; 3]) -> Option<Setting> {
    let found = setting(options, keys);
    if found.is_none() {
        let key = if keys[0].is_empty() { keys[1] } else { keys[0] };
        options.fault(key, RuleFault::MissingKey { key });
    }
    found
}
