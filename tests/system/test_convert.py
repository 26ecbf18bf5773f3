"""rsyslogd and our conversion of its configuration, side by side: the same lines in, the same lines out."""

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
""".strip().encode() + b"\n"

# What follows the input in each configuration; OUT is the file that is compared.
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


def shape(line):
    """A line as it is compared: JSON by its members, for rsyslog writes slashes in it with a backslash."""
    return json.dumps(json.loads(line), sort_keys=True) if line.startswith("{") else line


class Pair:
    """One configuration, run by both."""

    def __init__(self, binary, name, config):
        self.name, self.processes = name, []
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
            Server.until(lambda: self.accepts(port), 10, f"{self.name}: port {port}")

    @staticmethod
    def accepts(port):
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=5) as stream:
                stream.sendall(LINES)
            return True
        except OSError:
            return False

    def written(self):
        texts = []
        for path in self.outputs:
            with open(path) if os.path.exists(path) else open(os.devnull) as text:
                texts.append(text.read())
        return texts

    def compare(self):
        """The outputs, once both are the same and stay so; what differs otherwise."""
        end = time.monotonic() + 4
        while time.monotonic() < end:
            before = self.written()
            # Each of our files is written by one queue a template: lines of several templates may change places.
            lines = [sorted(map(shape, text.splitlines())) for text in before]
            if lines[0] and lines[0] == lines[1]:
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


def test_the_conversion_writes_what_rsyslog_writes(binary):
    pairs = []
    try:
        for name, config in CONFIGS.items():
            pairs.append(Pair(os.path.abspath(binary), name, config))
        for pair in pairs:
            pair.send()
        differences = [found for found in (pair.compare() for pair in pairs) if found]
        assert not differences, "\n".join(differences)
    finally:
        for pair in pairs:
            pair.close()
