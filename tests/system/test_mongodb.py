"""mongodb(): documents are stored once, with their types; the server is killed, refuses some, loses answers, steps down; nothing is lost.

The server is mongo-java-server; replica sets and logins are imitated by a relay before it, as it has neither."""

import functools
import socket
import tempfile
import threading
import time

import destination
from destination import HEAD, check_refusals, dead, send
from mongo_server import Login, Mongo, Relay
from server import Server, waits_for
from test_tls import pki

settled = functools.partial(destination.settled, kind="dst.mongodb")

TEXT = 'value-pairs(pair("text" "$MSG"))'


def mongodb(port, options, uri="", head=HEAD):
    return head + 'destination d_mongo {{ mongodb(uri("mongodb://127.0.0.1:%d/syslog%s") %s); }};\nlog {{ source(s_net); destination(d_mongo); flags(flow-control); }};\n' % (port, uri, options)


def healthy(server, words, within=20):
    server.until(lambda: words in server.ctl("healthcheck"), within, f"{words}: " + server.ctl("healthcheck"))


def test_values_are_stored_with_their_types_in_documents_of_their_names(binary):
    target = Mongo()
    pairs = """value-pairs(scope(rfc5424) exclude("DATE") pair("n" int("$PID")) pair("at" datetime("$UNIXTIME")) pair("ok" boolean("true"))
        pair("list" list("a,b")) pair("deep.one" "1") pair("deep.two" double("2.5")) pair("whole" json('{{"a":[1,{{"b":null}}]}}')) pair(".dot" "d"))"""
    server = Server(binary, mongodb(target.port, f'collection("from_$HOST") {pairs}'))
    try:
        server.start()
        hostile = "q\" ' $where {\\} \u20ac %s \x07"
        send(server, [("web", hostile), ("db", "two"), ("$bad", "three")])
        found = settled(server, 3)
        assert (found["written"], found["dead"]) == (2, 1), (found, dead(server, "cat", "d_mongo#0"))
        assert "bad-name" in dead(server, "cat", "d_mongo#0")
        document, = target.documents("from_web")
        assert document["MESSAGE"] == hostile and document["HOST"] == "web" and "DATE" not in document, document
        assert (document["n"], document["ok"], document["list"], document["deep"], document["_dot"]) == (17, True, ["a", "b"], {"one": "1", "two": 2.5}, "d"), document
        assert document["at"].isoformat() == "2007-04-22T10:00:00" and document["whole"] == {"a": [1, {"b": None}]}, document
        assert document["_id"].subtype == 4 and len(document["_id"]) == 16, document
        assert [one["MESSAGE"] for one in target.documents("from_db")] == ["two"]
    finally:
        server.close()
        target.close()


@waits_for(12)
def test_a_server_that_is_killed_and_refuses_stores_every_message_once(binary):
    """10,000 messages while the server is killed four times and ours twice, and one in a hundred is refused: stored = sent - dead, none twice."""
    target = Mongo()
    target.unique("key")
    pairs = 'value-pairs(pair("text" "$MSG") pair("key" "$key") omit-empty-values())'
    config = mongodb(target.port, f'{pairs} batch-lines(200) disk-buffer(capacity-bytes(64M) reliable(yes))')
    # One in a hundred has the key of one before it; the others have none.
    config = config.replace("destination(d_mongo);", 'parser {{ kv-parser(); }}; destination(d_mongo);')
    server = Server(binary, config)
    count = 10000
    try:
        server.start()
        send(server, [("web", "key=same")])
        settled(server, 1)

        def feed(begin, end):
            with socket.create_connection(("127.0.0.1", server.port), timeout=60) as peer:
                for number in range(begin, end):
                    key = "key=same " if number % 100 == 7 else ""
                    peer.sendall(f"<13>1 2007-04-22T10:00:00Z web app 17 - - {key}n={number}\n".encode())
                    if number % 1000 == 0:
                        time.sleep(0.2)

        def accepted():
            rows = [line.split(";") for line in server.ctl("stats").splitlines()]
            return sum(int(row[5]) for row in rows if row[0].startswith("dst.mongodb") and row[4] == "processed")

        for part in range(2):
            begin, end = part * count // 2, (part + 1) * count // 2
            sender = threading.Thread(target=feed, args=(begin, end))
            sender.start()
            for _ in range(2):
                time.sleep(0.5)
                target.kill()
                time.sleep(0.1)
                target.start()
            sender.join()
            if part == 0:
                # Our own end: what was taken is on the disk.
                server.until(lambda: accepted() >= count // 2 + 1, 30, "the first half to be taken")
                server.process.kill()
                server.process.wait(20)
                server.start()
        stored = lambda: len(target.documents())
        server.until(lambda: stored() >= count - count // 100 + 1, 120, f"all documents: {stored()}\n{server.stderr()}")
        texts = [one["text"] for one in target.documents()]
        assert len(texts) == len(set(texts)) == count - count // 100 + 1, (len(texts), len(set(texts)))
        server.until(lambda: dead(server, "cat", "d_mongo#0").count("constraint") >= count // 100, 30, "dead letters: " + dead(server, "ls"))
        assert dead(server, "cat", "d_mongo#0").count("11000") >= count // 100
        server.until(lambda: destination.counters(server, "dst.mongodb")["queued"] == 0, 60, "the last answers")
        found = destination.counters(server, "dst.mongodb")
        assert found["processed"] == found["written"] + found["dead"] + found["dropped"], found
    finally:
        server.close()
        target.close()


def test_answers_that_are_lost_store_nothing_twice(binary):
    target = Mongo()
    lost = []

    def on_answer(command, answer):
        if "insert" in command and len(lost) < 3:
            lost.append(answer["n"])
            return False
        return answer

    relay = Relay(target, on_answer=on_answer)
    for options in ("", "bulk-unordered(yes)", "bulk(no)"):
        lost.clear()
        server = Server(binary, mongodb(relay.port, f'collection("c{len(options)}") {TEXT} batch-lines(100) {options}'))
        try:
            server.start()
            send(server, [("web", str(number)) for number in range(500)])
            found = settled(server, 500)
            assert (found["written"], found["dead"], len(lost)) == (500, 0, 3), (found, lost)
            texts = [int(one["text"]) for one in target.documents(f"c{len(options)}")]
            assert sorted(texts) == list(range(500)), len(texts)
            assert options or texts == list(range(500)), "the order is kept"
        finally:
            server.close()
    relay.close()
    target.close()


def test_the_primary_of_a_replica_set_is_found_and_followed(binary):
    """Two relays before one server say that they are a set: one is its primary, then the other."""
    target = Mongo()
    primary, refused = [0], []
    relays = []

    def member(number):
        def on_answer(command, answer):
            if "isMaster" in command:
                names = [f"127.0.0.1:{relay.port}" for relay in relays]
                is_primary = primary[0] == number
                answer.update(ismaster=is_primary, secondary=not is_primary, setName="rs", hosts=names, primary=names[primary[0]] if primary[0] < 2 else None)
            return answer

        def on_command(command):
            if "insert" in command and primary[0] != number:
                refused.append(number)
                return {"ok": 0.0, "code": 10107, "codeName": "NotWritablePrimary", "errmsg": "not primary"}
            return None
        return Relay(target, on_command, on_answer)

    relays += [member(0), member(1)]
    server = Server(binary, mongodb(relays[1].port, TEXT, "?replicaSet=rs"))
    try:
        server.start()
        send(server, [("web", "one")])
        settled(server, 1)
        primary[0] = 1
        send(server, [("web", "two")])
        settled(server, 2)
        assert refused == [0]
        # An election: nobody is.
        primary[0] = 2
        send(server, [("web", "three")])
        server.until(lambda: len(refused) > 1 or "takes no writes" in server.ctl("healthcheck"), 20, "the set without a primary")
        primary[0] = 0
        found = settled(server, 3)
        assert (found["written"], found["dead"]) == (3, 0), found
        assert [one["text"] for one in target.documents()] == ["one", "two", "three"]
        server.write_config(mongodb(relays[1].port, TEXT, "?replicaSet=other"))
        server.ctl("reload")
        send(server, [("web", "four")])
        healthy(server, "is of another replica set: rs")
    finally:
        server.close()
        target.close()
        for relay in relays:
            relay.close()


def test_a_wrong_password_holds_messages(binary):
    target = Mongo()
    for mechanism in ("SCRAM-SHA-256", "SCRAM-SHA-1"):
        login = Login("me", "l\u00e4te-secret", mechanism)
        relay = Relay(target, login, lambda command, answer: {**answer, "saslSupportedMechs": [mechanism]} if "saslSupportedMechs" in command else answer)
        options = f'collection("{mechanism}") {TEXT}'
        config = lambda password: mongodb(relay.port, options).replace("mongodb://", f"mongodb://me:{password}@")
        server = Server(binary, config("wrong-secret"))
        try:
            server.start()
            send(server, [("web", "one")])
            healthy(server, "(credentials): 18 AuthenticationFailed: Authentication failed.")
            assert "secret" not in server.stderr() + server.ctl("healthcheck")
            server.write_config(config("l%C3%A4te-secret"))
            server.ctl("reload")
            assert settled(server, 1)["written"] == 1
            assert [one["text"] for one in target.documents(mechanism)] == ["one"] and login.logins == 1
        finally:
            server.close()
            relay.close()
    target.close()


def test_each_refusal_has_its_own_end(binary):
    """Answers as mongod gives them, where mongo-java-server has none: a relay puts them in the place of its own."""
    target = Mongo()
    say = {}
    relay = Relay(target, lambda command: say.get("all") if "insert" in command else None, lambda command, answer: {**answer, **say.get("more", {})} if "insert" in command else answer)
    server = Server(binary, mongodb(relay.port, TEXT))
    try:
        server.start()
        say["all"] = {"ok": 0.0, "code": 13, "codeName": "Unauthorized", "errmsg": 'not authorized on syslog to execute command { insert: "messages" }'}
        send(server, [("web", "one")])
        healthy(server, "(access): 13 Unauthorized: not authorized on syslog to execute command")
        del say["all"]
        settled(server, 1)
        # Stored by the primary, but not by the others: it is sent again, and known.
        say["more"] = {"writeConcernError": {"code": 64, "codeName": "WriteConcernFailed", "errmsg": "waiting for replication timed out"}}
        send(server, [("web", "two")])
        server.until(lambda: len(target.documents()) == 2, 20, "the document")
        assert destination.counters(server, "dst.mongodb")["written"] == 1
        del say["more"]
        settled(server, 2)
        # One of many is refused, as a whole: it is found by halving.
        big = "x" * 3000
        say["all"] = None
        relay.on_command = lambda command: {"ok": 0.0, "code": 10334, "codeName": "BSONObjectTooLarge", "errmsg": "object to insert too large"} if "insert" in command and relay.is_large else None
        whole = Relay.body
        relay.body = lambda data: setattr(relay, "is_large", len(data) > 3000) or whole(data)
        send(server, [("web", str(number)) for number in range(10)] + [("web", big)] + [("web", "last")])
        found = settled(server, 14)
        assert (found["written"], found["dead"]) == (13, 1), (found, dead(server, "cat", "d_mongo#0"))
        assert "too-large" in dead(server, "cat", "d_mongo#0")
        assert sorted(one["text"] for one in target.documents()) == sorted(["one", "two", "last", *map(str, range(10))])
    finally:
        server.close()
        relay.close()
        target.close()


def test_encrypted_connections_check_the_server(binary):
    with tempfile.TemporaryDirectory(prefix="pki-", dir="/tmp") as holder:
        pki(holder + "/pki")
        pki(holder + "/other")
        target = Mongo(holder + "/pki")
        config = lambda uri, more: mongodb(target.port, TEXT + more, uri).replace("127.0.0.1:%d/" % target.port, "localhost:%d/" % target.port)
        server = Server(binary, config("", ' tls(ca-file("%s/other/ca.pem"))' % holder))
        try:
            server.start()
            send(server, [("web", "one")])
            healthy(server, "TLS: the certificate of the peer is not signed")
            server.write_config(config(f"?tls=true&tlsCAFile={holder}/pki/ca.pem", ""))
            server.ctl("reload")
            assert settled(server, 1)["written"] == 1
            assert [one["text"] for one in target.documents()] == ["one"]
        finally:
            server.close()
            target.close()


def test_old_options_work_as_before(binary):
    target = Mongo()
    server = Server(binary, HEAD + 'destination d {{ mongodb(host("127.0.0.1") port(%d) database("old") collection("ssh") %s); }};\nlog {{ source(s_net); destination(d); }};\n' % (target.port, TEXT))
    try:
        server.start()
        send(server, [("web", "one")])
        settled(server, 1)
        assert [one["text"] for one in target.documents("ssh", "old")] == ["one"]
    finally:
        server.close()
        target.close()


def test_wrong_configurations_are_refused_by_their_place(binary):
    cases = (
        ('mongodb(uri("mongodb://h/d") host("h"));', "`uri()` and `host()` cannot be used together"),
        ('mongodb(uri("mongodb+srv://h/d"));', "mongodb+srv:// is not supported"),
        ('mongodb(uri("mongodb://h"));', "`uri()` names no database"),
        ('mongodb(uri("mongodb://h/d?authMechanism=GSSAPI"));', "SCRAM-SHA-256 and SCRAM-SHA-1 are"),
        ('mongodb(collection("system.x"));', "the server's own"),
        ('mongodb(write-concern(sometimes));', "is no write concern"),
    )
    check_refusals(binary, cases)
