"""Dead letters that are encrypted: what is on the disk after a kill, and who can read it."""

import http.server
import os
import signal
import subprocess
import threading

from destination import HEAD, dead, send, settled
from server import Server

SECRET = "card 4929-1111"


class Receiver:
    """Refuses every request with words that quote its message, until told otherwise."""

    def __init__(self):
        self.refuses, self.bodies = True, []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"])).decode()
                answer = f"cannot take {body}".encode() if outer.refuses else b""
                if not outer.refuses:
                    outer.bodies.append(body)
                self.send_response(422 if outer.refuses else 200)
                self.send_header("content-length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def contents(folder):
    """All bytes of the files below a folder."""
    found = b""
    for path, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(path, name), "rb") as file:
                found += file.read()
    return found


def config(port, letters):
    driver = f'destination d {{{{ http(url("http://127.0.0.1:{port}/x") body("$MSG") {letters}); }}}};\n'
    return HEAD + driver + "log {{ source(s_net); destination(d); flags(flow-control); }};\n"


def letters_of(server):
    return int(dead(server, "ls").split("\t")[1].split()[0])


def test_only_the_private_key_opens_what_a_kill_leaves(binary):
    """Letters from before are encrypted at the start, new ones as they come; our log does not quote them; a replay needs the key."""
    receiver = Receiver()
    server = Server(binary, config(receiver.port, ""))
    folder = server.folder + "/data/dead-letters"
    try:
        keys = [os.path.join(server.folder, name) for name in ("first.key", "second.key")]
        recipients = [subprocess.run([binary, "logspace", "keygen", key], capture_output=True, text=True, check=True).stdout.strip() for key in keys]
        server.start()
        send(server, [("web", f"{SECRET} old {number}") for number in range(3)])
        settled(server, 3, kind="dst.http")
        assert SECRET.encode() in contents(folder)
        encrypted = 'dead-letters(encrypt-certificate("%s", "%s"))' % tuple(recipients)
        server.write_config(config(receiver.port, encrypted))
        server.stop(signal.SIGKILL)
        said = len(server.stderr())
        server.start(logs_in=False)
        assert letters_of(server) == 3 and SECRET.encode() not in contents(folder)
        send(server, [("web", f"{SECRET} new {number}") for number in range(3)])
        settled(server, 3, kind="dst.http")
        server.stop(signal.SIGKILL)
        server.start(logs_in=False)
        assert letters_of(server) == 6 and SECRET.encode() not in contents(folder)
        assert "they are dead letters" in server.stderr()[said:] and SECRET not in server.stderr()[said:], server.stderr()
        # Without a key, nobody reads them.
        command = [binary, "queue", "dead", "--control", server.folder + "/ctl", "cat", "d#0"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=30)
        assert done.returncode == 1 and "6 letters cannot be read without the private key" in done.stderr and not done.stdout, done
        for key in keys:
            found = dead(server, "cat", "d#0", "--key", key)
            assert found.count(f"{SECRET} old") == found.count(f"{SECRET} new") == 6 and "cannot take" in found, found
        receiver.refuses = False
        assert dead(server, "replay", "d#0", "--key", keys[0]).startswith("OK 6 letters")
        assert sorted(receiver.bodies) == sorted(f"{SECRET} {when} {number}" for when in ("old", "new") for number in range(3)), receiver.bodies
        # A key of the server's own.
        receiver.refuses = True
        server.write_config(config(receiver.port, f'dead-letters(encrypt-certificate("{recipients[0]}") decrypt-key("{keys[0]}"))'))
        server.ctl("reload")
        send(server, [("web", f"{SECRET} last")])
        server.until(lambda: letters_of(server) == 1, 20, "the letter")
        assert f"{SECRET} last" in dead(server, "cat", "d#0") and SECRET.encode() not in contents(folder)
    finally:
        server.close()
        receiver.close()


def test_keys_that_cannot_be_used_are_told(binary):
    receiver = Receiver()
    server = Server(binary, config(receiver.port, 'dead-letters(encrypt-certificate("/nowhere.pem"))'))
    try:
        done = subprocess.run([binary, "run", "--config", server.config, "--data", server.folder + "/data", "--control", server.folder + "/ctl"], capture_output=True, text=True, timeout=30)
        assert done.returncode != 0 and "/nowhere.pem" in done.stderr, done
        server.write_config(config(receiver.port, ""))
        server.start()
        server.write_config(config(receiver.port, 'dead-letters(decrypt-key("/nowhere.key"))'))
        done = subprocess.run([binary, "ctl", "--control", server.folder + "/ctl", "reload"], capture_output=True, text=True, timeout=30)
        assert done.returncode != 0 and "/nowhere.key" in server.stderr(), (done, server.stderr())
    finally:
        server.close()
        receiver.close()
