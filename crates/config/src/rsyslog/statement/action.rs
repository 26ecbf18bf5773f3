//! Actions of rsyslog to destinations and other steps.
//!
//! In: `action(type="omfile" ...)` and the legacy forms, which become the same parameters. Out: steps of a path.

use super::converter::Converter;
use super::input::bytes;
use crate::parse::quoted;
use crate::rsyslog::calls::extracted;
use crate::rsyslog::refusal::{Converted, Refusal};
use crate::rsyslog::syntax::{Parameters, Statement, is_on};
use crate::rsyslog::template::property;
use crate::rsyslog::template::templates::Ending;
use crate::tree::Kind;

/// Parameters of actions that make no difference here.
const NO_DIFFERENCE: &[&str] = &[
    "name",
    "action.resumeretrycount",
    "action.resumeinterval",
    "action.resumeintervalmax",
    "action.reportsuspension",
    "action.reportsuspensioncontinuation",
    "action.copymsg",
    "asyncwriting",
    "flushontxend",
    "flushinterval",
    "iobuffersize",
    "veryrobustzip",
    "dynafilecachesize",
    "closetimeout",
    "createdirs",
    "rotation.sizelimitcommand",
    "queue.type",
    "queue.workerthreads",
    "queue.workerthreadminimummessages",
    "queue.dequeuebatchsize",
    "queue.highwatermark",
    "queue.lowwatermark",
    "queue.fulldelaymark",
    "queue.lightdelaymark",
    "queue.maxfilesize",
    "queue.checkpointinterval",
    "queue.timeoutshutdown",
    "queue.timeoutactioncompletion",
    "queue.timeoutenqueue",
    "queue.timeoutworkerthreadshutdown",
    "queue.spooldirectory",
    "resendlastmsgonreconnect",
    "rebindinterval",
    "udp.sendtoall",
    "udp.senddelay",
    "pool.resumeinterval",
    "confirmmessages",
    "signal.name",
    "forcesingleinstance",
];

impl Converter {
    /// Converts an object outside of templates.
    pub(crate) fn object(
        &mut self,
        kind: &str,
        mut parameters: Parameters,
        body: &[Statement],
    ) -> Converted<Vec<String>> {
        if parameters.take("config.enabled").is_some_and(|value| !is_on(&value)) {
            self.note("it is switched off with `config.enabled`");
            return Ok(Vec::new());
        }
        match kind {
            "module" => self.module(parameters).map(|()| Vec::new()),
            "input" => self.input(parameters).map(|()| Vec::new()),
            "action" => self.action(parameters),
            "global" => self.global(parameters).map(|()| Vec::new()),
            "template" => {
                let name = parameters.take("name").unwrap_or_default();
                self.notes = self.templates.defined(&name)?;
                Ok(Vec::new())
            }
            "ruleset" => self.ruleset(parameters, body).map(|()| Vec::new()),
            "main_queue" => {
                self.note("every destination has a queue of its own; there is no main queue");
                Ok(Vec::new())
            }
            "lookup_table" => {
                let name = parameters.take("name").unwrap_or_default();
                self.note(self.tables.defined(&name)?);
                Ok(Vec::new())
            }
            "parser" => Err(Refusal::instead("parsers of messages are chosen with flags() of the source")),
            "dyn_stats" | "percentile_stats" => {
                Err(Refusal::instead("figures are read with `duramen ctl stats`"))
            }
            other => Err(Refusal::unsupported(format!("`{other}()`"))),
        }
    }

    fn ruleset(&mut self, mut parameters: Parameters, body: &[Statement]) -> Converted<()> {
        let name = parameters.take("name").ok_or(Refusal::Incomplete("a ruleset without a name"))?;
        if let Some(other) = self.is_name_taken(&name) {
            return Err(Refusal::same_name("ruleset", &name, other));
        }
        self.rulesets.entry(name.clone()).or_default();
        let steps: Vec<String> = body.iter().flat_map(|statement| self.statement(statement, &name)).collect();
        self.rulesets.entry(name.clone()).or_default().steps.extend(steps);
        if let Some(parsers) = parameters.take_all("parser") {
            self.parser_chain(&name, &parsers)?;
        }
        if parameters.rows.iter().any(|row| row.name.starts_with("queue.")) {
            self.note("every destination has a queue of its own; rulesets have none");
        }
        Ok(())
    }

    /// Converts `parser=["rsyslog.rfc3164"]` of a ruleset: how its inputs parse messages.
    fn parser_chain(&mut self, ruleset: &str, parsers: &[String]) -> Converted<()> {
        const BUILT_IN: [&str; 2] = ["rsyslog.rfc5424", "rsyslog.rfc3164"];
        match parsers.iter().find(|parser| !BUILT_IN.contains(&parser.as_str())) {
            Some(parser) => {
                self.note(format!("parser `{parser}` is left out: messages are read as RFC 5424 or 3164"))
            }
            None if parsers.iter().all(|parser| parser == BUILT_IN[1]) => {
                self.traditional_rulesets.insert(ruleset.to_string());
            }
            None => {}
        }
        Ok(())
    }

    pub(crate) fn action(&mut self, mut parameters: Parameters) -> Converted<Vec<String>> {
        let kind = parameters.take("type").unwrap_or_default().to_ascii_lowercase();
        parameters.ignore(NO_DIFFERENCE);
        for (name, every_time) in [
            ("action.execonlywhenpreviousissuspended", &["off", "no", "0"][..]),
            ("action.execonlyonceeveryinterval", &["0"]),
            ("action.execonlyeverynthtime", &["0", "1"]),
        ] {
            if parameters.take(name).is_some_and(|value| !every_time.contains(&value.as_str())) {
                return Err(Refusal::unsupported(format!("`{name}`")));
            }
        }
        let steps = match kind.as_str() {
            "omfile" => self.file(&mut parameters)?,
            "omfwd" => self.forward(&mut parameters)?,
            "omrelp" => self.relp(&mut parameters)?,
            "ompipe" => {
                let path = parameters.take("pipe").ok_or(Refusal::Incomplete("a pipe without a path"))?;
                self.simple("pipe", &path, &mut parameters)?
            }
            "omprog" => {
                let command =
                    parameters.take("binary").ok_or(Refusal::Incomplete("a program without a path"))?;
                self.simple("program", &command, &mut parameters)?
            }
            "omstdout" => {
                let body = format!("stdout({});", self.print_options(&mut parameters)?.trim_start());
                vec![self.destination("stdout", body)]
            }
            "omusrmsg" => self.users(&mut parameters)?,
            "omdiscard" => vec![self.stop()],
            "mmjsonparse" => self.json(&mut parameters)?,
            other => return Err(Refusal::unsupported(format!("action `{other}`"))),
        };
        self.tell_unused(&parameters);
        Ok(steps)
    }

    /// Converts `template(...)` of an action that prints like a file without one.
    fn print_options(&mut self, parameters: &mut Parameters) -> Converted<String> {
        let name = parameters.take("template").unwrap_or_else(|| "RSYSLOG_FileFormat".to_string());
        Ok(self.templates.printing(&name, Ending::AsWritten, &mut self.needs)?.options)
    }

    fn simple(&mut self, driver: &str, target: &str, parameters: &mut Parameters) -> Converted<Vec<String>> {
        let queue = self.queue(driver, parameters)?;
        let options = self.print_options(parameters)?;
        Ok(vec![self.destination(target, format!("{driver}({}{options}{queue});", quoted(target)))])
    }

    fn file(&mut self, parameters: &mut Parameters) -> Converted<Vec<String>> {
        let (path, hint) = match (parameters.take("file"), parameters.take("dynafile")) {
            (Some(path), _) => (path.trim_start_matches('-').replace('$', "$$"), path),
            (None, Some(template)) => (self.templates.file_name(&template, &mut self.needs)?, template),
            (None, None) => return Err(Refusal::Incomplete("a file without a path")),
        };
        let module = self.state.modules.get("omfile");
        let default = module.and_then(|module| {
            module.rows.iter().find(|row| row.name == "template").and_then(|row| row.values.first().cloned())
        });
        let default = default.or_else(|| self.state.file_template.clone());
        let template =
            parameters.take("template").or(default).unwrap_or_else(|| "RSYSLOG_FileFormat".to_string());
        let mut options = self.templates.printing(&template, Ending::AsWritten, &mut self.needs)?.options;
        for (name, option) in [
            ("fileowner", "owner"),
            ("filegroup", "group"),
            ("filecreatemode", "perm"),
            ("dirowner", "dir-owner"),
            ("dirgroup", "dir-group"),
            ("dircreatemode", "dir-perm"),
        ] {
            let own = self.state.own_or_module(parameters, "omfile", name);
            if let Some(value) = own.or_else(|| self.state.files.get(name).cloned()) {
                options.push_str(&format!(" {option}({})", quoted(&value)));
            }
        }
        if parameters.take_switch("sync") == Some(true) {
            options.push_str(" fsync(yes)");
        }
        if parameters.take("ziplevel").is_some_and(|level| level != "0") {
            match self.honours(Kind::Destination, "file", "compress") {
                true => options.push_str(" compress(yes)"),
                false => self.note("the file is not compressed: compress() is not supported yet"),
            }
        }
        let queue = self.queue("file", parameters)?;
        Ok(vec![self.destination(&hint, format!("file({}{options}{queue});", quoted(&path)))])
    }

    /// Converts a queue: one on disk to a disk buffer, the length of one in memory to `log-fifo-size()`.
    pub(crate) fn queue(&mut self, driver: &str, parameters: &mut Parameters) -> Converted<String> {
        let size = parameters.take("queue.size").and_then(|size| bytes(&size));
        let file = parameters.take("queue.filename");
        let space =
            parameters.take("queue.maxdiskspace").and_then(|size| bytes(&size)).filter(|size| *size > 0);
        let saves = parameters.take_switch("queue.saveonshutdown") == Some(true);
        let syncs = parameters.take_switch("queue.syncqueuefiles") == Some(true);
        for name in
            ["queue.discardmark", "queue.discardseverity", "queue.dequeueslowdown", "queue.cry.provider"]
        {
            if parameters.take(name).is_some() {
                self.note(format!("`{name}` is left out"));
            }
        }
        if file.is_none() && !saves {
            return Ok(size.map(|size| format!(" log-fifo-size({})", size.max(1))).unwrap_or_default());
        }
        if !self.honours(Kind::Destination, driver, "disk-buffer") {
            self.note("the queue on disk is left out: disk-buffer() is not supported yet");
            return Ok(String::new());
        }
        let reliable = if syncs { "yes" } else { "no" };
        Ok(format!(" disk-buffer(capacity-bytes({}) reliable({reliable}))", space.unwrap_or(1 << 30)))
    }

    fn users(&mut self, parameters: &mut Parameters) -> Converted<Vec<String>> {
        let users = parameters.take_all("users").ok_or(Refusal::Incomplete("a message to nobody"))?;
        parameters.take("template");
        let body: Vec<String> = users
            .iter()
            .flat_map(|users| users.split(','))
            .map(|user| format!("usertty({});", quoted(user.trim())))
            .collect();
        Ok(vec![self.destination(&format!("users_{}", users.join("_")), body.join(" "))])
    }

    /// Converts `mmjsonparse`: a message that is not JSON passes unchanged.
    fn json(&mut self, parameters: &mut Parameters) -> Converted<Vec<String>> {
        self.driver(Kind::Parser, "json-parser")?;
        let cookie = parameters.take("cookie").unwrap_or_else(|| "@cee:".to_string());
        let prefix = match parameters.take("container") {
            Some(container) if container != "!" && container != "$!" => {
                format!("{}.", property::variable(container.trim_start_matches('$'))?)
            }
            _ => "json.".to_string(),
        };
        if parameters.take("mode").is_some_and(|mode| mode != "cookie") {
            return Err(Refusal::unsupported("JSON in the middle of a text"));
        }
        parameters.ignore(&["userawmsg", "variant"]);
        let marker = if cookie.is_empty() { String::new() } else { format!(" marker({})", quoted(&cookie)) };
        let told = |word: &str| format!("set(\"{word}\" value(\"{}\"));", property::PARSED);
        // A text that is not JSON becomes a member of the object.
        let text = extracted("(?s)^ *(.*)", (0, 1), "${MESSAGE}", "\"\"");
        let text = format!("set({} value({}));", quoted(&text), quoted(&format!("{prefix}msg")));
        Ok(vec![format!(
            "if {{ parser {{ json-parser(prefix({}){marker}); }}; rewrite {{ {} }}; }} else {{ rewrite {{ {} {text} }}; }};",
            quoted(&prefix),
            told("OK"),
            told("FAIL")
        )])
    }
}
