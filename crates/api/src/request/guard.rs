//! Authenticates calls: sessions by cookie, passwords by `Authorization: Basic`, API tokens by `Bearer`; adds the headers that every
//! answer carries.
//!
//! In: a request's headers. Out: the user, or an error. Holds nothing of its own.
//! Limits: a call that changes something must carry `X-Requested-By`, which no foreign page can send, or a token, which no
//! browser adds by itself; a call for another
//! host is not answered.

use crate::{
    access::{
        credentials::{Refusal, Users},
        security_event::SecurityEvent,
        sessions::{Activity, Proof, User},
        throttle::Attempt,
    },
    error::{ApiError, ErrorCode},
    request::{
        bearer,
        client::client,
        connection::{Caller, InRequest},
        host, security,
    },
    scope::Keyring,
    state::{State, now_s},
};
use accounts::AccountChange;
use axum::{
    extract::{ConnectInfo, FromRequestParts, Request, State as Shared},
    http::{Extensions, HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header, request::Parts},
    middleware::Next,
    response::{IntoResponse, Response},
};
use directory::Entered;
use std::{net::IpAddr, sync::Arc, time::Duration};
use tokio::sync::OwnedSemaphorePermit;

/// Prefix of the API's paths; errors below it are answered in the API's format.
pub(crate) const API: &str = "/api/";
/// Name of the session cookie.
pub(crate) const COOKIE: &str = "duramen_session";
/// The name over an encrypted connection: browsers take a cookie of such a name from this host alone and over TLS alone, so
/// that neither another host of the domain nor an unencrypted page can plant one.
pub(crate) const HOST_COOKIE: &str = "__Host-duramen_session";
/// Header of calls that a page makes by a timer.
const AUTOMATIC: &str = "x-automatic";

impl FromRequestParts<Arc<State>> for User {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &Arc<State>) -> Result<User, ApiError> {
        let user = user(parts, state).await?;
        if let Some(request) = parts.extensions.get::<Arc<InRequest>>() {
            request.protect();
        }
        Ok(user)
    }
}

/// The user of a request, by its token, its cookie or its password.
async fn user(parts: &Parts, state: &Arc<State>) -> Result<User, ApiError> {
    if let Some(text) = bearer::text(&parts.headers) {
        let client = client_of(state, parts);
        return bearer::user(state, (&parts.method, &parts.extensions), text, client).await;
    }
    if parts.method != Method::GET && !parts.headers.contains_key("x-requested-by") {
        let text = "calls that change something need the header X-Requested-By";
        return Err(ApiError::forbidden(text));
    }
    if let Some(token) = session_token(&parts.headers, &parts.extensions)
        && let Some(user) = state.session(token, activity(&parts.headers))?
    {
        return Ok(user);
    }
    let client = client_of(state, parts);
    let Some((name, password)) = basic(&parts.headers) else {
        if parts.headers.contains_key(header::AUTHORIZATION) {
            security::malformed(state, "the header Authorization cannot be read", client).await;
        }
        return Err(ApiError::unauthorized());
    };
    let Entered { account: name, credential, .. } = authenticate(state, &name, &password, client).await?;
    if state.accounts().factor(&name).map_err(|error| ApiError::internal(error.to_string()))?.is_some() {
        return Err(ApiError::code_needed());
    }
    let event = SecurityEvent::Authenticated { user: name.clone(), address: client };
    security::report(state, event).await?;
    state.user_seen(&name, client);
    Ok(User { name, proof: Proof::Password(credential), keyring: Keyring::new() })
}

/// Checks a password; a failure is written down, and so is what a directory changes. Every log-in, by cookie or by `Authorization`, comes
/// through here.
pub(crate) async fn authenticate(
    state: &Arc<State>,
    name: &str,
    password: &str,
    client: IpAddr,
) -> Result<Entered, ApiError> {
    let outcome = check(state, name, password, client).await;
    match &outcome {
        Err(error) => security::failed(state, name, client, error).await,
        Ok(Entered { change: AccountChange::None, .. }) => {}
        Ok(Entered { account, change, .. }) => {
            let event = SecurityEvent::DirectoryRights { user: account.clone(), change: *change };
            security::report(state, event).await?;
        }
    }
    outcome
}

/// Checks the password of a user who is logged in once more: an open session alone must not be enough for what lasts longer
/// than it.
pub(crate) async fn confirm(
    state: &Arc<State>,
    name: &str,
    password: &str,
    client: IpAddr,
) -> Result<(), ApiError> {
    let known = state.accounts().directory_account(name);
    let known = known.map_err(|error| ApiError::internal(error.to_string()))?;
    // The directory may have another name for them by now.
    let typed = known.as_ref().map_or(name, |known| &known.name);
    let wrong = || ApiError::new(StatusCode::UNAUTHORIZED, ErrorCode::WrongPassword, "the password is wrong");
    match authenticate(state, typed, password, client).await {
        Ok(signed_in) if signed_in.account == name => Ok(()),
        Ok(_) => Err(wrong()),
        // Another code than that of a session that has ended: there, pages ask for a log-in.
        Err(error) if error.status() == StatusCode::UNAUTHORIZED => Err(wrong()),
        Err(error) => Err(error),
    }
}

/// Counts an attempt with a code of the second factor; fails with the time to wait when there were too many.
pub(crate) fn begin_code(state: &State, name: &str, client: IpAddr) -> Result<Attempt, ApiError> {
    state.credentials().begin_code(client, name).map_err(ApiError::too_many_attempts)
}

/// Waits for the turn to hash a new password: each hash takes memory, as each check does.
pub(crate) async fn hashing_turn(state: &State) -> Result<OwnedSemaphorePermit, ApiError> {
    state.credentials().turn().await.ok_or_else(busy)
}

fn busy() -> ApiError {
    ApiError::busy("too many log-ins at once; try again in a second", Duration::ZERO)
}

fn wrong() -> ApiError {
    ApiError::new(StatusCode::UNAUTHORIZED, ErrorCode::Unauthorized, "wrong user or password")
}

async fn check(state: &Arc<State>, name: &str, password: &str, client: IpAddr) -> Result<Entered, ApiError> {
    let (accounts, directory) = (state.accounts().clone(), state.backend().directory());
    let users = Users { accounts, directory, now_s: now_s() };
    match state.credentials().check(&users, client, name, password).await {
        Ok(signed_in) => Ok(signed_in),
        Err(Refusal::Wrong) => Err(wrong()),
        Err(Refusal::Unusable(reason)) => {
            let event = SecurityEvent::DirectoryDenied { user: name.to_owned(), reason, address: client };
            // The call is refused in any case.
            let _ = security::report(state, event).await;
            Err(wrong())
        }
        Err(Refusal::Wait(wait)) => Err(ApiError::too_many_attempts(wait)),
        Err(Refusal::Busy) => Err(busy()),
        Err(Refusal::Failed(error)) => Err(ApiError::internal(error)),
        Err(Refusal::Denied(reason)) => {
            let user = name.to_owned();
            let event = SecurityEvent::DirectoryDenied { user, reason: reason.clone(), address: client };
            security::report(state, event).await?;
            Err(ApiError::forbidden(reason))
        }
        Err(Refusal::Unavailable(reason)) => {
            // Who logs in learns nothing of the network behind this server.
            let _ = security::report(state, SecurityEvent::DirectoryUnavailable { reason }).await;
            let text = "the directory of users cannot be asked at present; local users can log in";
            Err(ApiError::busy(text, Duration::from_secs(5)))
        }
    }
}

/// Returns the address of the client: that of the peer, or the one that a trusted proxy names.
fn client_of(state: &State, parts: &Parts) -> IpAddr {
    address_of(state, &parts.extensions, &parts.headers)
}

fn address_of(state: &State, extensions: &Extensions, headers: &HeaderMap) -> IpAddr {
    let info = extensions.get::<ConnectInfo<Caller>>();
    let peer = info.map_or(IpAddr::from([0, 0, 0, 0]), |ConnectInfo(caller)| caller.address.ip());
    client(&state.backend().policy(), peer, headers)
}

/// Passes on only calls that are meant for this server, see [`host`].
pub(crate) async fn only_for_us(Shared(state): Shared<Arc<State>>, request: Request, next: Next) -> Response {
    let Some((status, host, text)) = foreign(&state, &request) else { return next.run(request).await };
    let address = address_of(&state, request.extensions(), request.headers());
    let answer = refused(&request, status, text);
    security::wrong_host(&state, &host, address).await;
    answer
}

/// Checks that a request is meant for this server. Otherwise returns the status, the host that it names, and
/// the text for the caller.
fn foreign(state: &State, request: &Request) -> Option<(StatusCode, String, String)> {
    let named = request.headers().get_all(header::HOST).iter().map(|value| value.to_str().ok());
    let absolute = request.uri().authority().map(|authority| Some(authority.as_str()));
    let policy = state.backend().policy();
    for authority in named.chain(absolute) {
        let Some(host) = authority.and_then(host::host) else {
            return Some((StatusCode::BAD_REQUEST, String::new(), "the header Host names no host".into()));
        };
        let own = [state.host(), state.host().split('.').next().unwrap_or_default()];
        let names = policy.allowed_hosts.iter().map(String::as_str).chain(own);
        if !host::is_ours(host, names) {
            let text = format!(
                "this server is not known as {host:?}; to allow the name, write \
                 options {{ page(allowed-hosts(\"{host}\")); }}; into its configuration"
            );
            return Some((StatusCode::MISDIRECTED_REQUEST, host.to_owned(), text));
        }
    }
    None
}

/// An error in the shape of the API, or as text for people.
fn refused(request: &Request, status: StatusCode, text: String) -> Response {
    match request.uri().path().starts_with(API) {
        true => ApiError::new(status, ErrorCode::BadRequest, text).into_response(),
        false => (status, text + "\n").into_response(),
    }
}

/// Redirects unencrypted callers to the encrypted address.
pub(crate) async fn encrypt(request: Request, next: Next) -> Response {
    let caller = request.extensions().get::<ConnectInfo<Caller>>();
    match caller.and_then(|ConnectInfo(caller)| caller.belongs_at) {
        None => next.run(request).await,
        Some(port) => match encrypted_place(&request, port) {
            Some(place) => (StatusCode::PERMANENT_REDIRECT, [(header::LOCATION, place)]).into_response(),
            None => StatusCode::BAD_REQUEST.into_response(),
        },
    }
}

/// The same resource at the encrypted port of the requested host.
pub(crate) fn encrypted_place(request: &Request, port: u16) -> Option<String> {
    let host = host::host(request.headers().get(header::HOST)?.to_str().ok()?)?;
    let host = if host.contains(':') { format!("[{host}]") } else { host.to_owned() };
    let path = request.uri().path_and_query().map_or("/", |path| path.as_str());
    let port = if port == 443 { String::new() } else { format!(":{port}") };
    path.starts_with('/').then(|| format!("https://{host}{port}{path}"))
}

/// The session token of a request. Over an encrypted connection only the cookie counts that no other host can have set.
pub(crate) fn session_token<'h>(headers: &'h HeaderMap, extensions: &Extensions) -> Option<&'h str> {
    named_cookie(headers, cookie_name(headers, extensions.get::<ConnectInfo<Caller>>().map(|info| &info.0)))
}

/// The session token of a request whose user is known.
pub(crate) fn cookie(headers: &HeaderMap) -> Option<&str> {
    named_cookie(headers, HOST_COOKIE).or_else(|| named_cookie(headers, COOKIE))
}

/// The name of the session cookie of a request: it depends on whether this connection is encrypted, or came through a proxy
/// that says that its own is.
pub(crate) fn cookie_name(headers: &HeaderMap, caller: Option<&Caller>) -> &'static str {
    let is_forwarded = headers.get("x-forwarded-proto").is_some_and(|value| value == "https");
    let is_encrypted = caller.is_some_and(|caller| caller.is_encrypted);
    if is_encrypted || is_forwarded { HOST_COOKIE } else { COOKIE }
}

fn named_cookie<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let cookies = headers.get(header::COOKIE)?.to_str().ok()?;
    cookies.split(';').find_map(|pair| pair.trim().strip_prefix(name)?.strip_prefix('='))
}

/// Returns who made a call, as the page says.
pub(crate) fn activity(headers: &HeaderMap) -> Activity {
    if headers.contains_key(AUTOMATIC) { Activity::Timer } else { Activity::User }
}

fn basic(headers: &HeaderMap) -> Option<(String, String)> {
    let text = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let bytes = crate::json::rows::from_base64(text.strip_prefix("Basic ")?)?;
    let pair = String::from_utf8(bytes).ok()?;
    let (name, password) = pair.split_once(':')?;
    Some((name.to_owned(), password.to_owned()))
}

/// Headers that keep foreign scripts out of the page, forbid frames around it, and send no referrer.
const HEADERS: &[(HeaderName, &str)] = &[
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; \
         connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "no-referrer"),
];

/// Browsers that used encryption once use it for a year (RFC 6797).
const HSTS: HeaderValue = HeaderValue::from_static("max-age=31536000");
/// Path outside the API that also reveals details of the server.
const METRICS: &str = "/metrics";

/// Adds the headers that every answer carries.
pub(crate) async fn harden(request: Request, next: Next) -> Response {
    let caller = request.extensions().get::<ConnectInfo<Caller>>();
    let is_encrypted = caller.is_some_and(|ConnectInfo(caller)| caller.is_encrypted);
    let path = request.uri().path();
    let is_private = path.starts_with(API) || path == METRICS;
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if is_encrypted {
        headers.insert(header::STRICT_TRANSPORT_SECURITY, HSTS);
    }
    if is_private {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    response
}
