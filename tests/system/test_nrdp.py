"""nrdp(): an imitation of Nagios' Remote Data Processor takes results, refuses tokens, and drops forms that are too long."""

import functools
import http.server
import json
import threading
import urllib.parse

import destination
from destination import HEAD, check_refusals, dead, send
from server import Server

settled = functools.partial(destination.settled, kind="dst.nrdp")


class Nrdp(http.server.ThreadingHTTPServer):
    """Answers as NRDP 2.0 does: the status and the words are about the whole request. A form above `limit` arrives empty, as in PHP."""

    def __init__(self, limit=1 << 20):
        self.results, self.tokens, self.limit, self.requests = [], {"right-token"}, limit, 0
        super().__init__(("127.0.0.1", 0), Answer)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def answer(self, body):
        self.requests += 1
        form = urllib.parse.parse_qs(body.decode()) if len(body) <= self.limit else {}
        refused = lambda message: {"result": {"status": -1, "message": message}}
        token = form.get("token", [""])[0]
        if not token:
            return refused("NO TOKEN")
        if token not in self.tokens:
            return refused("BAD TOKEN")
        if form.get("cmd") != ["submitcheck"]:
            return "NO REQUEST HANDLER"
        try:
            results = json.loads(form["JSONDATA"][0])["checkresults"]
        except (KeyError, ValueError):
            return refused("BAD JSON")
        self.results += results
        return {"result": {"status": 0, "message": "OK", "meta": {"output": f"{len(results)} checks processed"}}}


class Answer(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path != "/nrdp/":
            return self.send_error(404)
        answer = json.dumps(self.server.answer(body)).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *words):
        pass


def nrdp(target, options, token="right-token"):
    text = 'destination d_n {{ nrdp(url("http://127.0.0.1:%d/nrdp") token("%s") %s); }};\nlog {{ source(s_net); destination(d_n); flags(flow-control); }};\n'
    return HEAD + text % (target.server_address[1], token, options)


def test_results_come_once_and_what_is_none_is_a_dead_letter(binary):
    target = Nrdp(limit=4000)
    server = Server(binary, nrdp(target, 'service("$PROGRAM") state("$MSG") output("it is $MSG") batch-lines(50)'))
    try:
        server.start()
        states = ["ok", "WARNING", "2", "unknown", "broken"]
        send(server, [(f"web{number}", states[number % 5]) for number in range(200)])
        found = settled(server, 200)
        assert (found["written"], found["dead"]) == (160, 40), found
        assert "the state is none of 0 to 3" in dead(server, "cat", "d_n#0")
        got = sorted((result["hostname"], result["state"], result["output"]) for result in target.results)
        wanted = sorted((f"web{number}", str(number % 5), f"it is {states[number % 5]}") for number in range(200) if number % 5 != 4)
        # Requests of more than 4,000 bytes arrive empty, and are halved.
        assert got == wanted and target.requests > 8, (len(got), target.requests)
        assert all(result["servicename"] == "app" and result["checkresult"]["type"] == "service" for result in target.results)
    finally:
        server.close()
        target.shutdown()


def test_a_wrong_token_holds_until_it_is_right(binary):
    target = Nrdp()
    server = Server(binary, nrdp(target, "", "wrong-token"))
    try:
        server.start()
        send(server, [("web", "one"), ("db\u2028", "two")])
        server.until(lambda: "(credentials): the server answered: BAD TOKEN" in server.ctl("healthcheck"), 20, "the refusal to show: " + server.ctl("healthcheck"))
        assert "wrong-token" not in server.stderr() + server.ctl("healthcheck")
        server.write_config(nrdp(target, ""))
        server.ctl("reload")
        assert settled(server, 2)["written"] == 2
        assert {(result["checkresult"]["type"], result["state"], result["output"]) for result in target.results} == {("host", "0", "one"), ("host", "0", "two")}
    finally:
        server.close()
        target.shutdown()


def test_wrong_configurations_are_refused_by_their_place(binary):
    cases = (
        ('nrdp(url("http://h/nrdp/"));', "token"),
        ('nrdp(token("t"));', "url"),
        ('nrdp(url("h/nrdp") token("t"));', "is no address of NRDP"),
        ('nrdp(url("http://h/?cmd=x") token("t"));', "is no address of NRDP"),
        ('nrdp(url("http://h/nrdp/") token(""));', "`token()` is no token"),
        ('nrdp(url("http://h/nrdp/") token("t") tls(peer-verify(no)));', "needs an address that begins with https://"),
    )
    check_refusals(binary, cases)
