//! The names of the pairs that records become.
//!
//! In: the kind of source. Out: names. Holds: nothing. Limits: none.

/// How the pairs of OpenTelemetry's records are named.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum OtlpNames {
    /// Attributes have their own names, those of resources and scopes after `resource.` and `scope.`.
    #[default]
    Plain,
    /// As syslog-ng's parser `opentelemetry()` names them: `.otel.log.body`, `.otel.log.attributes.NAME`.
    Dotted,
}

/// The names of one kind.
pub(in crate::shipped) struct NameSet {
    pub(in crate::shipped) resource: &'static [u8],
    pub(in crate::shipped) scope: &'static [u8],
    pub(in crate::shipped) scope_name: &'static [u8],
    pub(in crate::shipped) scope_version: &'static [u8],
    pub(in crate::shipped) attributes: &'static [u8],
    pub(in crate::shipped) severity_number: &'static [u8],
    pub(in crate::shipped) severity_text: &'static [u8],
    pub(in crate::shipped) trace_id: &'static [u8],
    pub(in crate::shipped) span_id: &'static [u8],
    pub(in crate::shipped) event_name: &'static [u8],
}

const PLAIN: NameSet = NameSet {
    resource: b"resource.",
    scope: b"scope.",
    scope_name: b"scope.name",
    scope_version: b"scope.version",
    attributes: b"",
    severity_number: b"severity_number",
    severity_text: b"severity_text",
    trace_id: b"trace_id",
    span_id: b"span_id",
    event_name: b"event_name",
};

const DOTTED: NameSet = NameSet {
    resource: b".otel.resource.attributes.",
    scope: b".otel.scope.attributes.",
    scope_name: b".otel.scope.name",
    scope_version: b".otel.scope.version",
    attributes: b".otel.log.attributes.",
    severity_number: b".otel.log.severity_number",
    severity_text: b".otel.log.severity_text",
    trace_id: b".otel.log.trace_id",
    span_id: b".otel.log.span_id",
    event_name: b".otel.log.event_name",
};

impl OtlpNames {
    pub(in crate::shipped) fn set(self) -> &'static NameSet {
        match self {
            OtlpNames::Plain => &PLAIN,
            OtlpNames::Dotted => &DOTTED,
        }
    }
}
