CREATE TABLE schema_version (version BIGINT PRIMARY KEY, applied_us BIGINT NOT NULL, program TEXT NOT NULL);
INSERT INTO schema_version VALUES (1, 1780000000000000, 'duramen 0.2.0');
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
INSERT INTO watched VALUES ('main', 1, 40, 1780000000000000);
INSERT INTO rules_file VALUES ('main', 0, '/etc/duramen/rules/site.yaml', 'rules:
- {id: many, kind: count, query: failed, by: host, at-least: 3, within: 10s}
');
INSERT INTO coverage VALUES ('main', 'many', '00112233445566778899aabbccddeeff', 'many', 0, 10, 'evaluated');
INSERT INTO coverage VALUES ('main', 'many', '00112233445566778899aabbccddeeff', 'many', 10, 20, 'removed');
INSERT INTO coverage VALUES ('main', 'many', '00112233445566778899aabbccddeeff', 'many', 20, NULL, 'evaluated');
INSERT INTO gap VALUES ('main', 10, 20, -9223372036854775808, 1779999999000000, 'removed');
INSERT INTO mark VALUES ('main', 1, 0, 'begun', 1779999990000000);
INSERT INTO mark VALUES ('main', 2, 0, 'passed', 1779999990000000);
INSERT INTO transition VALUES (1, 'main', '00000000000000000000000000000001', 'many', '00112233445566778899aabbccddeeff', 'warning', '{}', 0, 'degraded', 5, 1779999991000000, NULL, NULL);
INSERT INTO transition VALUES (2, 'main', '00000000000000000000000000000002', 'many', '00112233445566778899aabbccddeeff', 'warning', '{"host":"gw1"}', 0, 'fired', 30, 1780000000000000, 3.0, NULL);
INSERT INTO alert VALUES (2, 'main', '00000000000000000000000000000002', 'many', '00112233445566778899aabbccddeeff', 'many', 'warning', '{"host":"gw1"}', 0, 'firing', 1780000000000000, 30, NULL, 3.0, NULL, '', '');
INSERT INTO schema_version VALUES (2, 1795000000000000, 'duramen 0.2.0');
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
INSERT INTO notification_setup VALUES (1, 'channels: []', 1);
INSERT INTO notification VALUES (1, 'msg_a', 'n', 'r', '{"rule":"disk"}', 'ops', '{"type":"alerts","count":1}', 1780000000000000, 'waiting', 1780000005000000, 0, 1, NULL);
INSERT INTO notification_attempt VALUES (1, 1, 1780000000000000, 1000, 'failed', '503');
INSERT INTO silence VALUES (1, 'rule:disk', 1780000000000000, 1780003600000000, 'eva', 'maintenance', 1780000000000000, NULL, NULL);
INSERT INTO schema_version VALUES (3, 1790000000000000, 'duramen 0.3.0');
CREATE TABLE stopped_rule (
    logspace TEXT NOT NULL,
    rule TEXT NOT NULL,
    version TEXT NOT NULL,
    severity TEXT NOT NULL,
    subject TEXT NOT NULL,
    since_us BIGINT NOT NULL,
    PRIMARY KEY (logspace, rule)
);
INSERT INTO stopped_rule VALUES ('main', 'kept', 'aa', 'warning', '{"owner":"eva","reason":"eva may not search main","title":"Kept"}', 1790000000000000);
