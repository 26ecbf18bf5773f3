"""redis(): a real server gets every message, refuses some, fills up, goes away and comes back."""

import functools
import socket
import tempfile
import threading
import time

import destination
from destination import HEAD, check_refusals, dead, send
from redis_server import Redis
from server import Server, free_port, waits_for
from test_tls import pki

settled = functools.partial(destination.settled, kind="dst.redis")


def redis(server, options):
    return HEAD + "destination d_redis {{ redis(port(%d) %s); }};\nlog {{ source(s_net); destination(d_redis); flags(flow-control); }};\n" % (server.port, options)


def test_each_message_is_a_command_with_its_own_verdict(binary):
    """The example of syslog-ng's manual, and keys of another type, which affect only their own messages."""
    target = Redis()
    target.cli("SET", "bad", "a text")
    server = Server(binary, redis(target, 'host("127.0.0.1") command("RPUSH", "$PROGRAM", "$HOST $MSG")'))
    try:
        server.start()
        with socket.create_connection(("127.0.0.1", server.port), timeout=30) as peer:
            for number in range(3000):
                program = "bad" if number % 100 == 7 else "good"
                peer.sendall(f"<13>1 2007-04-22T10:00:00Z web {program} 17 - - {number} \u20ac *3 $5\n".encode())
        found = settled(server, 3000)
        assert (found["written"], found["dead"]) == (2970, 30), found
        assert target.lines("LRANGE", "good", "0", "-1") == [f"web {n} \u20ac *3 $5" for n in range(3000) if n % 100 != 7]
        assert "WRONGTYPE" in dead(server, "cat", "d_redis#0")
        # The cause is fixed, and the letters are delivered.
        target.cli("DEL", "bad")
        dead(server, "replay", "d_redis#0")
        server.until(lambda: target.cli("LLEN", "bad") == "30", 20, "the letters: " + target.cli("LLEN", "bad"))
    finally:
        server.close()
        target.close()


def test_a_server_that_is_killed_and_refuses_loses_nothing(binary):
    """20,000 messages while the server is killed five times and refuses one in a hundred: received = sent - dead letters."""
    # The data that it has acknowledged is in the page cache, which survives the process.
    target = Redis("--appendonly", "yes", "--appendfsync", "everysec")
    target.cli("SET", "bad", "a text")
    server = Server(binary, redis(target, 'command("RPUSH" "$PROGRAM" "$MSG") batch-lines(200) workers(2) disk-buffer(capacity-bytes(64M) reliable(yes))'))
    count = 20000
    try:
        server.start()

        def feed():
            with socket.create_connection(("127.0.0.1", server.port), timeout=60) as peer:
                for number in range(count):
                    program = "bad" if number % 100 == 7 else "good"
                    peer.sendall(f"<13>1 2007-04-22T10:00:00Z web {program} 17 - - {number}\n".encode())
                    if number % 2000 == 0:
                        time.sleep(0.25)

        sender = threading.Thread(target=feed)
        sender.start()
        for _ in range(5):
            time.sleep(0.4)
            target.kill()
            time.sleep(0.1)
            target.start()
        sender.join()
        found = settled(server, count, 120)
        received = [int(text) for text in target.lines("LRANGE", "good", "0", "-1")]
        wanted = {number for number in range(count) if number % 100 != 7}
        assert set(received) == wanted, (len(set(received)), found)
        assert (found["dead"], found["queued"], found["written"]) == (count // 100, 0, count - count // 100), found
        # A command whose reply was lost is sent again, and RPUSH cannot detect that.
        print(f"doubled: {len(received) - len(wanted)}")
        assert len(received) - len(wanted) <= 5 * 2 * 200
    finally:
        server.close()
        target.close()


def test_full_memory_a_wrong_password_and_a_missing_right_hold_messages(binary):
    target = Redis("--requirepass", "late-secret")
    login = ("-a", "late-secret", "--no-auth-warning")
    server = Server(binary, redis(target, 'command("RPUSH" "log" "$MSG") auth("wrong-secret") dead-letters(capacity-bytes(2M))'))
    try:
        server.start()
        send(server, [("web", "one")])
        server.until(lambda: "(credentials): WRONGPASS" in server.ctl("healthcheck"), 20, "the refusal to show: " + server.ctl("healthcheck"))
        assert "secret" not in server.stderr() + server.ctl("healthcheck")
        target.cli("CONFIG", "SET", "requirepass", "wrong-secret", login=login)
        assert settled(server, 1)["written"] == 1
        login = ("-a", "wrong-secret", "--no-auth-warning")
        target.cli("CONFIG", "SET", "maxmemory", "1", login=login)
        send(server, [("web", "two"), ("web", "three")])
        server.until(lambda: "(quota): OOM" in server.ctl("healthcheck"), 20, "the full memory to show: " + server.ctl("healthcheck"))
        target.cli("CONFIG", "SET", "maxmemory", "0", login=login)
        assert settled(server, 3)["written"] == 3
        assert target.cli("LRANGE", "log", "0", "-1", login=login).split() == ["one", "two", "three"]
    finally:
        server.close()
        target.close()


def test_users_databases_and_encryption(binary):
    tls_port = free_port()
    with tempfile.TemporaryDirectory(prefix="pki-", dir="/tmp") as holder:
        folder = holder + "/pki"
        pki(folder)
        target = Redis(
            "--tls-port", str(tls_port), "--tls-cert-file", folder + "/server.pem", "--tls-key-file", folder + "/server.key",
            "--tls-ca-cert-file", folder + "/ca.pem", "--user", "writer", "on", ">writer-secret", "+select", "+rpush", "~log*")
        shown = 'ca-file("%s/ca.pem") cert-file("%s/client.pem") key-file("%s/client.key")' % (folder, folder, folder)
        server = Server(binary, HEAD + """
destination d_redis {{ redis(host("localhost") port(%d) username("writer") auth("writer-secret") database(3) tls(%s)
    command("RPUSH" "log" "$MSG")); }};
destination d_other {{ redis(host("localhost") port(%d) username("writer") auth("writer-secret") command("RPUSH" "other" "$MSG")); }};
destination d_socket {{ redis(host("%s/sock") command("SET" "last" "$MSG")); }};
log {{ source(s_net); destination(d_redis); destination(d_socket); }};
log {{ source(s_net); destination(d_other); }};
""" % (tls_port, shown, target.port, target.folder))
        try:
            server.start()
            send(server, [("web", "one")])
            server.until(lambda: target.cli("-n", "3", "LRANGE", "log", "0", "-1") == "one", 20, "the message: " + server.stderr())
            server.until(lambda: target.cli("GET", "last") == "one", 20, "the message over the unix socket")
            server.until(lambda: "(access): NOPERM" in server.ctl("healthcheck"), 20, "the missing right: " + server.ctl("healthcheck"))
        finally:
            server.close()
            target.close()


@waits_for(5)
def test_servers_that_talk_nonsense_lose_no_message(binary):
    """Garbage, an endless text and silence: messages wait, and arrive when the right server is back."""
    port = free_port()
    listener = socket.create_server(("127.0.0.1", port))
    says = [b"SSH-2.0-OpenSSH\r\n", b"$400000000\r\n" + b"x" * 300000, b"$1048570\r\n" + b"x" * 2000000, b""]

    def serve():
        for text in says:
            peer, _ = listener.accept()
            with peer:
                peer.recv(65536)
                try:
                    peer.sendall(text)
                    peer.settimeout(5)
                    while peer.recv(65536):
                        pass
                except OSError:
                    pass
        listener.close()

    talker = threading.Thread(target=serve)
    talker.start()
    server = Server(binary, HEAD + 'destination d_redis {{ redis(port(%d) timeout(1) command("SET" "last" "$MSG")); }};\nlog {{ source(s_net); destination(d_redis); }};\n' % port)
    target = None
    try:
        server.start()
        send(server, [("web", "one")])
        talker.join(30)
        assert not talker.is_alive(), server.stderr()
        target = Redis("--port", str(port))
        assert settled(server, 1)["written"] == 1
        assert target.cli("GET", "last") == "one"
    finally:
        server.close()
        if target:
            target.close()


def test_wrong_configurations_are_refused_by_their_place(binary):
    cases = (
        ('redis(command("SUBSCRIBE" "x"));', "is a command about the connection"),
        ('redis(command("$MSG" "x"));', "begins with the name of a command"),
        ('redis(host("h"));', "command"),
        ('redis(host("/sock") tls(peer-verify(yes)) command("SET" "a" "b"));', "/sock is a unix socket"),
        ('redis(username("me") command("SET" "a" "b"));', "needs the password"),
    )
    check_refusals(binary, cases)
