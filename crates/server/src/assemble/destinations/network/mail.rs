//! `smtp()` of the language: the receivers of a mail, its content, and the connection to the server.
//!
//! In: its options. Out: a target, and the renderer of its mails. Holds: compiled templates.
//! Limits: a header field that we write ourselves, or with an invalid name, is an error with its position.

use crate::assemble::lowering::Lowering;
use crate::assemble::options::driver::Options;
use crate::authorities;
use config::Diagnostic;
use config::tree::{Arg, Call};
use delivery::{DestinationDriver, MailTarget, SocketKind};
use message::{Batch, Render, Stamp};
use std::time::Duration;
use transport::tls::{SenderTls, TlsOptions};
use wire::mail::{Mail, Mailbox, Role};
use wire::{Framing, mail_dialogue::MailLogin};

/// Default ports of mail servers: with STARTTLS or plain, and with TLS from the start.
const PORT: u16 = 25;
const TLS_PORT: u16 = 465;
/// Longest wait for an answer, as RFC 5321 recommends.
const ANSWER_WITHIN: Duration = Duration::from_secs(300);
/// Number of retries of a postponed mail, as in syslog-ng.
const RETRIES: u32 = 3;

const ROLES: [(&str, Role); 6] = [
    ("from", Role::From),
    ("sender", Role::Sender),
    ("reply-to", Role::ReplyTo),
    ("to", Role::To),
    ("cc", Role::Cc),
    ("bcc", Role::Bcc),
];

/// Header fields that are written from other options.
const OWN_FIELDS: [&str; 10] = [
    "from",
    "sender",
    "reply-to",
    "to",
    "cc",
    "bcc",
    "subject",
    "mime-version",
    "content-transfer-encoding",
    "return-path",
];

/// A role, the address of the person, and a name.
type Person = (Role, Box<dyn Render>, Option<Box<dyn Render>>);

/// Renders mails.
struct Mails {
    people: Vec<Person>,
    fields: Vec<(String, Box<dyn Render>)>,
    text: Box<dyn Render>,
}

impl Mails {
    fn templates(&mut self) -> impl Iterator<Item = &mut Box<dyn Render>> {
        let people =
            self.people.iter_mut().flat_map(|(_, address, name)| std::iter::once(address).chain(name));
        people.chain(self.fields.iter_mut().map(|(_, value)| value)).chain([&mut self.text])
    }
}

impl Render for Mails {
    fn begin(&mut self, now: Stamp) {
        self.templates().for_each(|template| template.begin(now));
    }

    fn render(&mut self, batch: &Batch, index: usize, sequence: u64, out: &mut Vec<u8>) {
        let text = |template: &mut Box<dyn Render>| {
            let mut bytes = Vec::new();
            template.render(batch, index, sequence, &mut bytes);
            bytes
        };
        let people = self.people.iter_mut().map(|(role, address, name)| {
            (*role, Mailbox { name: name.as_mut().map(text).unwrap_or_default(), address: text(address) })
        });
        let people = people.collect();
        let fields = self.fields.iter_mut().map(|(name, value)| (name.clone(), text(value))).collect();
        Mail { people, fields, text: text(&mut self.text) }.append(out);
    }

    fn render_name(&mut self, batch: &Batch, index: usize, sequence: u64, out: &mut Vec<u8>) {
        self.render(batch, index, sequence, out);
    }
}

impl<'t> Lowering<'t> {
    /// Makes the target of `smtp()`, and the renderer of its mails.
    pub(crate) fn mail(&mut self, options: &Options<'t>) -> Option<(DestinationDriver, Box<dyn Render>)> {
        let transport = options.word("transport");
        let is_encrypted = transport.as_deref() == Some("tls");
        let port = options.port(["port", "port"], if is_encrypted { TLS_PORT } else { PORT });
        let host = options.own_text("host").unwrap_or_else(|| "127.0.0.1".to_owned());
        let (driver, _) = self.socket(options, SocketKind::Tcp(host, port), Framing::Datagram)?;
        let DestinationDriver::Socket(mut socket) = driver else { return None };
        if is_encrypted {
            socket.tls = Some(SenderTls::new(self.mail_tls(options)?));
        }
        // tls() alone means that nothing is sent unencrypted.
        let upgrades = match transport.as_deref() {
            Some(transport) => transport == "starttls",
            None => options.own("tls").is_some(),
        };
        let starttls = if upgrades { Some(SenderTls::new(self.mail_tls(options)?)) } else { None };
        let login = options
            .own_text("user")
            .map(|user| MailLogin { user, password: options.own_text("password").unwrap_or_default() });
        if let (Some(_), None, None, Some(user)) = (&login, &starttls, &socket.tls, options.own("user")) {
            let message = "the password goes over the network in the clear";
            let help = "write transport(starttls), or transport(tls)";
            self.report.push(Diagnostic::warning(user.span, message).help(help));
        }
        let retries = options.own("retries").and_then(Call::number);
        let target = MailTarget {
            socket,
            starttls,
            login,
            answer_within: options.seconds("timeout").filter(|wait| !wait.is_zero()).unwrap_or(ANSWER_WITHIN),
            retries: retries.and_then(|count| u32::try_from(count).ok()).unwrap_or(RETRIES),
        };
        Some((DestinationDriver::Mail(Box::new(target)), Box::new(self.mail_renderer(options)?)))
    }

    /// Parses `tls()`; without it the authorities of the machine are trusted.
    fn mail_tls(&mut self, options: &Options<'t>) -> Option<TlsOptions> {
        match options.own("tls") {
            Some(_) => self.tls(options),
            None => Some(TlsOptions { ca_file: authorities::system(), ..TlsOptions::default() }),
        }
    }

    fn mail_renderer(&mut self, options: &Options<'t>) -> Option<Mails> {
        let mut people = Vec::new();
        for (name, role) in ROLES {
            let all: Vec<&Call> = options.all(name).collect();
            let is_single = matches!(role, Role::From | Role::Sender);
            let used = if is_single { all.len().saturating_sub(1) } else { 0 };
            for option in &all[used..] {
                people.push(self.person(role, option, options)?);
            }
        }
        let mut fields = Vec::new();
        for option in options.all("header") {
            fields.push(self.header_field(option, options)?);
        }
        let has = |fields: &[(String, Box<dyn Render>)], wanted: &str| {
            fields.iter().any(|(name, _)| name.eq_ignore_ascii_case(wanted))
        };
        let mut own = vec![("Subject", self.text_or(options, "subject", "$PROGRAM on $HOST: $LEVEL")?)];
        for (name, text) in [
            (
                "Date",
                "$C_WEEK_DAY_ABBREV, $C_DAY $C_MONTH_ABBREV $C_YEAR $C_HOUR:$C_MIN:$C_SEC $(replace-delimiter \":\" \"\" $C_TZOFFSET)",
            ),
            ("Message-ID", "<$(uuid)@$LOGHOST>"),
            ("X-Mailer", "duramen"),
        ] {
            if !has(&fields, name) {
                let template = self.built_in_template(text, options)?;
                own.push((name, self.template_renderer(template, options)));
            }
        }
        let own = own.into_iter().map(|(name, value)| (name.to_owned(), value));
        let fields = own.chain(fields).collect();
        Some(Mails { people, fields, text: self.text_or(options, "body", "$MSG\n")? })
    }

    /// Returns the renderer of an option, or of `default`.
    fn text_or(&mut self, options: &Options<'t>, name: &str, default: &str) -> Option<Box<dyn Render>> {
        let template = match options.own(name) {
            Some(option) => self.named_or_text(option)?,
            None => self.built_in_template(default, options)?,
        };
        Some(self.template_renderer(template, options))
    }

    /// Parses `to("address")` or `to("name" "address")`.
    fn person(&mut self, role: Role, option: &Call, options: &Options<'t>) -> Option<Person> {
        let args: Vec<&Arg> = option.args.iter().collect();
        let (name, address) = match args.as_slice() {
            [address] => (None, *address),
            [name, address] => (Some(*name), *address),
            _ => {
                let message = format!("`{}()` takes an address, or a name and an address", option.name.text);
                self.report.push(Diagnostic::error(option.span, message));
                return None;
            }
        };
        let address = self.mail_value(address, options)?;
        let name = match name {
            Some(name) => Some(self.mail_value(name, options)?),
            None => None,
        };
        Some((role, address, name))
    }

    /// Parses `header("X-Name" "value")`.
    fn header_field(&mut self, option: &Call, options: &Options<'t>) -> Option<(String, Box<dyn Render>)> {
        let (Some(name), [_, value]) = (option.text(), option.args.as_slice()) else {
            let message = "`header()` takes a name and a value";
            self.report.push(Diagnostic::error(option.span, message));
            return None;
        };
        let is_name = |byte: u8| byte.is_ascii_graphic() && byte != b':';
        let reason = if name.is_empty() || !name.bytes().all(is_name) {
            "is no name of a header field"
        } else if OWN_FIELDS.contains(&name.to_ascii_lowercase().as_str()) {
            "is written by another option, or by us"
        } else {
            return Some((name.to_owned(), self.mail_value(value, options)?));
        };
        self.report.push(Diagnostic::error(option.span, format!("`{name}` {reason}")));
        None
    }

    fn mail_value(&mut self, arg: &Arg, options: &Options<'t>) -> Option<Box<dyn Render>> {
        let template = self.named_or_argument(arg)?;
        Some(self.template_renderer(template, options))
    }
}
