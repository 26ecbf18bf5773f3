"""The container image: its layout, a container that runs it, and the examples that refer to its contents."""

import gzip
import hashlib
import io
import json
import os
import re
import signal
import subprocess
import sys
import tarfile
import tempfile

from bare import Bare
from root import BINARY, TREE, until
from test_packages import one

sys.path.insert(0, TREE + "/target/python-package")
import kubernetes_validate
import yaml

EXAMPLES = TREE + "/packaging/container"
NANOSECONDS = 1_000_000_000
# The version of Kubernetes whose schemas the example is compared with.
SCHEMAS = "1.37"


def opened(dist):
    """The manifest, the configuration and the layers, each read by its digest; sizes and digests are right."""
    with tarfile.open(one(dist, "duramen-*.oci.tar")) as archive:
        files = {entry.name: archive.extractfile(entry).read() for entry in archive if entry.isfile()}

    def blob(descriptor):
        content = files["blobs/sha256/" + descriptor["digest"].removeprefix("sha256:")]
        assert len(content) == descriptor["size"] and hashlib.sha256(content).hexdigest() == descriptor["digest"][7:], descriptor
        return content

    assert json.loads(files["oci-layout"]) == {"imageLayoutVersion": "1.0.0"}
    (listed,) = json.loads(files["index.json"])["manifests"]
    manifest = json.loads(blob(listed))
    config = json.loads(blob(manifest["config"]))
    layers = [blob(layer) for layer in manifest["layers"]]
    (older,) = json.loads(files["manifest.json"])
    assert older["Config"].endswith(manifest["config"]["digest"][7:]) and len(older["Layers"]) == len(layers), older
    assert listed["platform"] == {"architecture": config["architecture"], "os": "linux"}, listed
    return listed, config, layers


def unpacked(dist, folder):
    """The configuration, and the root that its layers make."""
    _, config, layers = opened(dist)
    root = folder + "/root"
    os.mkdir(root, 0o755)
    os.chmod(folder, 0o755)
    for layer, diff in zip(layers, config["rootfs"]["diff_ids"], strict=True):
        contents = gzip.decompress(layer)
        assert "sha256:" + hashlib.sha256(contents).hexdigest() == diff
        with tarfile.open(fileobj=io.BytesIO(contents)) as archive:
            archive.extractall(root, numeric_owner=True)
    # An engine creates these two if they are missing.
    os.makedirs(root + "/proc", exist_ok=True)
    return config["config"], root


def container(dist, folder, mode, owner):
    """A container as the image wants it, with a read-only root and a volume of this mode and owner (user, group)."""
    image, root = unpacked(dist, folder)
    (data,) = image["Volumes"]
    volume = folder + "/volume"
    os.mkdir(volume)
    os.chown(volume, *owner)
    os.chmod(volume, mode)
    user = int(image["User"].split(":")[0])
    assert user > 0
    return image, data, Bare(root, user, volume, data)


def works(image, data, bare):
    """Starts it, sends a message, finds it, stops it."""
    program = image["Entrypoint"][0]
    healthy = image["Healthcheck"]["Test"]
    assert healthy[:2] == ["CMD", program]
    try:
        bare.start([*image["Entrypoint"], *image["Cmd"]], image["Env"])
        until(lambda: "is_healthy 1" in bare.run(*healthy[1:], status=None), 30, "the health check")
        password = until(lambda: re.search(r"password[^\n]*?: (\S+)", bare.said()), 10, "the password").group(1)
        assert bare.status("Uid") == [image["User"].split(":")[0]] * 4 and bare.status("NSpid")[-1] == "1"
        assert set(bare.status("CapEff") + bare.status("CapBnd")) == {"0" * 16} and bare.status("NoNewPrivs") == ["1"]
        bare.run(program, "loggen", "--inet", "--stream", "--number", "50", "--rate", "1000", "127.0.0.1", "5514")
        bare.run(program, "loggen", "--inet", "--dgram", "--number", "5", "--rate", "100", "127.0.0.1", "5514")
        asked = [f"DURAMEN_PASSWORD={password}", "DURAMEN_USER=admin"]
        until(lambda: bare.run(program, "search", "--count", "program:prg*", environment=asked, status=None).strip() == "55", 20, "the messages")
        bare.run(program, "check", "--strict")
        os.kill(bare.inside, signal.Signals[image["StopSignal"]])
        assert bare.ends() == 0, bare.said()
        # The root was read-only: all that was written is in the volume.
        assert os.listdir(bare.volume), "nothing is in the volume"
    except AssertionError as error:
        raise AssertionError(f"{error}\n{bare.said()[-3000:]}") from error
    finally:
        bare.close()


def test_a_container_receives_and_finds_messages(dist):
    """A Docker volume: with owner and mode of the folder in the image."""
    with tempfile.TemporaryDirectory() as folder:
        image, data, bare = container(dist, folder, 0o700, (0, 0))
        made = os.stat(bare.root + data)
        os.chown(bare.volume, made.st_uid, made.st_gid)
        os.chmod(bare.volume, made.st_mode & 0o7777)
        works(image, data, bare)


def test_a_container_works_with_a_volume_that_only_its_group_may_write(dist):
    """A Kubernetes volume: owned by root, and writable for the group of `fsGroup`."""
    with tempfile.TemporaryDirectory() as folder:
        group = pod()["securityContext"]["fsGroup"]
        works(*container(dist, folder, 0o2770, (0, group)))


def test_the_image_has_nothing_unnecessary(dist):
    with tempfile.TemporaryDirectory() as folder:
        _, root = unpacked(dist, folder)
        found = subprocess.check_output(["find", ".", "-type", "f"], cwd=root, text=True).split()
        assert sorted(found) == ["./etc/duramen/duramen.conf", "./etc/group", "./etc/passwd", "./etc/ssl/certs/ca-certificates.crt",
                                 "./usr/bin/duramen", "./usr/share/doc/ca-certificates/copyright",
                                 "./usr/share/doc/duramen/duramen.cdx.json.gz", "./usr/share/doc/duramen/notices.txt.gz"], found
        unsafe = subprocess.check_output(["find", ".", "-type", "f", "-perm", "/6022"], cwd=root, text=True)
        assert not unsafe, unsafe


def manifests(name="kubernetes.yaml"):
    """The objects for Kubernetes, by kind and name."""
    with open(f"{EXAMPLES}/{name}") as text:
        return {(one["kind"], one["metadata"]["name"]): one for one in yaml.safe_load_all(text)}


def pod():
    return manifests()["StatefulSet", "duramen"]["spec"]["template"]["spec"]


def known(command):
    """Checks that the program has the verb and the options of a command line."""
    words = [word for word in command[1:] if not word.startswith("-") and not word.isdigit()]
    text = subprocess.run([BINARY, *words, "--help"], capture_output=True, text=True, check=True).stdout
    for option in (word for word in command if word.startswith("--")):
        assert re.search(re.escape(option) + r"(?![\w-])", text), (command, option)


def test_the_compose_example_matches_the_image(dist):
    listed, config, _ = opened(dist)
    image = config["config"]
    with open(EXAMPLES + "/compose.yaml") as text:
        compose = yaml.safe_load(text)
    service = compose["services"]["duramen"]
    assert service["image"] == "duramen:" + listed["annotations"]["org.opencontainers.image.ref.name"]
    inside = {re.sub(r"^.*?(\d+/\w+)$", r"\1", port) for port in service["ports"]}
    assert inside == set(image["ExposedPorts"]), inside
    mounted = [row.split(":") for row in service["volumes"]]
    assert [path for _, path in mounted] == list(image["Volumes"]) and {name for name, _ in mounted} == set(compose["volumes"])
    health, own = service["healthcheck"], image["Healthcheck"]
    assert health["test"] == own["Test"] and health["retries"] == own["Retries"]
    seconds = {"interval": 30, "timeout": 10, "start_period": 900}
    assert {name: health[name] for name in seconds} == {"interval": "30s", "timeout": "10s", "start_period": "15m"}
    assert [own[name] for name in ("Interval", "Timeout", "StartPeriod")] == [value * NANOSECONDS for value in seconds.values()]
    assert service["read_only"] is True and service["cap_drop"] == ["ALL"]
    known(health["test"][1:])


def test_the_kubernetes_example_matches_the_image(dist):
    listed, config, _ = opened(dist)
    image, objects = config["config"], manifests()
    for example in objects.values():
        kubernetes_validate.validate(example, SCHEMAS, strict=True)
    spec = pod()
    (server,) = spec["containers"]
    assert server["image"] == "duramen:" + listed["annotations"]["org.opencontainers.image.ref.name"]
    user, group = map(int, image["User"].split(":"))
    rights = spec["securityContext"]
    assert (rights["runAsUser"], rights["runAsGroup"], rights["fsGroup"], rights["runAsNonRoot"]) == (user, group, group, True)
    assert server["securityContext"] == {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}}
    ports = {port["name"]: f"{port['containerPort']}/{port['protocol'].lower()}" for port in server["ports"]}
    assert set(ports.values()) == set(image["ExposedPorts"]), ports
    labels = objects["StatefulSet", "duramen"]["spec"]["template"]["metadata"]["labels"]
    assert objects["StatefulSet", "duramen"]["spec"]["selector"]["matchLabels"] == labels
    for (kind, name), service in objects.items():
        if kind == "Service":
            assert service["spec"]["selector"] == labels, name
            for port in service["spec"]["ports"]:
                assert ports[port["targetPort"]].endswith("/" + port["protocol"].lower()), (name, port)
    assert ("Service", objects["StatefulSet", "duramen"]["spec"]["serviceName"]) in objects
    mounts = {mount["name"]: mount["mountPath"] for mount in server["volumeMounts"]}
    claims = [claim["metadata"]["name"] for claim in objects["StatefulSet", "duramen"]["spec"]["volumeClaimTemplates"]]
    (configuration,) = spec["volumes"]
    assert mounts[claims[0]] in image["Volumes"] and ("ConfigMap", configuration["configMap"]["name"]) in objects
    held = objects["ConfigMap", configuration["configMap"]["name"]]["data"]
    assert mounts[configuration["name"]] + "/" + "".join(held) == "/etc/duramen/duramen.conf"
    for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
        command = server[probe]["exec"]["command"]
        assert command[:4] == image["Healthcheck"]["Test"][1:5], command
        assert server[probe]["timeoutSeconds"] > int(command[-1]), probe
        known(command)


def test_the_example_for_each_node_is_right(dist):
    listed, config, _ = opened(dist)
    image, objects = config["config"], manifests("kubernetes-node.yaml")
    for example in objects.values():
        kubernetes_validate.validate(example, SCHEMAS, strict=True)
    spec = objects["DaemonSet", "duramen-node"]["spec"]["template"]["spec"]
    (server,) = spec["containers"]
    assert server["image"] == "duramen:" + listed["annotations"]["org.opencontainers.image.ref.name"]
    assert server["env"] == [{"name": "NODE_NAME", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}}]
    # Nothing but pods may be read, and only by this account.
    (rule,) = objects["ClusterRole", "duramen-node"]["rules"]
    assert rule == {"apiGroups": [""], "resources": ["pods"], "verbs": ["list", "watch"]}
    (subject,) = objects["ClusterRoleBinding", "duramen-node"]["subjects"]
    assert (subject["kind"], subject["name"]) == ("ServiceAccount", spec["serviceAccountName"]) and (subject["kind"], subject["name"]) in objects
    mounts = {mount["name"]: mount["mountPath"] for mount in server["volumeMounts"]}
    assert set(mounts) == {volume["name"] for volume in spec["volumes"]} and mounts["data"] in image["Volumes"]
    for probe in ("startupProbe", "livenessProbe"):
        known(server[probe]["exec"]["command"])
    with tempfile.NamedTemporaryFile("w", suffix=".conf") as file:
        file.write(objects["ConfigMap", "duramen-node"]["data"]["duramen.conf"])
        file.flush()
        done = subprocess.run([BINARY, "check", "--strict", file.name], capture_output=True, text=True)
        assert done.returncode == 0, done


def test_the_configurations_of_the_image_and_of_kubernetes_are_right(dist):
    (held,) = [text for (kind, _), one in manifests().items() if kind == "ConfigMap" for text in one["data"].values()]
    with open(EXAMPLES + "/duramen.conf") as own, tempfile.NamedTemporaryFile("w", suffix=".conf") as file:
        for text in (own.read(), held):
            file.seek(0)
            file.truncate()
            file.write(text)
            file.flush()
            done = subprocess.run([BINARY, "check", "--strict", file.name], capture_output=True, text=True)
            assert done.returncode == 0, done
            # The ports are those of the image.
            assert set(re.findall(r"port\((\d+)\)", text)) == {"5514"}, text
