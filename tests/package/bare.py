"""A root with nothing but the files of a test, in namespaces of its own: mounts, network, processes. No capabilities, no
new privileges, not root: the way a container engine starts an image."""

import os
import subprocess
import sys
import tempfile

from root import until

# The script that the first process of a container runs before it becomes the program: mounts, limits,
# another user.
BEGIN = """set -e
root=$1; volume=$2; data=$3; shift 3
mount --make-rprivate /
mount --bind "$root" "$root"
if [ -d "$root/proc" ]; then mount -t proc proc "$root/proc"; fi
if [ -n "$volume" ]; then mount --bind "$volume" "$root$data"; fi
if [ -d "$root/tmp" ]; then mount -t tmpfs none "$root/tmp"; fi
mount -o remount,ro,bind "$root"
ip link set lo up
exec "$@"
"""
PR_SET_NO_NEW_PRIVS, PR_CAPBSET_DROP, CAPABILITIES = 38, 24, 64
UNSHARED = ["--mount", "--net", "--pid", "--ipc", "--uts"]


def become(root, user, environment, words):
    """Turns this process into a program inside a root, with the rights of a user and nothing more."""
    import ctypes
    kernel = ctypes.CDLL(None)
    os.chroot(root)
    os.chdir("/")
    for capability in range(CAPABILITIES):
        kernel.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    assert kernel.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
    os.execve(words[0], words, dict(word.split("=", 1) for word in environment))


class Bare:
    """A root, and the one program that is its first process."""

    def __init__(self, root, user, volume="", data="/"):
        self.root, self.user, self.volume, self.data = root, user, volume, data
        self.holder = tempfile.TemporaryDirectory(prefix="duramen-bare-")
        self.process = None

    def words(self, environment, words):
        return [sys.executable, os.path.abspath(__file__), self.root, str(self.user), ",".join(environment), *words]

    def start(self, words, environment=()):
        """Starts the program as process 1."""
        self.log = open(self.holder.name + "/log", "ab")
        script = ["bash", "-c", BEGIN, "begin", self.root, self.volume, self.data, *self.words(environment, words)]
        self.process = subprocess.Popen(["unshare", *UNSHARED, "--fork", "--kill-child", *script], stdin=subprocess.DEVNULL,
                                        stdout=self.log, stderr=self.log)
        children = f"/proc/{self.process.pid}/task/{self.process.pid}/children"
        self.inside = int(until(lambda: open(children).read().split(), 10, "the first process")[0])

    def run(self, *words, environment=(), status=0, within=60):
        """Runs a program beside the first one, and returns its output."""
        command = ["nsenter", f"--target={self.inside}", "--mount", "--net", "--pid", "--ipc", "--uts", *self.words(environment, words)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=within, stdin=subprocess.DEVNULL)
        said = done.stdout + done.stderr
        assert status is None or done.returncode == status, f"{words}: exit status {done.returncode}\n{said}\n{self.said()}"
        return said

    def status(self, name):
        """A row of the first process's status."""
        with open(f"/proc/{self.inside}/status") as rows:
            return next(row.split(":", 1)[1].split() for row in rows if row.startswith(name + ":"))

    def said(self):
        with open(self.holder.name + "/log", errors="replace") as text:
            return text.read()

    def ends(self, within=30):
        """Waits for the first process, and returns its exit status."""
        return self.process.wait(within)

    def close(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.holder.cleanup()


if __name__ == "__main__":
    become(sys.argv[1], int(sys.argv[2]), [word for word in sys.argv[3].split(",") if word], sys.argv[4:])
