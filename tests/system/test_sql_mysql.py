"""sql() into a real MariaDB: every message once, whatever it contains and whichever side crashes; some are refused, some wait."""

import re
import time

from destination import HEAD, dead, send
from mariadb import MariaDb
from server import Server, waits_for
from test_sql import counters, settled


def test_the_example_of_2007_runs(binary):
    """Without type() the database is MySQL, as in syslog-ng; the blog's table and columns."""
    maria = MariaDb()
    server = Server(binary, HEAD + """
destination d_sql {{
sql(host("%s") user("syslog-ng") password("secret-password")
database("logs")
table("messages_
${{HOST}}_${{R_YEAR}}${{R_MONTH}}${{R_DAY}}")
columns("date", "host", "program", "pid", "message")
values("$R_DATE", "$HOST", "$PROGRAM", "$PID", "$MSGONLY")
indexes("host"));


}};
log {{ source(s_net); destination(d_sql); flags(flow-control); }};
""" % maria.socket)
    try:
        server.start()
        smile = "quotes \" ' ` \\ and ümlaut 😀"
        send(server, [("Web1", "started"), ("web2", "it's; DROP TABLE users -- \\'"), ("Web1", smile)])
        settled(server, 3)
        tables = maria.sql("SELECT table_name FROM information_schema.tables WHERE table_schema = 'logs' ORDER BY 1")
        assert len(tables) == 2 and all(re.fullmatch(r"messages__[Ww]eb[12]_\d{8}", name) for name in tables), tables
        rows = maria.sql(f"SELECT host, program, pid, message FROM `{tables[0]}`")
        assert rows == ["Web1\tapp\t17\tstarted", "Web1\tapp\t17\t" + smile], rows
        assert maria.sql(f"SELECT message FROM `{tables[1]}`") == ["it's; DROP TABLE users -- \\'"]
        assert maria.sql(f"SELECT count(*) FROM `{tables[1]}` WHERE date <> ''") == ["1"]
        indexes = maria.sql("SELECT DISTINCT index_name, sub_part FROM information_schema.statistics WHERE table_schema = 'logs' ORDER BY 1")
        assert indexes == [f"{name}_host_idx\t191" for name in tables], indexes
    finally:
        server.close()
        maria.close()


def sql(maria, more, name="d_sql"):
    return HEAD + """
destination %s {{ sql(host("127.0.0.1") port(%d) username("syslog-ng") password("secret-password") %s); }};
log {{ source(s_net); destination(%s); flags(flow-control); }};
""" % (name, maria.port, more, name)


def test_bad_rows_are_dead_letters_and_can_be_replayed(binary):
    maria = MariaDb("--max-allowed-packet=65536")
    server = Server(binary, sql(maria, """
        type(mariadb) table("$HOST") columns("size integer NOT NULL", "text varchar(20)", "`x` blob", "id serial")
        values("$MSG", "text of $MSG", bytes("$MSG"), default) indexes("size") null("nothing") persist-name("sizes")"""))
    try:
        server.start()
        texts = [str(number) for number in range(200)]
        # A word instead of a number, nothing where a value is required, a text and a number that are too long.
        texts[17], texts[50], texts[120], texts[121] = "five", "nothing", "0000000000001", "99999999999"
        # A message that is too large for the server's packets, and a table that does not exist.
        send(server, [("web", text) for text in texts] + [("web", "x" * 40000), ("x" * 65, "1")])
        found = settled(server, 202)
        assert (found["written"], found["dead"]) == (196, 6), found
        assert maria.sql("SELECT count(*), count(DISTINCT id) FROM web") == ["196\t196"]
        letters = dead(server, "cat", "d_sql#0")
        reasons = re.findall(r"^\S+ (\S+) (\S+) (\d+) tr", letters, re.M)
        assert sorted(reason for reason, *_ in reasons) == ["bad-name", "constraint", "too-large", "type", "type", "type"], letters
        assert "1366 (22007) Incorrect integer value" in letters and "1048 (23000) Column 'size' cannot be null" in letters, letters
        assert "1406 (22001) Data too long for column 'text'" in letters and "max_allowed_packet of the server is 65536" in letters, letters
        assert "app[17]: five" in letters, letters
        assert "five" not in server.stderr(), "the log holds what a message said"
        # Somebody fixes the table, and the letters get another attempt.
        maria.sql("ALTER TABLE web MODIFY size text, MODIFY text text")
        assert dead(server, "replay", "d_sql#0", "--of", "web").startswith("OK 5"), "replay"
        server.until(lambda: maria.sql("SELECT count(*) FROM web") == ["200"], 20, "the letters to be rows")
        assert maria.sql("SELECT count(*) FROM web WHERE size = 'five' OR size IS NULL") == ["2"]
    finally:
        server.close()
        maria.close()


def test_a_table_that_is_missing_or_closed_holds_its_messages_alone(binary):
    maria = MariaDb()
    maria.sql("CREATE USER writer IDENTIFIED BY 'w'; CREATE TABLE open (text text); GRANT INSERT ON logs.open TO writer; CREATE TABLE closed (text text)")
    server = Server(binary, (sql(maria, """
        table("$HOST") columns("text") values("$MSG") flags(dont-create-tables)""")).replace("syslog-ng\") password(\"secret-password", "writer\") password(\"w"))
    try:
        server.start()
        send(server, [("closed", "one"), ("missing", "two"), ("open", "three")] * 50)
        server.until(lambda: counters(server).get("written") == 50, 20, "the open table to have its rows")
        maria.sql("GRANT INSERT, SELECT ON logs.* TO writer")
        held = lambda: "missing (schema): 1146 (42S02)" in server.ctl("healthcheck")
        server.until(held, 20, "the missing table to be missed: " + server.ctl("healthcheck"))
        maria.sql("CREATE TABLE missing (text text)")
        found = settled(server, 150)
        assert (found["written"], found["dead"], found["queued"]) == (150, 0, 0), found
        assert maria.sql("SELECT count(*) FROM open UNION ALL SELECT count(*) FROM closed UNION ALL SELECT count(*) FROM missing") == ["50"] * 3
    finally:
        server.close()
        maria.close()


def test_a_database_that_crashes_gets_every_message_once(binary):
    maria = MariaDb()
    server = Server(binary, sql(maria, """
        table("m") columns("number integer") values("$MSG") unique-column("record") batch-lines(500)
        disk-buffer(capacity-bytes(64M) reliable(yes))"""))
    count = 30000
    try:
        server.start()
        for part in range(5):
            send(server, [("web", str(number)) for number in range(part * count // 5, (part + 1) * count // 5)])
            time.sleep(0.3)
            maria.kill()
            if part == 2:
                # Our own server is killed at the same time.
                server.until(lambda: server.keeps(f"app 17 - - {3 * count // 5 - 1}"), 60, "the messages to be on the disk")
                server.stop(9)
                server.start(within=30)
            maria.start()
        full = lambda: maria.sql("SELECT count(*) FROM m") == [str(count)]
        server.until(full, 120, "all rows")
        server.until(lambda: counters(server)["queued"] == 0, 20, "an empty queue")
        assert maria.sql("SELECT count(*), count(DISTINCT number), count(DISTINCT record) FROM m") == [f"{count}\t{count}\t{count}"]
    finally:
        server.close()
        maria.close()


def test_a_key_of_the_table_hides_no_message(binary):
    """A row whose id already exists is skipped; one that another unique key refuses becomes a dead letter."""
    maria = MariaDb()
    maria.sql("CREATE TABLE m (number integer UNIQUE, text varchar(8))")
    maria.sql("INSERT INTO m VALUES (7, 'before')")
    server = Server(binary, sql(maria, """table("m") columns("number integer", "text varchar(8)") values("$MSG", "$PROGRAM") unique-column("record")"""))
    try:
        server.start()
        send(server, [("web", str(number)) for number in range(10)])
        found = settled(server, 10)
        assert (found["written"], found["dead"]) == (9, 1), found
        assert maria.sql("SELECT text FROM m WHERE number = 7") == ["before"]
        assert " constraint m " in dead(server, "cat", "d_sql#0"), dead(server, "cat", "d_sql#0")
    finally:
        server.close()
        maria.close()


@waits_for(5)
def test_tables_are_widened_made_again_and_written_in_the_words_of_the_session(binary):
    # Nothing is truncated, although this server truncates values; and it ends every connection after two idle
    # seconds.
    maria = MariaDb("--sql-mode=", "--character-set-server=latin1", "--wait-timeout=2")
    maria.sql("CREATE TABLE m (Host varchar(4))")
    server = Server(binary, sql(maria, """
        table("m") columns("host varchar(4)", "text") values("$HOST", "$MSG") indexes("text")
        session-statements("SET @who = 'me'", "SELECT @who, 1")"""))
    try:
        server.start()
        send(server, [("web", "€ one"), ("toolong", "two")])
        found = settled(server, 2)
        assert (found["written"], found["dead"]) == (1, 1), found
        # The old table has the character set of its server, in which the euro has another code than in most.
        assert maria.sql("SELECT host, text FROM m") == ["web\t€ one"]
        maria.sql("DROP TABLE m")
        send(server, [("web", "😀 three")])
        settled(server, 3)
        assert maria.sql("SELECT text FROM m") == ["😀 three"]
        time.sleep(3)
        send(server, [("web", "four")])
        settled(server, 4)
        assert maria.sql("SELECT text FROM m ORDER BY text LIMIT 1") == ["four"]
    finally:
        server.close()
        maria.close()


def test_a_wrong_password_loses_nothing(binary):
    maria = MariaDb()
    maria.sql("CREATE USER late IDENTIFIED BY 'other'; GRANT ALL ON logs.* TO late")
    server = Server(binary, sql(maria, 'table("m") columns("text") values("$MSG")').replace("syslog-ng\") password(\"secret-password", "late\") password(\"late-secret"))
    try:
        server.start()
        send(server, [("web", "one")])
        server.until(lambda: "1045 (28000) Access denied" in server.ctl("healthcheck"), 20, "the refusal to show")
        assert "late-secret" not in server.stderr() + server.ctl("healthcheck")
        maria.sql("ALTER USER late IDENTIFIED BY 'late-secret'")
        assert settled(server, 1)["written"] == 1
    finally:
        server.close()
        maria.close()
