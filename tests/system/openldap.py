"""An OpenLDAP of its own for a test: in a folder, on ports of loopback, with a certificate of its own authority, started and killed at will."""

import os
import subprocess
import tempfile

from component import Component
from server import Server, free_port

BASE = "dc=example,dc=org"
CONFIG = """include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/nis.schema
include /etc/ldap/schema/inetorgperson.schema
modulepath /usr/lib/ldap
moduleload back_mdb
moduleload memberof
moduleload ppolicy
pidfile {folder}/slapd.pid
{tls}
sizelimit 500
database mdb
suffix "dc=example,dc=org"
rootdn "cn=admin,dc=example,dc=org"
rootpw secret
directory {folder}/db
access to attrs=userPassword by anonymous auth by * none
access to * by dn.exact="cn=reader,dc=example,dc=org" read by anonymous auth by * none
overlay memberof
memberof-refint TRUE
overlay ppolicy
"""
ENTRIES = """dn: dc=example,dc=org
objectClass: dcObject
objectClass: organization
o: Example
dc: example

dn: cn=reader,dc=example,dc=org
objectClass: organizationalRole
objectClass: simpleSecurityObject
cn: reader
userPassword: readerpw

dn: ou=people,dc=example,dc=org
objectClass: organizationalUnit
ou: people

dn: ou=groups,dc=example,dc=org
objectClass: organizationalUnit
ou: groups
"""


def person(name, unit="people", **more):
    lines = "".join(f"{key}: {value}\n" for key, value in more.items())
    return (f"dn: uid={name},ou={unit},{BASE}\nobjectClass: inetOrgPerson\ncn: {name}\nsn: {name}\nuid: {name}\n"
            f"mail: {name}@example.org\nuserPassword: password of {name}\n{lines}")


def group(name, *members):
    """A group of people and groups, by their distinguished names."""
    return f"dn: {group_dn(name)}\nobjectClass: groupOfNames\ncn: {name}\n" + "".join(f"member: {member}\n" for member in members)


def dn(name, unit="people"):
    return f"uid={name},ou={unit},{BASE}"


def group_dn(name):
    return f"cn={name},ou=groups,{BASE}"


def run(*words, given=None):
    done = subprocess.run(words, input=given, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, (words, done)
    return done.stdout


def certificate(folder, name, host):
    """Makes an authority and a certificate that it signs; returns the files of both and of the key."""
    authority, key, own = (f"{folder}/{name}.{end}" for end in ("ca", "key", "crt"))
    run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", f"{folder}/{name}.cakey",
        "-out", authority, "-days", "2", "-subj", f"/CN=authority of {name}", "-addext", "basicConstraints=critical,CA:TRUE",
        "-addext", "keyUsage=critical,keyCertSign,cRLSign")
    run("openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key, "-out", f"{folder}/{name}.csr",
        "-subj", f"/CN={host}")
    with open(f"{folder}/{name}.ext", "w") as out:
        out.write(f"subjectAltName=DNS:{host}\nextendedKeyUsage=serverAuth\n")
    run("openssl", "x509", "-req", "-in", f"{folder}/{name}.csr", "-CA", authority, "-CAkey", f"{folder}/{name}.cakey", "-CAcreateserial",
        "-out", own, "-days", "2", "-extfile", f"{folder}/{name}.ext")
    return authority, own, key


class OpenLdap(Component):
    """With `tls=False` it refuses StartTLS and has no encrypted port."""

    def __init__(self, *entries, tls=True):
        self.holder = tempfile.TemporaryDirectory(prefix="openldap-", dir="/tmp")
        self.folder = self.holder.name
        os.mkdir(self.folder + "/db")
        self.plain, self.encrypted = free_port(), free_port()
        self.authority, own, key = certificate(self.folder, "server", "localhost")
        lines = f"TLSCACertificateFile {self.authority}\nTLSCertificateFile {own}\nTLSCertificateKeyFile {key}" if tls else ""
        with open(self.folder + "/slapd.conf", "w") as out:
            out.write(CONFIG.format(folder=self.folder, tls=lines))
        self.tls = tls
        self.start()
        for entry in (ENTRIES, *entries):
            self.add(entry)

    def start(self):
        log = open(self.folder + "/log", "ab")
        urls = f"ldap://localhost:{self.plain}" + (f" ldaps://localhost:{self.encrypted}" if self.tls else "")
        self.process = subprocess.Popen(["/usr/sbin/slapd", "-f", self.folder + "/slapd.conf", "-h", urls, "-d", "0"], stdout=log, stderr=log)
        Server.until(self.answers, 30, "OpenLDAP to answer")

    def answers(self):
        self.check_running()
        words = ["ldapwhoami", "-x", "-H", self.url, "-o", "nettimeout=5"]
        return subprocess.run(words, capture_output=True, timeout=30).returncode == 0

    @property
    def url(self):
        return f"ldap://localhost:{self.plain}"

    def as_admin(self, verb, *words, given=None):
        return run(verb, "-x", "-H", self.url, "-D", f"cn=admin,{BASE}", "-w", "secret", *words, given=given)

    def add(self, entry):
        self.as_admin("ldapadd", given=entry)

    def modify(self, entry, change):
        self.as_admin("ldapmodify", given=f"dn: {entry}\nchangetype: modify\n{change}\n")

    def rename(self, entry, relative):
        self.as_admin("ldapmodrdn", "-r", entry, relative)

    def delete(self, entry):
        self.as_admin("ldapdelete", entry)
