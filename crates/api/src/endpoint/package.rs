//! `/package`: an evidence package of the matches of a query, made first and then downloaded.
//!
//! In: a query, a time range. Out: the contents of the package; then the package as a tar archive.
//! Limits: sealed messages; no pipes; the exports at once; [`TIME_MAX`]. A package needs the right to
//! search the local logspace: its chain shows how many messages that has and when they were sealed.

use super::session::token;
use crate::{
    access::{accounts::Right, sessions::User},
    error::{ApiError, ErrorCode},
    json::types::{ClockName, Operator, TimeRange},
    request::extract::{Body as Asked, Parameters},
    scope::{Scope, ScopeMember},
    search::{
        searching::{self, CancelOnDrop},
        transfer::{Client, access::Access, transfer},
    },
    state::{
        State,
        packages::{KEPT, Package},
        workers::{self, NICE_OF_EXPORTS},
    },
};
use axum::{
    Json,
    extract::State as Shared,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use evidence::package::{Question, View};
use logspace::{ExportError, Exported, PackagePart, export_package};
use lookup::{CancelToken, ReadError};
use query::{Query, Search};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::{
    future::Future,
    io::{self, Write},
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};
use utoipa::{IntoParams, ToSchema};

/// Longest time of making one: an hour.
const TIME_MAX: Duration = Duration::from_secs(3_600);
/// Bytes of a piece on its way to the client.
const PIECE_BYTES: usize = 256 << 10;

/// The messages that the package is to contain.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PackageRequest {
    /// Name of the logspace; may be left out when there is one.
    logspace: Option<String>,
    /// Lucene syntax; empty takes all.
    #[serde(default)]
    query: String,
    /// Time range.
    #[serde(default)]
    time: TimeRange,
}

/// A package that can be taken.
#[derive(Serialize, ToSchema)]
pub(crate) struct PackageAnswer {
    /// Identifier for downloading it, within an hour.
    id: String,
    /// The name of its folder.
    name: String,
    /// Messages in it.
    messages: u64,
    /// Sealed segments that they are from.
    segments: u64,
    /// SHA-256 of its manifest: a copy of this value proves later that a package is this one.
    manifest: String,
    /// Messages that could not be read, and why; the package also lists them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unread: Vec<String>,
}

/// Makes an evidence package.
#[utoipa::path(post, path = "/api/v1/package", request_body = PackageRequest, responses(
    (status = 200, body = PackageAnswer), (status = 400, body = crate::error::ErrorAnswer),
    (status = 403, body = crate::error::ErrorAnswer)))]
pub(crate) async fn make(
    Shared(state): Shared<Arc<State>>,
    user: User,
    Asked(asked): Asked<PackageRequest>,
) -> Result<Json<PackageAnswer>, ApiError> {
    let (query, search) = searching::prepare(&asked.query, Operator::And, &asked.time)?;
    if !query.written_pipes().is_empty() {
        let text = "an evidence package has messages as they were received: leave out what stands behind |";
        return Err(ApiError::bad_request(text));
    }
    let scope = state.scope(&user, asked.logspace.as_deref(), Right::Export)?;
    for member in scope.members.iter().filter(|member| member.boundary.is_some()) {
        if !state.may(&user, &member.base, Right::Search)? {
            let base = &member.base;
            let text = format!(
                "a package proves its messages by the chain of logspace {base}, which {} may not search",
                user.name
            );
            return Err(state.refuse(&user, base, Right::Search, text));
        }
    }
    let rights = rights(&scope);
    let question = question(&user, &asked, &search);
    let query = within(&question, &query)?;
    let details = json!({"from_us": question.from_us, "to_us": question.to_us, "package": true});
    state.note(&user, "export", &scope, &question.text, details).await?;
    scope.started().await?;
    let slot = state.export_slot(&user)?;
    let cancelled = Arc::new(AtomicBool::new(false));
    let _gone = CancelOnDrop(cancelled.clone());
    let cancel = searching::long_running_token(TIME_MAX, cancelled);
    let parts = scope.members.iter().map(|member| part(&scope, member, &user, &query));
    let parts =
        parts.collect::<Result<Vec<_>, _>>().map_err(|error| ApiError::internal(error.to_string()))?;
    let folder = tempfile::Builder::new().prefix("package-").tempdir_in(state.backend().scratch());
    let folder =
        folder.map_err(|error| ApiError::internal(format!("there is no room for a package: {error}")))?;
    let package = Package {
        id: token()?,
        user: user.name.clone(),
        rights: rights.clone(),
        name: name(&scope, question.at_us),
        folder,
    };
    let text = question.text.clone();
    let access = Access::new(state.clone(), user, rights);
    let (user, made) = while_granted(access, made(package, question, parts, cancel)).await?;
    drop(slot);
    let (package, exported) = made;
    let details = json!({"messages": exported.messages, "manifest": exported.manifest.to_string()});
    state.note(&user, "exported", &scope, &text, details).await?;
    let answer = PackageAnswer {
        id: package.id.clone(),
        name: package.name.clone(),
        messages: exported.messages,
        segments: exported.segments,
        manifest: exported.manifest.to_string(),
        unread: unread(&scope, &exported),
    };
    let (id, keeper) = (package.id.clone(), state.clone());
    state.packages().keep(package);
    tokio::spawn(async move {
        tokio::time::sleep(KEPT).await;
        keeper.packages().forget(&id);
    });
    Ok(Json(answer))
}

/// The rights that a package of a logspace needs: to its messages, and to the chains that prove them.
fn rights(scope: &Scope) -> Vec<(String, Right)> {
    let own = [Right::Search, Right::Export].map(|right| (scope.name.clone(), right));
    let behind_views = scope.members.iter().filter(|member| member.boundary.is_some());
    own.into_iter().chain(behind_views.map(|member| (member.base.clone(), Right::Search))).collect()
}

/// Returns the outcome of some work, and the user for whom it was done; fails when the user lost the right to it
/// meanwhile.
async fn while_granted<T>(
    access: Access,
    work: impl Future<Output = Result<T, ApiError>>,
) -> Result<(User, T), ApiError> {
    let mut watched = access.watched();
    let done = tokio::select! {
        biased;
        () = watched.lost() => return Err(lost()),
        done = work => done?,
    };
    Ok((watched.into_user(), done))
}

fn lost() -> ApiError {
    ApiError::forbidden("you may not export from there any more")
}

/// Returns the question as the manifest states it. The manifest's range is of received times, so a range of
/// the sender's clock becomes part of the text.
fn question(user: &User, asked: &PackageRequest, search: &Search) -> Question {
    let at_us = jiff::Timestamp::now().as_microsecond();
    let by_event =
        asked.time.clock == ClockName::Event && (search.from_us.is_some() || search.to_us.is_some());
    let (text, asked_by) = (asked.query.trim().to_owned(), user.name.clone());
    if !by_event {
        return Question { view: None, text, from_us: search.from_us, to_us: search.to_us, asked_by, at_us };
    }
    let time = |us: Option<i64>| match us.map(jiff::Timestamp::from_microsecond) {
        Some(Ok(time)) => time.to_string(),
        _ => "*".to_owned(),
    };
    let range = format!("@event:[{} TO {}}}", time(search.from_us), time(search.to_us));
    let text = if text.is_empty() { range } else { format!("({text}) AND {range}") };
    Question { view: None, text, from_us: None, to_us: None, asked_by, at_us }
}

/// The query of the question's text.
fn within(question: &Question, query: &Query) -> Result<Query, ApiError> {
    if question.text == query.text().trim() {
        return Ok(query.clone());
    }
    Ok(Query::parse(&question.text, &searching::options(Operator::And))?)
}

fn part(
    scope: &Scope,
    member: &ScopeMember,
    user: &User,
    query: &Query,
) -> Result<PackagePart<'static>, evidence::KeyError> {
    let is_itself = scope.is_plain() && scope.name == member.base;
    let view = (!is_itself).then(|| View {
        name: scope.name.clone(),
        logspace: member.base.clone(),
        filter: member.boundary.as_ref().map(|boundary| boundary.written().to_vec()),
    });
    let unlocked = user.keyring.get(&member.base).map(AsRef::as_ref);
    let wanted = Box::new(::query::matching(query, member.boundary.clone()));
    member.logspace.part(&member.base, view, unlocked, wanted)
}

/// `evidence-LOGSPACE-20261121T101500Z`, with nothing in it that a file's name cannot have.
fn name(scope: &Scope, at_us: i64) -> String {
    let plain = |char: char| if char.is_ascii_alphanumeric() || "-_".contains(char) { char } else { '_' };
    let at = jiff::Timestamp::from_microsecond(at_us).unwrap_or_default();
    let logspace: String = scope.name.chars().map(plain).collect();
    format!("evidence-{logspace}-{}", at.strftime("%Y%m%dT%H%M%SZ"))
}

/// Makes it on a thread of its own: it may take long, and no search waits for its turn meanwhile.
async fn made(
    package: Package,
    question: Question,
    parts: Vec<PackagePart<'static>>,
    cancel: CancelToken,
) -> Result<(Package, Exported), ApiError> {
    let (done, made) = tokio::sync::oneshot::channel();
    let work = move || {
        let exported = export_package(&package.path(), &question, parts, &cancel);
        // The caller no longer waits: the folder is removed with it.
        let _ = done.send(exported.map(|exported| (package, exported)));
    };
    workers::spawn("package", NICE_OF_EXPORTS, work)
        .map_err(|_| ApiError::internal("there is no thread to work on"))?;
    let made = made.await.map_err(|_| ApiError::internal("the package ended by a bug"))?;
    made.map_err(|error| match error {
        ExportError::NoEvidence => ApiError::bad_request(
            "nothing was sealed yet, and only sealed messages can be proved: `duramen logspace seal` closes the active segment",
        ),
        ExportError::Io(error) => ApiError::internal(format!("the package cannot be written: {error}")),
        ExportError::Read(ReadError::Stopped(_)) => {
            let text = "it took more than an hour: ask for a shorter time range";
            ApiError::new(StatusCode::GATEWAY_TIMEOUT, ErrorCode::Timeout, text)
        }
        error => ApiError::internal(error.to_string()),
    })
}

/// Describes unread messages; if messages are hidden, their numbers are hidden too.
fn unread(scope: &Scope, exported: &Exported) -> Vec<String> {
    let say = |(range, why): &(std::ops::Range<u64>, String)| match scope.is_plain() {
        true => format!("messages {} to {}: {why}", range.start, range.end.saturating_sub(1)),
        false => format!("a segment: {why}"),
    };
    exported.unread.iter().map(say).collect()
}

/// The package to download.
#[derive(Deserialize, IntoParams)]
pub(crate) struct PackageParameters {
    /// Identifier from the answer that made the package.
    id: String,
}

/// Downloads a package: a tar archive of its folder.
#[utoipa::path(get, path = "/api/v1/package", params(PackageParameters), responses(
    (status = 200, content_type = "application/x-tar", body = String),
    (status = 404, body = crate::error::ErrorAnswer)))]
pub(crate) async fn take(
    Shared(state): Shared<Arc<State>>,
    user: User,
    Parameters(asked): Parameters<PackageParameters>,
) -> Result<Response, ApiError> {
    let found = state.packages().find(&asked.id, &user.name);
    let package =
        found.ok_or_else(|| ApiError::not_found("there is no such package any more: make it again"))?;
    let slot = state.export_slot(&user)?;
    let access = Access::new(state.clone(), user, package.rights.clone());
    if !access.is_granted() {
        return Err(lost());
    }
    let (client, pieces) = transfer::<io::Error>();
    let headers = headers(&package.name);
    let work = move || {
        let written = package.write(Pieces { client: &client, piece: Vec::with_capacity(PIECE_BYTES) });
        if let Err(error) = written {
            // The transfer is cut; a client that went away needs no reason.
            let _ = client.send(Err(error));
        }
        drop((slot, client));
    };
    workers::spawn("package", NICE_OF_EXPORTS, work)
        .map_err(|_| ApiError::internal("there is no thread to send on"))?;
    Ok((StatusCode::OK, headers, pieces.into_body(None, access, ())).into_response())
}

fn headers(name: &str) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/x-tar"));
    if let Ok(value) = HeaderValue::from_str(&format!("attachment; filename=\"{name}.tar\"")) {
        headers.insert(header::CONTENT_DISPOSITION, value);
    }
    headers
}

/// Hands bytes on to a response, a piece at a time.
struct Pieces<'a> {
    client: &'a Client<io::Error>,
    piece: Vec<u8>,
}

impl Write for Pieces<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.piece.extend_from_slice(bytes);
        if self.piece.len() >= PIECE_BYTES {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let full = std::mem::replace(&mut self.piece, Vec::with_capacity(PIECE_BYTES));
        self.client.send(Ok(full.into())).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

#[cfg(test)]
mod tests {
    //! Messages that a package lacks.

    use super::*;

    #[test]
    fn numbers_are_said_only_where_they_may_be_known() {
        let exported = || Exported {
            messages: 1,
            segments: 1,
            unread: vec![(3..7, "locked".to_owned())],
            manifest: evidence::Digest::default(),
        };
        let scope = Scope { name: "x".into(), kind: crate::ScopeKind::Multiple, members: Vec::new() };
        assert_eq!(unread(&scope, &exported()), ["a segment: locked"]);
        let folder = tempfile::tempdir().unwrap();
        let logspace = crate::tests::scopes::open(folder.path(), "all", Vec::new());
        assert_eq!(unread(&Scope::local("all", logspace), &exported()), ["messages 3 to 6: locked"]);
    }
}
