//! Entries of the ledger as messages of `internal()`.
//!
//! In: an entry of any writer. Out: a fixed sentence plus fields, or nothing for searches. Holds nothing.
//! Limits: neither questions nor messages nor passwords are in it; foreign text is bounded and escaped.

use super::bounded;
use evidence::Entry;
use message::Severity;

/// Actions with their severity and their sentence.
const SENTENCES: [(&str, u8, &str); 20] = [
    ("login", 5, "User logged in"),
    ("logout", 5, "User logged out"),
    ("login-failed", 4, "Log-in failed: wrong user or password"),
    ("locked-out", 4, "Log-in refused after too many failures"),
    ("login-malformed", 4, "Log-in refused: it cannot be read"),
    ("wrong-host", 4, "Request refused: it is for another host"),
    ("refused", 4, "Request refused: the user may not do that"),
    ("add-user", 5, "User added"),
    ("set-password", 5, "Password of a user changed"),
    ("remove-user", 5, "User removed"),
    ("grant", 5, "Rights granted to a user"),
    ("revoke", 5, "Rights of a user taken away"),
    ("unlock", 5, "Logspace unlocked"),
    ("lock", 5, "Logspace locked"),
    ("seal", 5, "Logspace sealed on request"),
    ("export", 5, "Export of messages begun"),
    ("exported", 5, "Evidence package made"),
    ("cat", 5, "Sealed messages printed from files"),
    ("start", 6, "Ledger opened"),
    ("stop", 6, "Ledger closed"),
];

/// Returns the message of an entry that concerns security.
pub(super) fn of(entry: &Entry) -> Option<(Severity, String)> {
    let action = entry.text("action");
    let (_, severity, sentence) = SENTENCES.iter().find(|row| row.0 == action)?;
    let details = &entry.value["details"];
    let named = |name: &str| match &details[name] {
        serde_json::Value::Null => String::new(),
        serde_json::Value::String(text) => bounded(text),
        other => bounded(&other.to_string()),
    };
    let account = if entry.value["details"]["user"].is_null() { String::new() } else { named("user") };
    let fields = [
        ("user", bounded(entry.text("user"))),
        ("account", account),
        ("logspace", bounded(entry.text("logspace"))),
        ("address", named("address")),
        ("host", named("host")),
        ("reason", named("reason")),
        ("right", named("right")),
        ("rights", named("rights")),
        ("count", named("count")),
        ("messages", named("messages")),
        ("failed", named("failed")),
    ];
    let mut text = format!("{sentence}; entry='{}'", entry.number().unwrap_or_default());
    for (name, value) in fields.iter().filter(|(_, value)| !value.is_empty()) {
        // A quote in a name must not end the field.
        text.push_str(&format!(", {name}='{}'", value.replace('\'', "\\'")));
    }
    Some((Severity(*severity), text))
}
