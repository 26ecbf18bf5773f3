//! `/login`, `/login/code`, `/logout`, `/session`.
//!
//! In: name and password, and a code for users with a second factor. Out: a cookie. Limits: failures cost time, see `throttle`.

use super::change;
use crate::{
    access::{
        security_event::SecurityEvent,
        sessions::{Proof, SessionClient, User},
    },
    error::{ApiError, ErrorCode},
    json::{
        factor::{CodeNeededAnswer, CodeRequest},
        types::{LoginRequest, SessionAnswer},
    },
    request::{
        client::client,
        connection::Caller,
        extract::Body,
        guard::{self, HOST_COOKIE},
        security,
    },
    scope::Keyring,
    state::{State, now_s},
};
use accounts::{AcceptedCode, AccountError, ApiToken, CredentialId, EVERY_LOGSPACE, Right};
use axum::{
    Json,
    extract::{ConnectInfo, State as Shared},
    http::{HeaderMap, HeaderName, StatusCode, header},
    response::{IntoResponse, Response},
};
use directory::Entered;
use serde_json::json;
use std::{net::IpAddr, sync::Arc, time::Instant};

/// Opens a session.
#[utoipa::path(post, path = "/api/v1/login", request_body = LoginRequest, responses(
    (status = 200, body = SessionAnswer), (status = 401, body = crate::error::ErrorAnswer),
    (status = 429, body = crate::error::ErrorAnswer)))]
pub(crate) async fn login(
    Shared(state): Shared<Arc<State>>,
    ConnectInfo(caller): ConnectInfo<Caller>,
    headers: HeaderMap,
    request: Result<Body<LoginRequest>, ApiError>,
) -> Result<Response, ApiError> {
    let client = client(&state.backend().policy(), caller.address.ip(), &headers);
    let Body(request) = match request {
        Ok(request) => request,
        Err(error) => {
            security::malformed(&state, "the body of the log-in cannot be read", client).await;
            return Err(error);
        }
    };
    let signed_in = guard::authenticate(&state, &request.user, &request.password, client).await?;
    let Entered { account: user, credential, .. } = signed_in;
    if state.accounts().factor(&user).map_err(change::answer)?.is_some() {
        let ticket = token()?;
        state.second_factors().begin_login(&ticket, &user, credential, Instant::now());
        let (status, error) = ApiError::code_needed().into_parts();
        return Ok((status, Json(CodeNeededAnswer { error, ticket })).into_response());
    }
    logged_in(&state, (&headers, &caller), user, credential, client).await
}

/// Opens a session with the code of the second factor, after the password.
#[utoipa::path(post, path = "/api/v1/login/code", request_body = CodeRequest, responses(
    (status = 200, body = SessionAnswer), (status = 401, body = crate::error::ErrorAnswer),
    (status = 429, body = crate::error::ErrorAnswer)))]
pub(crate) async fn login_code(
    Shared(state): Shared<Arc<State>>,
    ConnectInfo(caller): ConnectInfo<Caller>,
    headers: HeaderMap,
    Body(request): Body<CodeRequest>,
) -> Result<Response, ApiError> {
    let client = client(&state.backend().policy(), caller.address.ip(), &headers);
    let (user, credential) = ticket(&state, &request.ticket)?;
    let attempt = guard::begin_code(&state, &user, client)?;
    let (key, name, code) = (state.factor_key()?, user.clone(), request.code);
    let accepted =
        change::on_thread(&state, move |state| state.accounts().accept_code(&name, &key, &code, now_s()));
    match accepted.await? {
        Ok(AcceptedCode::Totp) => {}
        Ok(AcceptedCode::Recovery { left }) => {
            let by = User { name: user.clone(), proof: Proof::Password(credential), keyring: Keyring::new() };
            let details = json!({"user": user, "address": client, "left": left});
            state.note_change(&by, "use-recovery-code", details).await?;
        }
        Err(AccountError::Code(fault)) => {
            let reason = fault.to_string();
            let event = SecurityEvent::WrongCode { user, reason: reason.clone(), address: client };
            // The call is refused in any case.
            let _ = security::report(&state, event).await;
            return Err(ApiError::new(StatusCode::UNAUTHORIZED, ErrorCode::WrongCode, reason));
        }
        Err(error) => return Err(change::answer(error)),
    }
    state.credentials().code_accepted(&attempt);
    state.second_factors().end_login(&request.ticket);
    logged_in(&state, (&headers, &caller), user, credential, client).await
}

/// Returns the user of a ticket, if it is still valid and the password as well.
fn ticket(state: &State, ticket: &str) -> Result<(String, CredentialId), ApiError> {
    let over = || {
        let text = "the code came too late, or too many were wrong: log in with the password again";
        ApiError::new(StatusCode::UNAUTHORIZED, ErrorCode::Unauthorized, text)
    };
    let (user, credential) = state.second_factors().attempt(ticket, Instant::now()).ok_or_else(over)?;
    let present = state.accounts().credential(&user).map_err(change::answer)?;
    if present == Some(credential) { Ok((user, credential)) } else { Err(over()) }
}

/// Opens a session for a user who has shown who they are.
async fn logged_in(
    state: &Arc<State>,
    (headers, caller): (&HeaderMap, &Caller),
    user: String,
    credential: CredentialId,
    client: IpAddr,
) -> Result<Response, ApiError> {
    security::report(state, SecurityEvent::LoggedIn { user: user.clone(), address: client }).await?;
    state.user_seen(&user, client);
    let token = token()?;
    let cookie = session_cookie(headers, caller, &token, "");
    open(state, headers, &token, &user, credential, client);
    // A session that cannot be saved ends with the next start of the server, which does no harm.
    let _ = state.save_sessions().await;
    Ok((set_cookie(cookie), Json(answer(state, user, None)?)).into_response())
}

/// Ends the session.
#[utoipa::path(post, path = "/api/v1/logout", responses((status = 200)))]
pub(crate) async fn logout(
    Shared(state): Shared<Arc<State>>,
    ConnectInfo(caller): ConnectInfo<Caller>,
    headers: HeaderMap,
    user: User,
) -> Result<impl IntoResponse, ApiError> {
    state.user_seen(&user.name, client(&state.backend().policy(), caller.address.ip(), &headers));
    if let Some(token) = guard::cookie(&headers) {
        state.sessions().close(token);
        state.save_sessions().await.map_err(|error| {
            ApiError::internal(format!("logged out, but the file of sessions cannot be written: {error}"))
        })?;
        security::report(&state, SecurityEvent::LoggedOut { user: user.name }).await?;
    }
    Ok((set_cookie(session_cookie(&headers, &caller, "", "; Max-Age=0")), Json(json!({}))))
}

/// Returns the user of the session.
#[utoipa::path(get, path = "/api/v1/session", responses(
    (status = 200, body = SessionAnswer), (status = 401, body = crate::error::ErrorAnswer)))]
pub(crate) async fn session(
    Shared(state): Shared<Arc<State>>,
    user: User,
) -> Result<Json<SessionAnswer>, ApiError> {
    Ok(Json(answer(&state, user.name.clone(), user.token())?))
}

fn answer(state: &State, user: String, token: Option<&ApiToken>) -> Result<SessionAnswer, ApiError> {
    let has = state.accounts().may(&user, EVERY_LOGSPACE, Right::Administer).map_err(change::answer)?;
    Ok(SessionAnswer {
        administers: has && token.is_none_or(|token| token.permits(EVERY_LOGSPACE, Right::Administer)),
        may: state.rights(&user, token)?,
        of_directory: state.accounts().directory_account(&user).map_err(change::answer)?.is_some(),
        user,
        version: env!("CARGO_PKG_VERSION").into(),
        host: state.host().into(),
        listeners: state.backend().listeners(),
    })
}

/// Opens a session in place of the one that the browser has had until now.
fn open(
    state: &State,
    headers: &HeaderMap,
    token: &str,
    user: &str,
    credential: CredentialId,
    client: IpAddr,
) {
    let agent = headers.get(header::USER_AGENT).and_then(|agent| agent.to_str().ok()).unwrap_or_default();
    let mut sessions = state.sessions();
    if let Some(old) = guard::cookie(headers) {
        sessions.close(old);
    }
    sessions.open(token, user, credential, &state.backend().policy(), now_s());
    sessions.set_client(token, SessionClient::new(client, agent));
}

/// The cookie of a session. It is for encrypted connections only when this one is.
fn session_cookie(headers: &HeaderMap, caller: &Caller, token: &str, more: &str) -> String {
    let name = guard::cookie_name(headers, Some(caller));
    let secure = if name == HOST_COOKIE { "; Secure" } else { "" };
    format!("{name}={token}; HttpOnly; SameSite=Strict; Path=/{secure}{more}")
}

fn set_cookie(cookie: String) -> [(HeaderName, String); 1] {
    [(header::SET_COOKIE, cookie)]
}

/// 256 random bits in hexadecimal.
pub(crate) fn token() -> Result<String, ApiError> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|_| ApiError::internal("the system gives no random numbers"))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
