"""The contract of the query language, row by row, over HTTP: on messages that have just arrived, and on the same ones sealed.

Each message has a number; a row is a query and the numbers that it finds, or a pipeline and its table, or a query that is
refused and the position of the error.
"""

import datetime
import json
import os
import socket
import subprocess
import urllib.error

from server import Server

CONFIG = """@version: 4.8
options {{ keep-hostname(yes); use-dns(no); stats(level(1)); }};
source s_network {{ network(ip("127.0.0.1") port({port}) transport("tcp") flags(syslog-protocol)); }};
parser p_json {{ json-parser(prefix("j.") marker("@json:")); }};
destination d_main {{ logspace("main"); }};
log {{ source(s_network); if {{ parser(p_json); }}; destination(d_main); flags(flow-control); }};
"""

# Severity 4 is a warning: <12> is user.warning, <34> auth.crit, <38> auth.info, <86> authpriv.info, <87> authpriv.debug, <165> local4.notice.
MESSAGES = [
    ('<34>1 {now} gw1 sshd 101 LOGIN [auth@32473 user="MrSmith" src="10.1.2.3" tries="3"] Failed password for root from 10.1.2.3 port 40001', 0),
    ('<38>1 {now} gw1 sshd 102 LOGIN [auth@32473 user="mrsmith" src="10.1.2.30" tries="12"] Accepted password for root from 10.1.2.30 port 40002', 0),
    ('<12>1 {now} gw2 kernel - - - port scan detected from 192.168.7.9', 0),
    ('<12>1 {now} gw2 kernel - - - scan of one port: key: value (odd) [x] C:\\temp "quoted"', 0),
    ('<86>1 {now} web-01 nginx 7 - [req@32473 ms="7.5" bytes="150" path="/var/log"] GET /index.html failed; user=ann took=7', 0),
    ('<87>1 {now} web-01 nginx 7 - [req@32473 ms="12" bytes="1500" path="/etc"] GET /index.html done; user=bob took=12', 0),
    ('<165>1 {now} box app - - - foam roams the room, rom and Foamy', 0),
    ('<165>1 {now} box app - - - @json:{{"n": 5, "flag": true, "who": {{"name": "ann"}}}}', 0),
    ('<165>1 {now} box app - - - @json:{{"n": "5", "who": {{"name": "Bob"}}}}', 0),
    ('<165>1 {now} box app - - - @json:{{"n": "five", "v6": "2001:db8::7"}}', 0),
    ('<165>1 {now} box app - - - @json:{{"n": 5.0}}', 0),
    ('<165>1 {now} box app - - - @json:{{"n": 50}}', 0),
    ('<165>1 {now} box app - - - @json:{{"n": -2, "flag": "true"}}', 0),
    (b'<165>1 {now} box app - - - binary \xff\xfe tail', 0),
    ('<165>1 {now} late app - - - it was an hour ago', -3600),
    ('<165>1 {now} soon app - - - it will be in a day', 86400),
    ('<165>1 {now} box app - - - Größe überschritten and or not', 0),
    ('<165>1 {now} box app - - [origin ip="192.0.2.1" ip="192.0.2.129"] two addresses', 0),
]

FINDS = [
    # Terms, and the parts of a message in which they are searched.
    ("fail", ""), ("failed", "1 5"), ("FAILED", "1 5"), ("sshd", "1 2"), ("mrsmith", "1 2"), ("web-01", "5 6"), ("message:sshd", ""),
    ("größe", "17"), ("tail", "14"),
    # Field.
    ("host:gw1", "1 2"), ("HOST:GW1", "1 2"), ("program:nginx", "5 6"), ("pid:101", "1"), ("msgid:login", "1 2"), ("nothing:x", ""),
    ("NOT nothing:x", "1-18"), ("source:s_network", "1-18"), ("peer:127.0.0.1", "1-18"),
    # Dots, nested names, names with wildcards.
    (".SDATA.auth@32473.user:mrsmith", "1 2"), ("sd.auth@32473.user:mrsmith", "1 2"), ("sd.\\*:12", "2 6"), ("sd.*ms:12", "6"),
    ("j.who.name:bob", "9"), ("j.*:ann", "8"),
    # Boolean.
    ("failed AND sshd", "1"), ("failed && sshd", "1"), ("failed sshd", "1"), ("kernel OR nginx", "3-6"), ("kernel || nginx", "3-6"),
    ("nginx NOT failed", "6"), ("nginx !failed", "6"), ("nginx -failed", "6"), ("+nginx -failed", "6"), ("sshd AND (failed OR accepted)", "1 2"),
    ("host:(gw1 OR gw2)", "1-4"), ("host:(gw1 OR gw2) AND NOT (failed OR accepted)", "3 4"), ("nginx failed OR kernel", "3-5"),
    ("größe and or not", "17"),
    # Pure negation.
    ("NOT box", "1-6 15 16"), ("-host:box", "1-6 15 16"), ("NOT (NOT kernel)", "3 4"),
    # Phrase.
    ('"port scan"', "3"), ('"scan port"', ""), ('"password for root"', "1 2"), ('"password root"', ""), ('"get index.html"', "5 6"),
    ('message:"PORT SCAN"', "3"),
    # Proximity; a transposition costs two.
    ('"password root"~1', "1 2"), ('"scan port"~1', ""), ('"scan port"~2', "3 4"), ('"scan port"~10', "3 4"),
    # Wildcards.
    ("pass*", "1 2"), ("r?m", "7"), ("*assword", "1 2"), ("f*d", "1 5"), ("*cann*", ""), ("*oam*", "7"), ("host:gw?", "1-4"),
    ("host:*-01", "5 6"), ("10.1.*", "1 2"), ("sd.auth@32473.user:mr*", "1 2"), ("*index*", "5 6"),
    # Wildcard in a phrase: a gap.
    ('"password * root"', "1 2"), ('"failed * * root"', "1"), ('"port sc*"', "3"), ('"user * failed"', ""),
    # Fuzzy; a transposition counts one.
    ("roam~1", "7"), ("foma~1", "7"), ("fialed~1", "1 5"), ("fialde~1", ""), ("fialde~", "1 5"), ("host:gv1~1", "1 2"), ("host:gv1~", "1-4"),
    # Regular expressions: unanchored, on the received bytes, not on words.
    ("/fail(ed|ure)?/", "5"), ("/fail(ed|ure)?/i", "1 5"), ("host:/gw[0-9]+/i", "1-4"), ("/port: key: v/", "4"), ("/\\(odd\\) \\[x\\]/", "4"),
    ("raw:/^<34>1 /", "1"), ("/(?-u)binary \\xff\\xfe tail/", "14"), ("raw:/(?-u:\\xff)/", "14"), ("/index\\.html.*ann/", "5"),
    ("j.who.name:/^[ab]/", "8"),
    # Ranges.
    ("sd.req@32473.bytes:[150 TO 1500]", "5 6"), ("sd.req@32473.bytes:[150 TO 1500}", "5"), ("sd.req@32473.bytes:{150 TO 1500]", "6"),
    ("sd.req@32473.bytes:[* TO 200]", "5"), ("sd.req@32473.bytes:>=150", "5 6"), ("sd.req@32473.bytes:>150", "6"),
    ("sd.req@32473.ms:<12", "5"), ("sd.req@32473.ms:[7 TO 8]", "5"), ("severity:<=warning", "1 3 4"), ("sev:<warning", "1"),
    ("severity:[debug TO debug]", "6"), ("severity:crit", "1"), ("level:2", "1"), ("facility:[auth TO authpriv]", "1 2 5 6"),
    ("facility:local4", "7-18"), ("host:[gw1 TO gw2]", "1-4"), ("host:{gw1 TO gw2]", "3 4"), ("host:[a TO f]", "7-14 17 18"),
    ("sd.auth@32473.tries:>3", "2"), ("@received:[now-1h TO now]", "1-18"), ("@received:>now", ""), ("@received:<now-1h", ""),
    # Addresses.
    ("sd.auth@32473.src:10.1.2.0/27", "1 2"), ("sd.auth@32473.src:10.1.2.0/28", "1"), ("sd.auth@32473.src:[10.1.2.4 TO 10.1.2.40]", "2"),
    ("peer:127.0.0.0/8", "1-18"), ("j.v6:2001:db8::/32", "10"), ("j.v6:2001:0db8:0::7", "10"), ("j.v6:[2001:db8:: TO 2001:db8::f]", "10"),
    # Exists.
    ("_exists_:pid", "1 2 5 6"), ("pid:*", "1 2 5 6"), ("NOT _exists_:pid", "3 4 7-18"), ("_exists_:sd.auth@32473.src", "1 2"), ("j.v6:*", "10"),
    # Boost.
    ("failed^2 sshd", "1"), ("(failed OR done)^3", "1 5 6"),
    # All and none.
    ("*", "1-18"), ("", "1-18"), ("NOT *", ""),
    # Escapes.
    ("\\(odd\\)", "4"), ("key\\:", "4"), ("\\[x\\]", "4"), ("message:\\\"quoted\\\"", "4"), ('"C:\\\\temp"', "4"), ("web\\-01", "5 6"),
    # Exact bytes.
    ('message:="key: value"', "4"), ('message:="Key: value"', ""), ('message:="ort sca"', "3"), ('raw:"<34>1"', "1"), ('raw:"gw1 sshd"', "1 2"),
    # Case.
    ("sd.auth@32473.user:==MrSmith", "1"), ("host:==GW1", ""), ("message:==GET", "5 6"), ("message:==get", ""),
    # Both clocks.
    ("@event:<now-30m", "15"), ("@event:>now+1h", "16"), ("@skew:>30m", "15"), ("@skew:<-1h", "16"), ("@skew:[-1m TO 1m]", "1-14 17 18"),
    # A field whose values have several types: each is found by its text.
    ("j.n:5", "8 9 11"), ("j.n:5.0", "8 11"), ("j.n:five", "10"), ("j.n:[4 TO 6]", "8 9 11"), ("j.n:>5", "12"), ("j.n:<0", "13"), ("j.n:*", "8-13"),
    ("j.n:5*", "8 9 11 12"), ("j.flag:true", "8 13"), ("j.n:==5", "8 9"), ("NOT j.n:* box", "7 14 17 18"), ("j.n:fvie~1", "10"),
    # A name that occurs twice in one message.
    ("sd.origin.ip:192.0.2.1", "18"), ("sd.origin.ip:192.0.2.129", "18"), ("192.0.2.129", "18"),
]

SCRIPTS = [
    ('<13>1 {now} größe app - - [who@1 name="Müller"] Ärger mit Übergröße', 0),
    ('<13>1 {now} pc2 app - - [who@1 name="MÜLLER"] ÄRGER über der GRÖSSE', 0),
    ('<13>1 {now} pc3 app - - - Échec de l’ouverture de session : nom du compte : “admin”', 0),
    ('<13>1 {now} pc4 app - - - 用户admin登录失败，来自10.1.2.3。', 0),
    ('<13>1 {now} pc5 app - - - 接続エラーが発生しました', 0),
    ('<13>1 {now} pc6 app - - - Ошибка чтения ДИСКА sda1', 0),
    ('<13>1 {now} pc7 app - - - ΤΈΛΟΣ τέλος', 0),
    ('<13>1 {now} pc8 app - - - เกิดข้อผิดพลาดในระบบ', 0),
    (b'<13>1 {now} pc9 app - - - M\xfcller in Latin-1', 0),
]

SCRIPT_FINDS = [
    # Letters match in any case; letters with a mark are letters of their own.
    ("ärger", "1 2"), ("ÄRGER", "1 2"), ("arger", ""), ("über*", "1 2"), ("*größe", "1"), ("ÉCHEC", "3"), ("ошибка", "6"), ("диска", "6"),
    ("ДИС*", "6"), ("ΤΈΛΟΣ", "7"), ("τέλοσ", "7"), ("größe~1", "1"), ("ärgre~", "1 2"), ('"ärger mit"', "1"), ("host:GRÖSSE", ""), ("host:GRÖßE", "1"),
    ("sd.who@1.name:müller", "1 2"), ("sd.who@1.name:==Müller", "1"), ("sd.who@1.name:mü*", "1 2"), ("müller", "1 2"),
    # Signs of all scripts separate words.
    ("ouverture", "3"), ("compte", "3"), ("admin", "3 4"), ('"nom du compte"', "3"), ('"compte admin"', "3"), ("message:=“admin”", "3"),
    # What is written without blanks is found by any part.
    ("登录", "4"), ("用户admin登录", "4"), ("失败，来自10.1.2.3", "4"), ("录登", ""), ("10.1.2.3", "4"), ("エラー", "5"), ("接続", "5"), ("ผิดพลาด", "8"),
    ("message:=户admin登", "4"), ("/登.失/", "4"), ("NOT 登录", "1-3 5-9"), ("登录 OR エラー", "4 5"), ("message:=M", "9"),
]

TABLES = [
    ("sshd | terms program", [["sshd", 2, 100.0]]),
    ("* | top 2 host", [["box", 10, 55.56], ["gw1", 2, 11.11]]),
    ("* | stats count() by severity | sort severity | head 2", [["crit", 1], ["debug", 1]]),
    ("* | stats count(j.n), sum(j.n), avg(j.n), min(j.n), max(j.n), distinct(j.n)", [[6, 63, 12.6, -2, "five", 5]]),
    ("* | stats p50(j.n), p99(j.n)", [[5.008, 50]]),
    ("j.n:* | stats count() by j.n | sort j.n", [["-2", 1], ["5", 2], ["5.000000", 1], ["50", 1], ["five", 1]]),
    ("* | stats distinct(host) as hosts", [[6]]),
    ("failed OR done | sort host desc, pid | fields host, pid | head 2", [["web-01", "7"], ["web-01", "7"]]),
    ("nginx | dedup pid | fields pid", [["7"]]),
    ('from | rex "from (?<ip>[0-9.]+)" | stats count() by ip | sort ip | head 2', [["10.1.2.3", 1], ["10.1.2.30", 1]]),
    ("n five | json | fields n, v6", [["five", "2001:db8::7"]]),
    ("nginx | kv | where took:>10 | fields user, took", [["bob", "12"]]),
    ("nginx | kv | stats sum(took), max(took)", [[19, 12]]),
    ("kernel | patterns | fields pattern, count | head 1", None),
    ("* | timechart 1h count() by program", None),
    ("* | stats count() by host | where count:>2 | fields host", [["box"]]),
]

REFUSED = [
    ('say "hello', 4, "missing closing quote"), ("(a b", 0, "missing closing parenthesis"), ("a AND", 2, "AND has nothing after it"),
    ("host:", 0, "no value after"), ("a~3", 1, "0, 1 or 2"), ("/a(/", 0, "unclosed group"), ("sev:wrning", 0, "no severity"),
    ("b:[5 TO 1]", 0, "range is empty"), ("@event:someday", 0, "no time"), ("@skew:5", 0, "asked by a range"), ("/var/log", 0, "follows the end"),
    ("a | nonsense", 4, "no command"), ("a | stats sum()", 10, "needs the name"), ("a | where", 4, "needs a condition"),
    ("a | rex \"x\"", 8, "names no group"), ("a | head x", 9, "no number"), ("raw:a*", 0, "exact text or a regular expression"),
    ("host:=x", 0, "searches the bytes"), ("a b)", 3, "closes nothing"), ("/(\\w{1000}){1000}/", 0, "too large"),
]


def numbers(text):
    """`1 3-5` as a set."""
    parts = (part.split("-") for part in text.split())
    return {n for part in parts for n in range(int(part[0]), int(part[-1]) + 1)}


def filled(binary, messages=MESSAGES):
    server = Server(binary, CONFIG)
    server.start()
    frames, start = [], datetime.datetime.now(datetime.timezone.utc)
    for number, (text, offset) in enumerate(messages):
        # No two arrive in the same microsecond.
        moment = start + datetime.timedelta(seconds=offset, microseconds=number)
        now = moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ").encode()
        raw = text if isinstance(text, bytes) else text.replace("{{", "{").replace("}}", "}").encode()
        frames.append(raw.replace(b"{now}", now) + b"\n")
    with socket.create_connection(("127.0.0.1", server.port)) as peer:
        peer.sendall(b"".join(frames))
    server.found("", len(messages), within=10)
    return server


def wrong_finds(server, rows):
    """The rows of queries that find other messages."""
    troubles = []
    for query, want in rows:
        try:
            answer = server.search(query, limit=100)
        except urllib.error.HTTPError as error:
            troubles.append((query, json.load(error)["error"]["message"]))
            continue
        got = {row["sequence"] + 1 for row in answer["rows"]}
        if got != numbers(want) or answer["total"] != len(got):
            troubles.append((query, "want", want, "got", sorted(got), answer["total"]))
    return troubles


def wrong(server):
    """Every row whose result is wrong."""
    troubles = wrong_finds(server, FINDS)
    for query, want in TABLES:
        try:
            table = server.search(query, limit=100)["table"]
        except urllib.error.HTTPError as error:
            troubles.append((query, json.load(error)["error"]["message"]))
            continue
        if not table["rows"] or want is not None and table["rows"] != want:
            troubles.append((query, "want", want, "got", table["rows"]))
    for query, position, words in REFUSED:
        try:
            server.search(query)
            troubles.append((query, "is taken"))
        except urllib.error.HTTPError as error:
            said = json.load(error)["error"]
            if error.code != 400 or said["position"] != position or words not in said["message"]:
                troubles.append((query, said))
    return troubles


def test_every_row_of_the_contract(binary):
    server = filled(binary)
    try:
        troubles = wrong(server)
        assert not troubles, "while it is new:\n" + "\n".join(map(str, troubles))
        seal = [server.binary, "logspace", "seal", "main", "--control", server.folder + "/ctl"]
        subprocess.run(seal, check=True, capture_output=True, timeout=60)
        troubles = wrong(server)
        assert not troubles, "sealed:\n" + "\n".join(map(str, troubles))
    finally:
        server.close()


def test_words_of_all_scripts(binary):
    server = filled(binary, SCRIPTS)
    try:
        troubles = wrong_finds(server, SCRIPT_FINDS)
        assert not troubles, "while it is new:\n" + "\n".join(map(str, troubles))
        marks = server.search("ÄRGER OR 登录")["rows"]
        marked = {row["message"][start:start + length] for row in marks for start, length in row["highlights"]}
        assert marked == {"Ärger", "ÄRGER", "登录"}, marked
        values = server.call("values?logspace=main&column=.SDATA.who@1.name&prefix=m%C3%BC")
        assert sorted(value["value"] for value in values) == ["MÜLLER", "Müller"], values
        seal = [server.binary, "logspace", "seal", "main", "--control", server.folder + "/ctl"]
        subprocess.run(seal, check=True, capture_output=True, timeout=60)
        troubles = wrong_finds(server, SCRIPT_FINDS)
        assert not troubles, "sealed:\n" + "\n".join(map(str, troubles))
    finally:
        server.close()


def test_words_may_join_by_or(binary):
    server = filled(binary)
    try:
        ask = lambda query: server.search(query, default_operator="or")["total"]
        assert ask("kernel nginx") == 4 and ask("kernel AND nginx") == 0 and ask("+kernel detected") == 2
        assert ask("kernel -detected") == 1 and ask("-kernel") == 16
    finally:
        server.close()


def test_explains_the_cost_of_a_query(binary):
    server = filled(binary)
    try:
        ask = lambda query, **more: server.call("explain", {"query": query, **more})
        told = ask("failed root AND /pass.*40001/ -host:gw2 | top host", run=True)
        assert [part["asks"] for part in told["tree"]["parts"]][:2] == ["word failed", "word root"], told
        assert told["tree"]["parts"][0]["words"] == 1 and told["tree"]["parts"][0]["postings"] == 2, told
        assert told["total"] == 1 and told["messages_read"] == 1 and told["blocks_read"] == 1 and told["took_ms"] > 0, told
        assert told["pipes"] == ["top host"] and told["segments"] == 1 and told["messages"] == len(MESSAGES), told
        told = ask("host:gw1")
        assert told["messages_read"] == 0 and told["tree"]["reads"] == "columns" and "took_ms" not in told, told
        assert ask("*", time={"to": "now-1h"})["skipped_by_time"] == 1
        try:
            ask("say \"hello")
            raise AssertionError("a question that cannot be read was explained")
        except urllib.error.HTTPError as error:
            assert json.load(error)["error"]["position"] == 4
        environment = {**os.environ, "DURAMEN_PASSWORD": server.password, "DURAMEN_URL": server.base}
        command = [server.binary, "search", "--explain", "failed", "OR", "/x/"]
        shown = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
        assert shown.returncode == 0 and "word failed" in shown.stdout and "messages are read" in shown.stdout, shown
        with open(server.folder + "/data/searches.ledger") as ledger:
            assert '"explain"' in ledger.read()
    finally:
        server.close()


def test_messages_with_their_neighbours(binary):
    server = filled(binary)
    try:
        rows = server.search("number OR detected | context 1 1")["rows"]
        assert [row["sequence"] for row in rows] == [3, 2], rows
        rows = server.search("nginx | sort @event | head 1")["rows"]
        assert [row["sequence"] for row in rows] == [4], rows
        table = server.search("* | top 3 host | diff earlier=1h", time={"from": "now-10m", "to": "now"})["table"]
        assert table["columns"] == ["host", "count", "count_earlier", "count_change"] or "host" in table["columns"], table
        assert ["box", 10, 0, 10] in [row[:4] for row in table["rows"]], table
    finally:
        server.close()
