//! Inputs of rsyslog to source drivers.
//!
//! In: `input(type="imtcp" ...)`, `module(load="imuxsock")`. Out: sources of a ruleset.

use super::converter::{Converter, DEFAULT_RULESET, Source};
use crate::options;
use crate::parse::quoted;
use crate::rsyslog::refusal::{Converted, Refusal};
use crate::rsyslog::syntax::{Parameters, is_on};
use crate::tree::Kind;

/// Parameters of inputs that make no difference here.
const NO_DIFFERENCE: &[&str] = &[
    "listenportfilename",
    "flowcontrol",
    "maxlisteners",
    "maxlstn",
    "notifyonconnectionclose",
    "batchsize",
    "threads",
    "workerthreads",
    "schedulingpolicy",
    "schedulingpriority",
    "timerequery",
    "statefile",
    "persiststateinterval",
    "persiststateaftersubmission",
    "mode",
    "pollinginterval",
    "reopenontruncate",
    "addmetadata",
    "preservecase",
    "unlink",
    "createpath",
    "syssock.unlink",
];

impl Converter {
    /// Converts a module, which matters only when loading it opens an input.
    pub(crate) fn module(&mut self, mut parameters: Parameters) -> Converted<()> {
        let Some(load) = parameters.take("load") else {
            return Err(Refusal::Incomplete("a module without load"));
        };
        let path = load.rsplit('/').next().unwrap_or(&load);
        let name = path.trim_end_matches(".so").trim_start_matches("builtin:").to_string();
        self.load(&name)?;
        self.state.modules.insert(name, parameters);
        Ok(())
    }

    /// Loads a module by its name.
    pub(crate) fn load(&mut self, name: &str) -> Converted<()> {
        match name {
            "imuxsock" | "imklog" | "imkmsg" => self.local_messages(),
            "imjournal" => {
                self.driver(Kind::Source, "systemd-journal")?;
                self.source(DEFAULT_RULESET, name, "systemd-journal(".to_string(), Vec::new());
                Ok(())
            }
            "immark" => {
                self.note("marks are written as mark-freq() and mark-mode() of the destinations say");
                Ok(())
            }
            "impstats" => Err(Refusal::instead("figures are read with `duramen ctl stats` or from /metrics")),
            "imudp" | "imtcp" | "imptcp" | "imfile" | "improg" | "omfile" | "omfwd" | "omusrmsg"
            | "ompipe" | "omprog" | "omstdout" | "omshell" | "omdiscard" | "mmjsonparse" | "lmnet"
            | "lmnetstrms" | "lmtcpsrv" | "lmtcpclt" | "lmnsd_ptcp" | "lmnsd_gtls" | "lmnsd_ossl"
            | "imrelp" | "omrelp" | "pmrfc3164" | "pmrfc5424" => Ok(()),
            other => Err(Refusal::unsupported(format!("module `{other}`"))),
        }
    }

    /// Converts `imuxsock`, `imklog`: the sockets and the kernel of this machine.
    fn local_messages(&mut self) -> Converted<()> {
        let driver = "system(";
        if !self.sources.iter().any(|source| source.driver == driver) {
            self.source(DEFAULT_RULESET, "imuxsock", driver.to_string(), Vec::new());
            self.source(DEFAULT_RULESET, "rsyslogd", "internal(".to_string(), Vec::new());
        }
        self.note("system() finds the sockets and the kernel log of this machine");
        Ok(())
    }

    pub(crate) fn input(&mut self, mut parameters: Parameters) -> Converted<()> {
        let kind = parameters.take("type").unwrap_or_default().to_ascii_lowercase();
        let ruleset = parameters.take("ruleset").unwrap_or_else(|| DEFAULT_RULESET.to_string());
        parameters.ignore(NO_DIFFERENCE);
        match kind.as_str() {
            "imudp" => self.network("udp", &kind, &ruleset, &mut parameters)?,
            "imtcp" | "imptcp" => self.network("tcp", &kind, &ruleset, &mut parameters)?,
            "imfile" => self.followed_file(&ruleset, &mut parameters)?,
            "imuxsock" => {
                let path =
                    parameters.take("socket").ok_or(Refusal::Incomplete("a unix socket without a path"))?;
                self.source(&ruleset, "imuxsock", format!("unix-dgram({}", quoted(&path)), Vec::new());
            }
            "improg" => {
                let command =
                    parameters.take("binary").ok_or(Refusal::Incomplete("a program without a path"))?;
                self.source(&ruleset, &kind, format!("program({}", quoted(&command)), Vec::new());
            }
            "imrelp" => {
                self.driver(Kind::Source, "relp")?;
                if self.state.own_or_module(&mut parameters, &kind, "tls").is_some_and(|value| is_on(&value))
                {
                    return Err(Refusal::instead("RELP with TLS is not converted: write relp() with tls()"));
                }
                self.network("relp", &kind, &ruleset, &mut parameters)?;
            }
            other => return Err(Refusal::unsupported(format!("input `{other}`"))),
        }
        self.tell_unused(&parameters);
        Ok(())
    }

    /// Notes the parameters that no conversion used.
    pub(crate) fn tell_unused(&mut self, parameters: &Parameters) {
        let unused: Vec<String> = parameters.unused().iter().map(|name| (*name).to_string()).collect();
        for name in unused {
            self.note(format!("`{name}` is left out"));
        }
    }

    /// Fails when a driver does not exist here.
    pub(crate) fn driver(&self, kind: Kind, name: &str) -> Converted<()> {
        match options::driver(kind, name) {
            Some(_) => Ok(()),
            None => Err(Refusal::not_yet(format!("{} `{name}()`", kind.word()))),
        }
    }

    /// Returns true when an option of a driver has its effect.
    pub(crate) fn honours(&self, kind: Kind, driver: &str, option: &str) -> bool {
        options::driver(kind, driver).and_then(|driver| options::row(driver.options, option)).is_some_and(
            |row| matches!(row.standing, options::Standing::Honoured | options::Standing::Renamed(_)),
        )
    }

    fn network(
        &mut self,
        transport: &str,
        module: &str,
        ruleset: &str,
        parameters: &mut Parameters,
    ) -> Converted<()> {
        let ports = parameters.take_all("port").ok_or(Refusal::Incomplete("an input without a port"))?;
        let mut rest = String::new();
        if let Some(address) = parameters.take("address").filter(|address| address != "*") {
            rest.push_str(&format!(" ip({})", quoted(&address)));
            if address.contains(':') {
                rest.push_str(" ip-protocol(6)");
            }
        }
        if transport != "udp" {
            let sessions = self.state.own_or_module(parameters, module, "maxsessions");
            let count = sessions
                .and_then(|count| count.parse::<u32>().ok())
                .filter(|count| *count > 0)
                .unwrap_or(200);
            rest.push_str(&format!(" max-connections({count})"));
        }
        if let Some(buffer) = parameters.take("rcvbufsize").and_then(|size| bytes(&size)) {
            rest.push_str(&format!(" so-rcvbuf({buffer})"));
        }
        if let Some(zone) = parameters.take("defaulttz") {
            rest.push_str(&format!(" time-zone({})", quoted(&zone)));
        }
        if self.state.own_or_module(parameters, module, "keepalive").is_some_and(|value| is_on(&value)) {
            rest.push_str(" so-keepalive(yes)");
        }
        parameters.ignore(&["ipfreebind"]);
        for name in ["device", "ratelimit.interval", "ratelimit.burst"] {
            if parameters.take(name).is_some() {
                self.note(format!("`{name}` is left out"));
            }
        }
        let tls = if transport == "tcp" { self.server_tls(parameters, module)? } else { String::new() };
        let counts = self.state.own_or_module(parameters, module, "supportoctetcountedframing");
        // A stream may have line feeds or octet counts, frame by frame.
        let framed = match transport {
            "tcp" if !tls.is_empty() => {
                self.note(
                    "messages over TLS end in line feeds: for octet counts write syslog(transport(\"tls\"))",
                );
                "tls"
            }
            "tcp" if counts.is_none_or(|value| is_on(&value)) => "auto",
            other => other,
        };
        rest.push_str(&tls);
        let input = parameters.take("name").unwrap_or_else(|| module.to_string());
        for port in ports {
            let number: u16 =
                port.trim().parse().map_err(|_| Refusal::unsupported(format!("port `{port}`")))?;
            let driver = match transport {
                "relp" => format!("relp(port({number}){rest}"),
                _ => format!("network(transport(\"{framed}\") port({number}){rest}"),
            };
            // Every message is RFC 5424 or RFC 3164, decided one by one, as rsyslog does.
            self.source(ruleset, &input, driver, vec!["syslog-protocol"]);
        }
        Ok(())
    }

    /// Converts the stream driver: with mode 1 it is TLS; without TLS the input is refused: it would listen in clear.
    fn server_tls(&mut self, parameters: &mut Parameters, module: &str) -> Converted<String> {
        let mode = self.state.own_or_module(parameters, module, "streamdriver.mode");
        let mode = mode.or_else(|| self.state.next_input.remove("streamdriver.mode"));
        let authentication = self.state.own_or_module(parameters, module, "streamdriver.authmode");
        let authentication = authentication.or_else(|| self.state.next_input.remove("streamdriver.authmode"));
        parameters.ignore(&["streamdriver.name", "permittedpeer"]);
        if mode.as_deref() != Some("1") {
            return Ok(String::new());
        }
        if !self.honours(Kind::Source, "network", "tls") {
            return Err(Refusal::not_yet("TLS"));
        }
        let own = |name: &str, parameters: &mut Parameters| {
            parameters.take(&format!("streamdriver.{name}")).or_else(|| self.state.tls.get(name).cloned())
        };
        let mut tls = String::new();
        for (name, option) in [("keyfile", "key-file"), ("certfile", "cert-file"), ("cafile", "ca-file")] {
            if let Some(file) = own(name, parameters) {
                tls.push_str(&format!(" {option}({})", quoted(&file)));
            }
        }
        let verify = match authentication.as_deref() {
            None | Some("anon") => "optional-untrusted",
            Some(_) => "required-trusted",
        };
        if authentication.as_deref().is_some_and(|mode| mode != "anon" && mode != "x509/certvalid") {
            self.note("names of peers are checked with trusted-dn() or trusted-keys(): add them");
        }
        Ok(format!(" tls(peer-verify({verify}){tls})"))
    }

    fn followed_file(&mut self, ruleset: &str, parameters: &mut Parameters) -> Converted<()> {
        let path = parameters.take("file").ok_or(Refusal::Incomplete("a followed file without a path"))?;
        let mut driver = match path.rsplit_once('/') {
            Some((folder, _)) if folder.contains(['*', '?']) => {
                return Err(Refusal::unsupported_many("patterns in the name of a folder"));
            }
            Some((folder, name)) if name.contains(['*', '?']) => {
                format!("wildcard-file(base-dir({}) filename-pattern({})", quoted(folder), quoted(name))
            }
            _ => format!("file({}", quoted(&path)),
        };
        let facility = parameters.take("facility").unwrap_or_else(|| "local0".to_string());
        let severity = parameters.take("severity").unwrap_or_else(|| "notice".to_string());
        driver.push_str(&format!(
            " default-facility({}) default-severity({})",
            quoted(&facility),
            quoted(&severity)
        ));
        let mode = parameters.take("readmode").unwrap_or_else(|| "0".to_string());
        let first = parameters.take("startmsg.regex");
        let escapes = parameters.take("escapelf").is_none_or(|value| is_on(&value));
        // How rsyslog writes the ends of lines inside of a message.
        let mut inner_line_feed = escapes.then_some("#012");
        match (mode.trim(), first) {
            (_, Some(first)) => {
                driver.push_str(&format!(" multi-line-mode(regexp) multi-line-prefix({})", quoted(&first)));
                inner_line_feed = escapes.then_some("\\n");
            }
            ("0", None) => inner_line_feed = None,
            ("1", None) => driver.push_str(" multi-line-mode(empty-line-separated)"),
            ("2", None) => driver.push_str(" multi-line-mode(indented)"),
            (other, None) => return Err(Refusal::unsupported(format!("`readMode` {other}"))),
        }
        let tag = parameters.take("tag").unwrap_or_default();
        self.source(ruleset, "imfile", driver, vec!["no-parse"]);
        if let Some(source) = self.sources.last_mut() {
            source.steps.extend(inner_line_feed.map(|mark| {
                format!(
                    "subst(\"\\n\", {} value(\"MESSAGE\") type(\"string\") flags(\"global\" \"substring\"));",
                    quoted(mark)
                )
            }));
            let program: String = tag.chars().take_while(|one| !":[/ ".contains(*one)).collect();
            source.steps.push(format!("set({} value(\"PROGRAM\"));", quoted(&program.replace('$', "$$"))));
            // Behind the program, which takes it away: the tag as it is written, with nothing behind it, for the
            // line is the text of the message.
            source.steps.push(format!("set({} value(\"LEGACY_MSGHDR\"));", quoted(&tag.replace('$', "$$"))));
        }
        Ok(())
    }

    /// Adds a source of a ruleset; `input` is the name that `%inputname%` has.
    pub(crate) fn source(&mut self, ruleset: &str, input: &str, driver: String, flags: Vec<&'static str>) {
        self.sources.push(Source {
            ruleset: ruleset.to_string(),
            input: input.to_string(),
            driver,
            flags,
            steps: Vec::new(),
        });
    }
}

/// Reads `256k`, `1m`.
pub(crate) fn bytes(text: &str) -> Option<u64> {
    let text = text.trim().to_ascii_lowercase();
    let length = text.bytes().take_while(u8::is_ascii_digit).count();
    let (digits, unit) = text.split_at(length);
    let factor: u64 = match unit {
        "" => 1,
        "k" => 1 << 10,
        "m" => 1 << 20,
        "g" => 1 << 30,
        "t" => 1 << 40,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(factor)
}
