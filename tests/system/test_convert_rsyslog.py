"""`convert rsyslog` never writes anything that `check` refuses: statements that cannot be converted are left out and named in the report."""

import itertools
import json
import os
import subprocess
import tempfile

HEAD = 'module(load="imudp")\ninput(type="imudp" port="10514")\n'
FILE = 'action(type="omfile" file="/tmp/x.log")'
PATTERNS = ["a", "(", "[", "a\\", 'a"b', "\\d+", "(?=x)", "(a)\\1", "$HOST", "%x%", "^ a", "{2}", "[[:alpha:]]", "*a",
            "a**", "[z-a]", "é"]
VALUES = ["1:5", "F,44:2", "F:3", "R,ERE,1,DFLT:([a-z]+)--end", "R,ERE,0,BLANK:a(b--end", "R:x--end", "2:$", "-3:$",
          "R,ERE,9,DFLT:a--end", 'R,ERE,1,DFLT:"q" (x)--end', "F,44:a", "1:2:3:4:5"]
EXPRESSIONS = ['re_match($msg,"a(b")', 're_extract($msg,"a(b",0,1,"") == "b"', "$!a!b > 5", '$msg contains ["a","("]',
               'field($msg,"ab",2) == "x"', "cnum($!x) + 1 > 2", 'lookup("t",$hostname) == "x"', "% 5 == 0", "-1 < $!x"]
STATEMENTS = [
    'action(type="omfile" file="/a" FileCreateMode="x9")', 'action(type="omfile" dynaFile="nope")',
    'action(type="omfwd" target="h" port="99999" protocol="tcp")', 'action(type="omfwd" target="" port="514")',
    'action(type="omfwd" target="h" queue.type="LinkedList" queue.size="-5")', 'action(type="omprog" binary="/x \\"y z\\"")',
    'action(type="omrelp" target="h" port="abc")', 'action(type="mmnormalize" rulebase="/x")', "$FileCreateMode 0999",
    'input(type="imfile" file="/tmp/a b*.log" tag="x y" severity="nope" facility="local9" startmsg.regex="^(")',
    'input(type="imtcp" port="99999999")', 'input(type="imudp" port=["1","2"] address="no such host")',
    "$UDPServerAddress no such host\n$UDPServerRun 514", "$MarkMessagePeriod -4", "$MaxMessageSize x",
    '$template a-b,"x"\n$template a_b,"y"\n*.* /tmp/1;a-b\n*.* /tmp/2;a_b', "set $!x!y = 5 + 3 * 2;",
    'ruleset(name="a.b") { *.* /tmp/x }\nruleset(name="a_b") { *.* /tmp/y }\ncall a.b\ncall a_b',
    'ruleset(name="a") { call a }\ncall a', "*.* :ommysql:h,d,u,p;t", "@@@bad", "}", "if then", "*.* -?t",
]


def cases():
    """Configurations of every construct, right and wrong ones."""
    operations = ["contains", "startswith", "regex", "ereregex"]
    properties = ["msg", "programname", "syslogtag", "fromhost-ip", "$!a!b"]
    for field, (operation, pattern) in zip(itertools.cycle(properties), itertools.product(operations, PATTERNS)):
        yield f':{field}, {operation}, "{pattern}" /tmp/x.log'
    for value in VALUES:
        yield f'$template t,"%msg:{value}%\\n"\n*.* /tmp/x.log;t'
        yield f'$template t,"/tmp/%hostname:{value}%.log"\n*.* ?t'
    for expression in EXPRESSIONS:
        yield f"if {expression} then {{ {FILE} stop }} else {{ action(type=\"omfile\" file=\"/tmp/y\") }}"
        yield f"set $.v = {expression};\nif $.v == 1 then {FILE}"
    for statement in STATEMENTS:
        yield statement
        yield f'if $msg contains "x" then {{\n{statement}\n}}\n*.* /tmp/after'


def convert(binary, folder, text):
    """The exit status, the report and the converted text."""
    source, target, report = (os.path.join(folder, name) for name in ("in.conf", "out.conf", "report"))
    with open(source, "w") as out:
        out.write(HEAD + text + "\n")
    answer = subprocess.run([binary, "convert", "rsyslog", source, "--output", target, "--report", report],
                            capture_output=True, text=True, timeout=60)
    assert answer.returncode in (0, 1), (text, answer)
    # The verb checks its own output, and prints the findings.
    assert "error:" not in answer.stderr, (text, answer.stderr)
    return answer.returncode, json.load(open(report)), open(target).read()


def test_converted_configurations_always_pass_the_check(binary):
    with tempfile.TemporaryDirectory(prefix="duramen-test-") as folder:
        for text in cases():
            status, report, _ = convert(binary, folder, text)
            left_out = report["counts"]["not_supported"]
            assert (status == 1) == (left_out > 0), (text, status, report)


def test_unreadable_statements_are_named_and_the_rest_stays(binary):
    """A pattern that no engine accepts removes its rule, and only that rule."""
    with tempfile.TemporaryDirectory(prefix="duramen-test-") as folder:
        text = ':msg, ereregex, "a(" /tmp/bad.log\n:msg, ereregex, "a+" /tmp/good.log\nmail.* /tmp/mail.log'
        status, report, made = convert(binary, folder, text)
        assert status == 1
        outcomes = [(one["line"], one["outcome"]) for one in report["statements"][-3:]]
        assert outcomes == [(3, "not supported"), (4, "kept"), (5, "kept")], report
        assert "wrong regular expression" in report["statements"][-3]["notes"][0]
        assert "/tmp/bad.log" not in made and "/tmp/good.log" in made and "/tmp/mail.log" in made, made
        check = subprocess.run([binary, "check", os.path.join(folder, "out.conf")], capture_output=True, timeout=60)
        assert check.returncode == 0, check
