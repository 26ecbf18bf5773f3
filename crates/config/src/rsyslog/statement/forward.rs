//! Forwarding and the legacy forms of actions.
//!
//! In: `@@(o)host:514;template`, `/var/log/x;template`, `:omusrmsg:*`. Out: the parameters of an action, and the
//! destinations that forward.

use super::converter::Converter;
use crate::parse::quoted;
use crate::rsyslog::refusal::{Converted, Refusal};
use crate::rsyslog::syntax::Parameters;
use crate::rsyslog::template::templates::Ending;
use crate::tree::Kind;

impl Converter {
    /// Converts a legacy action. The directives for the next action apply to it.
    pub(crate) fn legacy_action(&mut self, text: &str) -> Converted<Vec<String>> {
        let (target, template) = match text.rsplit_once(';') {
            Some((target, template)) => (target.trim(), Some(template.trim())),
            None => (text.trim(), None),
        };
        let mut parameters = Parameters::default();
        let add = |parameters: &mut Parameters, name: &str, value: &str| {
            parameters.add(name, vec![value.to_string()])
        };
        let (kind, name, value) = match target.chars().next() {
            Some('~') => return Ok(vec![self.stop()]),
            Some('@') => {
                self.forward_target(target, &mut parameters)?;
                ("omfwd", "", "")
            }
            Some('/') => ("omfile", "file", target),
            Some('-') if target[1..].starts_with('?') => ("omfile", "dynafile", &target[2..]),
            Some('-') => ("omfile", "file", &target[1..]),
            Some('?') => ("omfile", "dynafile", &target[1..]),
            Some('|') => ("ompipe", "pipe", target[1..].trim()),
            Some('*') => ("omusrmsg", "users", "*"),
            Some('^') => {
                return Err(Refusal::instead(
                    "a command for each message is not supported: program() gets them on its input",
                ));
            }
            Some('>') => return Err(Refusal::not_yet("sending to a database")),
            Some(':') => match target[1..].split_once(':') {
                Some(("omfile", channel)) => {
                    let name = channel.trim_start_matches('$');
                    let Some(file) = self.state.channels.get(name).cloned() else {
                        return Err(Refusal::undefined("output channel", name));
                    };
                    self.note("the file is not rotated by size: use logrotate and `duramen ctl reopen`");
                    add(&mut parameters, "file", &file);
                    ("omfile", "", "")
                }
                Some(("omusrmsg", users)) => ("omusrmsg", "users", users),
                Some(("omrelp", target)) => {
                    let (host, port) = host_and_port(target);
                    add(&mut parameters, "target", host);
                    add(&mut parameters, "port", port.unwrap_or("20514"));
                    ("omrelp", "", "")
                }
                Some((kind, value)) => (kind, "binary", value),
                None => return Err(Refusal::malformed("an action that cannot be read")),
            },
            Some(letter) if letter.is_ascii_alphabetic() && !target.contains(['/', '(', '=']) => {
                ("omusrmsg", "users", target)
            }
            _ => return Err(Refusal::malformed("an action that cannot be read")),
        };
        if !name.is_empty() && !value.is_empty() {
            add(&mut parameters, name, value);
        }
        parameters.add("type", vec![kind.to_string()]);
        if let Some(template) = template {
            parameters.add("template", vec![template.to_string()]);
        }
        for (name, value) in std::mem::take(&mut self.state.next_action) {
            parameters.add(&name, vec![value]);
        }
        self.action(parameters)
    }

    /// Converts `@host`, `@@(o,z9)host:port`.
    fn forward_target(&mut self, text: &str, parameters: &mut Parameters) -> Converted<()> {
        let (protocol, mut rest) = match text.strip_prefix("@@") {
            Some(rest) => ("tcp", rest),
            None => ("udp", &text[1..]),
        };
        parameters.add("protocol", vec![protocol.to_string()]);
        if let Some((options, after)) = rest.strip_prefix('(').and_then(|inner| inner.split_once(')')) {
            for option in options.split(',').map(str::trim) {
                match option {
                    "o" => parameters.add("tcp_framing", vec!["octet-counted".to_string()]),
                    zip if zip.starts_with('z') => parameters.add("ziplevel", vec![zip[1..].to_string()]),
                    other => return Err(Refusal::unsupported(format!("option `{other}` of a forward"))),
                }
            }
            rest = after;
        }
        let (host, port) = host_and_port(rest);
        parameters.add("target", vec![host.to_string()]);
        if let Some(port) = port {
            parameters.add("port", vec![port.to_string()]);
        }
        Ok(())
    }

    pub(crate) fn forward(&mut self, parameters: &mut Parameters) -> Converted<Vec<String>> {
        let targets =
            parameters.take_all("target").ok_or(Refusal::Incomplete("a forward without a target"))?;
        let [host] = targets.as_slice() else {
            return Err(Refusal::instead("several targets of one forward are not converted: use balance()"));
        };
        let host = host.clone();
        let port = parameters.take("port").unwrap_or_else(|| "514".to_string());
        let port: u16 = port.trim().parse().map_err(|_| Refusal::unsupported(format!("port `{port}`")))?;
        let protocol = parameters.take("protocol").unwrap_or_else(|| "udp".to_string()).to_ascii_lowercase();
        if protocol != "udp" && protocol != "tcp" {
            return Err(Refusal::unsupported(format!("protocol `{protocol}`")));
        }
        let is_counted = parameters.take("tcp_framing").is_some_and(|framing| framing == "octet-counted");
        let default = self.state.forward_template.clone();
        let template = parameters.take("template").or(default);
        let template = template.unwrap_or_else(|| "RSYSLOG_TraditionalForwardFormat".to_string());
        let ending = if protocol == "tcp" { Ending::LineFeed } else { Ending::AsWritten };
        let printing = self.templates.printing(&template, ending, &mut self.needs)?;
        if parameters.take("ziplevel").is_some_and(|level| level != "0")
            || parameters.take("compression.mode").is_some()
        {
            return Err(Refusal::unsupported_many("compressed messages"));
        }
        let tls = self.client_tls(parameters)?;
        let transport = if tls.is_empty() { &protocol } else { "tls" };
        let mut options = format!(" port({port}) transport(\"{transport}\")");
        if parameters.take_switch("keepalive") == Some(true) {
            options.push_str(" so-keepalive(yes)");
        }
        if let Some(address) = parameters.take("address") {
            options.push_str(&format!(" localip({})", quoted(&address)));
        }
        options.push_str(&tls);
        let driver =
            if is_counted && printing.is_rfc5424 && protocol == "tcp" { "syslog" } else { "network" };
        if driver == "network" {
            options.push_str(&printing.options);
        } else {
            options.push_str(" frac-digits(6)");
        }
        if is_counted && protocol == "tcp" && driver == "network" {
            self.note("messages end in line feeds: only RFC 5424 is sent with octet counts");
        }
        options.push_str(&self.queue(driver, parameters)?);
        let body = format!("{driver}({}{options});", quoted(&host));
        Ok(vec![self.destination(&format!("{host}_{port}"), body)])
    }

    pub(crate) fn relp(&mut self, parameters: &mut Parameters) -> Converted<Vec<String>> {
        self.driver(Kind::Destination, "relp")?;
        let host = parameters.take("target").ok_or(Refusal::Incomplete("a forward without a target"))?;
        let port = parameters.take("port").unwrap_or_else(|| "514".to_string());
        let port: u16 = port.trim().parse().map_err(|_| Refusal::unsupported(format!("port `{port}`")))?;
        if parameters.take_switch("tls") == Some(true) {
            return Err(Refusal::instead("RELP with TLS is not converted: write relp() with tls()"));
        }
        parameters.ignore(&["timeout", "conn.timeout", "windowsize"]);
        let template = parameters.take("template").unwrap_or_else(|| "RSYSLOG_ForwardFormat".to_string());
        let options = self.templates.printing(&template, Ending::AsWritten, &mut self.needs)?.options;
        let queue = self.queue("relp", parameters)?;
        let body = format!("relp({} port({port}){options}{queue});", quoted(&host));
        Ok(vec![self.destination(&format!("{host}_{port}"), body)])
    }

    /// Converts the stream driver: with mode 1 it is TLS; without TLS the forward is refused: it would send in clear.
    fn client_tls(&mut self, parameters: &mut Parameters) -> Converted<String> {
        parameters.take("streamdriver");
        let authentication = parameters.take("streamdriverauthmode");
        let peers = parameters.take_all("streamdriverpermittedpeers");
        if parameters.take("streamdrivermode").as_deref() != Some("1") {
            return Ok(String::new());
        }
        if !self.honours(Kind::Destination, "network", "tls") {
            return Err(Refusal::not_yet("TLS"));
        }
        let own = |name: &str, parameters: &mut Parameters| {
            parameters.take(&format!("streamdriver.{name}")).or_else(|| self.state.tls.get(name).cloned())
        };
        let mut tls = String::new();
        for (name, option) in [("cafile", "ca-file"), ("keyfile", "key-file"), ("certfile", "cert-file")] {
            if let Some(file) = own(name, parameters) {
                tls.push_str(&format!(" {option}({})", quoted(&file)));
            }
        }
        let verify = match authentication.as_deref() {
            None | Some("anon") => "optional-untrusted",
            Some(_) => "required-trusted",
        };
        if peers.is_some() {
            self.note("the name in the certificate has to be that of the target");
        }
        Ok(format!(" tls(peer-verify({verify}){tls})"))
    }
}

/// Splits `host:port`, `[::1]:port`.
fn host_and_port(text: &str) -> (&str, Option<&str>) {
    if let Some((host, rest)) = text.strip_prefix('[').and_then(|inner| inner.split_once(']')) {
        return (host, rest.strip_prefix(':'));
    }
    match text.rsplit_once(':') {
        Some((host, port)) if !host.contains(':') => (host, Some(port)),
        _ => (text, None),
    }
}
