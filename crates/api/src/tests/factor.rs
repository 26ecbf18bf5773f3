//! The second factor: enrolled, asked for at log-ins, replaced by recovery codes, turned off, reset.

use super::*;
use accounts::CODE_ATTEMPTS_MAX as ATTEMPTS_MAX;
use serde_json::{Value, json};

const PASSWORD: &str = "a long password";
const BASIC: &str = "authorization: Basic ZXZhOmEgbG9uZyBwYXNzd29yZA==\r\nx-requested-by: t\r\n";
/// Seconds of a step of codes.
const STEP_S: u64 = 30;

/// A secret as an app holds it: the answer of the server, read back.
struct App {
    secret: accounts::Secret,
    /// The code that confirmed the secret.
    first: String,
}

impl App {
    fn scan(answer: &Value) -> App {
        let secret = accounts::Secret::parse(answer["secret"].as_str().unwrap()).unwrap();
        assert!(answer["address"].as_str().unwrap().contains(&secret.text()), "{answer}");
        assert!(answer["picture"]["size"].as_u64().unwrap() > 21, "{answer}");
        App { secret, first: String::new() }
    }

    /// The code so many steps from now. That of now and that of the next step are also accepted when another step begins meanwhile.
    fn code(&self, steps: i64) -> String {
        let now_s = crate::state::now_s();
        self.secret.shown_at(now_s.wrapping_add_signed(steps * STEP_S as i64))
    }
}

impl Server {
    fn json(&self, request: &str, headers: &str, body: Value) -> (u16, Value) {
        let (status, _, answer) = self.ask(request, headers, &body.to_string());
        (status, serde_json::from_str(&answer).unwrap_or_else(|_| panic!("{request}: {answer}")))
    }

    /// Opens a session of a user without a second factor, or with a code.
    fn open(&self, code: Option<&str>) -> String {
        let (status, head, body) = self.login(PASSWORD);
        let Some(code) = code else {
            assert_eq!(status, 200, "{body}");
            return scopes::cookie(&head);
        };
        let answer: Value = serde_json::from_str(&body).unwrap();
        let (status, head, body) = self.ask(
            "POST /api/v1/login/code",
            "",
            &json!({"ticket": answer["ticket"], "code": code}).to_string(),
        );
        assert_eq!(status, 200, "{body}");
        scopes::cookie(&head)
    }

    fn ticket(&self) -> Value {
        let (status, head, body) = self.login(PASSWORD);
        let answer: Value = serde_json::from_str(&body).unwrap();
        assert_eq!((status, answer["error"]["code"].as_str()), (401, Some("code_needed")), "{body}");
        assert!(!head.contains("set-cookie"), "a password alone opens no session");
        answer["ticket"].clone()
    }

    fn try_code(&self, ticket: &Value, code: &str) -> (u16, Value) {
        self.json("POST /api/v1/login/code", "", json!({"ticket": ticket, "code": code}))
    }

    /// Enrols a factor with the code of the present step; that of the next one can be used then.
    fn enrol(&self, session: &str) -> (App, Vec<String>) {
        let (status, answer) = self.json("POST /api/v1/factor", session, json!({"password": PASSWORD}));
        assert_eq!(status, 200, "{answer}");
        let mut app = App::scan(&answer);
        app.first = app.code(0);
        let (status, answer) = self.json("POST /api/v1/factor/enrol", session, json!({"code": app.first}));
        assert_eq!(status, 200, "{answer}");
        let codes = answer["recovery_codes"].as_array().unwrap().iter();
        (app, codes.map(|code| code.as_str().unwrap().to_owned()).collect())
    }

    fn with_key() -> Server {
        let server = Server::start();
        server.state.keep_factor_key(&server.folder.path().join("factors.key")).unwrap();
        server
    }
}

fn code_of(answer: &Value) -> &str {
    answer["error"]["code"].as_str().unwrap_or_default()
}

#[test]
fn a_factor_is_enrolled_with_the_password_and_a_right_code() {
    let server = Server::with_key();
    let (here, there) = (server.open(None), server.open(None));
    let (status, answer) = server.json("GET /api/v1/factor", &here, json!({}));
    assert_eq!((status, answer), (200, json!({"recovery_left": 0})));
    let (status, answer) = server.json("POST /api/v1/factor", &here, json!({"password": "wrong"}));
    assert_eq!((status, code_of(&answer)), (401, "wrong_password"));
    let (status, answer) = server.json("POST /api/v1/factor/enrol", &here, json!({"code": "000000"}));
    assert_eq!(status, 400, "no secret waits: {answer}");
    let (_, answer) = server.json("POST /api/v1/factor", &here, json!({"password": PASSWORD}));
    let app = App::scan(&answer);
    let (status, answer) = server.json("POST /api/v1/factor/enrol", &here, json!({"code": app.code(4)}));
    assert_eq!((status, code_of(&answer)), (400, "wrong_code"));
    assert!(answer["error"]["message"].as_str().unwrap().contains("clock"), "{answer}");
    assert_eq!(server.login(PASSWORD).0, 200, "nothing is in force before a right code");
    let (status, answer) = server.json("POST /api/v1/factor/enrol", &here, json!({"code": app.code(0)}));
    assert_eq!((status, answer["recovery_codes"].as_array().unwrap().len()), (200, 10));
    assert_eq!(server.ask("GET /api/v1/session", &here, "").0, 200);
    assert_eq!(server.ask("GET /api/v1/session", &there, "").0, 401, "it was opened with the password alone");
    let (_, facts) = server.json("GET /api/v1/factor", &here, json!({}));
    assert!(facts["enrolled_us"].as_u64() > Some(1) && facts["recovery_left"] == 10, "{facts}");
    let (status, answer) = server.json("POST /api/v1/factor", &here, json!({"password": PASSWORD}));
    assert_eq!((status, code_of(&answer)), (409, "conflict"));
    let kept = std::fs::read_to_string(server.folder.path().join("users.json")).unwrap();
    assert!(!kept.contains(&app.secret.text()) && kept.contains("last_step"), "{kept}");
    let ledger = server.backend.ledger.lock().unwrap().join("\n");
    assert_eq!(ledger, ["eva enrol-factor"; 3].join("\n"), "a failed attempt is in it before and after");
}

#[test]
fn a_log_in_needs_the_code_once_and_a_password_alone_opens_nothing() {
    let server = Server::with_key();
    let (app, _) = server.enrol(&server.open(None));
    let (status, answer) = server.json("GET /api/v1/session", BASIC, json!({}));
    assert_eq!((status, code_of(&answer)), (401, "code_needed"), "{answer}");
    assert!(answer["error"]["suggestion"].as_str().unwrap().contains("API token"), "{answer}");
    let wrong = server.login("wrong password");
    assert_eq!(wrong.0, 401);
    assert!(wrong.2.contains("\"unauthorized\"") && !wrong.2.contains("ticket"), "{}", wrong.2);
    let ticket = server.ticket();
    assert_eq!(server.try_code(&json!("no such ticket"), &app.code(0)).0, 401);
    let (status, answer) = server.try_code(&ticket, &app.first);
    assert_eq!((status, code_of(&answer)), (401, "wrong_code"), "it was used to enrol: {answer}");
    let code = app.code(1);
    assert_eq!(server.try_code(&ticket, &code).0, 200);
    assert_eq!(code_of(&server.try_code(&ticket, &code).1), "unauthorized", "a ticket opens one session");
    let (status, answer) = server.try_code(&server.ticket(), &code);
    assert_eq!((status, code_of(&answer)), (401, "wrong_code"), "{answer}");
    assert!(answer["error"]["message"].as_str().unwrap().contains("used already"), "{answer}");
    let ticket = server.ticket();
    server.accounts.set_password("eva", "quite another long one").unwrap();
    let (_, answer) = server.try_code(&ticket, &code);
    assert_eq!(code_of(&answer), "unauthorized", "the password has changed meanwhile");
}

#[test]
fn codes_cannot_be_guessed() {
    let server = Server::with_key();
    let (app, _) = server.enrol(&server.open(None));
    let wrong = if app.code(0) == "000000" { "000001" } else { "000000" };
    let ticket = server.ticket();
    let tried: Vec<(u16, Value)> = (0..=ATTEMPTS_MAX).map(|_| server.try_code(&ticket, wrong)).collect();
    assert!(tried[..ATTEMPTS_MAX as usize].iter().all(|(status, _)| *status == 401), "{tried:?}");
    assert_eq!(code_of(&tried[ATTEMPTS_MAX as usize].1), "unauthorized", "the ticket is used up");
    let (status, answer) = server.try_code(&server.ticket(), &app.code(0));
    assert_eq!((status, code_of(&answer)), (429, "too_many_attempts"), "a right password does not help");
    let events = server.backend.events.lock().unwrap();
    let refused = events.iter().filter(|event| matches!(event, SecurityEvent::WrongCode { .. })).count();
    assert_eq!(refused, ATTEMPTS_MAX as usize, "{events:?}");
}

#[test]
fn recovery_codes_open_one_session_each_until_they_are_replaced() {
    let server = Server::with_key();
    let session = server.open(None);
    let (_, codes) = server.enrol(&session);
    server.open(Some(&codes[0]));
    let (status, answer) = server.try_code(&server.ticket(), &codes[0]);
    assert_eq!((status, code_of(&answer)), (401, "wrong_code"));
    let (status, answer) =
        server.json("POST /api/v1/factor/recovery", &session, json!({"password": PASSWORD}));
    assert_eq!(status, 200, "{answer}");
    assert_eq!(server.try_code(&server.ticket(), &codes[1]).0, 401, "it was replaced");
    server.open(answer["recovery_codes"][0].as_str());
    let (_, facts) = server.json("GET /api/v1/factor", &session, json!({}));
    assert_eq!(facts["recovery_left"], 9);
    let ledger = server.backend.ledger.lock().unwrap().join("\n");
    assert_eq!(
        ledger,
        "eva enrol-factor\neva use-recovery-code\neva renew-recovery-codes\neva use-recovery-code"
    );
}

#[test]
fn a_factor_is_turned_off_with_a_password_that_is_long_enough_alone() {
    let server = Server::with_key();
    let session = server.open(None);
    let (app, _) = server.enrol(&session);
    let body = json!({"password": PASSWORD, "new_password": "x7 Grove"});
    assert_eq!(
        server.json("POST /api/v1/password", &session, body).0,
        200,
        "eight characters are enough now"
    );
    let remove =
        |password: &str| server.json("POST /api/v1/factor/remove", &session, json!({"password": password}));
    assert_eq!(code_of(&remove("wrong").1), "wrong_password");
    let (status, answer) = remove("x7 Grove");
    assert_eq!((status, code_of(&answer)), (400, "bad_request"));
    assert!(answer["error"]["message"].as_str().unwrap().contains("at least 15"), "{answer}");
    server.accounts.set_password("eva", "x7 Grovf").unwrap();
    server.accounts.set_password("eva", PASSWORD).unwrap();
    let session = server.open(Some(&app.code(1)));
    let (status, answer) = server.json("POST /api/v1/factor/remove", &session, json!({"password": PASSWORD}));
    assert_eq!((status, answer), (200, json!({"recovery_left": 0})));
    server.open(None);
    let (status, _) = server.json("POST /api/v1/factor/remove", &session, json!({"password": PASSWORD}));
    assert_eq!(status, 404);
}

#[test]
fn without_the_key_nobody_with_a_factor_is_let_in_until_it_is_reset() {
    let server = Server::with_key();
    let (app, _) = server.enrol(&server.open(None));
    std::fs::write(server.folder.path().join("factors.key"), [7; 32]).unwrap();
    server.state.keep_factor_key(&server.folder.path().join("factors.key")).unwrap();
    let (status, answer) = server.try_code(&server.ticket(), &app.code(0));
    assert_eq!(status, 500, "{answer}");
    assert!(answer["error"]["message"].as_str().unwrap().contains("factor reset"), "{answer}");
    server.accounts.remove_factor("eva").unwrap();
    server.open(None);
    let none = Server::start();
    let (status, answer) = none.json("POST /api/v1/factor", BASIC, json!({"password": PASSWORD}));
    assert_eq!(status, 500, "no secret is shown that could not be checked: {answer}");
}
