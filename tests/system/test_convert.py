"""rsyslogd and our conversion of its configuration, side by side: the same input yields the same output."""

import json
import os
import socket
import subprocess
import tempfile
import time

from server import Server, free_port

LINES = r"""
<13>Nov 21 10:00:00 gate sshd[77]: Failed password for anna from 192.0.2.7 port 22
<34>Nov 21 10:00:01 gate su: 'su root' failed for Lonvick on /dev/pts/8
<165>1 2026-11-21T10:00:02.123456+01:00 web app 42 ID7 [ex@1 k="v"] from="192.0.2.9" bytes=512
<86>Nov  1 09:05:06 db cron[1]: (root) CMD (run-parts)
<22>Nov 21 10:00:03 mx postfix/smtpd[9]: connect from unknown[192.0.2.1]
<4>Nov 21 10:00:03 gate kernel: IN=eth0 OUT= SRC=192.0.2.1 DST=192.0.2.2 LEN=60
<13>Nov 21 10:00:05 gate json: @cee: {"user":"anna","n":5,"deep":{"x":"y"}}
<14>1 2026-11-21T10:00:06Z web app - - - a,b,"c",,e
<11>Nov 21 10:00:07 gate backup: 100% $done \ "quoted"
<46>Nov 21 10:00:08 gate spaced:  two  blanks  here
<30>Nov 21 10:00:09 gate notag without a colon
<31>Nov 21 10:00:10 gate tight:text
<0>Nov 21 10:00:11 gate empty:
<30>Jan  4 10:00:12 gate early[5]: in the year
""".strip().encode() + b"\n"

# The text after the input in each configuration; OUT is the file that is compared.
CONFIGS = {
    "selectors": """
$template T,"%syslogfacility-text%.%syslogseverity-text% %HOSTNAME% %syslogtag%%msg%\\n"
mail.*;auth.info;authpriv.none   -OUT;T
kern.=warning                    OUT;T
*.err;mail.none                  OUT;T
""",
    "properties": """
template(name="T" type="string" string="%programname%|%syslogtag%|%app-name%|%procid%|%msg%\\n")
:msg, contains, "failed"            OUT;T
:programname, isequal, "postfix"    OUT;T
:hostname, startswith, "w"          OUT;T
:msg, regex, "^ IN=[a-z]*[0-9]"     OUT;T
:msg, ereregex, "(run|walk)-parts"  OUT;T
:syslogtag, !contains, "["          OUT;T
& stop
:fromhost-ip, isequal, "127.0.0.1"  OUT;T
""",
    "formats": """
if $hostname == 'gate' then { action(type="omfile" file="OUT" template="RSYSLOG_TraditionalFileFormat") stop }
if $hostname == 'web' then { action(type="omfile" file="OUT" template="RSYSLOG_SyslogProtocol23Format") stop }
action(type="omfile" file="OUT" template="RSYSLOG_FileFormat")
""",
    "list": """
template(name="T" type="list") {
    property(name="timereported" dateFormat="rfc3339") constant(value=" ")
    property(name="timereported" dateFormat="pgsql") constant(value=" ")
    property(name="timereported" dateFormat="unixtimestamp") constant(value=" ")
    property(name="hostname" caseConversion="upper") constant(value=" ")
    property(name="msg" position.from="2" position.to="9") constant(value=" ")
    property(name="msg" field.delimiter="32" field.number="2") constant(value=" ")
    property(name="pri") constant(value="/") property(name="pri-text") constant(value="/")
    property(name="syslogtag" position.from="1" position.to="4")
    constant(value="\\n")
}
action(type="omfile" file="OUT" template="T")
""",
    "regular expressions": """
template(name="T" type="string" string="%msg:R,ERE,1,DFLT:from ([^ ]+)--end% %msg:R,ERE,0,BLANK:[0-9]+--end% %msg:R,ERE,1,FIELD:(port [0-9]+)--end%\\n")
action(type="omfile" file="OUT" template="T")
""",
    "json": """
template(name="T" type="list" option.jsonf="on") {
    property(outname="host" name="hostname" format="jsonf")
    property(outname="message" name="msg" format="jsonf")
    constant(outname="kind" value="log" format="jsonf")
}
template(name="U" type="string" string="{\\"prog\\":\\"%programname:::json%\\",\\"msg\\":\\"%msg:::json%\\"}\\n")
action(type="omfile" file="OUT" template="U")
""",
    "variables": """
template(name="T" type="string" string="%$!who% %$.n% %$!deep!part% %$.cut%\\n")
set $!who = tolower(field($msg, 32, 2));
set $.n = strlen($hostname) * 2 + 1;
if $msg contains "from" then { set $!deep!part = re_extract($msg, "from ([^ ]+)", 0, 1, "nowhere"); } else { set $!deep!part = "none"; }
set $.cut = substring($programname, 1, 2) & "-" & $procid;
unset $!nothing;
action(type="omfile" file="OUT" template="T")
""",
    "conditions": """
template(name="T" type="string" string="%$.why%:%msg%\\n")
set $.why = "";
if $syslogseverity <= 3 and not ($syslogfacility-text == 'kern') then set $.why = $.why & "s";
if $msg contains_i 'FAILED' or $msg startswith ' connect' then set $.why = $.why & "c";
if re_match($msg, 'SRC=[0-9.]+') then set $.why = $.why & "r";
if $programname == ['su', 'cron'] then set $.why = $.why & "p";
if $app-name != 'app' then set $.why = $.why & "a";
if prifilt('mail,kern.*') then set $.why = $.why & "f";
action(type="omfile" file="OUT" template="T")
""",
    "rulesets": """
template(name="T" type="string" string="%$.way% %msg%\\n")
ruleset(name="deny") { if $msg contains 'root' then stop
    set $.way = $.way & "d"; }
ruleset(name="mail") { set $.way = "mail";
    action(type="omfile" file="OUT" template="T") }
set $.way = "main";
call deny
if $syslogfacility-text == 'mail' then { call mail stop }
action(type="omfile" file="OUT" template="T")
""",
    "lookup": """
template(name="T" type="string" string="%$.site% %$.range% %hostname%\\n")
lookup_table(name="sites" file="DIR/sites.json")
lookup_table(name="ranges" file="DIR/ranges.json")
set $.site = lookup("sites", $hostname);
set $.range = lookup("ranges", $syslogseverity);
action(type="omfile" file="OUT" template="T")
""",
    "parsed json": """
module(load="mmjsonparse")
template(name="T" type="string" string="%$!user% %$!n% %$!deep!x%\\n")
template(name="S" type="subtree" subtree="$!deep")
action(type="mmjsonparse")
if $parsesuccess == "OK" then action(type="omfile" file="OUT" template="T")
""",
    "legacy": """
$ActionFileDefaultTemplate RSYSLOG_TraditionalFileFormat
$template T,"<%PRI%>%TIMESTAMP% %HOSTNAME% %syslogtag%%msg:::sp-if-no-1st-sp%%msg:::drop-last-lf%\\n"
$template Short,"%msg:1:10%|%msg:F,32:3%|%HOSTNAME:::uppercase%\\n"
if $programname == 'sshd' then OUT;Short
& ~
auth,authpriv.* OUT;T
kern.* -OUT
local4.*  OUT;T
""",
    "chains": """
$template T,"T %msg%\\n"
$template U,"U %msg%\\n"
:msg, contains, "failed" OUT;T
& OUT;U
if $programname == 'su' then OUT;T
else OUT;U
& stop
*.* OUT;T
""",
    "a ruleset with a queue": """
template(name="T" type="string" string="%$.way% %msg%\\n")
ruleset(name="queued" queue.type="LinkedList") { set $.way = "q"; if $msg contains 'from' then stop
    action(type="omfile" file="OUT" template="T") }
set $.way = "main";
call queued
action(type="omfile" file="OUT" template="T")
""",
    "switched off": """
template(name="T" type="string" string="%msg%\\n")
action(type="omfile" file="OUT" template="T" config.enabled="off")
action(type="omfile" file="OUT" template="T" config.enabled="on")
""",
    "trees": """
module(load="mmjsonparse")
template(name="S" type="list") { property(name="$!a") constant(value="\\n") }
template(name="T" type="string" string="%$!gone!x%|%$!a!b%|%$!msg%|%$.x%\\n")
set $!a!b = "1";
set $!a!c!d = "2";
set $!gone!x = "3";
unset $!gone;
set $.x = "4";
action(type="omfile" file="OUT" template="S")
action(type="mmjsonparse")
action(type="omfile" file="OUT" template="T")
""",
    "case and path": """
template(name="T" type="list") {
    property(name="msg" caseConversion="lower" compressSpace="on") constant(value="|")
    property(name="syslogtag" securePath="replace") constant(value="|")
    property(name="msg" format="csv") constant(value="|")
    property(name="structured-data") constant(value="|") property(name="msgid") property(name="protocol-version")
    constant(value="\\n")
}
action(type="omfile" file="OUT" template="T")
""",
}

TABLES = {
    "sites.json": '{"version":1,"nomatch":"elsewhere","type":"string","table":[{"index":"gate","value":"north"},{"index":"db","value":"south"}]}',
    "ranges.json": '{"version":1,"type":"sparseArray","table":[{"index":0,"value":"grave"},{"index":4,"value":"mild"}]}',
}


# Traditional formats are the server's own: a text that follows its tag without a blank stays that way.
TRADITIONAL = {"formats", "legacy"}


def shape(line):
    """A line in the form that is compared: JSON by its members, because rsyslog escapes slashes with a backslash."""
    return json.dumps(json.loads(line), sort_keys=True) if line.startswith("{") and line.endswith("}") else line


class Pair:
    """One configuration, run by both."""

    def __init__(self, binary, name, config, lines=LINES):
        self.name, self.processes, self.lines = name, [], lines
        self.holder = tempfile.TemporaryDirectory(prefix="duramen-test-")
        self.outputs, self.ports = [], [free_port(), free_port()]
        environment = {**os.environ, "PATH": os.environ["PATH"] + ":/usr/sbin", "TZ": "UTC"}
        for role, port in zip(("rsyslog", "duramen"), self.ports):
            folder = os.path.join(self.holder.name, role)
            os.mkdir(folder)
            self.outputs.append(folder + "/out.log")
            for file, text in TABLES.items():
                self.write(folder, file, text)
            head = f'global(workDirectory="{folder}")\nmodule(load="imtcp")\ninput(type="imtcp" port="{port}")\n'
            text = head + config.replace("OUT", folder + "/out.log").replace("DIR", folder)
            conf = self.write(folder, "rsyslog.conf", text)
            command = ["rsyslogd", "-n", "-f", conf, "-i", folder + "/pid"]
            if role == "duramen":
                made = subprocess.run([binary, "convert", "rsyslog", conf, "--output", folder + "/d.conf"], capture_output=True, text=True)
                assert made.returncode == 0, f"{name}: {made.stderr}"
                command = [binary, "run", "--config", folder + "/d.conf", "--data", folder + "/data",
                           "--control", folder + "/ctl", "--http", "none"]
            console = open(folder + "/console", "w")
            self.processes.append(subprocess.Popen(command, env=environment, cwd=folder, stdout=console, stderr=console))

    @staticmethod
    def write(folder, name, text):
        path = os.path.join(folder, name)
        with open(path, "w") as out:
            out.write(text)
        return path

    def send(self):
        for port in self.ports:
            Server.until(lambda: self.accepts(port), 30, f"{self.name}: port {port}")

    def accepts(self, port):
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=5) as stream:
                stream.sendall(self.lines)
            return True
        except OSError:
            return False

    def written(self):
        texts = []
        for path in self.outputs:
            with open(path) if os.path.exists(path) else open(os.devnull) as text:
                texts.append(text.read())
        return texts

    def file(self, number):
        """The lines of a row of both."""
        out = []
        for path in self.outputs:
            path = f"{path}.{number}"
            with open(path, errors="surrogateescape") if os.path.exists(path) else open(os.devnull) as text:
                out.append(sorted(text.read().splitlines()))
        return out

    def compare(self, within=4, least=1):
        """The outputs, once both are and stay the same; otherwise the differences."""
        end = time.monotonic() + within
        while time.monotonic() < end:
            before = self.written()
            # Each of our files is written by one queue for each template, so lines of several templates may change
            # their order.
            lines = [sorted(map(shape, text.splitlines())) for text in before]
            if len(lines[0]) >= least and lines[0] == lines[1]:
                return None
            time.sleep(0.05)
        theirs, ours = lines
        pairs = [(one, two) for one, two in zip(theirs, ours) if one != two]
        return f"{self.name}: {len(theirs)} and {len(ours)} lines; rsyslog, ours: {pairs[:4]}"

    def close(self):
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            process.wait(20)
        self.holder.cleanup()


CONTROL = b"<12>Nov 21 10:00:13 gate tabs: a\tb\x07c\x1b[31m d\x7f\n<12>Nov 21 10:00:14 gate plain: text\n"
COUNTED = b"".join(b"%d %s" % (len(line), line) for line in LINES.splitlines()[:3]) + LINES


def test_frames_and_control_characters_are_read_as_rsyslog_does(binary):
    template = '$template T,"%syslogtag%%msg%\\n"\n'
    cases = {
        "control characters": (template + "*.* OUT;T\n", CONTROL),
        "control characters as they are": ("$EscapeControlCharactersOnReceive off\n" + template + "*.* OUT;T\n", CONTROL),
        "tabs as they are": ('global(parser.escapeControlCharacterTab="off")\n' + template + "*.* OUT;T\n", CONTROL),
        "octet counts and line feeds": (template + "*.* OUT;T\n", COUNTED),
    }
    pairs = []
    try:
        pairs = [Pair(os.path.abspath(binary), name, config, lines) for name, (config, lines) in cases.items()]
        for pair in pairs:
            pair.send()
        differences = [found for found in (pair.compare() for pair in pairs) if found]
        assert not differences, "\n".join(differences)
    finally:
        for pair in pairs:
            pair.close()


FOLLOWED = """plain line
second line\twith a tab
 indented piece
start of three
 more of it
end"""


def test_followed_files_are_read_as_rsyslog_does(binary):
    template = 'module(load="imfile")\n$template T,"%syslogtag%|%programname%|%pri-text%|%inputname%|%msg%\\n"\n*.* OUT;T\n'
    inputs = {
        "lines": 'tag="app:"',
        "facility": 'tag="a/b[3]" facility="local3" severity="error"',
        "indented": 'tag="app:" readMode="2"',
        "start of messages": 'tag="app:" startmsg.regex="^[a-z]"',
    }
    pairs = []
    try:
        for name, options in inputs.items():
            pair = Pair(os.path.abspath(binary), name, template + f'input(type="imfile" file="DIR/followed" {options})\n', b"<13>Nov 21 10:00:00 gate x: y\n")
            pairs.append(pair)
        for pair in pairs:
            pair.send()
            for path in pair.outputs:
                with open(os.path.dirname(path) + "/followed", "w") as out:
                    out.write(FOLLOWED + "\n")
        differences = [found for found in (pair.compare(within=10, least=3) for pair in pairs) if found]
        assert not differences, "\n".join(differences)
    finally:
        for pair in pairs:
            pair.close()


# Each row has a file of its own: the output of one template for every line.
TEMPLATES = r"""
%msg%|
%msg:2:$%|
%msg:2:6%|
%msg:F,32:3%|
%msg:F,58:2%|
%msg:F:2%|
%msg:R,ERE,1,BLANK:from ([0-9.]+)--end%|
%msg:R,ERE,2,ZERO:(from) ([0-9.]+)--end%|
%msg:R,ERE,0,FIELD,1:[0-9]+--end%|
%msg:R:[a-z][a-z]* for--end%|
%msg:::lowercase%|
%msg:::uppercase%|
%msg:::sp-if-no-1st-sp%|
%msg:::drop-last-lf%|
%msg:::csv%|
%msg:::compressspace%|
%hostname:::uppercase%|
%hostname:2:3%|
%syslogtag%|
%syslogtag:1:32%|
%syslogtag:F,91:1%|
%programname%|%app-name%|%procid%|%msgid%|%structured-data%|%protocol-version%|
%pri%|%pri-text%|%syslogfacility%|%syslogfacility-text%|%syslogseverity%|%syslogseverity-text%|%syslogpriority-text%|
%inputname%|
%fromhost-ip%|
%rawmsg%|
%timestamp%|%timereported:::date-rfc3164%|%timestamp:::date-rfc3164-buggyday%|
%timereported:::date-rfc3339%|
%timereported:::date-mysql%|%timereported:::date-pgsql%|%timereported:::date-unixtimestamp%|
%timereported:::date-year%|%timereported:::date-month%|%timereported:::date-day%|%timereported:::date-hour%|%timereported:::date-minute%|%timereported:::date-second%|%timereported:::date-subseconds%|
%timereported:::date-wdayname%|%timereported:::date-wday%|%timereported:::date-ordinal%|%timereported:::date-week%|
a\tb \"quoted\" $HOST \\ x|
""".strip().split("\n")

# Each row has a file of its own: the lines that match the condition.
CONDITIONS = r"""
$msg contains 'failed'
$msg contains_i 'FAILED'
$msg contains ' from'
$msg contains ' IN='
$msg contains ' Failed'
$msg contains ['CRON', 'CMD', 'su']
$msg startswith 'Failed'
$msg startswith ' Failed'
$hostname startswith_i 'G'
$msg startswith 'from='
$msg startswith [' Failed', ' (root)']
$msg == 'Failed password for anna from 192.0.2.7 port 22'
$msg == ' Failed password for anna from 192.0.2.7 port 22'
$msg != 'x'
$hostname == 'gate'
$hostname != 'gate'
$hostname <> 'gate'
$hostname == ['gate', 'web']
$hostname != ['gate', 'web']
$hostname startswith 'g'
$hostname contains 'a'
$hostname > 'g'
$programname == 'postfix'
$programname contains 'post'
$programname startswith 's'
$syslogtag contains '['
$syslogtag startswith 'su'
$procid == '77'
$procid == 77
$procid > 50
$procid == '-'
$procid contains '-'
$syslogseverity < 4
$syslogseverity <= '4'
$syslogseverity == 6
$syslogfacility-text == 'mail'
$syslogfacility == 4
$pri < 40
$pri-text == 'kern.warning'
$fromhost-ip == '127.0.0.1'
$inputname == 'imtcp'
$app-name == 'app'
$msgid == 'ID7'
$structured-data contains 'k="v"'
$protocol-version == 1
re_match($msg, 'SRC=[0-9.]+')
re_match($msg, '^ ?Failed')
re_match($msg, '^Failed')
re_match_i($msg, 'FAILED')
re_match($rawmsg, '^<1[0-9]>')
not ($msg contains 'a')
not ($hostname == 'gate') and $syslogseverity < 6
$hostname == 'gate' and $msg contains 'su' or $hostname == 'db'
$hostname == 'db' or $hostname == 'gate' and $msg contains 'su'
$hostname == 'db' or ($hostname == 'gate' and $msg contains 'su')
not ($hostname == 'db' or $hostname == 'gate')
prifilt('mail,kern.*')
prifilt('*.err;mail.none')
strlen($msg) > 40
strlen($msg) - 20 > 10
strlen($hostname) == 4
$syslogseverity * 2 == 12
$syslogfacility + 1 == 5 - 0
field($msg, 32, 2) == 'Failed'
field($msg, 'from', 2) contains '192'
tolower($hostname) == 'gate'
tolower($msg) contains 'failed'
substring($hostname, 1, 2) == 'at'
re_extract($msg, '([0-9]+)', 0, 1, '0') > 100
cnum($procid) == 77
cstr($pri) == '13'
ltrim($msg) startswith 'Failed'
rtrim($hostname) == 'gate'
$!nothing == ''
$!nothing != ''
$!nothing == 0
$!nothing > 5
$!nothing < 5
$!nothing
$hostname
$syslogseverity
strlen($hostname) > 3 and $syslogseverity
$msg
exists($!nothing)
1
0
$syslogseverity % 2 == 1
$hostname & '-' & $programname == 'gate-sshd'
wrap($hostname, '"') == '"gate"'
""".strip().split("\n")

# Rules in the old forms, each with a file of its own.
RULES = r"""
*.*
mail.*
*.info
*.=info
*.!info
*.=info;mail.none
*.info;mail,auth.none
*.err;auth.info
*.*;kern.none
kern.warning
kern.=warning
kern.!err
auth,authpriv.*
*.=crit;*.=info
*.info;*.!=info
mail.=info;mail.!=err
user.notice;user.!err
local4.*;local4.!=notice
:msg, contains, "failed"
:msg, contains, " Failed"
:msg, !contains, "failed"
:msg, startswith, "Failed"
:msg, startswith, " Failed"
:msg, isequal, " connect from unknown[192.0.2.1]"
:msg, regex, "fr[a-z]*m"
:msg, regex, "^ F"
:msg, regex, "^F"
:msg, ereregex, "(CMD|SRC)"
:msg, ereregex, "^ (.root|IN)"
:hostname, isequal, "web"
:hostname, !isequal, "web"
:hostname, regex, "^[gw]"
:programname, isequal, "postfix"
:programname, startswith, "p"
:msg, isempty, ""
:msgid, isequal, "-"
:syslogtag, contains, "["
:syslogtag, isequal, "su:"
:fromhost-ip, !isequal, "127.0.0.1"
:rawmsg, contains, "<13>"
:syslogseverity-text, isequal, "notice"
:syslogfacility-text, isequal, "authpriv"
""".strip().split("\n")


def rows():
    """Three configurations with a file for each row."""
    templates = [f'template(name="T{n}" type="string" string="{row}\\n")\naction(type="omfile" file="OUT.{n}" template="T{n}")' for n, row in enumerate(TEMPLATES)]
    conditions = [f'if {row} then action(type="omfile" file="OUT.{n}" template="T")' for n, row in enumerate(CONDITIONS)]
    rules = [f"{row} OUT.{n};T" for n, row in enumerate(RULES)]
    template = '$template T,"%rawmsg%\\n"\n'
    return {
        "templates": (templates, TEMPLATES),
        "conditions": ([template, *conditions], CONDITIONS),
        "rules": ([template, *rules], RULES),
    }


def test_each_property_condition_and_selector_means_the_same(binary):
    pairs, differences = [], []
    try:
        for name, (statements, _) in rows().items():
            pairs.append(Pair(os.path.abspath(binary), name, "\n".join(statements) + "\n$template E,\"%rawmsg%\\n\"\n*.* OUT;E\n"))
        for pair in pairs:
            pair.send()
        for pair in pairs:
            difference = pair.compare()
            assert difference is None, difference
            # The file of all messages is the last one that rsyslog writes; ours are written by queues of their own.
            _, names = rows()[pair.name]
            end = time.monotonic() + 3
            while time.monotonic() < end and any(pair.file(n)[0] != pair.file(n)[1] for n in range(len(names))):
                time.sleep(0.1)
            for n, row in enumerate(names):
                theirs, ours = pair.file(n)
                if theirs != ours:
                    differences.append(f"{row}\n  rsyslog: {theirs}\n  ours:    {ours}")
        assert not differences, "\n".join(differences)
    finally:
        for pair in pairs:
            pair.close()


def test_the_conversion_writes_what_rsyslog_writes(binary):
    pairs = []
    try:
        for name, config in CONFIGS.items():
            lines = [line for line in LINES.splitlines(True) if name not in TRADITIONAL or b": " in line or b"app" in line]
            pairs.append(Pair(os.path.abspath(binary), name, config, b"".join(lines)))
        for pair in pairs:
            pair.send()
        differences = [found for found in (pair.compare() for pair in pairs) if found]
        assert not differences, "\n".join(differences)
    finally:
        for pair in pairs:
            pair.close()
