//! Users, roles and invitations, for administrators and for those who are not.

use super::{scopes, *};
use accounts::{Grant, Right};
use serde_json::{Value, json};

const PASSWORD: &str = "a long password";
/// The user `bob` with the password "another password".
const BOB: &str = "authorization: Basic Ym9iOmFub3RoZXIgcGFzc3dvcmQ=\r\nx-requested-by: t\r\n";

struct Site {
    server: Server,
    session: String,
}

impl Site {
    fn new() -> Site {
        let server = Server::start();
        server.accounts.add("bob", "another password").unwrap();
        let (status, head, body) = server.login(PASSWORD);
        assert_eq!(status, 200, "{body}");
        Site { session: scopes::cookie(&head), server }
    }

    fn ask(&self, request: &str, body: Value) -> (u16, Value) {
        self.ask_as(&self.session, request, body)
    }

    fn ask_as(&self, headers: &str, request: &str, body: Value) -> (u16, Value) {
        let (method, path) = request.split_once(' ').unwrap();
        let (status, _, answer) =
            self.server.ask(&format!("{method} /api/v1/{path}"), headers, &body.to_string());
        (status, serde_json::from_str(&answer).unwrap_or_else(|_| panic!("{request}: {answer}")))
    }

    #[track_caller]
    fn done(&self, request: &str, mut body: Value) -> Value {
        body["password"] = PASSWORD.into();
        let (status, answer) = self.ask(request, body);
        assert!(status == 200 || status == 201, "{request}: {status} {answer}");
        answer
    }

    fn user(&self, name: &str) -> Value {
        let (status, answer) = self.ask("GET users", json!({}));
        assert_eq!(status, 200, "{answer}");
        let users = answer["users"].as_array().unwrap();
        users.iter().find(|user| user["name"] == name).cloned().unwrap_or_default()
    }

    fn ledger(&self) -> Vec<String> {
        self.server.backend.ledger.lock().unwrap().clone()
    }
}

fn code(answer: &Value) -> &str {
    answer["error"]["code"].as_str().unwrap_or_default()
}

/// Calls that change something, each with a body that is right but for the password.
fn changes() -> Vec<(&'static str, Value)> {
    vec![
        ("POST users", json!({"name": "carol"})),
        ("POST users/bob/lock", json!({})),
        ("POST users/bob/unlock", json!({})),
        ("POST users/bob/remove", json!({})),
        ("POST users/bob/reset-factor", json!({})),
        ("POST users/bob/invite", json!({})),
        ("PUT users/bob/access", json!({"grants": [Grant::everything()], "roles": []})),
        ("PUT roles/analyst", json!({"grants": [Grant::everything()]})),
        ("POST roles/analyst/remove", json!({})),
    ]
}

#[test]
fn only_administrators_with_their_password_see_and_change_users() {
    let site = Site::new();
    let before = std::fs::read(site.server.folder.path().join("users.json")).unwrap();
    for (request, mut body) in changes() {
        body["password"] = "certainly wrong".into();
        let (status, answer) = site.ask(request, body.clone());
        assert!(status == 401 && code(&answer) == "wrong_password" || status == 429, "{request}: {answer}");
        body["password"] = "another password".into();
        let (status, answer) = site.ask_as(BOB, request, body.clone());
        assert_eq!((status, code(&answer)), (403, "forbidden"), "{request}: {answer}");
        body.as_object_mut().unwrap().remove("password");
        assert_eq!(site.ask(request, body).0, 400, "{request} without a password");
    }
    assert_eq!(site.ask_as(BOB, "GET users", json!({})).0, 403);
    assert_eq!(site.ask_as("", "GET users", json!({})).0, 401);
    // A right for one logspace is not enough.
    site.server.accounts.grant("bob", "main", &RIGHTS).unwrap();
    assert_eq!(site.ask_as(BOB, "GET users", json!({})).0, 403);
    site.server.accounts.revoke("bob", "main", &RIGHTS).unwrap();
    let after = std::fs::read(site.server.folder.path().join("users.json")).unwrap();
    assert_eq!(before, after, "nothing was changed");
    assert!(site.ledger().is_empty(), "{:?}", site.ledger());
}

#[test]
fn an_administrator_locks_resets_and_removes_users() {
    let site = Site::new();
    assert_eq!(site.ask_as(BOB, "GET session", json!({})).0, 200);
    let bob = site.user("bob");
    assert!(
        bob["seen_us"].as_u64() > Some(1) && bob["sessions"] == 0 && bob["has_password"] == true,
        "{bob}"
    );
    assert_eq!(site.user("eva")["sessions"], 1);
    site.done("POST users/bob/lock", json!({}));
    assert_eq!(site.user("bob")["locked"], true);
    assert_eq!(site.ask_as(BOB, "GET session", json!({})).0, 401);
    site.done("POST users/bob/unlock", json!({}));
    assert_eq!(site.ask_as(BOB, "GET session", json!({})).0, 200);
    let (status, answer) = site.ask("POST users/bob/reset-factor", json!({"password": PASSWORD}));
    assert_eq!((status, code(&answer)), (404, "not_found"), "{answer}");
    site.done("POST users/bob/remove", json!({}));
    assert_eq!(site.user("bob"), Value::Null);
    for (request, want) in
        [("POST users/bob/lock", 404), ("POST users/bob/remove", 404), ("POST users/eva/explode", 400)]
    {
        assert_eq!(site.ask(request, json!({"password": PASSWORD})).0, want, "{request}");
    }
    let ledger = site.ledger();
    let want =
        ["eva lock-user", "eva unlock-user", "eva reset-factor", "eva reset-factor", "eva remove-user"];
    assert_eq!(ledger[..5], want, "{ledger:?}");
}

#[test]
fn the_last_administrator_stays() {
    let site = Site::new();
    for (request, body) in [
        ("POST users/eva/lock", json!({"password": PASSWORD})),
        ("POST users/eva/remove", json!({"password": PASSWORD})),
        ("PUT users/eva/access", json!({"grants": [], "roles": [], "password": PASSWORD})),
    ] {
        let (status, answer) = site.ask(request, body);
        assert_eq!((status, code(&answer)), (409, "conflict"), "{request}: {answer}");
    }
    site.done("PUT users/bob/access", json!({"grants": [Grant::everything()], "roles": []}));
    site.done("POST users/eva/remove", json!({}));
    assert_eq!(site.ask("GET users", json!({})).0, 401, "the session of who was removed is over");
}

#[test]
fn rights_come_from_grants_and_roles_and_say_so() {
    let site = Site::new();
    site.done("PUT roles/analyst", json!({"grants": [{"logspace": "fire*", "may": ["export", "search"]}]}));
    let access = json!({"grants": [{"logspace": "mail", "may": ["search"]}], "roles": ["analyst"]});
    site.done("PUT users/bob/access", access);
    let bob = site.user("bob");
    let want = json!([
        {"logspace": "mail", "may": ["search"]},
        {"logspace": "fire*", "may": ["search", "export"], "role": "analyst"},
    ]);
    assert_eq!((&bob["effective"], &bob["roles"]), (&want, &json!(["analyst"])));
    assert!(site.server.accounts.may("bob", "firewall", Right::Export).unwrap());
    let (_, answer) = site.ask("GET users", json!({}));
    assert_eq!(answer["roles"][0]["name"], "analyst");
    for (request, body, want) in [
        ("PUT users/bob/access", json!({"grants": [], "roles": ["none"]}), 404),
        ("PUT users/nobody/access", json!({"grants": [], "roles": []}), 404),
        (
            "PUT users/bob/access",
            json!({"grants": [{"logspace": "a b", "may": ["search"]}], "roles": []}),
            400,
        ),
        ("PUT users/bob/access", json!({"grants": [{"logspace": "a", "may": ["fly"]}], "roles": []}), 400),
        ("PUT roles/analyst", json!({"grants": [{"logspace": "", "may": ["search"]}]}), 400),
        ("PUT roles/a%20b", json!({"grants": []}), 400),
        ("POST roles/none/remove", json!({}), 404),
    ] {
        let mut body = body;
        body["password"] = PASSWORD.into();
        let (status, answer) = site.ask(request, body);
        assert_eq!(status, want, "{request}: {answer}");
    }
    site.done("POST roles/analyst/remove", json!({}));
    assert!(!site.server.accounts.may("bob", "firewall", Right::Search).unwrap());
    assert_eq!(site.user("bob")["roles"], json!([]));
}

#[test]
fn an_invited_user_sets_a_password_once() {
    let site = Site::new();
    let answer = site.done("POST users", json!({"name": "carol"}));
    let text = answer["invitation"]["text"].as_str().unwrap().to_owned();
    let carol = site.user("carol");
    assert_eq!((&carol["has_password"], &carol["effective"]), (&json!(false), &json!([])));
    assert_eq!(carol["invited_until_us"], answer["invitation"]["expires_us"]);
    let (status, refused) = site.ask("POST users", json!({"name": "carol", "password": PASSWORD}));
    assert_eq!((status, code(&refused)), (409, "conflict"));
    assert_eq!(site.ask("POST users", json!({"name": "a b", "password": PASSWORD})).0, 400);
    let invited = |text: &str| site.ask_as("", "POST invitation", json!({"invitation": text}));
    let (status, answer) = invited(&text);
    assert_eq!((status, &answer["user"], &answer["password_chars_min"]), (200, &json!("carol"), &json!(15)));
    let accept = |text: &str, password: &str| {
        let body = json!({"invitation": text, "new_password": password});
        site.ask_as("", "POST invitation/accept", body)
    };
    let (status, answer) = accept(&text, "short");
    assert_eq!((status, code(&answer)), (400, "bad_request"));
    assert_eq!(accept(&text, "seven sealed segments").0, 200);
    let (status, answer) = accept(&text, "eight sealed segments");
    assert_eq!((status, code(&answer)), (404, "not_found"), "{answer}");
    let login = json!({"user": "carol", "password": "seven sealed segments"});
    assert_eq!(site.ask_as("", "POST login", login).0, 200);
    let ledger = site.ledger().join("\n");
    assert!(ledger.contains("eva add-user") && ledger.contains("carol accept-invitation"), "{ledger}");
    let events = site.server.backend.events.lock().unwrap().clone();
    let is_refusal = |event: &&SecurityEvent| matches!(event, SecurityEvent::InvitationRefused { .. });
    assert_eq!(events.iter().filter(is_refusal).count(), 1, "{events:?}");
}

#[test]
fn invitations_cannot_be_guessed() {
    let site = Site::new();
    let text = site.done("POST users/bob/invite", json!({}))["invitation"]["text"].clone();
    let ask = |text: &str| site.ask_as("", "POST invitation", json!({"invitation": text}));
    let tried: Vec<u16> = (0..200).map(|number| ask(&format!("{number:064}")).0).collect();
    assert_eq!((tried[0], tried.last().copied()), (404, Some(429)), "{tried:?}");
    let (status, answer) = ask(text.as_str().unwrap());
    assert_eq!((status, &answer["user"]), (200, &json!("bob")), "who has the link is not kept out by others");
}

#[test]
fn without_the_ledger_nothing_is_changed() {
    let server = Server::listening(Given { is_full: true, ..Given::default() }, |options| options);
    let basic = "authorization: Basic ZXZhOmEgbG9uZyBwYXNzd29yZA==\r\nx-requested-by: t\r\n";
    let before = std::fs::read(server.folder.path().join("users.json")).unwrap();
    for (request, mut body) in changes() {
        body["password"] = PASSWORD.into();
        let (method, path) = request.split_once(' ').unwrap();
        let (status, ..) = server.ask(&format!("{method} /api/v1/{path}"), basic, &body.to_string());
        assert_eq!(status, 500, "{request}");
    }
    assert_eq!(before, std::fs::read(server.folder.path().join("users.json")).unwrap());
    let new = server.accounts.invite("eva", 1_800_000_000).unwrap();
    let body = json!({"invitation": new.text, "new_password": "seven sealed segments"});
    assert_eq!(server.ask("POST /api/v1/invitation/accept", "", &body.to_string()).0, 500);
    assert!(server.accounts.verify("eva", PASSWORD).unwrap().is_some());
}
