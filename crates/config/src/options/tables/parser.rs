//! The table of parsers.
//!
//! In: nothing. Out: rows.

mod lookups;
mod pods;

use super::brokers::{PYTHON_CALLS, PYTHON_CLASS};
use super::shared::{INTERNAL, ON_ERROR, SOURCE_FLAGS};
use crate::options::row::{Driver, Plain, Row, ValueKind as V, driver, row};

pub(crate) const DRIVERS: &[Driver] = &[
    driver("map-value-pairs", Plain::None, &[super::shared::PAIRS], "gives values other names"),
    driver("kv-parser", Plain::None, &[KV, PREFIX, INPUT], "reads pairs such as key=value"),
    driver("csv-parser", Plain::None, &[CSV, PREFIX, INPUT], "reads columns between delimiters"),
    driver("db-parser", Plain::None, &[DATABASE, INJECT], "classifies messages by a pattern database"),
    driver(
        "grouping-by",
        Plain::None,
        &[GROUP, GROUPING, INJECT],
        "makes one message of those with equal keys",
    )
    .required(&["key", "timeout", "aggregate"]),
    driver(
        "group-lines",
        Plain::None,
        &[LINES, GROUP, INPUT, INJECT],
        "joins messages that are lines of one",
    )
    .required(&["key", "timeout"]),
    driver(
        "grok",
        Plain::None,
        &[GROK, PREFIX, INPUT],
        "reads values by named patterns such as %{IP:client}",
    )
    .required(&["match"]),
    driver("json-parser", Plain::None, &[JSON, PREFIX, INPUT], "reads the members of a JSON object"),
    driver("xml", Plain::None, &[XML, DOT_XML, INPUT], "reads the elements of XML").aliases(&["xml-parser"]),
    driver(
        "windows-eventlog-xml-parser",
        Plain::None,
        &[XML, DOT_EVENTLOG, INPUT],
        "reads events of Windows",
    ),
    driver(
        "regexp-parser",
        Plain::None,
        &[REGEXP, PREFIX, INPUT],
        "reads the groups of the first pattern that matches",
    )
    .required(&["patterns"]),
    driver("linux-audit-parser", Plain::None, &[PREFIX, INPUT], "reads records of the audit system of Linux"),
    driver(
        "snmptrapd-parser",
        Plain::None,
        &[TRAP, INPUT],
        "reads the traps that snmptrapd of Net-SNMP wrote to its log",
    ),
    driver("sdata-parser", Plain::None, &[DOT_SDATA, INPUT], "reads structured data of RFC 5424"),
    driver("tags-parser", Plain::None, &[INPUT], "reads a list of tags"),
    driver("date-parser", Plain::None, &[DATE, INPUT], "reads a time"),
    driver("cee", Plain::None, &[DOT_CEE, INPUT], "reads the JSON behind @cee:"),
    driver("cef-parser", Plain::None, &[DOT_CEF, HEADER_INPUT], "reads the event format of ArcSight"),
    driver("leef-parser", Plain::None, &[DOT_LEEF, HEADER_INPUT], "reads the event format of QRadar"),
    driver(
        "add-contextual-data",
        Plain::None,
        &[CONTEXT, lookups::LOOKUP, PREFIX],
        "adds values that a table or a server has",
    )
    .required(&["selector", "database"]),
    driver(
        "kubernetes-metadata-parser",
        Plain::None,
        &[pods::PODS],
        "adds the names and the metadata of the pod that a file is of",
    ),
    driver(
        "geoip2",
        Plain::Optional("template", V::Template),
        &[GEOIP, INPUT],
        "adds what a database knows of an address",
    )
    .required(&["database"]),
    driver("metrics-probe", Plain::None, &[PROBE], "counts messages by values that they have"),
    driver("syslog-parser", Plain::None, &[SYSLOG, INPUT], "reads the text as a syslog message"),
    driver(
        "python",
        Plain::None,
        &[PYTHON_CLASS, PYTHON_CALLS, PYTHON_PARSER],
        "a class in Python, in a process of its own, that reads and changes messages",
    )
    .required(&["class"]),
];

const PYTHON_PARSER: &[Row] = &[
    row("persist-name", V::Text, "", "its name for values that are kept, persist_name of the class"),
    INTERNAL,
];

/// The option that names a parser's input.
const INPUT: &[Row] = &[row("template", V::Template, "${MESSAGE}", "the text that is read"), INTERNAL];

const PREFIX: &[Row] = &[row("prefix", V::Text, "", "put before the names of all values")];

const KV: &[Row] = &[
    row("value-separator", V::Text, "=", "the character between a key and its value"),
    row("pair-separator", V::Text, "\", \"", "separator between pairs, besides blanks"),
    row("extract-stray-words-into", V::Text, "", "value for the words that belong to no pair"),
    row("allow-pair-separator-in-value", V::YesNo, "yes", "values without quotes extend to the next key")
        .no_effect("they always do"),
];

const CSV: &[Row] = &[
    row("columns", V::TypedTexts, "", "names of the columns; without names they are 1, 2 and so on"),
    row(
        "on-type-error",
        V::Word(ON_ERROR),
        "drop-message",
        "what happens with a column that does not fit its type",
    ),
    row("delimiters", V::TextOr(&[DELIMITERS]), "\" \"", "characters that end a column"),
    row("quotes", V::Text, "", "characters that open and close a quoted column"),
    row("quote-pairs", V::Text, "\"\"''", "opening and closing quotes in pairs"),
    row("dialect", V::Word(CSV_DIALECTS), "escape-none", "how a quote is written inside quotes"),
    row("flags", V::Words(CSV_FLAGS), "", "how columns are read"),
    row("null", V::Text, "", "a text that counts as an empty value"),
    row("drop-invalid", V::YesNo, "no", "stop messages with more or fewer columns"),
];

const DELIMITERS: &[Row] = &[
    row("chars", V::Text, "", "characters that end a column"),
    row("strings", V::Texts, "", "texts that end a column"),
];

const CSV_DIALECTS: &[&str] =
    &["escape-none", "escape-backslash", "escape-double-char", "escape-backslash-with-sequences"];

const CSV_FLAGS: &[&str] =
    &["escape-none", "escape-backslash", "escape-double-char", "strip-whitespace", "greedy", "drop-invalid"];

const JSON: &[Row] = &[
    row("marker", V::Text, "", "text that must precede the JSON"),
    row("extract-prefix", V::Text, "", "the member to read, such as name.other[0]"),
    row("key-delimiter", V::Text, ".", "the character between the names of nested members"),
];

const DOT_XML: &[Row] = &[row("prefix", V::Text, ".xml.", "put before the names of all values")];

const DOT_EVENTLOG: &[Row] = &[row("prefix", V::Text, ".eventlog.", "put before the names of all values")];

const TRAP: &[Row] = &[
    row("prefix", V::Text, ".snmp.", "put before the names of all values"),
    row(
        "set-message-macro",
        V::YesNo,
        "yes",
        "the text of the message becomes a list of its values, as name='value'",
    ),
];

const DOT_SDATA: &[Row] = &[row("prefix", V::Text, ".SDATA.", "put before the names of all values")];

const XML: &[Row] = &[
    row("strip-whitespaces", V::YesNo, "no", "leave out blanks around texts"),
    row("exclude-tags", V::Texts, "", "elements that are left out: * and ?"),
    row("create-lists", V::YesNo, "yes", "elements of one name are a list, else one text"),
    row("drop-invalid", V::YesNo, "no", "stop messages that are not XML"),
];

const REGEXP: &[Row] = &[
    row("patterns", V::Texts, "", "regular expressions, tried in order"),
    row("flags", V::Words(REGEXP_FLAGS), "", "how the patterns match"),
];

const REGEXP_FLAGS: &[&str] =
    &["ignore-case", "store-matches", "unicode", "utf8", "newline", "global", "dupnames", "disable-jit"];

const SYSLOG: &[Row] = &[
    row("flags", V::Words(SOURCE_FLAGS), "", "how the text is read"),
    row("time-zone", V::Text, "", "zone of times without one"),
    row("drop-invalid", V::YesNo, "no", "stop messages that cannot be read"),
    row("keep-timestamp", V::YesNo, "yes", "trust the time inside the text"),
    row("default-facility", V::Facility, "user", "facility of texts without one"),
    row("default-severity", V::Severity, "notice", "severity of texts without one"),
    row("default-level", V::Severity, "notice", "").renamed("default-severity"),
    row("default-priority", V::Severity, "notice", "").renamed("default-severity"),
    row("check-hostname", V::YesNo, "no", "host names hold only letters, digits and -_.:@/"),
    row(
        "sdata-prefix",
        V::Text,
        ".SDATA.",
        "put before the names of structured data; any other than the default makes them plain values",
    ),
];

const DATE: &[Row] = &[
    row("format", V::Texts, "%FT%T%z", "formats of strptime, tried in order"),
    row("time-zone", V::Text, "", "zone of times without one"),
    row("time-stamp", V::Word(&["stamp", "recvd"]), "stamp", "which time of the message is set"),
    row("flags", V::Words(&["guess-timezone"]), "", "how the zone is found"),
    row("value", V::Text, "", "value that gets the time, instead of the message"),
];

const HEADER_INPUT: &[Row] =
    &[row("template", V::Template, "${MSGHDR}${MESSAGE}", "the text that is read"), INTERNAL];

const DOT_CEE: &[Row] = &[row("prefix", V::Text, ".cee.", "put before the names of all values")];

const DOT_CEF: &[Row] = &[row("prefix", V::Text, ".cef.", "put before the names of all values")];

const DOT_LEEF: &[Row] = &[row("prefix", V::Text, ".leef.", "put before the names of all values")];

const CONTEXT: &[Row] = &[
    row(
        "database",
        V::TextOr(&[lookups::SERVERS]),
        "",
        "a file of selector,name,value, read again when it changes; or a server that is asked: http(), redis() or sql()",
    ),
    row("selector", V::TextOr(&[SELECTORS]), "", "a template whose text selects the rows"),
    row("default-selector", V::Text, "", "the selector of messages that have no rows"),
    row("ignore-case", V::YesNo, "no", "selectors in upper and lower case are the same"),
];

const SELECTORS: &[Row] = &[
    row("glob", V::Template, "", "the selectors of the table are globs for this text"),
    row(
        "filters",
        V::Text,
        "",
        "a file of filters: the name of the first one that lets the message pass is the selector",
    ),
];

const DATABASE: &[Row] = &[
    row(
        "file",
        V::Text,
        "/var/lib/syslog-ng/patterndb.xml",
        "the database, in XML; read again when it changes",
    ),
    row("prefix", V::Text, "", "put before the names of all values"),
    row(
        "program-template",
        V::Template,
        "${PROGRAM}",
        "template of the text that patterns of programs match",
    ),
    row(
        "message-template",
        V::Template,
        "${MESSAGE}",
        "template of the text that patterns of messages match",
    ),
    row("template", V::Template, "", "").renamed("message-template"),
    row("drop-unmatched", V::YesNo, "no", "stop messages that no rule matches"),
];

/// The option that says how a parser emits the messages it creates.
const INJECT: &[Row] = &[
    row(
        "inject-mode",
        V::Word(&["pass-through", "internal", "aggregate-only"]),
        "",
        "where generated messages go: on along the path (pass-through), to internal(), or along the path instead of the others \
         (aggregate-only); pass-through, but aggregate-only in group-lines()",
    ),
    row("persist-name", V::Text, "", "a name by which a reload finds the contexts of the parser again"),
];

const GROUP: &[Row] = &[
    row("key", V::Template, "", "messages with equal keys belong together"),
    row(
        "scope",
        V::Word(&["process", "program", "host", "global"]),
        "global",
        "what else must be equal: host, program, process",
    ),
    row("timeout", V::Number(1, i64::MAX), "", "seconds after the last message until a group is complete"),
];

const GROUPING: &[Row] = &[
    row("where", V::Filter, "", "only messages that pass this filter are grouped"),
    row("trigger", V::Filter, "", "a group is complete when its last message passes this filter"),
    row("having", V::Filter, "", "only groups that pass this filter yield a message"),
    row("sort-key", V::Template, "", "a template by which the messages of a group are sorted"),
    row("aggregate", V::Options(&[AGGREGATE]), "", "the message that is generated"),
    row("prefix", V::Text, "", "put before the names of the values of the generated message"),
];

const AGGREGATE: &[Row] = &[
    row("value", V::Any, "", "name and template of a value; may be written several times"),
    row("tags", V::Texts, "", "tags of the generated message"),
    row(
        "inherit-mode",
        V::Word(&["none", "last-message", "context"]),
        "context",
        "what the generated message inherits",
    ),
];

const LINES: &[Row] = &[
    row(
        "multi-line-mode",
        V::Word(&["indented", "regexp", "prefix-garbage", "prefix-suffix", "smart", "empty-line-separated"]),
        "",
        "which lines are one message",
    ),
    row("multi-line-prefix", V::Text, "", "regular expression of the first line of a message"),
    row("multi-line-garbage", V::Text, "", "regular expression of the text between messages"),
    row("multi-line-suffix", V::Text, "", "regular expression of the end of a message"),
    row("line-separator", V::Text, "\"\\n\"", "text between the joined lines"),
];

const GROK: &[Row] = &[
    row(
        "match",
        V::Any,
        "",
        "a pattern, and tags() for messages that it matches; may be written several times: the first that matches is used",
    ),
    row("pattern-set", V::Word(&["ecs-v1", "legacy"]), "ecs-v1", "which names the built-in patterns set"),
    row(
        "custom-pattern",
        V::Texts,
        "",
        "name and regular expression of a pattern; may be written several times",
    ),
    row(
        "pattern-directory",
        V::Text,
        "",
        "folder of pattern files, each line a name and a regular expression",
    ),
    row("drop-unmatched", V::YesNo, "yes", "stop messages that no pattern matches"),
];

const PROBE: &[Row] = &[
    row("key", V::Text, "classified_events_total", "name of the metric, shown with syslogng_ before it"),
    row(
        "labels",
        V::Pairs,
        "",
        "names of labels and templates of their values; without key() too, app, host, program and source",
    ),
    row("increment", V::Template, "1", "number that a message adds to the counter"),
    row("level", V::Number(0, 4), "0", "count only if stats(level()) is at least this"),
];

const GEOIP: &[Row] = &[
    row("database", V::Text, "", "a database in MaxMind's format; read again when it changes"),
    row("prefix", V::Text, ".geoip2.", "put before the names of all values"),
];
