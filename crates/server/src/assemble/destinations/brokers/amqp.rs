//! `amqp()` of the language.
//!
//! In: its options. Out: a receiver. Holds: nothing.
//! Limits: names that the protocol cannot hold are refused; so is a login with nothing to log in with.

use super::endpoint::{BATCH_BYTES, answer_within};
use crate::assemble::{destinations::batches::batches, lowering::Lowering, options::driver::Options};
use config::{Diagnostic, tree::Call};
use delivery::DestinationDriver;
use message::Render;
use outputs::{AmqpExchange, AmqpReceiver, AmqpTarget, Unroutable};
use std::time::Duration;
use transport::{
    Endpoint,
    amqp::{AmqpLogin, Durability, NAME_BYTES_MAX},
};

const PORT: u16 = 5672;
/// Publications that are sent without waiting for each other.
const BATCH_LINES: usize = 1000;
/// Longest wait for a confirmation: a message in a durable queue is on the disk by then.
pub(crate) const ANSWER_WITHIN: Duration = Duration::from_secs(30);
/// `frame-size()` and `heartbeat()` unless they are set: what RabbitMQ proposes.
pub(crate) const FRAME_BYTES: i64 = 131_072;
pub(crate) const HEARTBEAT: i64 = 60;
/// Options of `tls()` that may stand in `amqp()` itself.
const TLS_OPTIONS: [&str; 4] = ["ca-file", "cert-file", "key-file", "peer-verify"];

impl<'t> Lowering<'t> {
    /// Makes the receiver of `amqp()`. It renders by itself: the template beside it only shows what it sends.
    pub(crate) fn amqp(&mut self, options: &Options<'t>) -> Option<(DestinationDriver, Box<dyn Render>)> {
        let server = self.amqp_server(options)?;
        let exchange = self.amqp_exchange(options)?;
        let vhost = self.amqp_name(options, "vhost", "/")?;
        let routing_key = match options.own("routing-key") {
            Some(option) => self.named_or_text(option)?,
            None => self.built_in_template("", options)?,
        };
        let routing_key = self.template_renderer(routing_key, options);
        if let Some(option) = options.own("routing-key")
            && routing_key.constant().is_some_and(|key| key.len() > NAME_BYTES_MAX || key.contains('\0'))
        {
            return self.no_amqp_name(option);
        }
        let body = match options.own("body") {
            Some(option) => self.named_or_text(option)?,
            None => self.built_in_template("", options)?,
        };
        let shown = self.template_renderer(body.clone(), options);
        let headers = self.selected_pairs(options)?;
        let number = |name: &str, default: i64| options.own(name).and_then(Call::number).unwrap_or(default);
        let target = AmqpTarget {
            login: self.amqp_login(options, &server)?,
            server,
            vhost,
            exchange,
            routing_key,
            body: self.template_renderer(body, options),
            headers: self.pairs_renderer(headers, options),
            durability: match options.own("persistent").and_then(Call::truth) {
                Some(false) => Durability::Transient,
                _ => Durability::Persistent,
            },
            unroutable: match options.own_text("unroutable").map(|word| word.replace('_', "-")).as_deref() {
                Some("hold") => Unroutable::Hold,
                Some("drop") => Unroutable::Drop,
                _ => Unroutable::Dead,
            },
            frame_bytes: usize::try_from(number("frame-size", FRAME_BYTES)).unwrap_or(usize::MAX),
            heartbeat: u16::try_from(number("heartbeat", HEARTBEAT)).unwrap_or(u16::MAX),
            timeout: answer_within(options, ANSWER_WITHIN),
            batches: batches(options, BATCH_LINES, BATCH_BYTES),
        };
        Some((DestinationDriver::Receiver(Box::new(AmqpReceiver::new(target))), shown))
    }

    /// Returns the broker. Options of `tls()` in `amqp()` itself encrypt as well.
    pub(crate) fn amqp_server(&mut self, options: &Options<'t>) -> Option<Endpoint> {
        let server = self.endpoint(options, PORT)?;
        let beside: Vec<_> = TLS_OPTIONS.iter().filter_map(|name| options.own(name)).collect();
        let Some(first) = beside.first() else { return Some(server) };
        if let Some(tls) = options.own("tls") {
            let message = format!("`{}()` and `tls()` cannot be used together", first.name.text);
            self.report.push(Diagnostic::error(tls.span, message).help("write it inside of tls()"));
            return None;
        }
        Some(Endpoint { tls: self.encryption_by(options.call, &server.host)?, ..server })
    }

    fn amqp_exchange(&mut self, options: &Options<'t>) -> Option<AmqpExchange> {
        let name = self.amqp_name(options, "exchange", "syslog")?;
        let kind = self.amqp_name(options, "exchange-type", "fanout")?;
        let declare = options.own("exchange-declare").filter(|option| option.truth() == Some(true));
        if let Some(option) = declare.filter(|_| name.is_empty() || name.starts_with("amq.")) {
            let message = "`exchange-declare(yes)`: the default exchange and those whose names begin with amq. cannot be declared";
            self.report.push(Diagnostic::error(option.span, message));
            return None;
        }
        Some(AmqpExchange { name, declared_as: declare.map(|_| kind) })
    }

    pub(crate) fn amqp_name(&mut self, options: &Options<'t>, option: &str, default: &str) -> Option<String> {
        let Some(written) = options.own(option) else { return Some(default.to_owned()) };
        let name = options.own_text(option).unwrap_or_default();
        if name.len() > NAME_BYTES_MAX || name.contains('\0') {
            return self.no_amqp_name(written);
        }
        Some(name)
    }

    fn no_amqp_name<T>(&mut self, option: &Call) -> Option<T> {
        let message = format!("`{}()` has more than 255 bytes, or a NUL", option.name.text);
        self.report.push(Diagnostic::error(option.span, message));
        None
    }

    pub(crate) fn amqp_login(&mut self, options: &Options<'t>, server: &Endpoint) -> Option<AmqpLogin> {
        let span = options.own("auth-method").map_or(options.call.name.span, |option| option.span);
        if options.word("auth-method").as_deref() == Some("external") {
            let inside = |name: &str| options.own("tls").and_then(|tls| tls.option(name)).is_some();
            let shows = options.own("cert-file").is_some() || inside("cert-file") || inside("pkcs12-file");
            if server.tls.is_none() || !shows {
                let error = Diagnostic::error(span, "`auth-method(external)` logs in with a certificate");
                self.report.push(error.help("tls(cert-file(\"...\") key-file(\"...\") ca-file(\"...\"))"));
                return None;
            }
            return Some(AmqpLogin::External);
        }
        match (options.own_text("username"), options.own_text("password")) {
            (Some(user), Some(password)) if !user.contains('\0') && !password.contains('\0') => {
                Some(AmqpLogin::Plain { user, password })
            }
            _ => {
                let error = Diagnostic::error(span, "`amqp()` needs `username()` and `password()`");
                self.report.push(error.help("or auth-method(external), with a certificate in tls()"));
                None
            }
        }
    }
}
