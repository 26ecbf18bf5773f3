//! `/export`: everything that a query finds, as a file of any size.
//!
//! In: a query, a time range, a format. Out: rows as they are read, newest first; the server holds a few pieces.
//! A failure on the way, or a user who may no longer export, cuts the transfer, so that no client takes part of a
//! file for all of it. Locked or damaged messages that could not be read are in a report, available when the file
//! has ended.
//! Limits: [`TIME_MAX`]; the number of exports at once, and of one user; a client that reads nothing for
//! [`crate::search::answer::STALLED`] is cut off.

use crate::{
    access::{accounts::Right, sessions::User},
    error::ApiError,
    json::{
        ids::Ids,
        rows,
        types::{ClockName, ExportReport, Operator, TimeRange},
    },
    request::extract::Parameters,
    scope::Scope,
    search::{
        searching::{self, CancelOnDrop},
        transfer::{Client, access::Access, transfer},
    },
    state::{
        State,
        workers::{self, NICE_OF_EXPORTS},
    },
};
use axum::{
    Json,
    body::Bytes,
    extract::State as Shared,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use lookup::Document;
use query::{Name, Outcome, Query, Search, SearchError, SearchScope};
use serde::Deserialize;
use std::{
    borrow::Cow,
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};
use utoipa::{IntoParams, ToSchema};

/// Longest time of an export: six hours.
const TIME_MAX: Duration = Duration::from_secs(21_600);
/// Bytes of a piece.
const PIECE_BYTES: usize = 256 << 10;
/// Columns of a table of messages when the query names none.
const COLUMNS: [&str; 9] =
    ["@received", "@event", "facility", "severity", "host", "program", "pid", "msgid", "message"];

/// The format of an exported file.
#[derive(Deserialize, ToSchema, Clone, Copy, PartialEq, Eq, Debug, Default)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ExportFormat {
    /// One JSON object a line.
    #[default]
    Ndjson,
    /// RFC 4180, with a line of names; cells as they were logged.
    Csv,
    /// The same for spreadsheets: cells that one would take for a formula begin with `'`.
    CsvSafe,
    /// The frames as received, a line each.
    Raw,
}

/// The parameters of an export.
#[derive(Deserialize, IntoParams)]
pub(crate) struct ExportParameters {
    /// Name; may be left out when there is one.
    logspace: Option<String>,
    /// Lucene syntax, and pipes; empty exports all.
    #[serde(default)]
    query: String,
    /// Default operator between words.
    #[serde(default)]
    #[param(inline)]
    default_operator: Operator,
    /// `received` (the default) or `event`.
    #[serde(default)]
    #[param(inline)]
    clock: ClockName,
    /// ISO 8601, seconds since 1970, `now`, `now-15m`; left out: no limit.
    from: Option<String>,
    /// The same; the end itself is not part of the range.
    to: Option<String>,
    /// Format of the file.
    #[serde(default)]
    #[param(inline)]
    format: ExportFormat,
}

/// Sends everything that a query finds.
#[utoipa::path(get, path = "/api/v1/export", params(ExportParameters), responses(
    (status = 200, content_type = "application/x-ndjson", body = String),
    (status = 400, body = crate::error::ErrorAnswer)))]
pub(crate) async fn export(
    Shared(state): Shared<Arc<State>>,
    user: User,
    Parameters(asked): Parameters<ExportParameters>,
) -> Result<Response, ApiError> {
    let time = TimeRange { clock: asked.clock, from: asked.from, to: asked.to };
    let (query, mut search) = searching::prepare(&asked.query, asked.default_operator, &time)?;
    if asked.format == ExportFormat::Raw && query.columns().is_some() {
        return Err(ApiError::bad_request("raw needs messages, and the query's pipes make a table: use csv"));
    }
    let scope = state.scope(&user, asked.logspace.as_deref(), Right::Export)?;
    searching::check_pipes(&query, &scope)?;
    let details = serde_json::json!({"from_us": search.from_us, "to_us": search.to_us});
    state.note(&user, "export", &scope, &asked.query, details).await?;
    scope.started().await?;
    let slot = state.export_slot(&user)?;
    let cancelled = Arc::new(AtomicBool::new(false));
    let gone = CancelOnDrop(cancelled.clone());
    let limit = TIME_MAX;
    search.cancel = searching::long_running_token(limit, cancelled);
    search.memory = state.memory().budget(&search.cancel);
    let (client, mut pieces) = transfer::<SearchError>();
    let format = asked.format;
    let id = super::session::token()?;
    state.reports().begin(&id, &user.name);
    let rights = [Right::Search, Right::Export].map(|right| (scope.name.clone(), right));
    let work = Export { space: scope.space(&user.keyring), scope, query, search, format };
    let access = Access::new(state.clone(), user, rights.to_vec());
    let (report_id, shared) = (id.clone(), state.clone());
    let export = move || {
        let report = work.write(shared.ids(), &client);
        shared.reports().end(&report_id, report);
        drop((slot, client));
    };
    workers::spawn("export", NICE_OF_EXPORTS, export)
        .map_err(|_| ApiError::internal("there is no thread to export on"))?;
    // The first piece shows whether there will be a file at all.
    let first = match pieces.first().await {
        None => None,
        Some(Ok(piece)) => Some(piece),
        Some(Err(error)) => return Err(rows::search_error(&error, limit)),
    };
    Ok((StatusCode::OK, headers(format, &id), pieces.into_body(first, access, gone)).into_response())
}

/// The export to report on.
#[derive(Deserialize, IntoParams)]
pub(crate) struct ReportParameters {
    /// Identifier of the export, from the header `X-Export-Report` of its answer.
    id: String,
}

/// Reports the outcome of an export, once it has ended.
#[utoipa::path(get, path = "/api/v1/export/report", params(ReportParameters), responses(
    (status = 200, body = ExportReport), (status = 404, body = crate::error::ErrorAnswer)))]
pub(crate) async fn report(
    Shared(state): Shared<Arc<State>>,
    user: User,
    Parameters(asked): Parameters<ReportParameters>,
) -> Result<Json<ExportReport>, ApiError> {
    match state.reports().find(&asked.id, &user.name) {
        Some(Some(report)) => Ok(Json(report)),
        Some(None) => Err(ApiError::not_found("the export has not ended yet")),
        None => Err(ApiError::not_found("there is no report of such an export any more")),
    }
}

/// Names the report of an export.
const REPORT_HEADER: &str = "x-export-report";

fn headers(format: ExportFormat, report: &str) -> HeaderMap {
    let (kind, file) = match format {
        ExportFormat::Ndjson => ("application/x-ndjson", "attachment; filename=\"messages.ndjson\""),
        ExportFormat::Csv | ExportFormat::CsvSafe => {
            ("text/csv; charset=utf-8", "attachment; filename=\"messages.csv\"")
        }
        ExportFormat::Raw => ("application/octet-stream", "attachment; filename=\"messages.log\""),
    };
    let mut headers = HeaderMap::new();
    if let Ok(report) = HeaderValue::from_str(report) {
        headers.insert(REPORT_HEADER, report);
    }
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(header::CONTENT_DISPOSITION, HeaderValue::from_static(file));
    headers
}

/// A checked request for an export.
struct Export {
    scope: Arc<Scope>,
    space: SearchScope,
    query: Query,
    search: Search,
    format: ExportFormat,
}

impl Export {
    /// Writes all rows to the channel, an error as its last piece; returns the outcome.
    fn write(&self, ids: &Ids, client: &Client<SearchError>) -> ExportReport {
        let plain: Vec<Name> = COLUMNS.iter().map(|name| Name::of(name)).collect();
        let columns = self.query.columns();
        let mut piece = Vec::with_capacity(PIECE_BYTES);
        if matches!(self.format, ExportFormat::Csv | ExportFormat::CsvSafe) {
            let names = columns.unwrap_or(&plain).iter().map(|name| name.shown().as_bytes());
            csv_line(names, &mut piece);
        }
        let mut gone = false;
        let mut sink = |row: Document| {
            match self.format {
                ExportFormat::Raw => {
                    piece.extend_from_slice(&row.raw);
                    piece.push(b'\n');
                }
                ExportFormat::Csv | ExportFormat::CsvSafe => {
                    let cells = columns.unwrap_or(&plain).iter().map(|name| name.value(&row));
                    let cells: Vec<Vec<u8>> =
                        cells.map(|cell| cell.map(|(value, _)| value).unwrap_or_default()).collect();
                    let cells = cells.iter().map(|cell| match self.format {
                        ExportFormat::CsvSafe => spreadsheet_cell(cell),
                        _ => Cow::Borrowed(cell.as_slice()),
                    });
                    let cells: Vec<Cow<'_, [u8]>> = cells.collect();
                    csv_line(cells.iter().map(AsRef::as_ref), &mut piece);
                }
                ExportFormat::Ndjson => json_line(ids, &self.scope, &row, columns, &mut piece),
            }
            if piece.len() < PIECE_BYTES {
                return true;
            }
            let full = std::mem::replace(&mut piece, Vec::with_capacity(PIECE_BYTES));
            gone = client.send(Ok(full.into())).is_err();
            !gone
        };
        let outcome = query::stream(&self.space, &self.query, &self.search, &mut sink);
        let mut report = self.report(&outcome);
        if gone && report.complete {
            report.complete = false;
            report.error = Some("the client went away, or took nothing for too long".to_owned());
        }
        let last = outcome.map(|_| Bytes::from(piece));
        // A client that went away needs no last piece.
        let _ = client.send(last);
        report
    }

    fn report(&self, outcome: &Result<Outcome, SearchError>) -> ExportReport {
        match outcome {
            Ok(outcome) => ExportReport {
                complete: true,
                messages: outcome.matched,
                notes: outcome.notes.clone(),
                unread: outcome.unread.iter().map(|unread| rows::unread(&self.scope, unread)).collect(),
                error: None,
            },
            Err(error) => ExportReport { error: Some(error.to_string()), ..ExportReport::default() },
        }
    }
}

/// A cell that a spreadsheet takes for text: one that begins like a formula has a `'` in front (OWASP, CSV injection).
fn spreadsheet_cell(cell: &[u8]) -> Cow<'_, [u8]> {
    match cell.first() {
        Some(b'=' | b'+' | b'-' | b'@' | b'\t' | b'\r') => Cow::Owned([b"'", cell].concat()),
        _ => Cow::Borrowed(cell),
    }
}

/// A line of RFC 4180.
fn csv_line<'a>(cells: impl Iterator<Item = &'a [u8]>, out: &mut Vec<u8>) {
    for (index, cell) in cells.enumerate() {
        if index > 0 {
            out.push(b',');
        }
        if cell.iter().any(|byte| matches!(byte, b',' | b'"' | b'\r' | b'\n')) {
            out.push(b'"');
            for byte in cell {
                if *byte == b'"' {
                    out.push(b'"');
                }
                out.push(*byte);
            }
            out.push(b'"');
        } else {
            out.extend_from_slice(cell);
        }
    }
    out.extend_from_slice(b"\r\n");
}

fn json_line(ids: &Ids, scope: &Scope, row: &Document, columns: Option<&[Name]>, out: &mut Vec<u8>) {
    // Rows have no maps with keys that are not text and writing to memory cannot fail.
    let _ = match columns {
        None => serde_json::to_writer(&mut *out, &rows::row(ids, scope, row, &[])),
        Some(columns) => {
            let names = columns.iter().map(|name| name.shown().to_owned());
            let object: serde_json::Map<_, _> = names.zip(rows::cells(row, columns)).collect();
            serde_json::to_writer(&mut *out, &object)
        }
    };
    out.push(b'\n');
}

#[cfg(test)]
mod tests {
    //! Rows for lines of a file.

    use super::*;

    #[test]
    fn cells_are_quoted_when_they_must_be() {
        let mut out = Vec::new();
        csv_line([&b"plain"[..], b"a,b", b"say \"hi\"", b"two\nlines", b""].into_iter(), &mut out);
        assert_eq!(out, b"plain,\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\",\r\n");
    }

    #[test]
    fn csv_safe_cells_are_no_formulas() {
        let rows: [(&[u8], &[u8]); 9] = [
            (b"=1+1", b"'=1+1"),
            (b"+1", b"'+1"),
            (b"-2", b"'-2"),
            (b"@SUM(A1)", b"'@SUM(A1)"),
            (b"\tx", b"'\tx"),
            (b"\rx", b"'\rx"),
            (b"a=1", b"a=1"),
            (b"'", b"'"),
            (b"", b""),
        ];
        for (cell, want) in rows {
            assert_eq!(spreadsheet_cell(cell).as_ref(), want);
        }
    }

    #[test]
    fn objects_have_the_columns() {
        let row = Document { host: b"gw1".to_vec(), ..Document::default() };
        let columns = [Name::of("host"), Name::of("nothing")];
        let folder = tempfile::tempdir().unwrap();
        let ids = Ids::load_or_draw(&folder.path().join("key")).unwrap();
        let scope = Scope { name: "x".into(), kind: crate::ScopeKind::Multiple, members: Vec::new() };
        let mut out = Vec::new();
        json_line(&ids, &scope, &row, Some(&columns), &mut out);
        assert_eq!(out, b"{\"host\":\"gw1\",\"nothing\":null}\n");
    }
}
