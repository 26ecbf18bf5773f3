"""A fresh Debian root, as a disposable overlay, in namespaces of its own: mounts, network, processes."""

import os
import platform
import subprocess
import tempfile
import time

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# The binary from which the packages were made.
BINARY = os.environ.get("PACKAGE_BINARY", TREE + "/target/packaged/duramen")
# The same for the archive and the image.
STATIC = os.environ.get("PACKAGE_STATIC", f"{TREE}/target/{platform.machine()}-unknown-linux-musl/packaged/duramen")
BASE = TREE + "/target/roots/bookworm"
# The system itself, the programs of the tests, and what is needed to install rpm packages.
INCLUDED = "systemd,rpm,python3-minimal,curl"

MADE = """set -e
mount -t tmpfs none "$1"
mkdir "$1/upper" "$1/work" "$1/root"
mount -t overlay overlay -o "lowerdir=$2,upperdir=$1/upper,workdir=$1/work" "$1/root"
mount --rbind /dev "$1/root/dev"
mount -t proc proc "$1/root/proc"
mount -t tmpfs none "$1/root/run"
mount -t tmpfs none "$1/root/tmp"
ip link set lo up
echo made
exec sleep 900
"""


def base():
    """The root that debootstrap creates; it is kept for the next run."""
    if not os.path.exists(BASE + "/.whole"):
        subprocess.run(["rm", "-rf", BASE], check=True)
        os.makedirs(os.path.dirname(BASE), exist_ok=True)
        done = subprocess.run(["debootstrap", "--variant=minbase", "--include=" + INCLUDED, "bookworm", BASE],
                              capture_output=True, text=True)
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
        subprocess.run(["sh", "-c", f"rm -rf {BASE}/var/cache/apt/archives/*.deb"], check=True)
        open(BASE + "/.whole", "w").close()
    return BASE


class Root:
    """One root; `lower` is what it starts from."""

    def __init__(self, lower=None):
        self.folder = tempfile.TemporaryDirectory(prefix="duramen-package-")
        command = ["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", "bash", "-c", MADE, "root", self.folder.name,
                   lower or base()]
        self.holder = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.holder.stdout.readline() == "made\n", "a root to throw away cannot be made: run as root"
        with open(f"/proc/{self.holder.pid}/task/{self.holder.pid}/children") as children:
            self.inside = int(children.read().split()[0])
        self.path = f"/proc/{self.inside}/root{self.folder.name}/root"

    def command(self, *words):
        """The command line that runs words inside."""
        return ["nsenter", f"--target={self.inside}", "--mount", "--net", "--pid", "/usr/sbin/chroot", self.folder.name + "/root", *words]

    def run(self, script, within=120, status=0):
        """Runs a script and returns its output, standard error last."""
        done = subprocess.run(self.command("sh", "-c", script), capture_output=True, text=True, timeout=within,
                              env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8"}, stdin=subprocess.DEVNULL)
        said = done.stdout + done.stderr
        assert status is None or done.returncode == status, f"{script}: exit status {done.returncode}\n{said}"
        return said

    def copy(self, file, to="/tmp/"):
        subprocess.run(["cp", file, self.path + to], check=True)
        return to + os.path.basename(file)

    def read(self, path):
        with open(self.path + path) as text:
            return text.read()

    def close(self):
        self.holder.kill()
        self.holder.wait()
        self.folder.cleanup()


def until(condition, seconds, what):
    """Waits for a condition, and returns its value."""
    end = time.monotonic() + seconds
    while not (held := condition()):
        assert time.monotonic() < end, f"waited {seconds} s for {what}"
        time.sleep(0.1)
    return held
