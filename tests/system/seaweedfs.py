"""A SeaweedFS server with its S3 gateway for a test: in a folder, on loopback ports, started and killed at will; tests read it with boto3."""

import glob
import json
import os
import subprocess
import sys
import tempfile

from component import Component
from server import Server, free_port

HERE = os.path.dirname(os.path.abspath(__file__))
# A Python package contains the program.
PACKAGES = os.path.join(HERE, "../../target/python")
PACKAGED = os.path.join(PACKAGES, "bin/weed")
PROGRAM = PACKAGED if os.path.exists(PACKAGED) else "weed"
KEY, SECRET = "test-key", "test-secret"
# For an administrator, the server makes a missing bucket: the server under test is none.
ADMIN_KEY, ADMIN_SECRET = "admin-key", "admin-secret"


def client(port):
    """An S3 client that is not ours."""
    if PACKAGES not in sys.path:
        sys.path.append(PACKAGES)
    import boto3
    from botocore.config import Config

    config = Config(retries={"max_attempts": 1}, connect_timeout=5, read_timeout=20, s3={"addressing_style": "path"})
    return boto3.client("s3", endpoint_url=f"http://127.0.0.1:{port}", aws_access_key_id=ADMIN_KEY, aws_secret_access_key=ADMIN_SECRET,
                        region_name="us-east-1", config=config)


class SeaweedFs(Component):
    def __init__(self, *buckets):
        self.holder = tempfile.TemporaryDirectory(prefix="s3-", dir="/tmp")
        self.folder = self.holder.name
        self.ports = {f"{part}.port{kind}": free_port() for part in ("s3", "master", "volume", "filer") for kind in ("", ".grpc")}
        self.port = self.ports["s3.port"]
        self.process = None
        with open(self.folder + "/s3.json", "w") as out:
            identity = lambda name, key, secret, *actions: {"name": name, "credentials": [{"accessKey": key, "secretKey": secret}], "actions": actions}
            json.dump({"identities": [identity("admin", ADMIN_KEY, ADMIN_SECRET, "Admin"), identity("test", KEY, SECRET, "Read", "Write", "List")]}, out)
        os.mkdir(self.folder + "/data")
        self.s3 = client(self.port)
        self.start()
        for bucket in buckets:
            self.bucket(bucket)

    def start(self):
        log = open(self.folder + "/log", "ab")
        command = [PROGRAM, "server", f"-dir={self.folder}/data", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", "-s3",
                   f"-s3.config={self.folder}/s3.json", "-s3.port.iceberg=0", "-s3.port.lance=0",
                   "-master.telemetry=false", "-master.volumeSizeLimitMB=64", "-volume.max=20", *(f"-{name}={port}" for name, port in self.ports.items())]
        self.process = subprocess.Popen(command, stdout=log, stderr=log, cwd=self.folder)
        Server.until(self.answers, 40, "SeaweedFS to answer")

    def answers(self):
        self.check_running()
        try:
            self.s3.list_buckets()
            return True
        except Exception:  # it is not ready, in one of many ways
            return False

    def bucket(self, name):
        self.s3.create_bucket(Bucket=name)

    def keys(self, bucket="logs"):
        pages = self.s3.get_paginator("list_objects_v2").paginate(Bucket=bucket)
        return [entry["Key"] for page in pages for entry in page.get("Contents", [])]

    def get(self, key, bucket="logs"):
        """The content of an object and its headers."""
        answer = self.s3.get_object(Bucket=bucket, Key=key)
        return answer["Body"].read(), answer

    def lines(self, bucket="logs"):
        return [line for key in self.keys(bucket) for line in self.get(key, bucket)[0].decode().splitlines()]

    def close(self):
        if self.process.poll() is None:
            self.kill()
        # It leaves sockets that are named after its ports.
        for port in self.ports.values():
            for path in glob.glob(f"/tmp/seaweedfs-*{port}.sock"):
                os.unlink(path)
        self.holder.cleanup()
