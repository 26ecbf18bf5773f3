//! `/login`, `/logout`, `/session`.
//!
//! In: name and password. Out: a cookie. Limits: failures cost time, see `throttle`.

use crate::{
    access::{api_tokens::ApiToken, security_event::SecurityEvent, sessions::User},
    error::ApiError,
    json::types::{LoginRequest, SessionAnswer},
    request::{
        client::client,
        connection::Caller,
        extract::Body,
        guard::{self, COOKIE},
        security,
    },
    state::{State, now_s},
};
use axum::{
    Json,
    extract::{ConnectInfo, State as Shared},
    http::{HeaderMap, HeaderName, header},
    response::IntoResponse,
};
use serde_json::json;
use std::sync::Arc;

/// Opens a session.
#[utoipa::path(post, path = "/api/v1/login", request_body = LoginRequest, responses(
    (status = 200, body = SessionAnswer), (status = 401, body = crate::error::ErrorAnswer),
    (status = 429, body = crate::error::ErrorAnswer)))]
pub(crate) async fn login(
    Shared(state): Shared<Arc<State>>,
    ConnectInfo(caller): ConnectInfo<Caller>,
    headers: HeaderMap,
    request: Result<Body<LoginRequest>, ApiError>,
) -> Result<impl IntoResponse, ApiError> {
    let client = client(&state.backend().policy(), caller.address.ip(), &headers);
    let Body(request) = match request {
        Ok(request) => request,
        Err(error) => {
            security::malformed(&state, "the body of the log-in cannot be read", client).await;
            return Err(error);
        }
    };
    let credential = guard::authenticate(&state, &request.user, &request.password, client).await?;
    let user = request.user;
    security::report(&state, SecurityEvent::LoggedIn { user: user.clone(), address: client }).await?;
    let token = token()?;
    // The cookie is for encrypted connections only when this one is encrypted, or came through a proxy that says it is.
    let forwarded = headers.get("x-forwarded-proto").is_some_and(|value| value == "https");
    let secure = if caller.is_encrypted || forwarded { "; Secure" } else { "" };
    let cookie = format!("{COOKIE}={token}; HttpOnly; SameSite=Strict; Path=/{secure}");
    state.sessions().open(&token, &user, credential, &state.backend().policy(), now_s());
    // A session that cannot be saved ends with the next start of the server, which does no harm.
    let _ = state.save_sessions().await;
    Ok((set_cookie(cookie), Json(answer(&state, user, None)?)))
}

/// Ends the session.
#[utoipa::path(post, path = "/api/v1/logout", responses((status = 200)))]
pub(crate) async fn logout(
    Shared(state): Shared<Arc<State>>,
    headers: HeaderMap,
    user: User,
) -> Result<impl IntoResponse, ApiError> {
    if let Some(token) = guard::cookie(&headers) {
        state.sessions().close(token);
        state.save_sessions().await.map_err(|error| {
            ApiError::internal(format!("logged out, but the file of sessions cannot be written: {error}"))
        })?;
        security::report(&state, SecurityEvent::LoggedOut { user: user.name }).await?;
    }
    Ok((set_cookie(format!("{COOKIE}=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0")), Json(json!({}))))
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
    Ok(SessionAnswer {
        may: state.rights(&user, token)?,
        user,
        version: env!("CARGO_PKG_VERSION").into(),
        host: state.host().into(),
        listeners: state.backend().listeners(),
    })
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
