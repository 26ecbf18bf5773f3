//! Entries of the ledger as messages of `internal()`.
//!
//! In: an entry of any writer. Out: a fixed sentence plus fields, or nothing for searches. Holds nothing.
//! Limits: neither questions nor messages nor passwords are in it; foreign text is bounded and escaped.

use super::claim::bounded;
use evidence::Entry;
use message::Severity;

/// Actions with their severity and their sentence.
const SENTENCES: [(&str, Severity, &str); 53] = [
    ("login", Severity::NOTICE, "User logged in"),
    ("logout", Severity::NOTICE, "User logged out"),
    ("login-failed", Severity::WARNING, "Log-in failed: wrong user or password"),
    ("code-refused", Severity::WARNING, "Log-in failed: wrong code of the second factor"),
    ("locked-out", Severity::WARNING, "Log-in refused after too many failures"),
    ("login-malformed", Severity::WARNING, "Log-in refused: it cannot be read"),
    ("wrong-host", Severity::WARNING, "Request refused: it is for another host"),
    ("refused", Severity::WARNING, "Request refused: the user may not do that"),
    ("add-user", Severity::NOTICE, "User added"),
    ("set-password", Severity::NOTICE, "Password of a user changed"),
    ("remove-user", Severity::NOTICE, "User removed"),
    ("lock-user", Severity::NOTICE, "User locked out"),
    ("unlock-user", Severity::NOTICE, "User let in again"),
    ("end-session", Severity::NOTICE, "Sessions of a user ended"),
    ("enrol-factor", Severity::NOTICE, "Second factor of a user enrolled"),
    ("remove-factor", Severity::NOTICE, "Second factor of a user turned off"),
    ("reset-factor", Severity::NOTICE, "Second factor of a user reset by an administrator"),
    ("renew-recovery-codes", Severity::NOTICE, "Recovery codes of a user replaced"),
    ("use-recovery-code", Severity::WARNING, "User logged in with a recovery code"),
    ("add-token", Severity::NOTICE, "API token of a user made"),
    ("revoke-token", Severity::NOTICE, "API token of a user revoked"),
    ("token-used", Severity::INFORMATIONAL, "API token used"),
    ("token-refused", Severity::WARNING, "API token refused"),
    ("grant", Severity::NOTICE, "Rights granted to a user"),
    ("revoke", Severity::NOTICE, "Rights of a user taken away"),
    ("set-access", Severity::NOTICE, "Rights and roles of a user set"),
    ("invite-user", Severity::NOTICE, "User invited to set a password"),
    ("accept-invitation", Severity::NOTICE, "User set a password by an invitation"),
    ("invitation-refused", Severity::WARNING, "Invitation refused"),
    ("set-role", Severity::NOTICE, "Role set"),
    ("remove-role", Severity::NOTICE, "Role removed"),
    ("grant-role", Severity::NOTICE, "Rights granted to a role"),
    ("revoke-role", Severity::NOTICE, "Rights of a role taken away"),
    ("assign-role", Severity::NOTICE, "Role given to a user"),
    ("unassign-role", Severity::NOTICE, "Role taken from a user"),
    ("directory-user-added", Severity::NOTICE, "Account of a user of the directory made"),
    ("directory-rights", Severity::NOTICE, "Rights of a user changed by the directory"),
    ("directory-suspended", Severity::NOTICE, "Account of a user of the directory suspended"),
    ("directory-denied", Severity::WARNING, "Log-in refused: the directory gives no rights"),
    ("directory-unavailable", Severity::ERROR, "The directory of users cannot be asked"),
    ("unlock", Severity::NOTICE, "Logspace unlocked"),
    ("lock", Severity::NOTICE, "Logspace locked"),
    ("seal", Severity::NOTICE, "Logspace sealed on request"),
    ("export", Severity::NOTICE, "Export of messages begun"),
    ("exported", Severity::NOTICE, "Evidence package made"),
    ("cat", Severity::NOTICE, "Sealed messages printed from files"),
    ("share-object", Severity::NOTICE, "Saved object shared with other people"),
    ("delete-object", Severity::NOTICE, "Saved object deleted"),
    ("purge-object", Severity::NOTICE, "Deleted object removed for good"),
    ("read-object", Severity::NOTICE, "Private object looked at by an administrator"),
    ("list-objects", Severity::NOTICE, "Objects of all users listed by an administrator"),
    ("start", Severity::INFORMATIONAL, "Ledger opened"),
    ("stop", Severity::INFORMATIONAL, "Ledger closed"),
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
        ("role", named("role")),
        ("logspace", bounded(entry.text("logspace"))),
        ("address", named("address")),
        ("host", named("host")),
        ("reason", named("reason")),
        ("token", if details["token_id"].is_null() { named("token") } else { named("token_id") }),
        ("right", named("right")),
        ("rights", named("rights")),
        ("object", named("object")),
        ("name", named("name")),
        ("owner", named("owner")),
        ("shared_with", named("shared_with")),
        ("count", named("count")),
        ("messages", named("messages")),
        ("failed", named("failed")),
    ];
    let mut text = format!("{sentence}; entry='{}'", entry.number().unwrap_or_default());
    for (name, value) in fields.iter().filter(|(_, value)| !value.is_empty()) {
        // A quote in a name must not end the field.
        text.push_str(&format!(", {name}='{}'", value.replace('\'', "\\'")));
    }
    Some((*severity, text))
}
