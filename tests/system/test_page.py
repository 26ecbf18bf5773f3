"""The page in a real browser, served by the real server over real messages."""

import os
import shutil
import subprocess

from server import CONFIG, Server

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def demo(binary, server, messages=3000):
    """Sends the sample messages of the quickstart."""
    file = os.path.join(ROOT, "examples/demo.log")
    command = [binary, "loggen", "--stream", "--quiet", "--read-file", file, "--loop-reading", "--perf",
               "--number", str(messages), "127.0.0.1", str(server.port)]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    server.found("*", messages, within=5)


def flows(server, *options):
    """Runs flows of the page."""
    command = ["npm", "run", "--silent", "e2e", "--", f"--base={server.base}/", "--user=admin",
               f"--password={server.password}", *options]
    done = subprocess.run(command, cwd=os.path.join(ROOT, "ui"), capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]


RULES = """rules:
- {id: failed, title: Something failed, description: See what it was., kind: match, query: failed, by: host, severity: err}
- {id: many, title: Many messages, kind: count, query: '*', at-least: 50, within: 1m}
"""


def test_flows_of_the_page(binary):
    assert shutil.which("chromium"), "chromium is missing: tools/install.sh test installs it"
    # Only the sample messages, because the flows rely on their contents.
    server = Server(binary, CONFIG.replace(" internal();", ""))
    os.mkdir(server.folder + "/rules")
    with open(server.folder + "/rules/page.yaml", "w") as out:
        out.write(RULES)
    try:
        server.start()
        demo(binary, server)
        server.until(lambda: server.call("alerts?state=occurred")["alerts"], 30, "an alert")
        flows(server, "--arrivals=no")
        feed = subprocess.Popen(
            [binary, "loggen", "--stream", "--quiet", "--permanent", "--loop-reading", "--rate", "20", "--read-file",
             os.path.join(ROOT, "examples/demo.log"), "127.0.0.1", str(server.port)], stderr=subprocess.DEVNULL)
        try:
            flows(server, "--arrivals=yes")
        finally:
            feed.kill()
            feed.wait()
    finally:
        server.close()


def test_the_page_is_served_with_strict_headers(binary):
    server = Server(binary)
    try:
        server.start()
        with server.opener.open(f"http://127.0.0.1:{server.http}/", timeout=5) as answer:
            policy = answer.headers["Content-Security-Policy"]
            assert "default-src 'none'" in policy and "unsafe" not in policy, policy
            assert "<script" in answer.read().decode()
        listeners = server.call("session")["listeners"]
        assert {"transport": "tcp", "address": "127.0.0.1", "port": server.port} in listeners, listeners
        description = server.call("openapi.json")
        assert description["openapi"].startswith("3.1"), description["openapi"]
        assert "/api/v1/search" in description["paths"], list(description["paths"])
    finally:
        server.close()
