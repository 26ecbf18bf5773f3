"""A server that tests start beside ours: how it ends, and what it said when it ended by itself."""

import atexit
import signal
import subprocess
import tempfile
import threading

COMPILED = {}
COMPILING = threading.Lock()


def compiled(source, jars):
    """The folder with the classes of a Java program, which is compiled once for all tests."""
    with COMPILING:
        if source not in COMPILED:
            holder = tempfile.TemporaryDirectory(prefix="classes-")
            atexit.register(holder.cleanup)
            done = subprocess.run(["javac", "-nowarn", "-d", holder.name, "-cp", ":".join(jars), source], capture_output=True, text=True, timeout=120)
            assert done.returncode == 0, done.stderr
            COMPILED[source] = holder.name
        return COMPILED[source]


class Component:
    """A process with a folder: `self.process`, `self.folder` with its `log`, and `self.holder`, which removes the folder."""

    process = None

    def log(self):
        with open(self.folder + "/log", errors="replace") as text:
            return text.read()[-4000:]

    def check_running(self):
        assert self.process.poll() is None, f"{type(self).__name__} ended with {self.process.returncode}:\n{self.log()}"

    def kill(self):
        """Ends it as a crash would: what it did not write is gone."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(20)

    def close(self):
        if self.process and self.process.poll() is None:
            self.kill()
        self.holder.cleanup()
