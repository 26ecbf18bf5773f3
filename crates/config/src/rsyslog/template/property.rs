//! Properties of rsyslog to macros of the language.
//!
//! In: the name of a property. Out: a template, and the name of the value where there is one.
//! Holds: which helper templates the converted configuration needs.

use crate::rsyslog::refusal::{Converted, Refusal};
use crate::rsyslog::syntax::{Node, Statement};
use std::collections::BTreeSet;

/// The definitions that the converted configuration needs besides its statements.
#[derive(Clone, Default, Debug)]
pub(crate) struct Needs {
    /// Values that have others below them: they are objects.
    pub(crate) objects: BTreeSet<String>,
    /// True when sources must keep the raw message.
    pub(crate) raw: bool,
    /// The template of `%msg%`.
    pub(crate) message: bool,
    /// The template of `%syslogtag%`.
    pub(crate) tag: bool,
    /// The template of `%programname%`.
    pub(crate) program: bool,
    /// The template of `%app-name%`.
    pub(crate) app: bool,
    /// The template of a time of RFC 3339.
    pub(crate) iso: bool,
    /// The template of `%inputname%`.
    pub(crate) input: bool,
    /// The filter that nothing passes.
    pub(crate) stop: bool,
}

/// A property in our language.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Value {
    /// The property as a template: one macro or one template function.
    pub(crate) template: String,
    /// The name of the value, if it is one.
    pub(crate) name: Option<String>,
}

/// Name of the template that prints `%msg%`: with the blank after the tag, which `${MESSAGE}` does not have.
pub(crate) const MESSAGE_TEMPLATE: &str = "rsyslog_msg";
/// Name of the template that prints `%syslogtag%`.
pub(crate) const TAG_TEMPLATE: &str = "rsyslog_tag";

/// Name of the template that prints `%programname%`, which ends before a slash.
pub(crate) const PROGRAM_TEMPLATE: &str = "rsyslog_program";

/// Name of the template that prints `%app-name%`: of RFC 3164 it is the name of the program, which ends before a slash.
const APP_TEMPLATE: &str = "rsyslog_app";

/// Name of the template that prints a time of RFC 3339 with its original digits and zone.
pub(crate) const ISO_TEMPLATE: &str = "rsyslog_iso";

/// Name of the template that prints `%inputname%`.
pub(crate) const INPUT_TEMPLATE: &str = "rsyslog_input";

/// Name of the template that prints the fraction of a second with its original digits.
pub(crate) const SUBSECONDS_TEMPLATE: &str = "rsyslog_subseconds";

/// Name of the value that records whether `mmjsonparse` found JSON.
pub(crate) const PARSED: &str = ".rsyslog.parsesuccess";

/// Properties that are macros.
const MACROS: &[(&str, &str)] = &[
    ("hostname", "HOST"),
    ("source", "HOST"),
    ("fromhost", "HOST_FROM"),
    ("fromhost-ip", "SOURCEIP"),
    ("fromhost-port", "SOURCEPORT"),
    ("pri", "PRI"),
    ("syslogfacility", "FACILITY_NUM"),
    ("syslogfacility-text", "FACILITY"),
    ("syslogseverity", "SEVERITY_NUM"),
    ("syslogpriority", "SEVERITY_NUM"),
    ("syslogseverity-text", "SEVERITY"),
    ("syslogpriority-text", "SEVERITY"),
    ("$myhostname", "LOGHOST"),
    ("$year", "C_YEAR"),
    ("$month", "C_MONTH"),
    ("$day", "C_DAY"),
    ("$hour", "C_HOUR"),
    ("$minute", "C_MIN"),
];

/// Properties that are macros with `-` for nothing.
const DASHED: &[(&str, &str)] = &[("procid", "PID"), ("msgid", "MSGID"), ("structured-data", "SDATA")];

/// Properties that are times: the prefix of the macros.
const TIMES: &[(&str, &str)] =
    &[("timestamp", ""), ("timereported", ""), ("timegenerated", "R_"), ("timereceived", "R_")];

/// Returns the prefix of the macros of a property that is a time.
pub(crate) fn time(name: &str) -> Option<&'static str> {
    TIMES.iter().find(|(known, _)| *known == name).map(|(_, prefix)| *prefix)
}

/// Returns the name-value pair of a variable: `$!a!b` is `json.a.b`, `$.a` is `local.a`.
pub(crate) fn variable(name: &str) -> Converted<String> {
    let path = |rest: &str| rest.trim_start_matches('!').replace('!', ".");
    match name.chars().next() {
        Some('!') if name.len() > 1 => Ok(format!("json.{}", path(&name[1..]))),
        Some('.') if name.len() > 1 => Ok(format!("local.{}", path(&name[1..]))),
        Some('/') => Err(Refusal::instead("global variables, which outlive a message, do not exist here")),
        _ => Err(Refusal::malformed(format!("`${name}` cannot be set"))),
    }
}

/// Returns the values below a variable, as JSON.
pub(crate) fn subtree(name: &str) -> Converted<String> {
    let path = variable(name.strip_prefix('$').unwrap_or(name))?;
    let levels = path.split('.').count();
    Ok(format!("$(format-json --key {path}.* --rekey {path}.* --shift-levels {levels})"))
}

/// Finds a property by its name in lower case, or a variable by its name after the first `$`.
pub(crate) fn property(name: &str, needs: &mut Needs) -> Converted<Value> {
    let helper = |template: &str| Value { template: format!("$(template {template})"), name: None };
    let written = name.strip_prefix('$').filter(|rest| rest.starts_with(['!', '.', '/'])).unwrap_or(name);
    let key = name.to_ascii_lowercase();
    if matches!(written, "!" | "!all-json") || key == "jsonmesg" {
        let template = "$(format-json --key json.* --rekey json.* --shift-levels 1)".to_string();
        return match key.as_str() {
            "jsonmesg" => Err(Refusal::unsupported("`jsonmesg`")),
            _ => Ok(Value { template, name: None }),
        };
    }
    if written.eq_ignore_ascii_case("!metadata!filename") {
        return Err(Refusal::instead("the name of a followed file is not kept with its messages"));
    }
    if written.starts_with(['!', '.', '/']) {
        let variable = variable(written)?;
        if needs.objects.contains(&variable) {
            return Ok(Value { template: subtree(written)?, name: None });
        }
        return Ok(Value { template: format!("${{{variable}}}"), name: Some(variable) });
    }
    if let Some((_, name)) = MACROS.iter().find(|(known, _)| *known == key) {
        return Ok(Value { template: format!("${{{name}}}"), name: Some((*name).to_string()) });
    }
    if let Some((_, name)) = DASHED.iter().find(|(known, _)| *known == key) {
        return Ok(Value { template: format!("${{{name}:--}}"), name: None });
    }
    let template = match key.as_str() {
        "msg" => {
            needs.message = true;
            return Ok(helper(MESSAGE_TEMPLATE));
        }
        "inputname" => {
            needs.input = true;
            return Ok(helper(INPUT_TEMPLATE));
        }
        "syslogtag" => {
            needs.tag = true;
            return Ok(helper(TAG_TEMPLATE));
        }
        "programname" => {
            needs.program = true;
            return Ok(helper(PROGRAM_TEMPLATE));
        }
        "app-name" => {
            (needs.app, needs.program) = (true, true);
            return Ok(helper(APP_TEMPLATE));
        }
        "protocol-version" => {
            let template = "$(if (\"${MSGFORMAT}\" eq \"rfc5424\") 1 0)".to_string();
            return Ok(Value { template, name: None });
        }
        "parsesuccess" => {
            let template = format!("${{{PARSED}:-FAIL}}");
            return Ok(Value { template, name: None });
        }
        "rawmsg" => {
            needs.raw = true;
            return Ok(Value { template: "${RAWMSG}".to_string(), name: Some("RAWMSG".to_string()) });
        }
        "pri-text" => "${FACILITY}.${SEVERITY}",
        "iut" => "1",
        "uuid" => "$(uuid)",
        "$bom" => "\u{feff}",
        "$now" => "${C_YEAR}-${C_MONTH}-${C_DAY}",
        _ => return Err(Refusal::unsupported(format!("property `{name}`"))),
    };
    Ok(Value { template: template.to_string(), name: None })
}

/// Returns the variables that statements set others below.
pub(crate) fn objects(statements: &[Statement]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for statement in statements {
        match &statement.node {
            Node::Set { variable: written, .. } => {
                let name = variable(written).unwrap_or_default();
                let ends = name.match_indices('.').map(|(at, _)| at).skip(1);
                found.extend(ends.map(|at| name[..at].to_string()));
            }
            Node::If { then, otherwise, .. } => {
                found.extend(objects(then));
                found.extend(objects(otherwise));
            }
            Node::Object { body, .. } => found.extend(objects(body)),
            _ => {}
        }
    }
    found
}

impl Needs {
    /// Adds the helper templates that `other` needs.
    pub(crate) fn add_helpers(&mut self, other: &Needs) {
        self.message |= other.message;
        self.tag |= other.tag;
        self.program |= other.program;
        self.app |= other.app;
        self.iso |= other.iso;
        self.input |= other.input;
    }

    /// Returns the statements of the helpers.
    pub(crate) fn statements(&self) -> Vec<String> {
        let mut out = Vec::new();
        if self.message {
            out.push(format!(
                "# %msg% of rsyslog: the text with the blank that stands behind the tag.\n\
                 template {MESSAGE_TEMPLATE} '$(if match(\" $\" value(\"LEGACY_MSGHDR\")) \" \" \"\")${{MESSAGE}}';\n"
            ));
        }
        if self.program {
            out.push(format!(
                "# %programname% of rsyslog: it ends before a slash.\n\
                 template {PROGRAM_TEMPLATE} '$(list-head $(explode / ${{PROGRAM}}))';\n"
            ));
        }
        if self.app {
            out.push(format!(
                "# %app-name% of rsyslog: of RFC 3164 it ends before a slash, too.\n\
                 template {APP_TEMPLATE} '$(if (\"${{LEGACY_MSGHDR}}\" ne \"\") $(template {PROGRAM_TEMPLATE}) ${{PROGRAM:--}})';\n"
            ));
        }
        if self.iso {
            out.push(format!(
                "# A time as rsyslog prints it in the form of RFC 3339: with the digits and the zone that it came with.\n\
                 template {SUBSECONDS_TEMPLATE} '$(if (\"${{USEC}}\" eq \"000000\") 0 $(if match(\"000$\" template(\"${{USEC}}\")) ${{MSEC}} ${{USEC}}))';\n\
                 template {ISO_TEMPLATE}_fraction '$(if (\"${{USEC}}\" eq \"000000\") \"\" $(if match(\"000$\" template(\"${{USEC}}\")) .${{MSEC}} .${{USEC}}))';\n\
                 template {ISO_TEMPLATE}_zone '$(if (\"${{TZ}}\" eq \"+00:00\" and \"${{MSGFORMAT}}\" eq \"rfc5424\") Z ${{TZ}})';\n\
                 template {ISO_TEMPLATE} '$(substr ${{ISODATE}} 0 19)$(template {ISO_TEMPLATE}_fraction)$(template {ISO_TEMPLATE}_zone)';\n"
            ));
        }
        if self.tag {
            out.push(format!(
                "# %syslogtag% of rsyslog.\n\
                 template {TAG_TEMPLATE}_pid '$(if (\"${{PID}}\" ne \"\") \"[${{PID}}]\" \"\")';\n\
                 template {TAG_TEMPLATE} '$(if (\"${{LEGACY_MSGHDR}}\" ne \"\") $(strip ${{LEGACY_MSGHDR}}) ${{PROGRAM}}$(template {TAG_TEMPLATE}_pid))';\n"
            ));
        }
        if self.stop {
            out.push(
                "# No message has this tag: what comes here goes no further.\nfilter f_stop { tags(\".stop\"); };\n"
                    .to_string(),
            );
        }
        out
    }
}
