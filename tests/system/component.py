"""A server that tests start beside ours: how it ends, and what it said when it ended by itself."""

import signal


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
