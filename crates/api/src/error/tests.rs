//! The codes and the page that lists them.

use super::{
    ErrorCode::{self, *},
    *,
};
use std::{collections::BTreeSet, fs, path::Path};

/// Returns the code after another; the compiler ensures that none is left out here.
fn next(code: ErrorCode) -> Option<ErrorCode> {
    Some(match code {
        Unauthorized => CodeNeeded,
        CodeNeeded => WrongCode,
        WrongCode => WrongPassword,
        WrongPassword => Forbidden,
        Forbidden => TooManyAttempts,
        TooManyAttempts => NotFound,
        NotFound => BadRequest,
        BadRequest => QuerySyntax,
        QuerySyntax => Timeout,
        Timeout => TooLarge,
        TooLarge => Starting,
        Starting => OverBudget,
        OverBudget => Busy,
        Busy => Conflict,
        Conflict => Changed,
        Changed => ConditionNeeded,
        ConditionNeeded => NoSpace,
        NoSpace => ObjectsUnavailable,
        ObjectsUnavailable => Internal,
        Internal => return None,
    })
}

#[test]
fn waits_are_rounded_up_to_seconds() {
    let header = |error: ApiError| {
        let response = error.into_response();
        let wait =
            response.headers().get(header::RETRY_AFTER).map(|value| value.to_str().unwrap().to_owned());
        (response.status().as_u16(), wait)
    };
    let wait = Some("3".to_owned());
    assert_eq!(header(ApiError::busy("x", Duration::from_millis(2_500))), (503, wait.clone()));
    assert_eq!(header(ApiError::starting(Duration::from_secs(2))), (503, wait.clone()));
    assert_eq!(header(ApiError::too_many_attempts(Duration::from_secs(2))), (429, wait));
    assert_eq!(header(ApiError::busy("x", Duration::ZERO)), (503, Some("1".to_owned())));
    assert_eq!(header(ApiError::forbidden("x")), (403, None));
    let text = ApiError::too_many_attempts(Duration::from_millis(1_999)).to_string();
    assert_eq!(text, "too many failed attempts; try again in 2 s");
    assert_eq!(ApiError::internal("why").status(), StatusCode::INTERNAL_SERVER_ERROR);
}

#[test]
fn the_manual_lists_every_code_and_no_other() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/manual/http-api.md");
    let page = fs::read_to_string(page).unwrap();
    let start = page.find("\nCodes: ").unwrap();
    let list = page[start..].split_once(".\n").unwrap().0;
    let is_code = |word: &&str| word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    let listed: BTreeSet<&str> = list.split('`').skip(1).step_by(2).filter(is_code).collect();
    let known = std::iter::successors(Some(Unauthorized), |code| next(*code));
    let known: Vec<String> = known.map(|code| serde_json::to_string(&code).unwrap()).collect();
    let known: BTreeSet<&str> = known.iter().map(|code| code.trim_matches('"')).collect();
    assert_eq!(known, listed);
}
