"""The parts for trying out a configuration: example-msg-generator(), example-destination()."""

import os
import time

from server import Server

EXAMPLES = """@version: 4.8
source s_once {{ example-msg-generator(num(1) freq(30) template("message text") values("PROGRAM" => "prog" "HOST" => "host" "n" => int(7))); }};
source s_more {{ example-msg-generator(num(3) freq(0.4) template("tick")); }};
source s_own {{ internal(); }};
destination d_once {{ file("{folder}/once" template("$HOST $PROGRAM $(format-json --key n) $MSG\\n")); }};
destination d_more {{ file("{folder}/more" template("$MSG\\n")); }};
destination d_example {{ example-destination(filename("{folder}/example")); }};
destination d_own {{ example-destination(filename("{folder}/own")); }};
log {{ source(s_once); destination(d_once); destination(d_example); }};
log {{ source(s_more); destination(d_more); }};
log {{ source(s_own); destination(d_own); }};
"""


def test_generated_messages_come_at_once(binary):
    server = Server(binary, EXAMPLES)
    text = lambda name: open(os.path.join(server.folder, name)).read() if os.path.exists(os.path.join(server.folder, name)) else ""
    try:
        start = time.monotonic()
        server.start()
        server.until(lambda: text("once"), 10, "the first message, long before the pause of 30 s has passed")
        assert time.monotonic() - start < 20
        assert text("once") == 'host prog {"n":7} message text\n', text("once")
        server.until(lambda: text("more") == "tick\n" * 3, 30, "the others, each after a pause")
        server.until(lambda: text("example"), 30, "the example")
        thread, message = text("example").rstrip("\n").split(" ", 1)
        assert thread.startswith("thread_id=") and thread[10:].isdigit() and message == "message=message text", text("example")
        server.until(lambda: " starting up; version=" in text("own"), 30, "our own first message")
        server.ctl("reload")
        server.until(lambda: "Configuration reload finished" in text("own"), 30, "the end of the reload")
        server.stop()
        assert " shutting down; version=" in text("own"), text("own")
    finally:
        server.close()
