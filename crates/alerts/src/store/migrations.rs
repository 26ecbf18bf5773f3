//! The tables, and the steps from those of earlier versions. A released step never changes.
//!
//! In: nothing. Out: statements, common to SQLite and PostgreSQL. Holds nothing.

use objects::Migration;

/// All steps.
pub(super) const ALL: &[Migration] = &[
    Migration { version: 1, statements: VERSION_1 },
    Migration { version: 2, statements: VERSION_2 },
    Migration { version: 3, statements: VERSION_3 },
];

const VERSION_1: &str = "
CREATE TABLE watched (
    logspace TEXT PRIMARY KEY,
    generation BIGINT NOT NULL,
    next_sequence BIGINT NOT NULL,
    alive_us BIGINT NOT NULL
);
CREATE TABLE rules_file (
    logspace TEXT NOT NULL,
    position BIGINT NOT NULL,
    path TEXT NOT NULL,
    content TEXT NOT NULL,
    PRIMARY KEY (logspace, position)
);
CREATE TABLE coverage (
    logspace TEXT NOT NULL,
    rule TEXT NOT NULL,
    version TEXT NOT NULL,
    title TEXT NOT NULL,
    from_sequence BIGINT NOT NULL,
    to_sequence BIGINT,
    state TEXT NOT NULL
);
CREATE INDEX coverage_rule ON coverage (logspace, rule, from_sequence);
CREATE INDEX coverage_open ON coverage (logspace) WHERE to_sequence IS NULL;
CREATE TABLE gap (
    logspace TEXT NOT NULL,
    from_sequence BIGINT NOT NULL,
    to_sequence BIGINT NOT NULL,
    from_us BIGINT NOT NULL,
    to_us BIGINT NOT NULL,
    reason TEXT NOT NULL,
    PRIMARY KEY (logspace, from_sequence, to_sequence)
);
CREATE TABLE mark (
    logspace TEXT NOT NULL,
    number BIGINT NOT NULL,
    sequence BIGINT NOT NULL,
    kind TEXT NOT NULL,
    at_us BIGINT NOT NULL,
    PRIMARY KEY (logspace, number)
);
CREATE TABLE transition (
    number BIGINT PRIMARY KEY,
    logspace TEXT NOT NULL,
    id TEXT NOT NULL,
    rule TEXT NOT NULL,
    version TEXT NOT NULL,
    severity TEXT NOT NULL,
    key TEXT NOT NULL,
    instance BIGINT NOT NULL,
    change TEXT NOT NULL,
    sequence BIGINT,
    at_us BIGINT NOT NULL,
    value DOUBLE PRECISION,
    first_sequence BIGINT
);
CREATE UNIQUE INDEX transition_id ON transition (logspace, id);
CREATE TABLE alert (
    number BIGINT PRIMARY KEY,
    logspace TEXT NOT NULL,
    id TEXT NOT NULL,
    rule TEXT NOT NULL,
    version TEXT NOT NULL,
    title TEXT NOT NULL,
    severity TEXT NOT NULL,
    key TEXT NOT NULL,
    instance BIGINT NOT NULL,
    state TEXT NOT NULL,
    began_us BIGINT NOT NULL,
    sequence BIGINT,
    ended_us BIGINT,
    value DOUBLE PRECISION,
    acknowledged_us BIGINT,
    acknowledged_by TEXT NOT NULL,
    note TEXT NOT NULL
);
CREATE INDEX alert_firing ON alert (logspace, rule, version, instance) WHERE state = 'firing';
CREATE INDEX alert_state ON alert (state, number);
";

/// Notifications: what each route made of each transition, what waits for its group, and what is on its way.
const VERSION_2: &str = "
CREATE INDEX alert_instance ON alert (logspace, rule, version, instance);
CREATE TABLE notification_setup (
    id BIGINT PRIMARY KEY,
    content TEXT NOT NULL,
    routed BIGINT NOT NULL
);
CREATE TABLE notification_event (
    number BIGINT PRIMARY KEY,
    route TEXT NOT NULL,
    group_key TEXT NOT NULL,
    alert BIGINT,
    transition BIGINT,
    logspace TEXT NOT NULL,
    change TEXT NOT NULL,
    at_us BIGINT NOT NULL,
    record TEXT NOT NULL,
    outcome TEXT NOT NULL,
    silence BIGINT,
    notice TEXT
);
CREATE INDEX notification_event_waiting ON notification_event (route, group_key) WHERE outcome = 'waiting';
CREATE INDEX notification_event_alert ON notification_event (alert);
CREATE INDEX notification_event_notice ON notification_event (notice);
CREATE TABLE notification_group (
    route TEXT NOT NULL,
    group_key TEXT NOT NULL,
    due_us BIGINT,
    sent_us BIGINT,
    PRIMARY KEY (route, group_key)
);
CREATE TABLE notification_episode (
    route TEXT NOT NULL,
    alert BIGINT NOT NULL,
    group_key TEXT NOT NULL,
    state TEXT NOT NULL,
    notice TEXT,
    PRIMARY KEY (route, alert)
);
CREATE TABLE notification_route (
    route TEXT PRIMARY KEY,
    free_us BIGINT NOT NULL,
    heartbeat_us BIGINT NOT NULL
);
CREATE TABLE notification (
    number BIGINT PRIMARY KEY,
    id TEXT NOT NULL,
    notice TEXT NOT NULL,
    route TEXT NOT NULL,
    group_key TEXT NOT NULL,
    channel TEXT NOT NULL,
    content TEXT NOT NULL,
    created_us BIGINT NOT NULL,
    state TEXT NOT NULL,
    due_us BIGINT,
    asked BIGINT NOT NULL,
    attempts BIGINT NOT NULL,
    settled_us BIGINT
);
CREATE UNIQUE INDEX notification_id ON notification (id);
CREATE INDEX notification_notice ON notification (notice);
CREATE INDEX notification_due ON notification (channel, due_us) WHERE state = 'waiting';
CREATE TABLE notification_attempt (
    notification BIGINT NOT NULL,
    attempt BIGINT NOT NULL,
    at_us BIGINT NOT NULL,
    duration_us BIGINT NOT NULL,
    outcome TEXT NOT NULL,
    answer TEXT NOT NULL,
    PRIMARY KEY (notification, attempt)
);
CREATE TABLE notification_channel (
    channel TEXT PRIMARY KEY,
    definition TEXT NOT NULL,
    disabled_us BIGINT NOT NULL,
    reason TEXT NOT NULL
);
CREATE TABLE silence (
    number BIGINT PRIMARY KEY,
    query TEXT NOT NULL,
    from_us BIGINT NOT NULL,
    to_us BIGINT NOT NULL,
    author TEXT NOT NULL,
    reason TEXT NOT NULL,
    created_us BIGINT NOT NULL,
    ended_us BIGINT,
    ended_by TEXT
);
";

/// Rules of objects that do not run, because their owners lost a right: each was reported once.
const VERSION_3: &str = "
CREATE TABLE stopped_rule (
    logspace TEXT NOT NULL,
    rule TEXT NOT NULL,
    version TEXT NOT NULL,
    severity TEXT NOT NULL,
    subject TEXT NOT NULL,
    since_us BIGINT NOT NULL,
    PRIMARY KEY (logspace, rule)
);
";
