"""sql(): real databases get every message once, refuse some, go away and come back."""

import functools
import os
import re
import sqlite3
import time

import destination
from destination import HEAD, check_refusals, dead, send
from postgres import Postgres
from server import Server

counters = functools.partial(destination.counters, kind="dst.sql")
settled = functools.partial(destination.settled, kind="dst.sql")


def test_the_example_of_2007_runs(binary):
    """The destination from the blog of syslog-ng's author, except for the address of the database."""
    postgres = Postgres()
    postgres.sql("CREATE USER \"syslog-ng\" PASSWORD 'secret-password'")
    postgres.sql('CREATE DATABASE logs OWNER "syslog-ng"')
    server = Server(binary, HEAD + """
destination d_sql {{
sql(type(pgsql) host("%s") user("syslog-ng") password("secret-password")
database("logs")
table("messages_
${{HOST}}_${{R_YEAR}}${{R_MONTH}}${{R_DAY}}")
columns("date", "host", "program", "pid", "message")
values("$R_DATE", "$HOST", "$PROGRAM", "$PID", "$MSGONLY"));


}};
log {{ source(s_net); destination(d_sql); flags(flow-control); }};
""" % postgres.folder)
    try:
        server.start()
        send(server, [("Web1", "started"), ("web2", "it's; DROP TABLE users --"), ("Web1", 'quotes " \' \\ and ümlaut')])
        settled(server, 3)
        tables = postgres.sql("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1", "logs")
        assert len(tables) == 2 and all(re.fullmatch(r"messages__web[12]_\d{8}", name) for name in tables), tables
        rows = postgres.sql(f"SELECT host, program, pid, message FROM {tables[0]}", "logs")
        assert rows == ["Web1|app|17|started", 'Web1|app|17|quotes " \' \\ and ümlaut'], rows
        assert postgres.sql(f"SELECT message FROM {tables[1]}", "logs") == ["it's; DROP TABLE users --"]
        assert postgres.sql(f"SELECT count(*) FROM {tables[1]} WHERE date <> ''", "logs") == ["1"]
    finally:
        server.close()
        postgres.close()


TYPED = """
destination d_sql {{
    sql(type(pgsql) host("%s") username("test") database("postgres") table("t.$HOST")
        columns("size integer NOT NULL", "text varchar(20)", "id serial")
        values("$MSG", "text of $MSG", default) indexes("size") null("nothing") persist-name("sizes"));
}};
log {{ source(s_net); destination(d_sql); flags(flow-control); }};
"""


def test_bad_rows_are_dead_letters_and_can_be_replayed(binary):
    postgres = Postgres()
    postgres.sql("CREATE SCHEMA t")
    server = Server(binary, HEAD + TYPED % postgres.folder)
    try:
        server.start()
        texts = [str(number) for number in range(200)]
        # A word instead of a number, nothing where a value is required, a text that is too long.
        texts[17], texts[50], texts[120] = "five", "nothing", "1234567890123456"
        send(server, [("web", text) for text in texts] + [("x" * 64, "1")])
        found = settled(server, 201)
        assert (found["written"], found["dead"]) == (197, 4), found
        assert postgres.sql("SELECT count(*), count(DISTINCT id) FROM t.web") == ["197|197"]
        listed = dead(server, "ls")
        assert listed.startswith("d_sql#0\t4 letters\tbad-name 1, constraint 1, type 2\t20"), listed
        assert os.path.isdir(server.folder + "/data/dead-letters/sizes")
        letters = dead(server, "cat", "d_sql#0")
        reasons = re.findall(r"^\S+ (\S+) (\S+) (\d+) tr", letters, re.M)
        assert sorted(reason for reason, *_ in reasons) == ["bad-name", "constraint", "type", "type"], letters
        assert "22P02 invalid input syntax for type integer" in letters and "23502" in letters, letters
        assert "app[17]: five" in letters, letters
        assert "five" not in server.stderr(), "the log holds what a message said"
        # Somebody fixes the table, and the letters get another attempt.
        postgres.sql("ALTER TABLE t.web ALTER COLUMN size TYPE text, ALTER COLUMN text TYPE text, ALTER COLUMN size DROP NOT NULL")
        assert dead(server, "replay", "d_sql#0", "--of", "t.web").startswith("OK 3"), "replay"
        assert postgres.sql("SELECT count(*) FROM t.web WHERE size = 'five' OR size IS NULL") == ["2"]
        assert "1 letter\t" in dead(server, "ls")
        assert dead(server, "drop", "d_sql#0").startswith("OK 1")
        assert "0 letters" in dead(server, "ls")
    finally:
        server.close()
        postgres.close()


def test_a_table_that_is_missing_or_closed_holds_its_messages_alone(binary):
    postgres = Postgres()
    postgres.sql("CREATE USER writer")
    postgres.sql("CREATE TABLE open (text text); GRANT ALL ON open TO writer; CREATE TABLE closed (text text)")
    server = Server(binary, HEAD + """
destination d_sql {{
    sql(type(pgsql) host("%s") username("writer") database("postgres") table("$HOST")
        columns("text") values("$MSG") flags(dont-create-tables));
}};
log {{ source(s_net); destination(d_sql); flags(flow-control); }};
""" % postgres.folder)
    try:
        server.start()
        send(server, [("closed", "one"), ("missing", "two"), ("open", "three")] * 50)
        server.until(lambda: counters(server).get("written") == 50, 20, "the open table to have its rows")
        health = server.ctl("healthcheck")
        assert "closed (access): 42501 permission denied" in health and "missing (schema): 42P01" in health, health
        postgres.sql("CREATE TABLE missing (text text); GRANT ALL ON missing, closed TO writer")
        found = settled(server, 150)
        assert (found["written"], found["dead"], found["queued"]) == (150, 0, 0), found
        server.until(lambda: "permission" not in server.ctl("healthcheck"), 30, "the health to be good")
    finally:
        server.close()
        postgres.close()


def test_columns_of_every_kind_get_what_a_literal_would_give(binary):
    """User-defined types and arrays; a column whose type is changed meanwhile; text that could end a value."""
    postgres = Postgres()
    postgres.sql("CREATE TYPE level AS ENUM ('low', 'high'); CREATE DOMAIN small AS integer CHECK (value < 1000)")
    kinds = "at timestamptz, level level, n small, net inet, doc jsonb, raw bytea, text char(8)"
    postgres.sql(f"CREATE TABLE plain ({kinds}); CREATE TABLE arrays (list text[], {kinds})")
    server = Server(binary, HEAD + """
destination d_sql {{
    sql(type(pgsql) host("%s") username("test") database("postgres") table("$HOST")
        columns("at", "level", "n", "net", "doc", "raw", "text")
        values("2007-04-22T10:00:00+02:00", "high", "$MSG", "127.0.0.0/8", '{{"a":"b,{{}}"}}', bytes("$MSG"), "x$MSG") null("none"));
    sql(type(pgsql) host("%s") username("test") database("postgres") table("arrays")
        columns("list text[]", "text") values('{{"$MSG",b}}', "$MSG") null("none"));
}};
log {{ source(s_net); destination(d_sql); flags(flow-control); }};
""" % (postgres.folder, postgres.folder))
    try:
        server.start()
        send(server, [("plain", "1"), ("plain", "none"), ("plain", "1000"), ("plain", "2")])
        server.until(lambda: sum(int(line.split(";")[5]) for line in server.ctl("stats").splitlines() if re.match("dst.sql;.*;(written|dead);", line)) == 8, 20, "all rows")
        rows = postgres.sql("SELECT at AT TIME ZONE 'UTC', level, n, net, doc ->> 'a', raw, trim(text) FROM plain WHERE n IS NOT NULL ORDER BY n")
        same = '2007-04-22 08:00:00|high|%s|127.0.0.0/8|b,{}|\\x%s|%s'
        assert rows == [same % (n, n.encode().hex(), "x" + n) for n in "12"], rows
        assert postgres.sql("SELECT list[1] || list[2] || coalesce(text, '-') FROM arrays ORDER BY 1") == ["1000b1000", "1b1", "2b2", "noneb-"]
        postgres.sql("ALTER TABLE plain DROP COLUMN n; ALTER TABLE plain ADD COLUMN n text")
        send(server, [("plain", "many")])
        server.until(lambda: postgres.sql("SELECT count(*) FROM plain WHERE n = 'many'") == ["1"], 20, "the other type to be noticed")
    finally:
        server.close()
        postgres.close()


def test_a_database_that_crashes_gets_every_message_once(binary):
    postgres = Postgres()
    server = Server(binary, HEAD + """
destination d_sql {{
    sql(type(pgsql) host("%s") username("test") database("postgres") table("m")
        columns("number integer") values("$MSG") unique-column("record") batch-lines(500)
        disk-buffer(capacity-bytes(64M) reliable(yes)));
}};
log {{ source(s_net); destination(d_sql); flags(flow-control); }};
""" % postgres.folder)
    count = 30000
    try:
        server.start()
        for part in range(5):
            send(server, [("web", str(number)) for number in range(part * count // 5, (part + 1) * count // 5)])
            time.sleep(0.3)
            postgres.kill()
            if part == 2:
                # Our own server is killed at the same time.
                server.until(lambda: server.keeps(f"app 17 - - {3 * count // 5 - 1}"), 60, "the messages to be on the disk")
                server.stop(9)
                server.start(within=30)
            postgres.start()
        full = lambda: postgres.sql("SELECT count(*) FROM m") == [str(count)]
        server.until(full, 120, "all rows")
        server.until(lambda: counters(server)["queued"] == 0, 20, "an empty queue")
        assert postgres.sql("SELECT count(*), count(DISTINCT number), count(DISTINCT record) FROM m") == [f"{count}|{count}|{count}"]
    finally:
        server.close()
        postgres.close()


def test_sqlite_needs_no_server(binary):
    server = Server(binary, HEAD + """
destination d_sql {{
    sql(type(sqlite3) database("{folder}/logs.db") table("m_$HOST")
        columns("host text", "size integer CHECK (size < 100)", "raw blob") values("$HOST", int("$MSG"), bytes("$MSG"))
        session-statements("PRAGMA journal_mode=WAL") indexes("host"));
}};
log {{ source(s_net); destination(d_sql); flags(flow-control); }};
""")
    try:
        server.start()
        send(server, [("a", "1"), ("b", "2"), ("a", "100"), ("a", "many"), ("a", "3")])
        found = settled(server, 5)
        assert (found["written"], found["dead"]) == (3, 2), found
        with sqlite3.connect(server.folder + "/logs.db") as database:
            assert database.execute("SELECT size, raw FROM m_a ORDER BY size").fetchall() == [(1, b"1"), (3, b"3")]
            assert database.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        letters = dead(server, "cat", "d_sql#0")
        assert " constraint m_a 2 tries: CHECK constraint failed" in letters or " constraint m_a " in letters, letters
        assert " cast m_a 0 tries: the value for column size is no Integer" in letters, letters
        metrics = server.ctl("stats", "prometheus")
        assert re.search(r'^duramen_dead_letters_total\{[^}]*reason="cast"[^}]*\} 1$', metrics, re.M), metrics
        assert os.path.isdir(server.folder + "/data/dead-letters/d_sql#0")
    finally:
        server.close()


def test_impossible_options_are_refused_at_their_position(binary):
    rows = [
        ('sql(type(oracle) table("m") columns("a") values("$MSG"));', "for a database of type `oracle` is not supported yet"),
        ('sql(table("m") columns("a") values("$MSG") tls(peer-verify(required-trusted)));', "/run/mysqld/mysqld.sock is a unix socket"),
        ('sql(type(pgsql) table("m") columns("a", "b") values("$MSG"));', "has 2 columns and `values()` has 1 values"),
        ('sql(type(pgsql) table("m") columns("a", "A") values("$MSG", "x"));', "has the column `A` twice"),
        ('sql(type(pgsql) table("m") columns("a") values("$MSG") indexes("b"));', "names `b`, which is no column"),
        ('sql(type(pgsql) columns("a") values("$MSG"));', "table"),
    ]
    check_refusals(binary, rows)
