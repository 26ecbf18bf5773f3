"""The service with its unit's command line, user, capabilities and limits, and with this test as the service manager."""

import os
import re
import resource
import socket
import subprocess

INSIDE = """set -e
mount --make-rprivate /
for folder in {writable}; do
    install -d -m {mode} -o {user} -g {group} "$folder"
    mount --bind "$folder" "$folder"
done
mount -t tmpfs none /tmp
mount -o remount,ro,bind /
umask {umask}
exec prlimit --nofile={files} setpriv --reuid={user} --regid={group} --init-groups --no-new-privs \
    --bounding-set=-all{bounding} --inh-caps=-all{ambient} --ambient-caps=-all{ambient} -- {command}
"""


def settings(text):
    """Names and values of a unit file; a repeated name has a list."""
    found = {}
    for name, value in re.findall(r"^(\w+)=(.*)$", text, re.MULTILINE):
        found.setdefault(name, []).append(value)
    return found


class Service:
    """duramen.service of a root."""

    def __init__(self, root):
        self.root = root
        self.unit = settings(root.read("/usr/lib/systemd/system/duramen.service"))
        self.process = None
        self.manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        path = root.path + "/run/notify"
        if os.path.exists(path):
            os.remove(path)
        # A path in the root: the server is in another network namespace, which an abstract socket name would not
        # cross.
        here = os.open(root.path + "/run", os.O_PATH)
        self.manager.bind(f"/proc/self/fd/{here}/notify")
        os.close(here)
        os.chmod(path, 0o777)
        self.manager.settimeout(30)

    def one(self, name):
        (value,) = self.unit[name]
        return value

    def environment(self):
        assert self.one("Type") == "notify" and self.one("WatchdogSec") == "1min"
        return {"PATH": "/usr/bin:/bin", "NOTIFY_SOCKET": "/run/notify", "WATCHDOG_USEC": "2000000", "JOURNAL_STREAM": "1:1",
                "LC_ALL": "C.UTF-8"}

    def script(self, command):
        capabilities = lambda name: "".join(f",+{word.removeprefix('CAP_').lower()}" for word in self.one(name).split())
        assert self.one("ProtectSystem") == "strict" and self.one("NoNewPrivileges") == "yes" and self.one("PrivateTmp") == "yes"
        return INSIDE.format(writable=f"/var/lib/{self.one('StateDirectory')} /var/log/{self.one('LogsDirectory')}",
                             mode=self.one("StateDirectoryMode"), user=self.one("User"), group=self.one("Group"), umask=self.one("UMask"),
                             files=min(int(self.one("LimitNOFILE")), resource.getrlimit(resource.RLIMIT_NOFILE)[1]),
                             bounding=capabilities("CapabilityBoundingSet"),
                             ambient=capabilities("AmbientCapabilities"), command=command)

    def start(self):
        """Starts it, and waits until it reports that it is ready."""
        self.log = open(self.root.folder.name + ".log", "a+")
        inside = self.script(self.one("ExecStart"))
        self.process = subprocess.Popen(self.root.command("unshare", "--mount", "sh", "-c", inside), stdout=self.log,
                                        stderr=self.log, stdin=subprocess.DEVNULL, env=self.environment())
        try:
            assert self.hears() == ["READY=1", "STATUS=Running"]
        except TimeoutError as error:
            raise AssertionError(f"it is not ready: {self.said()}") from error

    def said(self):
        self.log.seek(0)
        return self.log.read()

    def hears(self):
        """The next notification of the server, except watchdog messages."""
        while True:
            said = self.manager.recv(4096).decode().splitlines()
            if said != ["WATCHDOG=1"]:
                return said

    def hears_watchdog(self):
        assert self.manager.recv(4096).decode().splitlines() == ["WATCHDOG=1"]

    def reload(self):
        """Runs the unit's reload command as its user."""
        command = self.one("ExecReload")
        said = self.root.run(f"setpriv --reuid={self.one('User')} --regid={self.one('Group')} --init-groups -- {command}")
        assert self.hears()[0] == "RELOADING=1"
        assert self.hears() == ["READY=1", "STATUS=Running"]
        return said

    def stop(self):
        """Sends SIGTERM to the main process, as systemd does."""
        pid = self.root.run("pidof duramen").split()[0]
        self.root.run(f"kill -TERM {pid}")
        assert self.hears()[0] == "STOPPING=1"
        assert self.process.wait(60) == 0, self.said()

    def close(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.manager.close()
        if os.path.exists(self.root.folder.name + ".log"):
            os.remove(self.root.folder.name + ".log")
