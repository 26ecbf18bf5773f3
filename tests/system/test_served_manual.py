"""The manual as the server serves it: pages, headers, and its search in a real browser."""

import gzip
import os
import re
import shutil
import subprocess
import tempfile
import urllib.error
import urllib.request

from server import Server

BROWSER = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
           "--disable-component-update", "--disable-sync", "--virtual-time-budget=4000"]


def fetched(server, path, method="GET", **headers):
    request = urllib.request.Request(server.base + path, method=method, headers=headers)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), NotFollowed())
    try:
        return opener.open(request, timeout=10)
    except urllib.error.HTTPError as error:
        return error


class NotFollowed(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


def test_the_manual_is_served(binary):
    server = Server(binary)
    try:
        server.start()
        moved = fetched(server, "/manual")
        assert moved.status == 308 and moved.headers["Location"] == "manual/", (moved.status, moved.headers["Location"])
        page = fetched(server, "/manual/")
        assert page.status == 200, "the manual is not in this binary: make docs"
        text = page.read().decode()
        assert "The walk of a message" in text and page.headers["Content-Type"] == "text/html; charset=utf-8"
        policy = page.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy, policy
        assert page.headers["X-Content-Type-Options"] == "nosniff"
        assert "style=" not in text and not re.search(r"<script(?![^>]*\ssrc=)", text), "code or style inside of the page"
        packed = fetched(server, "/manual/", **{"Accept-Encoding": "gzip"})
        assert packed.headers["Content-Encoding"] == "gzip" and gzip.decompress(packed.read()).decode() == text
        again = fetched(server, "/manual/", **{"If-None-Match": page.headers["ETag"]})
        assert again.status == 304 and again.read() == b"", again.status
        for path, status in (("/manual/manual/tls.html", 200), ("/manual/searchindex.js", 200), ("/manual/nothing.html", 404),
                             ("/manual/../etc/passwd", 404), ("/manual/theme/manual.css.gz", 404), ("/manually", 404)):
            assert fetched(server, path).status == status, path
        assert fetched(server, "/manual/", method="POST").status == 405
        # The manual needs no log-in: it explains how to log in.
        assert fetched(server, "/manual/manual/operations.html").status == 200
        links = re.findall(r'<nav class="contents".*?</nav>', text, re.DOTALL)[0]
        for link in re.findall(r'href="([^"]+)"', links):
            assert fetched(server, "/manual/" + link).status == 200, link
    finally:
        server.close()


def test_the_manual_is_searched_in_a_browser(binary):
    assert shutil.which("chromium"), "chromium is missing: tools/install.sh test installs it"
    server = Server(binary)
    try:
        server.start()
        with tempfile.TemporaryDirectory() as profile:
            # A search may be a part of an address.
            command = [*BROWSER, "--user-data-dir=" + profile, "--dump-dom", server.base + "/manual/manual/tls.html?search=fingerprint"]
            done = subprocess.run(command, capture_output=True, text=True, timeout=60)
            results = re.search(r'<ol id="results"[^>]*>(.*?)</ol>', done.stdout, re.DOTALL).group(1)
            assert "Nothing was found" not in results and "<a href=" in results, results[:600] + done.stderr[-600:]
            assert "../format/" in results or "../manual/" in results, results[:600]
            assert "Content Security Policy" not in done.stderr, done.stderr
    finally:
        server.close()
