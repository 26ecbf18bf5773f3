//! Work of the store on a thread that may wait for the disk, with the ledger; its errors as answers.

use crate::{
    access::{
        accounts::{EVERY_LOGSPACE, Right},
        sessions::User,
    },
    error::{ApiError, ErrorCode},
    json::objects::ChangedAnswer,
    state::State,
};
use axum::{
    Json,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use evidence::LedgerEntry;
use objects::{Action, Caller, Change, Level, Request, Store, StoreError};
use serde_json::json;
use std::{
    cell::RefCell,
    fmt::Display,
    io,
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

/// An error of a call about objects: it may show both states of an object.
pub(crate) enum ObjectError {
    Plain(ApiError),
    Changed(StatusCode, Box<ChangedAnswer>),
}

impl From<ApiError> for ObjectError {
    fn from(error: ApiError) -> ObjectError {
        ObjectError::Plain(error)
    }
}

impl IntoResponse for ObjectError {
    fn into_response(self) -> Response {
        match self {
            ObjectError::Plain(error) => error.into_response(),
            ObjectError::Changed(status, answer) => (status, Json(answer)).into_response(),
        }
    }
}

/// Returns the caller, with the right that makes an administrator of objects.
pub(crate) fn caller(state: &State, user: &User) -> Result<Caller, ApiError> {
    let is_administrator = state.may(user, EVERY_LOGSPACE, Right::Administer)?;
    let known = state.accounts().id(&user.name).map_err(|error| ApiError::internal(error.to_string()))?;
    // An account that was removed since the call began.
    let user = known.ok_or_else(ApiError::unauthorized)?;
    Ok(Caller { user, is_administrator })
}

/// Refuses users who do not administer every logspace, and records that.
pub(super) fn administrator(state: &State, user: &User) -> Result<(), ApiError> {
    if caller(state, user)?.is_administrator {
        return Ok(());
    }
    let text =
        format!("{} may not administer every logspace, which the files of all objects need", user.name);
    Err(state.refuse(user, EVERY_LOGSPACE, Right::Administer, text))
}

/// Reads from the store.
pub(crate) async fn read<T: Send + 'static>(
    state: &Arc<State>,
    user: &User,
    work: impl FnOnce(&Store, &Caller) -> Result<T, StoreError> + Send + 'static,
) -> Result<T, ObjectError> {
    let caller = caller(state, user)?;
    blocking(state, move |state| work(state.objects(), &caller)).await
}

/// Changes the store.
pub(super) async fn change<T: Send + 'static>(
    state: &Arc<State>,
    user: &User,
    work: impl FnOnce(&Store, &Request<'_>) -> Result<T, StoreError> + Send + 'static,
) -> Result<T, ObjectError> {
    import(state, user, work).await?.map_err(answer)
}

/// Changes the store; returns its error as it is. A change that cannot be written into the ledger is not made; one that was
/// written and then failed is written again as failed.
pub(super) async fn import<T: Send + 'static, E: Display + Send + 'static>(
    state: &Arc<State>,
    user: &User,
    work: impl FnOnce(&Store, &Request<'_>) -> Result<T, E> + Send + 'static,
) -> Result<Result<T, E>, ApiError> {
    let caller = caller(state, user)?;
    let token = user.token().map(|token| token.id.clone());
    on_thread(state, move |state| {
        let now_us = now_us();
        let entry = |change: &Change| {
            let mut entry = entry(caller.user.name(), now_us, change);
            if let Some(token) = &token {
                entry.details["token"] = token.as_str().into();
            }
            entry
        };
        let recorded = RefCell::new(Vec::new());
        let record = |change: &Change| {
            state.backend().note(&entry(change))?;
            recorded.borrow_mut().push(change.clone());
            Ok::<(), io::Error>(())
        };
        let result = work(state.objects(), &Request { caller: &caller, now_us, record: &record });
        if let Err(error) = &result {
            for change in recorded.borrow().iter() {
                let mut entry = entry(change);
                entry.details["failed"] = error.to_string().into();
                // If the ledger fails as well, the caller still gets the first error.
                let _ = state.backend().note(&entry);
            }
        }
        result
    })
    .await
}

async fn blocking<T: Send + 'static>(
    state: &Arc<State>,
    work: impl FnOnce(&Arc<State>) -> Result<T, StoreError> + Send + 'static,
) -> Result<T, ObjectError> {
    on_thread(state, work).await?.map_err(answer)
}

async fn on_thread<T: Send + 'static>(
    state: &Arc<State>,
    work: impl FnOnce(&Arc<State>) -> T + Send + 'static,
) -> Result<T, ApiError> {
    let state = Arc::clone(state);
    let done = tokio::task::spawn_blocking(move || work(&state)).await;
    done.map_err(|_| ApiError::internal("the call ended by a bug"))
}

/// Writes into the ledger that an administrator has looked at objects of others.
pub(crate) async fn note_view(
    state: &Arc<State>,
    user: &User,
    action: &'static str,
    details: serde_json::Value,
) -> Result<(), ApiError> {
    let (logspace, question) = (String::new(), String::new());
    let entry = LedgerEntry { at_us: now_us(), user: user.name.clone(), action, logspace, question, details };
    let state = Arc::clone(state);
    let noted = tokio::task::spawn_blocking(move || state.backend().note(&entry)).await;
    let refused = || ApiError::internal("the ledger cannot be written: nothing is shown");
    noted.map_err(|_| refused())?.map_err(|_| refused())
}

fn now_us() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
}

/// The entry of a change.
fn entry(user: &str, at_us: i64, change: &Change) -> LedgerEntry {
    let action = match change.action {
        Action::Create => "create-object",
        Action::Change => "change-object",
        Action::Share => "share-object",
        Action::Delete => "delete-object",
        Action::Restore => "restore-object",
        Action::Purge => "purge-object",
    };
    let Change { id, kind, name, revision, shared, .. } = change;
    let mut details = json!({"object": id.as_str(), "kind": kind, "name": name, "revision": revision});
    if let Some((owner, acl)) = shared {
        let people: Vec<String> =
            acl.iter().map(|entry| format!("{} {}", entry.principal, entry.level)).collect();
        details["owner"] = owner.name().into();
        details["shared_with"] = people.into();
    }
    let (logspace, question) = (String::new(), String::new());
    LedgerEntry { at_us, user: user.to_owned(), action, logspace, question, details }
}

/// Returns true for the errors that a file brings about, and not the state of the server.
pub(super) fn conflict(error: &StoreError) -> bool {
    matches!(
        error,
        StoreError::NameTaken { .. }
            | StoreError::ReadOnly { .. }
            | StoreError::Kind
            | StoreError::People
            | StoreError::TooManyOfKind(_)
            | StoreError::IdTaken { .. }
    )
}

/// The answer for an error of the store.
pub(crate) fn answer(error: StoreError) -> ObjectError {
    let text = error.to_string();
    let of = |status, code| ObjectError::Plain(ApiError::new(status, code, text.clone()));
    match error {
        StoreError::NotFound => of(StatusCode::NOT_FOUND, ErrorCode::NotFound),
        StoreError::Forbidden { needs } => {
            let what = match needs {
                Level::View => "viewed",
                Level::Edit => "changed",
                Level::Own => "shared",
            };
            let text = format!("the object can be {what} by those who may {needs} it; ask its owner");
            ObjectError::Plain(ApiError::forbidden(text))
        }
        StoreError::NotAdministrator | StoreError::ReadOnly { .. } => {
            of(StatusCode::FORBIDDEN, ErrorCode::Forbidden)
        }
        StoreError::Changed { current, base } => {
            let error = ApiError::new(StatusCode::PRECONDITION_FAILED, ErrorCode::Changed, text);
            let (status, error) = error.into_parts();
            let (current, base) = ((*current).into(), base.map(|base| (*base).into()));
            ObjectError::Changed(status, Box::new(ChangedAnswer { error, current, base }))
        }
        StoreError::Deleted
        | StoreError::NameTaken { .. }
        | StoreError::TooMany
        | StoreError::TooManyOfKind(_)
        | StoreError::IdTaken { .. } => of(StatusCode::CONFLICT, ErrorCode::Conflict),
        StoreError::Kind | StoreError::People | StoreError::Comment => {
            of(StatusCode::BAD_REQUEST, ErrorCode::BadRequest)
        }
        StoreError::ExportSize => of(StatusCode::PAYLOAD_TOO_LARGE, ErrorCode::TooLarge),
        StoreError::Full => of(StatusCode::INSUFFICIENT_STORAGE, ErrorCode::NoSpace),
        StoreError::Busy => ObjectError::Plain(ApiError::busy(text, Duration::from_secs(1))),
        StoreError::Unavailable { .. } => {
            // The path and the fault are for administrators, in the health of the server.
            let text = "the database of saved objects cannot be used; an administrator sees why in /health";
            let error = ApiError::new(StatusCode::SERVICE_UNAVAILABLE, ErrorCode::ObjectsUnavailable, text);
            ObjectError::Plain(error)
        }
        StoreError::Record(_) => {
            ObjectError::Plain(ApiError::internal("the ledger cannot be written: nothing was changed"))
        }
        StoreError::Damaged { .. } | StoreError::Sqlite { .. } => {
            ObjectError::Plain(ApiError::internal("the database of saved objects failed; see /health"))
        }
        StoreError::Id(_) => of(StatusCode::INTERNAL_SERVER_ERROR, ErrorCode::Internal),
    }
}
