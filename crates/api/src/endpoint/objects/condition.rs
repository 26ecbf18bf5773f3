//! `If-Match` and `ETag` (RFC 9110, sections 8.8.3 and 13.1.1).
//!
//! In: headers. Out: the revision that the caller has seen. A change without the header is refused (RFC 6585, section 3), so
//! that nobody overwrites by accident what they have not seen.

use crate::error::{ApiError, ErrorCode};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use objects::{Expected, Object, ObjectId, Target};

/// Returns the object of a change and the revision that the caller has seen.
pub(super) fn target(id: &str, headers: &HeaderMap) -> Result<Target, ApiError> {
    let Some(value) = headers.get(header::IF_MATCH) else {
        let text = "send the header If-Match with the ETag of the object as you have seen it; * for any";
        return Err(ApiError::new(StatusCode::PRECONDITION_REQUIRED, ErrorCode::ConditionNeeded, text));
    };
    let text = value.to_str().unwrap_or_default().trim();
    let number = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    let expected = match (text, number.map(str::parse)) {
        ("*", _) => Expected::Any,
        (_, Some(Ok(revision))) => Expected::Revision(revision),
        _ => return Err(ApiError::bad_request("If-Match takes one ETag of this object, or *")),
    };
    Ok(Target { id: self::id(id)?, expected })
}

/// Returns the id of a path; one that cannot be is that of no object.
pub(super) fn id(text: &str) -> Result<ObjectId, ApiError> {
    text.parse().map_err(|_| ApiError::not_found("there is no such object"))
}

/// Returns the header with the state of an object.
pub(super) fn etag(object: &Object) -> [(HeaderName, HeaderValue); 1] {
    let value = HeaderValue::from_str(&object.etag()).unwrap_or(HeaderValue::from_static("\"\""));
    [(header::ETAG, value)]
}
