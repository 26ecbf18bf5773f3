CREATE TABLE schema_version (version BIGINT PRIMARY KEY, applied_us BIGINT NOT NULL, program TEXT NOT NULL);
INSERT INTO schema_version VALUES (1, 1795000000000000, 'duramen 0.2.0');
INSERT INTO schema_version VALUES (2, 1795000000000000, 'duramen 0.2.0');
CREATE TABLE object (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    folder TEXT NOT NULL,
    name TEXT NOT NULL,
    owner TEXT NOT NULL,
    revision BIGINT NOT NULL,
    created_us BIGINT NOT NULL,
    created_by TEXT NOT NULL,
    deleted_us BIGINT
);
CREATE UNIQUE INDEX object_name ON object (owner, kind, folder, name) WHERE deleted_us IS NULL;
CREATE INDEX object_deleted ON object (deleted_us) WHERE deleted_us IS NOT NULL;
CREATE TABLE object_version (
    object_id TEXT NOT NULL REFERENCES object (id) ON DELETE CASCADE,
    revision BIGINT NOT NULL,
    action TEXT NOT NULL,
    folder TEXT NOT NULL,
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    tags TEXT NOT NULL,
    summary TEXT NOT NULL,
    spec TEXT NOT NULL,
    spec_version BIGINT NOT NULL,
    changed_us BIGINT NOT NULL,
    changed_by TEXT NOT NULL,
    remark TEXT NOT NULL,
    PRIMARY KEY (object_id, revision)
);
CREATE TABLE acl (
    object_id TEXT NOT NULL REFERENCES object (id) ON DELETE CASCADE,
    principal TEXT NOT NULL,
    level BIGINT NOT NULL,
    PRIMARY KEY (object_id, principal)
);
CREATE INDEX acl_principal ON acl (principal);
INSERT INTO object VALUES ('01990a5e-6c00-7000-8000-000000000001', 'search', 'Work', 'Failed logins', 'eva#k3x9', 2, 1795000000000000, 'eva', NULL);
INSERT INTO object_version VALUES ('01990a5e-6c00-7000-8000-000000000001', 1, 'create', '', 'Failed', '', '[]', 'failed', '{"query":"failed","logspace":"main","time":{"clock":"received","from":"now-1h","to":"now"},"columns":["severity","host","program"],"facets":["host"],"wrap":false}', 1, 1795000000000000, 'eva', '');
INSERT INTO object_version VALUES ('01990a5e-6c00-7000-8000-000000000001', 2, 'change', 'Work', 'Failed logins', 'those of root', '["ssh","vpn"]', 'failed AND root', '{"query":"failed AND root","logspace":"main","time":{"clock":"event","from":"2026-11-20T08:00:00Z","to":""},"columns":["host"],"facets":[],"wrap":true}', 1, 1795000060000000, 'eva', 'only root');
INSERT INTO acl VALUES ('01990a5e-6c00-7000-8000-000000000001', 'user:bob#b1', 2);
