//! The pattern database of the patterndb row.
//!
//! In: nothing. Out: XML. One rule matches a tenth of the corpus, the others match nothing, as on a site that
//! looks for logins among everything else. Holds: constants.

/// Beginnings of messages that sshd never sends here; each makes a rule.
const OTHERS: &[&str] = &[
    "Accepted password for",
    "Accepted keyboard-interactive for",
    "Accepted gssapi-with-mic for",
    "Connection closed by",
    "Connection reset by",
    "Received disconnect from",
    "Disconnected from user",
    "Invalid user",
    "Bad protocol version identification from",
    "error: maximum authentication attempts exceeded for",
    "pam_unix(sshd:session): session opened for user",
    "pam_unix(sshd:session): session closed for user",
    "Server listening on",
    "Did not receive identification string from",
    "Unable to negotiate with",
    "reverse mapping checking getaddrinfo for",
];

/// The database.
pub(crate) fn xml() -> String {
    let rule = |id: &str, pattern: &str| {
        format!(
            "<rule id='{id}' class='security'><patterns><pattern>{pattern}</pattern></patterns>\
             <values><value name='secevt.object'>ssh</value></values><tags><tag>secevt</tag></tags></rule>\n"
        )
    };
    let mut rules = rule(
        "login",
        "Accepted publickey for @ESTRING:usracct.username: @from @IPvANY:usracct.device@ port @NUMBER:usracct.port@ ssh2: RSA",
    );
    for (number, start) in OTHERS.iter().enumerate() {
        rules.push_str(&rule(&format!("other{number}"), &format!("{start} @ESTRING:x: @from @IPvANY:ip@")));
    }
    let elsewhere = rule("mail", "warning: @ESTRING:host: @does not resolve to address @IPvANY:ip@");
    format!(
        "<patterndb version='4' pub_date='2026-11-01'>\n\
         <ruleset name='ssh' id='ssh'><patterns><pattern>sshd</pattern></patterns><rules>\n{rules}</rules></ruleset>\n\
         <ruleset name='mail' id='mail'><patterns><pattern>postfix/smtpd</pattern></patterns><rules>\n{elsewhere}</rules></ruleset>\n\
         </patterndb>\n"
    )
}
