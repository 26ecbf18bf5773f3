//! `$` directives and `global(...)`.
//!
//! In: a directive and its value. Out: global options, inputs, and settings for the actions after it.

use super::converter::{Converter, DEFAULT_RULESET};
use super::input::bytes;
use crate::parse::quoted;
use crate::rsyslog::refusal::{Converted, Refusal};
use crate::rsyslog::syntax::{Parameters, is_on};

/// Directives for the next action, and the parameters that they are.
const NEXT_ACTION: &[(&str, &str)] = &[
    ("actionname", "name"),
    ("actionresumeretrycount", "action.resumeretrycount"),
    ("actionresumeinterval", "action.resumeinterval"),
    ("actionexeconlywhenpreviousissuspended", "action.execonlywhenpreviousissuspended"),
    ("actionexeconlyonceeveryinterval", "action.execonlyonceeveryinterval"),
    ("actionexeconlyeverynthtime", "action.execonlyeverynthtime"),
    ("actionqueuetype", "queue.type"),
    ("actionqueuesize", "queue.size"),
    ("actionqueuefilename", "queue.filename"),
    ("actionqueuemaxdiskspace", "queue.maxdiskspace"),
    ("actionqueuesaveonshutdown", "queue.saveonshutdown"),
    ("actionqueuesyncqueuefiles", "queue.syncqueuefiles"),
    ("actionqueuemaxfilesize", "queue.maxfilesize"),
    ("actionqueuehighwatermark", "queue.highwatermark"),
    ("actionqueuelowwatermark", "queue.lowwatermark"),
    ("actionqueuediscardmark", "queue.discardmark"),
    ("actionqueuediscardseverity", "queue.discardseverity"),
    ("actionqueuecheckpointinterval", "queue.checkpointinterval"),
    ("actionqueuedequeuebatchsize", "queue.dequeuebatchsize"),
    ("actionqueueworkerthreads", "queue.workerthreads"),
    ("actionqueuetimeoutenqueue", "queue.timeoutenqueue"),
    ("actionqueuetimeoutshutdown", "queue.timeoutshutdown"),
    ("actionfileenablesync", "sync"),
    ("actionsendstreamdriver", "streamdriver"),
    ("actionsendstreamdrivermode", "streamdrivermode"),
    ("actionsendstreamdriverauthmode", "streamdriverauthmode"),
    ("actionsendstreamdriverpermittedpeer", "streamdriverpermittedpeers"),
    ("actionomprogbinary", "binary"),
    ("omfileziplevel", "ziplevel"),
    ("actionziplevel", "ziplevel"),
];

/// Directives for all file inputs after them.
const FILES: &[&str] = &["fileowner", "filegroup", "filecreatemode", "dirowner", "dirgroup", "dircreatemode"];

/// Directives for the next input.
const NEXT_INPUT: &[(&str, &str)] = &[
    ("udpserveraddress", "address"),
    ("inputudpserverbindruleset", "udp.ruleset"),
    ("inputtcpserverbindruleset", "tcp.ruleset"),
    ("inputtcpserverstreamdrivermode", "streamdriver.mode"),
    ("inputtcpserverstreamdriverauthmode", "streamdriver.authmode"),
    ("inputtcpserverstreamdriverpermittedpeer", "streamdriver.peer"),
    ("inputtcpmaxsessions", "maxsessions"),
    ("inputfilename", "file"),
    ("inputfiletag", "tag"),
    ("inputfileseverity", "severity"),
    ("inputfilefacility", "facility"),
    ("inputfilestatefile", "statefile"),
    ("inputfilereadmode", "readmode"),
    ("inputfilebindruleset", "file.ruleset"),
    ("inputfilepersiststateinterval", "persiststateinterval"),
    ("inputfilepollinterval", "pollinginterval"),
];

/// Directives that make no difference here.
const NO_DIFFERENCE: &[&str] = &[
    "workdirectory",
    "umask",
    "dynafilecachesize",
    "createdirs",
    "resetconfigvariables",
    "errormessagestostderr",
    "actionresumeinterval",
    "klogpermitnonkernelfacility",
    "kloginternalmsgfacility",
    "systemlogratelimitinterval",
    "systemlogratelimitburst",
    "imuxsockratelimitinterval",
    "imuxsockratelimitburst",
    "imjournalratelimitinterval",
    "imjournalratelimitburst",
    "imjournalstatefile",
    "imjournalpersiststateinterval",
    "omitlocallogging",
    "maxopenfiles",
    "defaultnetstreamdriver",
    "moddir",
    "abortonuncleanconfig",
    "logrsyslogstatusmessages",
    "optimizeforuniprocessor",
    "sleep",
    "udpservertimerequery",
    "inputudpservertimerequery",
    "inputfilemaxlinesatonce",
    "generateconfiggraph",
    "localhostnameipif",
    "spacelfonreceive",
];

impl Converter {
    pub(crate) fn directive(&mut self, name: &str, value: &str) -> Converted<()> {
        let key = name.to_ascii_lowercase();
        let value = value.trim().trim_matches('"');
        if key.starts_with("mainmsgqueue") {
            self.note("every destination has a queue of its own; there is no main queue");
            return Ok(());
        }
        if let Some((_, parameter)) = NEXT_ACTION.iter().find(|(known, _)| *known == key) {
            self.state.next_action.insert((*parameter).to_string(), value.to_string());
            return Ok(());
        }
        if let Some((_, parameter)) = NEXT_INPUT.iter().find(|(known, _)| *known == key) {
            self.state.next_input.insert((*parameter).to_string(), value.to_string());
            return Ok(());
        }
        if FILES.contains(&key.as_str()) {
            self.state.files.insert(key, value.to_string());
            return Ok(());
        }
        if NO_DIFFERENCE.contains(&key.as_str()) {
            return Ok(());
        }
        match key.as_str() {
            "template" => {
                let name = value.split(',').next().unwrap_or_default().trim().to_string();
                self.notes = self.templates.defined(&name)?;
                return Ok(());
            }
            "actionfiledefaulttemplate" => self.state.file_template = Some(value.to_string()),
            "actionforwarddefaulttemplate" => self.state.forward_template = Some(value.to_string()),
            "outchannel" => {
                let mut pieces = value.split(',').map(str::trim);
                if let (Some(name), Some(file)) = (pieces.next(), pieces.next()) {
                    self.state.channels.insert(name.to_string(), file.to_string());
                }
            }
            "ruleset" => self.current = value.to_string(),
            "modload" => {
                let name = value.rsplit('/').next().unwrap_or(value).trim_end_matches(".so");
                return self.load(name);
            }
            _ => return self.setting(&key, name, value),
        }
        Ok(())
    }

    /// Directives that start an input or set a global option.
    fn setting(&mut self, key: &str, name: &str, value: &str) -> Converted<()> {
        match key {
            "udpserverrun" => self.legacy_input("imudp", "udp.ruleset", value),
            "inputtcpserverrun" | "inputptcpserverrun" => self.legacy_input("imtcp", "tcp.ruleset", value),
            "inputrelpserverrun" => self.legacy_input("imrelp", "relp.ruleset", value),
            "inputrunfilemonitor" => self.legacy_input("imfile", "file.ruleset", ""),
            "addunixlistensocket" | "systemlogsocketname" => {
                self.source(DEFAULT_RULESET, "imuxsock", format!("unix-dgram({}", quoted(value)), Vec::new());
                Ok(())
            }
            "defaultnetstreamdrivercafile" => self.tls_file("cafile", value),
            "defaultnetstreamdrivercertfile" => self.tls_file("certfile", value),
            "defaultnetstreamdriverkeyfile" => self.tls_file("keyfile", value),
            "preservefqdn" => self.global_option("use-fqdn", if is_on(value) { "yes" } else { "no" }),
            "localhostname" | "localdomain" => {
                Err(Refusal::instead("the name of this machine is taken from the system"))
            }
            "maxmessagesize" => match bytes(value) {
                Some(size) => self.global_option("log-msg-size", &size.to_string()),
                None => Err(Refusal::malformed(format!("`{value}` is no size"))),
            },
            "repeatedmsgreduction" if !is_on(value) => Ok(()),
            "repeatedmsgreduction" => {
                Err(Refusal::instead("repeated messages are joined with suppress() of a destination"))
            }
            "markmessageperiod" => match value.parse::<u32>() {
                Ok(seconds) => self.global_option("mark-freq", &seconds.to_string()),
                Err(_) => Err(Refusal::malformed(format!("`{value}` is no number of seconds"))),
            },
            "escapecontrolcharactersonreceive" => {
                self.state.keeps_controls = !is_on(value);
                Ok(())
            }
            "escapecontrolcharactertab" => {
                self.state.keeps_tabs = !is_on(value);
                Ok(())
            }
            "droptrailinglfonreception" => match is_on(value) {
                true => Ok(()),
                false => Err(Refusal::instead("a line feed at the end of a message is always cut off")),
            },
            "controlcharacterescapeprefix" | "escape8bitcharactersonreceive" => {
                Err(Refusal::instead("control characters are written as `#` and three digits, others stay"))
            }
            "privdroptouser" | "privdroptogroup" | "privdroptouserid" | "privdroptogroupid" => {
                Err(Refusal::instead("start the server as that user: see User= of systemd"))
            }
            "allowedsender" => {
                Err(Refusal::instead("senders are chosen with a filter: netmask(\"10.0.0.0/8\")"))
            }
            "defaultruleset" => Err(Refusal::instead("bind the inputs to the ruleset")),
            _ => Err(Refusal::malformed(format!("directive `${name}` is not known"))),
        }
    }

    fn tls_file(&mut self, name: &str, value: &str) -> Converted<()> {
        self.state.tls.insert(name.to_string(), value.to_string());
        Ok(())
    }

    fn global_option(&mut self, name: &str, value: &str) -> Converted<()> {
        self.options.insert(name.to_string(), value.to_string());
        Ok(())
    }

    /// Converts an input from directives; the directives for the next input apply to it.
    fn legacy_input(&mut self, kind: &str, ruleset: &str, port: &str) -> Converted<()> {
        let mut parameters = Parameters::default();
        parameters.add("type", vec![kind.to_string()]);
        if !port.is_empty() {
            parameters.add("port", vec![port.to_string()]);
        }
        if let Some(name) = self.state.next_input.get(ruleset).cloned() {
            parameters.add("ruleset", vec![name]);
        }
        for name in ["address", "maxsessions", "streamdriver.mode", "streamdriver.authmode"] {
            let is_for_tcp = name != "address";
            if let Some(value) = self.state.next_input.get(name).filter(|_| is_for_tcp == (kind == "imtcp")) {
                parameters.add(name, vec![value.clone()]);
            }
        }
        if kind == "imfile" {
            for name in
                ["file", "tag", "severity", "facility", "statefile", "readmode", "persiststateinterval"]
            {
                if let Some(value) = self.state.next_input.remove(name) {
                    parameters.add(name, vec![value]);
                }
            }
        }
        self.input(parameters)
    }

    /// Converts `global(...)`.
    pub(crate) fn global(&mut self, parameters: Parameters) -> Converted<()> {
        let mut refused = Vec::new();
        for row in &parameters.rows {
            let value = row.values.first().map_or("", String::as_str);
            let key = match row.name.as_str() {
                "net.enabledns" => {
                    let _ = self.global_option("use-dns", if is_on(value) { "yes" } else { "no" });
                    continue;
                }
                "defaultnetstreamdrivercafile"
                | "defaultnetstreamdrivercertfile"
                | "defaultnetstreamdriverkeyfile"
                | "workdirectory"
                | "maxmessagesize"
                | "preservefqdn"
                | "localhostname"
                | "umask" => row.name.clone(),
                "parser.escapecontrolcharactersonreceive"
                | "parser.escapecontrolcharactertab"
                | "parser.droptrailinglfonreception" => row.name["parser.".len()..].to_string(),
                name if name.starts_with("debug.")
                    || name.starts_with("variables.")
                    || name.starts_with("senders.") =>
                {
                    continue;
                }
                other => {
                    refused.push(format!("`{other}`"));
                    continue;
                }
            };
            if let Err(why) = self.directive(&key, value) {
                refused.push(why.to_string());
            }
        }
        refused.into_iter().for_each(|what| self.note(format!("left out: {what}")));
        Ok(())
    }
}
