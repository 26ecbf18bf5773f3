//! The messages that a logsource means.
//!
//! In: product and service of a rule. Out: a condition; none when messages of the source cannot be told from others. A
//! rule on fields needs none: only messages of its source have them.

use super::expression::Expression;
use crate::read::Node;

/// Services of Linux and the conditions on their messages.
const SERVICES: &[(&str, &str)] = &[
    ("auth", "facility:(auth OR authpriv)"),
    ("auditd", "(program:(auditd OR audispd OR audisp-syslog OR audit) OR _exists_:type)"),
    ("clamav", "program:(clamd OR clamav* OR freshclam)"),
    ("cron", "program:(cron OR crond OR anacron)"),
    ("guacamole", "program:guacd"),
    ("sshd", "program:(sshd OR sshd-session)"),
    ("sudo", "program:sudo"),
    ("syslog", "*"),
    ("vsftpd", "program:vsftpd"),
];

/// Returns the condition of a rule's logsource.
pub(super) fn of(root: &Node) -> Option<Expression> {
    let source = root.get("logsource")?;
    let text = |key: &str| source.get(key).and_then(Node::text);
    match (text("product"), text("service"), text("category")) {
        (Some("linux"), None, None) => Some(Expression::Clause("*".to_owned())),
        (Some("linux"), Some(service), _) => {
            let known = SERVICES.iter().find(|(name, _)| *name == service);
            known.map(|(_, query)| Expression::Clause((*query).to_owned()))
        }
        _ => None,
    }
}
