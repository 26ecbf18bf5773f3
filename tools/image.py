"""Writes the container image: an OCI image layout in a tar archive, made from the static binary and a few files.
Neither a container engine nor a network is needed. The same input yields the same bytes: every time is SOURCE_DATE_EPOCH.

Usage: tools/image.py BINARY FOLDER VERSION FILE. FOLDER has notices-static.txt and duramen-static.cdx.json.
"""

import datetime
import glob
import gzip
import hashlib
import io
import json
import os
import platform
import subprocess
import sys
import tarfile

TREE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
EPOCH = int(os.environ["SOURCE_DATE_EPOCH"])
# Kubernetes needs a number to check that it is not root.
USER = 10514
DATA = "/var/lib/duramen"
PROGRAM = "/usr/bin/duramen"
SYSLOG, PAGE = 5514, 8514
HEALTH = ["CMD", PROGRAM, "ctl", "healthcheck", "--timeout", "5"]
SECOND = 1_000_000_000
# The certificates of Debian's ca-certificates; not the machine's own list, to which its owner may have added some.
AUTHORITIES = "/usr/share/ca-certificates/mozilla"
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
LAYER = "application/vnd.oci.image.layer.v1.tar+gzip"
CONFIG = "application/vnd.oci.image.config.v1+json"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
INDEX = "application/vnd.oci.image.index.v1+json"


def compact(value):
    """JSON without blanks, in the order in which it was made."""
    return json.dumps(value, separators=(",", ":")).encode()


def digest(content):
    return "sha256:" + hashlib.sha256(content).hexdigest()


def entry(archive, name, content=None, mode=0o644, owner=0):
    """Adds a file, or a folder when there is no content."""
    info = tarfile.TarInfo(name)
    info.mtime, info.mode, info.uid, info.gid = EPOCH, mode, owner, owner
    if content is None:
        info.type = tarfile.DIRTYPE
        archive.addfile(info)
    else:
        info.size = len(content)
        archive.addfile(info, io.BytesIO(content))


def read(path):
    with open(path, "rb") as file:
        return file.read()


def authorities():
    """All certificates in one file, by name."""
    found = sorted(glob.glob(AUTHORITIES + "/*.crt"))
    if not found:
        sys.exit(f"image: no certificates in {AUTHORITIES}: tools/install.sh static")
    return b"".join(read(path).rstrip() + b"\n" for path in found)


def packed(content):
    return gzip.compress(content, 9, mtime=0)


def layer(binary, folder):
    """The only layer, with all files of a container."""
    person = f"duramen:x:{USER}:{USER}:Duramen log server:{DATA}:/nonexistent\n".encode()
    files = {
        "etc/duramen/duramen.conf": read(TREE + "/packaging/container/duramen.conf"),
        "etc/group": f"root:x:0:\nduramen:x:{USER}:\n".encode(),
        "etc/passwd": b"root:x:0:0:root:/:/nonexistent\n" + person,
        "etc/ssl/certs/ca-certificates.crt": authorities(),
        "usr/share/doc/ca-certificates/copyright": read("/usr/share/doc/ca-certificates/copyright"),
        "usr/share/doc/duramen/duramen.cdx.json.gz": packed(read(folder + "/duramen-static.cdx.json")),
        "usr/share/doc/duramen/notices.txt.gz": packed(read(folder + "/notices-static.txt")),
    }
    folders = {name for path in files for name in parents(path)} | {"usr/bin", "tmp", "var", "var/lib"}
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name in sorted(folders):
            entry(archive, name, mode=0o1777 if name == "tmp" else 0o755)
        # A new volume gets the owner and mode of the folder on which it is mounted.
        entry(archive, DATA[1:], mode=0o700, owner=USER)
        for name, content in sorted(files.items()):
            entry(archive, name, content)
        entry(archive, PROGRAM[1:], read(binary), mode=0o755)
    return out.getvalue()


def parents(path):
    parts = path.split("/")[:-1]
    return ["/".join(parts[: count + 1]) for count in range(len(parts))]


def settings(version, revision, layer_digest):
    """How the image is run. `Healthcheck` is Docker's; other engines ignore it."""
    stamp = datetime.datetime.fromtimestamp(EPOCH, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    labels = {
        "org.opencontainers.image.title": "Duramen",
        "org.opencontainers.image.description": "Log server that keeps every word indexed and provable",
        "org.opencontainers.image.licenses": "Apache-2.0",
        "org.opencontainers.image.version": version,
        "org.opencontainers.image.revision": revision,
        "org.opencontainers.image.created": stamp,
    }
    return labels, {
        "created": stamp,
        "architecture": ARCHITECTURES[platform.machine()],
        "os": "linux",
        "config": {
            "User": f"{USER}:{USER}",
            "ExposedPorts": {f"{SYSLOG}/tcp": {}, f"{SYSLOG}/udp": {}, f"{PAGE}/tcp": {}},
            "Env": ["PATH=/usr/bin"],
            "Entrypoint": [PROGRAM],
            "Cmd": ["run", "--http", f"0.0.0.0:{PAGE}"],
            "Volumes": {DATA: {}},
            "WorkingDir": "/",
            "Labels": labels,
            "StopSignal": "SIGTERM",
            "Healthcheck": {"Test": HEALTH, "Interval": 30 * SECOND, "Timeout": 10 * SECOND, "StartPeriod": 900 * SECOND, "Retries": 3},
        },
        "rootfs": {"type": "layers", "diff_ids": [layer_digest]},
        "history": [{"created": stamp, "created_by": "tools/image.py"}],
    }


def main():
    binary, folder, version, file = sys.argv[1:]
    revision = subprocess.run(["git", "rev-parse", "HEAD"], cwd=TREE, capture_output=True, text=True).stdout.strip() or "unknown"
    contents = layer(binary, folder)
    labels, config = settings(version, revision, digest(contents))
    layer_blob, config_blob = packed(contents), compact(config)
    descriptor = lambda kind, blob: {"mediaType": kind, "digest": digest(blob), "size": len(blob)}
    manifest = compact({"schemaVersion": 2, "mediaType": MANIFEST, "config": descriptor(CONFIG, config_blob),
                        "layers": [descriptor(LAYER, layer_blob)], "annotations": labels})
    name = f"duramen:{version}"
    named = {"io.containerd.image.name": f"docker.io/library/{name}", "org.opencontainers.image.ref.name": version}
    index = compact({"schemaVersion": 2, "mediaType": INDEX, "manifests": [
        {**descriptor(MANIFEST, manifest), "annotations": named,
         "platform": {"architecture": config["architecture"], "os": "linux"}}]})
    path = lambda blob: "blobs/sha256/" + digest(blob).removeprefix("sha256:")
    # For `docker load` of engines that do not read OCI layouts.
    older = compact([{"Config": path(config_blob), "RepoTags": [name], "Layers": [path(layer_blob)]}])
    with tarfile.open(file, "w", format=tarfile.USTAR_FORMAT) as archive:
        entry(archive, "oci-layout", compact({"imageLayoutVersion": "1.0.0"}))
        entry(archive, "index.json", index)
        entry(archive, "manifest.json", older)
        entry(archive, "blobs", mode=0o755)
        entry(archive, "blobs/sha256", mode=0o755)
        for blob in sorted([layer_blob, config_blob, manifest], key=digest):
            entry(archive, path(blob), blob)


if __name__ == "__main__":
    main()
