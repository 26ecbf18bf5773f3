"""add-contextual-data() with servers: their values, their failures, and what messages get meanwhile."""

import http.server
import json
import socket
import sqlite3
import threading
import time
import urllib.parse

from destination import check_refusals, send
from mariadb import MariaDb
from postgres import Postgres
from redis_server import Redis
from server import Server, waits_for

HEAD = """@version: 4.8
options {{ keep-hostname(yes); use-dns(no); stats(level(1)); time-reopen(1); }};
source s_net {{ network(ip("127.0.0.1") port({port}) transport("tcp") flags(syslog-protocol)); }};
destination d_out {{ file("{folder}/out.log" template("$MSG|${{c.role}}|${{c.owner.name}}|${{c.value}}|${{.lookup.failed}}\\n")); }};
"""
PATH = "log {{ source(s_net); parser {{ add-contextual-data(selector(\"$MSG\") %s prefix(\"c.\")); }}; destination(d_out); flags(flow-control); }};\n"


class Inventory:
    """A server with a document for each host; it can be slow, or answer with a status."""

    def __init__(self, port=0):
        inventory = self
        self.asked, self.status, self.pause, self.open = [], 200, 0, []

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            # An answer is one write: two of them would wait for an acknowledgement in between.
            wbufsize = -1

            def setup(self):
                super().setup()
                inventory.open.append(self.connection)

            def do_GET(self):
                inventory.asked.append((self.path, self.headers.get("Authorization")))
                time.sleep(inventory.pause)
                key = urllib.parse.unquote(self.path.removeprefix("/hosts/"))
                status, body = inventory.answer(key)
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def answer(self, key):
        if self.status != 200:
            return self.status, b"no"
        if key.startswith("none"):
            return 404, b"not here"
        if key.startswith("huge"):
            return 200, b"x" * 100000
        return 200, json.dumps({"role": "of " + key, "owner": {"name": "Ann"}, "HOST": "evil"}).encode()

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        for peer in self.open:
            try:
                peer.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


def lines(server):
    try:
        with open(server.folder + "/out.log") as text:
            return text.read().splitlines()
    except FileNotFoundError:
        return []


def sent(server, texts):
    """Sends messages, waits until all are written, and returns the new lines."""
    before = len(lines(server))
    send(server, [("web", text) for text in texts])
    server.until(lambda: len(lines(server)) >= before + len(texts), 30, f"{len(texts)} lines: {lines(server)[before:]}\n{server.stderr()}")
    return lines(server)[before:]


def lookups(server):
    rows = [line.split(";") for line in server.ctl("stats").splitlines() if line.startswith("lookup;")]
    return {row[4]: int(row[5]) for row in rows}


def test_values_come_from_a_server_of_http(binary):
    inventory = Inventory()
    server = Server(binary, HEAD + PATH % f'database(http(url("http://127.0.0.1:{inventory.port}/hosts/${{{{key}}}}") headers("Authorization: Bearer t")))')
    try:
        server.start()
        assert sent(server, ["web1", "none", "web1"]) == ["web1|of web1|Ann||", "none||||", "web1|of web1|Ann||"]
        assert sorted(inventory.asked) == [("/hosts/none", "Bearer t"), ("/hosts/web1", "Bearer t")], inventory.asked
        # What a key contains separates nothing, and what is answered is no template.
        odd = "a/../b?c=d&e#f%2f ${HOST}"
        assert sent(server, [odd]) == [f"{odd}|of {odd}|Ann||"]
        assert inventory.asked[-1][0] == "/hosts/a%2F..%2Fb%3Fc%3Dd%26e%23f%252f%20%24%7BHOST%7D"
        assert sent(server, ["..", "huge"]) == ["..||||", "huge||||refused"]
        assert len(inventory.asked) == 4
        found = lookups(server)
        assert (found["found"], found["missing"], found["failed"], found["answered"], found["refused"]) == (3, 2, 1, 4, 1), found
        metrics = server.ctl("stats", "prometheus")
        assert f'duramen_lookup_keys_total{{id="http,127.0.0.1:{inventory.port}",result="answered"}} 4' in metrics, metrics
        # Many keys of a batch are on their way together.
        inventory.pause = 0.05
        began = time.monotonic()
        many = [f"h{number}" for number in range(160)]
        assert sent(server, many) == [f"{key}|of {key}|Ann||" for key in many]
        assert time.monotonic() - began < 5
    finally:
        server.close()
        inventory.close()


@waits_for(4)
def test_a_server_that_is_away_costs_little_and_comes_back(binary):
    inventory = Inventory()
    url = f'database(http(url("http://127.0.0.1:{inventory.port}/hosts/${{{{key}}}}"))) timeout(0.5) cache-expire(0.5) cache-expire-missing(0.5) time-reopen(1)'
    server = Server(binary, HEAD + PATH % url)
    try:
        server.start()
        assert sent(server, ["web1"]) == ["web1|of web1|Ann||"]
        inventory.close()
        # Values that have expired are used; keys without any are marked.
        time.sleep(0.6)
        first = sent(server, ["web1", "new"])
        assert first[0] == "web1|of web1|Ann||" and first[1].startswith("new||||") and first[1] != "new||||", first
        began = time.monotonic()
        many = sent(server, [f"n{number}" for number in range(2000)])
        assert all(line.endswith(("|server", "|paused")) for line in many), many[:3]
        assert time.monotonic() - began < 5
        assert lookups(server)["paused"] == 1 and "healthy 0" in server.ctl("healthcheck")
        assert f"lookup http,127.0.0.1:{inventory.port}: " in server.ctl("healthcheck")
        inventory = Inventory(inventory.port)

        def is_back():
            return sent(server, ["back"]) == ["back|of back|Ann||"]

        server.until(is_back, 20, "lookups to work again")
        assert "healthy 1" in server.ctl("healthcheck") and "Lookups work again" in server.stderr()
        # One that hangs holds messages up for three times the limit, and then no more.
        inventory.pause = 30
        began = time.monotonic()
        for number in range(6):
            sent(server, [f"slow{number}"])
        assert time.monotonic() - began < 4
        assert [line.rsplit("|", 1)[1] for line in lines(server)[-6:]] == ["timeout"] * 3 + ["paused"] * 3
    finally:
        server.close()
        inventory.close()


def test_values_come_from_redis(binary):
    target = Redis("--requirepass", "secret")
    login = ("-a", "secret", "--no-auth-warning")
    target.cli("HSET", "h:web1", "role", "web", "owner.name", "Ann", login=login)
    target.cli("SET", "h:text", "text", login=login)
    config = PATH % f'database(redis(port({target.port}) auth("secret") command("HGETALL" "h:${{{{key}}}}"))) default-selector("web1") cache-expire(0.2) timeout(0.5)'
    server = Server(binary, HEAD + config)
    try:
        server.start()
        # A key of another type is its own fault.
        assert sent(server, ["web1", "text"] + [f"n{number}" for number in range(500)]) == ["web1|web|Ann||", "text||||refused"] + [
            f"n{number}|web|Ann||" for number in range(500)]
        assert lookups(server)["paused"] == 0
        # A restart of the server in between is not noticed.
        target.kill()
        target.start()
        target.cli("HSET", "h:web1", "role", "new", login=login)
        time.sleep(0.3)
        assert sent(server, ["web1"]) == ["web1|new|||"]
        target.kill()
        time.sleep(0.3)
        assert set(sent(server, ["web1"] * 50)) == {"web1|new|||"}
        assert lookups(server)["stale"] == 50
        target.start()
        assert "secret" not in server.stderr() + server.ctl("healthcheck") + server.ctl("stats")
    finally:
        server.close()
        target.close()


def check_database(binary, database, away=None):
    """A table with hostile contents: each key gets its own row, whatever is in the key; `away` lets the server go and come back."""
    server = Server(binary, HEAD + PATH % f"database(sql({database} query(\"SELECT role, 'Ann' AS \\\"owner.name\\\" FROM hosts WHERE name = ?\"))) cache-expire(0.2) cache-expire-missing(0.2) timeout(2)")
    try:
        server.start()
        keys = ["' OR '1'='1", "\\' OR 1=1 --", "${HOST}", "none"]
        assert sent(server, ["web1", HOSTILE, *keys]) == ["web1|web's|Ann||", f"{HOSTILE}|hostile|Ann||"] + [f"{key}||||" for key in keys]
        assert lookups(server)["paused"] == 0 and lookups(server)["refused"] == 0
        if away:
            away.kill()
            time.sleep(0.3)
            assert set(sent(server, ["web1"] * 20)) == {"web1|web's|Ann||"}
            away.start()
            server.until(lambda: sent(server, ["more"]) and lookups(server)["paused"] == 0 and sent(server, ["web1"]) == ["web1|web's|Ann||"], 30, "the database to be asked again")
    finally:
        server.close()


HOSTILE = "a'b\\c\"d`e%_; DROP TABLE hosts"
TABLE = ["CREATE TABLE hosts (name varchar(100), role varchar(100))", "INSERT INTO hosts VALUES ('web1', 'web''s')"]


def test_values_come_from_postgresql(binary):
    target = Postgres()
    try:
        for text in [*TABLE, "INSERT INTO hosts VALUES ('%s', 'hostile')" % HOSTILE.replace("'", "''")]:
            target.sql(text)
        check_database(binary, f'type(pgsql) host("{target.folder}") username("test") database("postgres")', target)
    finally:
        target.close()


def test_values_come_from_mariadb(binary):
    target = MariaDb()
    try:
        for text in [*TABLE, "INSERT INTO hosts VALUES ('%s', 'hostile')" % HOSTILE.replace("\\", "\\\\").replace("'", "''")]:
            target.sql(text)
        check_database(binary, f'host("127.0.0.1") port({target.port}) username("syslog-ng") password("secret-password")', target)
    finally:
        target.close()


def test_values_come_from_sqlite(binary):
    holder = Server(binary)
    try:
        path = holder.folder + "/hosts.db"
        with sqlite3.connect(path) as table:
            for text in [*TABLE, "INSERT INTO hosts VALUES ('%s', 'hostile')" % HOSTILE.replace("'", "''")]:
                table.execute(text)
        check_database(binary, f'type(sqlite3) database("{path}")')
    finally:
        holder.close()


def test_a_message_without_an_answer_may_take_another_way(binary):
    path = """log {{ source(s_net);
    if {{ parser {{ add-contextual-data(selector("$MSG") database(redis(port(1) command("GET" "${{key}}"))) prefix("c.") on-failure(no-match)); }}; }}
    else {{ rewrite {{ set("other way" value("c.role")); }}; }};
    destination(d_out); flags(flow-control); }};\n"""
    server = Server(binary, HEAD + path)
    try:
        server.start()
        assert sent(server, ["a", "b"]) == ["a|other way|||", "b|other way|||"]
    finally:
        server.close()


def test_what_cannot_work_is_refused(binary):
    cases = [
        ('selector("$HOST") database(http(url("http://${{key}}/a")))', "no URL with the key in its path"),
        ('selector("$HOST") database(http(url("http://h/a")))', "no URL with the key in its path"),
        ('selector("$HOST") database(http(url("http://h/$HOST")))', "only ${{key}} stands for something here"),
        ('selector("$HOST") database(http(workers(2)))', "`http()` needs `url()`"),
        ('selector("$HOST") database(redis(command("SET" "${{key}}" "x")))', "no command that looks a key up"),
        ('selector("$HOST") database(redis(command("HGET" "${{key}}")))', "another number of arguments"),
        ('selector(glob("$HOST")) database(redis())', "a selector is no glob"),
        ('selector("$HOST") database(sql(query("select a from t where k = \'?\'")))', "no ? for the key"),
        ('selector("$HOST") database(sql(query("select a from t where k = E?")))', "`E` stands right beside"),
        ('selector("$HOST") database(sql(query("select a from t where k = ?; drop table t")))', "which is refused here"),
        ('selector("$HOST") database(sql(type(oracle) query("select a from t where k = ?")))', "oracle"),
        ('selector("$HOST") database(ldap())', "ldap"),
    ]
    config = "source s {{ internal(); }};\ndestination d {{ file(\"/tmp/x\"); }};\nparser p {{ add-contextual-data(%s); }};\n"
    check_refusals(binary, [(driver, words.replace("{{", "{").replace("}}", "}")) for driver, words in cases], config)
