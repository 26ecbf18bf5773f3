"""The control socket with clients that send nothing, or too slowly."""

import socket
import time

from server import Server, waits


def silent(server, count, text=b""):
    peers = []
    for _ in range(count):
        peer = socket.socket(socket.AF_UNIX)
        peer.connect(server.folder + "/ctl")
        peer.sendall(text)
        peers.append(peer)
    return peers


def test_silent_clients_do_not_keep_a_stop_waiting(binary):
    server = Server(binary)
    try:
        server.start()
        kept = silent(server, 1)
        begin = time.monotonic()
        server.ctl("stats")
        assert time.monotonic() - begin < 3, "one silent client blocks the others"
        # More clients than are allowed, half of them with half a command.
        kept += silent(server, 30) + silent(server, 30, b"STA")
        begin = time.monotonic()
        server.ctl("healthcheck")
        server.ctl("stop")
        assert time.monotonic() - begin < 3, f"{time.monotonic() - begin} s"
        server.process.wait(20)
        assert server.process.returncode == 0, server.stderr()
    finally:
        server.close()


@waits
def test_a_client_that_never_ends_its_command_is_hung_up_on(binary):
    server = Server(binary)
    try:
        server.start()
        peer, = silent(server, 1)
        begin, hung_up = time.monotonic(), False
        while time.monotonic() - begin < 20 and not hung_up:
            try:
                peer.sendall(b"x")
                time.sleep(0.2)
            except OSError:
                hung_up = True
        assert hung_up, "a byte each moment keeps a place for ever"
        server.ctl("healthcheck")
    finally:
        server.close()
