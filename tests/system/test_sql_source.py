"""sql() as a source: rows of real databases, each read once; kills of both sides, rows with one value, tables that change and come again."""

import glob
import signal
import sqlite3
import tempfile
import time

from broker_source import HEALTHY, count_read, lines, listen
from destination import check_refusals
from mariadb import MariaDb
from postgres import Postgres
from server import Server, free_port

CONFIG = """@version: 4.8
options {{ use-dns(no); stats(level(1)); time-reopen(1); }};
source s_sql {{ sql(%s follow-freq(0.2) time-reopen(1)); }};
destination d_file {{ %s; }};
log {{ source(s_sql); destination(d_file); flags(flow-control); }};
"""
FILE = r'file("{folder}/out" template("${{.sql.id}} $MSG\n"))'


def postgres_of(target):
    return f'type(pgsql) host("{target.folder}") username("test") database("postgres")'


def maria_of(target):
    return f'type(mysql) host("127.0.0.1") port({target.port}) username("syslog-ng") password("secret-password") database("logs")'


def reads(options, destination=FILE):
    return CONFIG % (options, destination)


def has(server, count, within=30):
    server.until(lambda: len(lines(server)) >= count, within, f"{count} messages: {len(lines(server))} {server.stderr()}")
    return lines(server)


def numbered(first, end):
    return ", ".join(f"({number}, 'text {number}')" for number in range(first, end))


def census(server, count):
    """Every row is there, and how often."""
    found = [int(line.split()[0]) for line in lines(server)]
    assert set(found) == set(range(1, count + 1)), sorted(set(range(1, count + 1)) - set(found))[:10]
    return len(found) - count


def test_rows_become_messages_with_values(binary):
    target = Postgres()
    target.sql("""CREATE TABLE "Events" (id bigint PRIMARY KEY, at timestamptz, host text, app text, "Text" text, size int, part numeric, ok boolean, raw bytea, none text);
        INSERT INTO "Events" VALUES (1, '2007-04-22 10:00:00.5+02', 'web1', 'shop', 'it''s "here" \\ ümlaut', 7, 12.50, true, '\\x00ff', NULL)""")
    target.sql('CREATE VIEW events AS SELECT * FROM "Events"')
    template = r'''file("{folder}/out" template("$ISODATE $HOST $PROGRAM [$MSG] $(format-json --scope nv-pairs --key .sql.*)\n"))'''
    options = postgres_of(target) + ' table("events") uid-column("id") message-column("Text") host-column("host") program-column("app") datetime-column("at")'
    server = Server(binary, reads(options, template))
    plain = Server(binary, reads(postgres_of(target) + ' table("events") uid-column("id") prefix("db.")', r'file("{folder}/out" template("$MSG ${{db.size}}\n"))'))
    try:
        server.start()
        plain.start()
        found = has(server, 1)[0]
        # The database gives times in the zone of its session.
        assert found.startswith('2007-04-22T08:00:00+00:00 web1 shop [it\'s "here" \\ ümlaut] '), found
        assert '"size":7' in found and '"ok":true' in found and '"part":"12.50"' in found and '"id":1' in found, found
        found = has(plain, 1)[0]
        assert found.startswith('{"id":1,"at":"2007-04-22 ') and '"host":"web1"' in found, found
        assert found.endswith('"raw":"\\\\x00ff","none":null} 7'), found
    finally:
        server.close()
        plain.close()
        target.close()


def test_rows_of_one_value_and_of_texts_come_once(binary):
    """The column has times, of which many are equal, also when they come later and when there are more than a query returns."""
    target = MariaDb()
    target.sql("CREATE TABLE m (at datetime, id int, text text); CREATE TABLE t (code varchar(60), id int)")
    target.sql("INSERT INTO m VALUES " + ", ".join(f"('2026-01-01 00:00:00', {number}, 'x')" for number in range(1, 201)))
    options = maria_of(target) + ' table("m") uid-column("at") message-column("text") log-fetch-limit(20)'
    server = Server(binary, reads(options))
    texts = Server(binary, reads(maria_of(target) + ' table("t") uid-column("code") message-column("code")'))
    try:
        server.start()
        texts.start()
        has(server, 200)
        target.sql("INSERT INTO m VALUES ('2026-01-01 00:00:00', 201, 'late'), ('2026-01-01 00:00:01', 202, 'x')")
        has(server, 202)
        server.stop()
        target.sql("INSERT INTO m VALUES ('2026-01-01 00:00:01', 203, 'while it was away')")
        server.start()
        has(server, 203)
        assert census(server, 203) == 0
        hostile = ["a''; DROP TABLE t; --", "b\\\\", "c\\\\''; DROP TABLE t; --", "d%", "e"]
        for number, code in enumerate(hostile, 1):
            target.sql(f"INSERT INTO t VALUES ('{code}', {number})")
            has(texts, number)
        assert [line.split(" ", 1)[1] for line in lines(texts)] == ["a'; DROP TABLE t; --", "b\\", "c\\'; DROP TABLE t; --", "d%", "e"]
        assert target.sql("SELECT count(*) FROM t") == ["5"]
    finally:
        server.close()
        texts.close()
        target.close()


def test_kills_of_both_sides_lose_nothing(binary):
    target = Postgres()
    target.sql("CREATE TABLE m (id int PRIMARY KEY, text text)")
    server = Server(binary, reads(postgres_of(target) + ' table("m") uid-column("id") message-column("text") log-fetch-limit(50)'))
    try:
        server.start()
        count = 1
        for turn in range(6):
            target.sql("INSERT INTO m VALUES " + numbered(count, count + 500))
            count += 500
            has(server, count - 1 - 400)
            if turn % 2:
                target.kill()
                server.until(lambda: "Cannot read a table" in server.stderr(), 20, "the source to notice")
                target.start()
            else:
                server.stop(signal.SIGKILL)
                server.start()
        server.until(lambda: {int(line.split()[0]) for line in lines(server)} >= set(range(1, count)), 60, f"every row {server.stderr()}")
        # What came since positions were saved last comes again.
        print(f"doubled: {census(server, count - 1)}")
    finally:
        server.close()
        target.close()


def test_a_table_is_missing_changed_dropped_and_made_again(binary):
    target = MariaDb()
    server = Server(binary, HEALTHY)
    try:
        server.start()
        server.write_config(reads(maria_of(target) + ' table("m") uid-column("id") message-column("text")'))
        server.ctl("reload")
        server.until(lambda: "1146" in server.ctl("healthcheck"), 20, "the health to say what is missing")
        target.sql("CREATE TABLE m (id int PRIMARY KEY, text text); INSERT INTO m VALUES " + numbered(1, 4))
        has(server, 3)
        server.until(lambda: "1146" not in server.ctl("healthcheck"), 20, "the health to be good")
        target.sql("ALTER TABLE m ADD COLUMN size int FIRST; INSERT INTO m VALUES (7, 4, 'text 4')")
        has(server, 4)
        target.sql("ALTER TABLE m CHANGE id number int")
        server.until(lambda: "1054" in server.ctl("healthcheck"), 20, "the health to say what is missing")
        target.sql("ALTER TABLE m CHANGE number id int; INSERT INTO m VALUES (7, 5, 'text 5')")
        has(server, 5)
        assert census(server, 5) == 0
        target.sql("DROP TABLE m")
        server.until(lambda: "1146" in server.ctl("healthcheck"), 20, "the health to say what is missing")
        target.sql("CREATE TABLE m (id int PRIMARY KEY, text text); INSERT INTO m VALUES (1, 'again 1')")
        has(server, 6)
        assert lines(server)[-1] == "1 again 1" and "made again" in server.stderr()
        assert "secret-password" not in server.stderr()
    finally:
        server.close()
        target.close()


def test_sqlite_is_read_archived_and_not_read_again(binary):
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        path = folder + "/logs.db"
        table = sqlite3.connect(path, isolation_level=None)
        table.execute("CREATE TABLE m (id INTEGER, text TEXT)")
        table.execute("INSERT INTO m VALUES " + numbered(1, 3001) + ", (NULL, 'nowhere')")
        options = f'type(sqlite3) database("{path}") table("m") uid-column("id") message-column("text")'
        server = Server(binary, reads(options + ' archive-query("DELETE FROM m WHERE id <= $last_read_uid")'))
        later = Server(binary, reads(options + " read-old-records(no)"))
        try:
            later.start()
            later.until(lambda: "m,id" in positions(later), 20, "the beginning to be kept")
            server.start()
            has(server, 3000)
            server.until(lambda: table.execute("SELECT count(*) FROM m").fetchone() == (1,), 20, f"the rows to be gone {server.stderr()}")
            server.stop()
            table.execute("INSERT INTO m VALUES (3001, 'text 3001')")
            assert has(later, 1) == ["3001 text 3001"]
            server.start()
            has(server, 3001)
            assert census(server, 3001) == 0
        finally:
            server.close()
            later.close()
            table.close()


def test_only_new_rows_and_queries_of_the_configuration(binary):
    target = Postgres()
    target.sql("CREATE TABLE m (id int PRIMARY KEY, text text); INSERT INTO m VALUES " + numbered(1, 101))
    query = 'fetch-query("SELECT id, upper(text) AS text FROM m WHERE id > \'$last_read_uid\' AND id % 2 = 1 ORDER BY id LIMIT 10")'
    server = Server(binary, reads(postgres_of(target) + ' table("m") uid-column("id") message-column("text") read-old-records(no)'))
    odd = Server(binary, reads(postgres_of(target) + f' uid-column("id") message-column("text") {query} connect-query("SET application_name = \'reader\'")'))
    disorder = Server(binary, HEALTHY)
    try:
        server.start()
        odd.start()
        has(odd, 50)
        assert lines(odd)[-1] == "99 TEXT 99"
        assert "reader" in target.sql("SELECT DISTINCT application_name FROM pg_stat_activity WHERE application_name <> ''")
        server.until(lambda: "m,id" in positions(server), 30, "the beginning to be kept")
        server.stop(signal.SIGKILL)
        target.sql("INSERT INTO m VALUES " + numbered(101, 104))
        server.start()
        assert has(server, 3) == ["101 text 101", "102 text 102", "103 text 103"]
        disorder.start()
        disorder.write_config(reads(postgres_of(target) + ' uid-column("id") fetch-query("SELECT * FROM m WHERE id > $last_read_uid ORDER BY id DESC")'))
        disorder.ctl("reload")
        disorder.until(lambda: "not in the order" in disorder.ctl("healthcheck"), 20, "the health to say so")
    finally:
        for one in (server, odd, disorder, target):
            one.close()


def positions(server):
    """The text of what a server keeps of its sources."""
    texts = [open(path).read() for path in glob.glob(server.folder + "/data/*positions*")]
    return "".join(texts)


def test_a_receiver_that_is_away_holds_rows_back(binary):
    """No more is read than the window lets in, and nothing is lost when the receiver comes, or when the server is killed before."""
    target = Postgres()
    target.sql("CREATE TABLE m (id int PRIMARY KEY, text text); INSERT INTO m SELECT n, n FROM generate_series(1, 60000) n")
    port = free_port()
    away = f'network("127.0.0.1" port({port}) log-fifo-size(1000) template("$MSG\\n") time-reopen(1))'
    server = Server(binary, reads(postgres_of(target) + ' table("m") uid-column("id") message-column("text")', away))
    try:
        server.start()
        server.until(lambda: count_read(server, "sql") > 10000, 20, "the window to fill")
        read = count_read(server, "sql")
        time.sleep(2)
        assert count_read(server, "sql") <= read + 16384 < 60000, (read, count_read(server, "sql"))
        server.stop(signal.SIGKILL)
        server.start()
        got = listen(port)
        server.until(lambda: len(got) == 60000, 60, f"every row: {len(got)} {server.stderr()}")
    finally:
        server.close()
        target.close()


def test_results_that_end_early_are_read_on(binary):
    """Rows of 64 KB and one of 20 MB: a query ends at 8 MB of values, and the next one begins where it ended."""
    postgres, maria = Postgres(), MariaDb("--max-allowed-packet=64M")
    postgres.sql("CREATE TABLE m (id int PRIMARY KEY, text text); INSERT INTO m SELECT n, repeat('x', 65000) FROM generate_series(1, 400) n; "
                 "INSERT INTO m VALUES (401, repeat('y', 20000000)), (402, 'last')")
    maria.sql("SET SESSION max_recursive_iterations = 10000; CREATE TABLE m (id int PRIMARY KEY, text longtext); INSERT INTO m "
              "WITH RECURSIVE n AS (SELECT 1 AS id UNION ALL SELECT id + 1 FROM n WHERE id < 400) SELECT id, repeat('x', 65000) FROM n; "
              "INSERT INTO m VALUES (401, repeat('y', 20000000)), (402, 'last')")
    template = r'file("{folder}/out" template("${{.sql.id}} $(length $MSG) $(length ${{.sql.text}})\n"))'
    servers = [Server(binary, reads(of(target) + ' table("m") uid-column("id") message-column("text")', template))
               for of, target in ((postgres_of, postgres), (maria_of, maria))]
    try:
        for server in servers:
            server.start()
            found = has(server, 402, 60)
            assert found == [f"{number} 65000 65000" for number in range(1, 401)] + ["401 65536 20000000", "402 4 4"], found[-3:]
    finally:
        for one in (*servers, postgres, maria):
            one.close()


def test_what_cannot_work_is_refused(binary):
    cases = [
        ('sql(type(oracle) table("m") uid-column("id"))', "is not supported yet"),
        ('sql(type(pgsql) table("m"))', "uid-column"),
        ('sql(type(pgsql) uid-column("id"))', "needs `table()` or `fetch-query()`"),
        ('sql(type(pgsql) table("a.b.c") uid-column("id"))', "no name of a table"),
        ('sql(type(pgsql) uid-column("id") fetch-query("SELECT 1"))', "again and again"),
        ('sql(type(pgsql) uid-column("id") fetch-query("SELECT $last_read_uid") read-old-records(no))', "table-init-query"),
    ]
    check_refusals(binary, cases, "source s {{ %s; }};\ndestination d {{ file(\"/dev/null\"); }};\n")
