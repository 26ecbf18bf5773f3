//! The statuses of gRPC.
//!
//! In: names. Out: numbers. Holds: nothing. Limits: none.

/// A status by its number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GrpcStatus(pub u32);

/// The names by number.
const NAMES: [&str; 17] = [
    "OK",
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
];

impl GrpcStatus {
    /// Returns the status of a name, in capital or small letters, with `_` or `-`.
    pub fn from_name(name: &str) -> Option<GrpcStatus> {
        let name = name.to_ascii_uppercase().replace('-', "_");
        let number = NAMES.iter().position(|known| *known == name)?;
        u32::try_from(number).ok().map(GrpcStatus)
    }

    pub(super) fn name(self) -> String {
        let known = usize::try_from(self.0).ok().and_then(|number| NAMES.get(number));
        known.map_or_else(|| self.0.to_string(), |name| (*name).to_owned())
    }
}
