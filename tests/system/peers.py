"""Receivers of plain lines over TCP, each on a port of its own."""

import socket
import threading


class LinePeer:
    """Keeps the lines of all connections."""

    def __init__(self, port=0):
        self.serve(socket.create_server(("127.0.0.1", port)))

    def serve(self, listener):
        self.listener, self.lines = listener, []
        self.port = listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.read, args=(connection,), daemon=True).start()

    def read(self, connection):
        with connection, connection.makefile() as lines:
            for line in lines:
                self.lines.append(line.strip())


class StuckPeer(LinePeer):
    """Accepts connections, and reads nothing until it is allowed to; then it keeps the numbers that lines begin with."""

    def __init__(self):
        listener = socket.socket()
        # The kernel's buffers for a connection are small, so the peer accepts next to nothing.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        listener.bind(("127.0.0.1", 0))
        listener.listen(5)
        self.reads = threading.Event()
        self.serve(listener)

    def read(self, connection):
        self.reads.wait()
        with connection, connection.makefile("r") as lines:
            self.lines.extend(int(line.split()[0]) for line in lines)
