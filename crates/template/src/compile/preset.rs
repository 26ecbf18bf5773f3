//! Functions that are written as templates: `format-gelf`, `format-cim`, `format-ewmm`.
//!
//! In: a name. Out: the text of its template. Holds the table. Limits: none.

/// Each name with its template. A configuration may define others of the same names.
const PRESETS: [(&str, &str); 3] = [
    (
        // GELF 1.1; values whose names start with a dot or an underscore are additional fields.
        "format-gelf",
        "$(format-json version='1.1' host='${HOST}' short_message='${MESSAGE}' level=int(${SEVERITY_NUM}) \
         timestamp=int64(${R_UNIXTIME}) _program='${PROGRAM}' _pid=int(${PID:-0}) _facility='${FACILITY}' \
         _class='${.classifier.class}' --key .* --key _*)$(binary 0)",
    ),
    (
        // Splunk's common information model: members of .cim. move to the top.
        "format-cim",
        "$(format-json --pair @timestamp='${R_ISODATE}' --pair @message='${MESSAGE}' --key .cim.* --shift 5 \
         --key _* --key .* --replace-prefix .=_ --key *.*)\n",
    ),
    (
        // A whole message with all values, between two servers that support this form.
        "format-ewmm",
        "<$PRI>1 $ISODATE $LOGHOST @syslog-ng - - ${SDATA:--} $(format-json --leave-initial-dot \
         --scope all-nv-pairs --exclude 0* --exclude 1* --exclude 2* --exclude 3* --exclude 4* --exclude 5* \
         --exclude 6* --exclude 7* --exclude 8* --exclude 9* --exclude SOURCE --exclude .SDATA.* \
         ._TAGS=${TAGS})\n",
    ),
];

/// Returns the template of a function.
pub(super) fn text(function: &str) -> Option<&'static str> {
    PRESETS.iter().find(|(name, _)| *name == function).map(|(_, text)| *text)
}

/// Returns all names.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    PRESETS.iter().map(|(name, _)| *name)
}
