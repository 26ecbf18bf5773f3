//! The tables, and the steps from those of earlier versions. A released step never changes.
//!
//! In: nothing. Out: statements, common to SQLite and PostgreSQL. Holds nothing.

use objects::Migration;

/// All steps.
pub(super) const ALL: &[Migration] = &[Migration { version: 1, statements: VERSION_1 }];

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
