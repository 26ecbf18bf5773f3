"""clickhouse(): a table gets every message, once where it has a key, refuses some, goes away and comes back; no value becomes SQL."""

import functools
import http.server
import socket
import ssl
import tempfile
import threading
import time

import destination
from clickhouse_server import PASSWORD, Clickhouse
from destination import HEAD, check_refusals, dead, send
from server import Server, free_port, waits
from test_tls import pki

settled = functools.partial(destination.settled, kind="dst.clickhouse")


def clickhouse(url, options, table="logs.t"):
    # The language takes a backtick for a name of its own; two are one.
    database, name = table.replace("`", "``").split(".", 1)
    url = url if isinstance(url, str) else f"http://127.0.0.1:{url.port}"
    text = 'destination d_ch {{ clickhouse(url("%s") database("%s") table("%s") %s); }};\nlog {{ source(s_net); destination(d_ch); flags(flow-control); }};\n'
    return HEAD + text % (url, database, name, options)


def healthy(server, words):
    server.until(lambda: words in server.ctl("healthcheck"), 20, f"{words}: " + server.ctl("healthcheck"))


@waits
def test_a_server_that_is_killed_and_refuses_has_every_message_once(binary):
    """20,000 messages while the server is killed twice and refuses one in a hundred: stored = sent - dead letters, then all of them."""
    target = Clickhouse()
    target.ask("CREATE DATABASE logs")
    target.ask("CREATE TABLE logs.t (n UInt32, host String, id FixedString(32)) ENGINE = ReplacingMergeTree ORDER BY id")
    options = 'schema("n" UInt32 => "%s" "host" String => "$HOST") unique-column("id") batch-lines(500) batch-timeout(100) disk-buffer(capacity-bytes(64M) reliable(yes))'
    server = Server(binary, clickhouse(target, options % "$MSG"))
    count, bad = 20000, lambda number: number % 100 == 7
    try:
        server.start()

        def feed():
            with socket.create_connection(("127.0.0.1", server.port), timeout=60) as peer:
                for number in range(count):
                    text = "x" if bad(number) else ""
                    peer.sendall(f"<13>1 2007-04-22T10:00:00Z web{number % 3} app 17 - - {text}{number}\n".encode())
                    if number % 2000 == 0:
                        time.sleep(0.25)

        sender = threading.Thread(target=feed)
        sender.start()
        for _ in range(2):
            time.sleep(0.6)
            target.kill()
            target.start()
        sender.join()
        found = settled(server, count, 120)
        assert (found["dead"], found["queued"], found["written"]) == (count // 100, 0, count - count // 100), found
        stored = lambda: [row[0] for row in target.rows("SELECT n FROM logs.t FINAL ORDER BY n")]
        assert stored() == [number for number in range(count) if not bad(number)]
        letters = dead(server, "cat", "d_ch#0")
        assert "type" in letters and "Code: " in letters, letters[:500]
        # With a template that suits the table they are stored too, each once.
        server.write_config(clickhouse(target, options % "$(substr $MSG 1)"))
        server.ctl("reload")
        assert dead(server, "replay", "d_ch#0").startswith(f"OK {count // 100}")
        settled(server, count + count // 100)
        assert stored() == list(range(count))
    finally:
        server.close()
        target.close()


def test_values_and_names_never_become_statements(binary):
    target = Clickhouse()
    target.ask("CREATE DATABASE `lo``gs`".replace("``", "\\`"))
    target.ask("CREATE TABLE `lo\\`gs`.`t\\\\'* DROP` (`m\\`) FORMAT` String, d DateTime, f Float64, a Array(UInt8)) ENGINE = MergeTree ORDER BY tuple()")
    columns = 'schema("m``) FORMAT" String => "$MSG" "d" DateTime => "$ISODATE" "f" "Nullable(Float64)" => "$PID.5" "a" "Array(UInt8)" => "[1,$PID]") compression(yes) batch-timeout(100)'
    server = Server(binary, clickhouse(target, columns, "lo`gs.t\\\\'* DROP"))
    hostile = ["'); DROP TABLE x; --", "`", '"}, {"d": "', "a\tb \\ \\n \\x41 \\0", "{}", "\u2028\u202e\u00fc", "%20&query=SELECT 1", "null"]
    try:
        server.start()
        send(server, [("web", text) for text in hostile])
        found = settled(server, len(hostile))
        assert found["written"] == len(hostile), (found, dead(server, "cat", "d_ch#0"), server.ctl("healthcheck"))
        rows = target.rows("SELECT * FROM `lo\\`gs`.`t\\\\'* DROP`")
        assert sorted(row[0] for row in rows) == sorted(hostile), rows
        assert {(row[2], str(row[3])) for row in rows} == {(17.5, "[1, 17]")}, rows
        assert target.rows("SELECT count() FROM `lo\\`gs`.`t\\\\'* DROP` WHERE d = toDateTime('2007-04-22 10:00:00', 'UTC')") == [[str(len(hostile))]]
    finally:
        server.close()
        target.close()


def test_what_an_operator_must_mend_holds_messages(binary):
    target = Clickhouse()
    target.ask("CREATE DATABASE logs")
    options = 'user("%s") password("%s") json-var("$(format-json m=$MSG)") batch-timeout(50)'
    server = Server(binary, clickhouse(target, options % ("writer", "wrong-secret")))

    def reload(user, password, words):
        server.write_config(clickhouse(target, options % (user, password)))
        server.ctl("reload")
        healthy(server, words)

    try:
        server.start()
        send(server, [("web", "one")])
        healthy(server, "(credentials): the server answered Code: 193")
        assert "secret" not in server.stderr() + server.ctl("healthcheck")
        reload("writer", PASSWORD, "(schema): the server answered Code: 60")
        target.ask("CREATE TABLE logs.t (other String) ENGINE = MergeTree ORDER BY tuple()")
        reload("reader", PASSWORD, "(access): the server answered Code: 164")
        target.ask("DROP TABLE logs.t")
        target.ask("CREATE TABLE logs.t (m String) ENGINE = MergeTree ORDER BY tuple()")
        server.write_config(clickhouse(target, options % ("writer", PASSWORD)))
        server.ctl("reload")
        assert settled(server, 1)["written"] == 1
        assert target.rows("SELECT m FROM logs.t") == [["one"]]
        # A message of which no row can be made, and one that names no column of the table.
        server.write_config(clickhouse(target, options.replace("m=$MSG", "$MSG=1") % ("writer", PASSWORD)))
        server.ctl("reload")
        send(server, [("web", "other")])
        found = settled(server, 2)
        assert found["dead"] == 1 and "type" in dead(server, "cat", "d_ch#0"), (found, server.ctl("healthcheck"))
    finally:
        server.close()
        target.close()


class Page(http.server.BaseHTTPRequestHandler):
    """Answers every request with success and a page."""

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Length", "14")
        self.end_headers()
        self.wfile.write(b"<html>It works")

    def log_message(self, *_):
        pass


def test_another_server_takes_no_message(binary):
    """Over TLS, a server that answers a request with a page: that is no success."""
    with tempfile.TemporaryDirectory(prefix="pki-", dir="/tmp") as holder:
        folder, port = holder + "/pki", free_port()
        pki(folder)
        peer = http.server.HTTPServer(("127.0.0.1", port), Page)
        settings = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        settings.load_cert_chain(folder + "/server.pem", folder + "/server.key")
        peer.socket = settings.wrap_socket(peer.socket, server_side=True)
        threading.Thread(target=peer.serve_forever, daemon=True).start()
        server = Server(binary, clickhouse(f"https://localhost:{port}", f'schema("m" => "$MSG") batch-timeout(50) tls(ca-file("{folder}/ca.pem"))'))
        try:
            server.start()
            send(server, [("web", "one")])
            healthy(server, "this is no answer of ClickHouse")
        finally:
            server.close()
            peer.shutdown()
            peer.server_close()


def test_wrong_configurations_are_refused_by_their_place(binary):
    schema = 'schema("m" String => "$MSG")'
    check_refusals(binary, (
        (f'clickhouse(url("localhost:9100") table("t") {schema});', "write where its HTTP interface is: http://host:8123"),
        (f'clickhouse(url("http://h?x=1") table("t") {schema});', "is no HTTP address"),
        ('clickhouse(table("t"));', "needs either `schema()` or `json-var()`"),
        (f'clickhouse({schema});', "table"),
        (f'clickhouse(table("") {schema});', "a name is empty"),
        ('clickhouse(table("t") schema("m" String));', "no column of a schema"),
        (f'clickhouse(table("t") {schema} unique-column("m"));', "is a column of `schema()` too"),
        (f'clickhouse(table("t") {schema} format(Protobuf));', "JSONEachRow".lower()),
        (f'clickhouse(table("t") {schema} server-side-schema("s"));', "is not supported yet"),
    ))
