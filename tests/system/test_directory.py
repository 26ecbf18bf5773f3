"""People of a company's directory, a real OpenLDAP: how they sign in, which rights their groups give, and what becomes of both when the directory
changes, refuses or is away."""

import http.client
import json
import os
import subprocess
import time

from openldap import BASE, OpenLdap, certificate, dn, group, group_dn, person
from server import CONFIG, Server, free_port, waits_for
from test_users import ask, bearer, code, user

GRANTS = f"""
grant(group("{group_dn("auditors")}") logspaces("main") rights(search export))
grant(group("{group_dn("company")}") logspaces("fire"))
"""


def configured(ldap, *, servers=None, tls=True, more="", grants=GRANTS, groups="membership(member)", recheck="1s", keep="4h", filter="(objectClass=inetOrgPerson)"):
    """The text of a configuration with this directory; nothing of it has braces of format()."""
    urls = servers or [ldap.url]
    trust = f'tls(ca-file("{ldap.authority}"))' if tls else "insecure-plain(yes)"
    names = " ".join(f'"{url}"' for url in urls)
    option = f"""options {{{{ page(directory(
        servers({names}) {trust}
        bind-dn("cn=reader,{BASE}") password-file("{ldap.folder}/reader")
        base("{BASE}") filter("{filter}") name-attributes("uid" "mail")
        groups({groups} base("ou=groups,{BASE}"))
        {grants} recheck("{recheck}") keep-rights("{keep}") {more}
    )); }}}};
    """
    return CONFIG + option + 'destination d_fire {{ logspace("fire"); }};\nlog {{ source(s_local); destination(d_fire); }};\n'


def directory(*entries, **options):
    ldap = OpenLdap(*entries, **options)
    with open(ldap.folder + "/reader", "w") as out:
        out.write("readerpw\n")
    return ldap


def started(binary, ldap, **options):
    server = Server(binary, configured(ldap, **options))
    server.start()
    return server


def sign_in(server, name, password=None):
    """The status, the answer and the cookie of a log-in."""
    connection = http.client.HTTPConnection("127.0.0.1", server.http, timeout=60)
    body = json.dumps({"user": name, "password": f"password of {name}" if password is None else password})
    connection.request("POST", "/api/v1/login", body, {"Content-Type": "application/json"})
    answer = connection.getresponse()
    cookie = (answer.getheader("set-cookie") or "").split(";")[0]
    return answer.status, json.load(answer), {"Cookie": cookie, "X-Requested-By": "test"}


def session(server, cookie):
    return ask(server, "session", **cookie)


def rights(server, cookie):
    """The logspaces that a session may search."""
    status, answer = ask(server, "logspaces", **cookie)
    return sorted(one["name"] for one in answer) if status == 200 else status


def tried(server, name, *words, given=""):
    """What `duramen user directory test` prints, and its exit status."""
    done = user(server, "directory", "test", "-f", server.config, name, *words, given=given, check=False)
    return done.returncode, done.stdout, done.stderr


def actions(server):
    done = subprocess.run([server.binary, "ledger", "ls", "--json", "--data", server.folder + "/data"], capture_output=True, text=True, check=True, timeout=30)
    return done.stdout


def reloaded(server, config):
    server.write_config(config)
    server.ctl("reload")


def test_people_of_a_directory_sign_in_with_the_rights_of_their_groups(binary):
    ldap = directory(person("jane"), person("bob"), group("auditors", dn("jane")), group("company", group_dn("auditors"), dn("bob")))
    server = started(binary, ldap)
    try:
        status, answer, jane = sign_in(server, "jane")
        assert status == 200 and answer["user"] == "jane" and answer["may"] == ["search", "export"], (status, answer)
        assert rights(server, jane) == ["main"], "groups of groups count only if that is asked for"
        # Other letters, or the address: the same account.
        for name in ("JANE", "jane@example.org"):
            status, answer, cookie = sign_in(server, name, "password of jane")
            assert (status, answer["user"]) == (200, "jane"), (name, status, answer)
        assert user(server, "list").stdout.splitlines() == ["admin", "jane\tof the directory"]
        assert "jane\tmain\tsearch,export\tby the directory" in user(server, "grants", "jane").stdout
        assert rights(server, sign_in(server, "bob")[2]) == ["fire"]
        # Nested groups, by both ways of looking.
        for groups in ("membership(member) nested(yes)", "membership(member-of) nested(yes)"):
            reloaded(server, configured(ldap, groups=groups))
            server.until(lambda: rights(server, jane) == ["fire", "main"], 30, f"rights by {groups}")
            reloaded(server, configured(ldap))
            server.until(lambda: rights(server, jane) == ["main"], 30, "rights without nested groups")
        # A circle of groups ends.
        ldap.modify(group_dn("auditors"), f"add: member\nmember: {group_dn('company')}")
        code, out, err = tried(server, "jane")
        assert code == 0, (out, err)
        reloaded(server, configured(ldap, groups="membership(member) nested(yes)"))
        code, out, err = tried(server, "jane", "--password", given="password of jane\n")
        lines = out.splitlines()
        assert code == 0 and lines[-1] == "password\tright", (out, err)
        assert f"entry\t{dn('jane')}" in lines and "account\tjane" in lines and f"group\t{group_dn('company')}" in lines, out
        assert "right\tmain\tsearch,export" in lines and "right\tfire\tsearch" in lines, out
        kept = open(f"{server.folder}/data/users.json").read()
        assert "password of jane" not in kept and "readerpw" not in kept
        ledger = actions(server)
        assert "directory-user-added" in ledger and "directory-rights" in ledger, ledger
    finally:
        server.close()
        ldap.close()


def test_wrong_names_and_passwords_do_not_show_who_is_there(binary):
    twin = person("twin").replace("twin@example.org", "same@example.org")
    ldap = directory(person("jane"), twin, person("other").replace("other@example.org", "same@example.org"), person("nobody"),
                     group("auditors", dn("jane"), dn("twin"), dn("other")))
    server = started(binary, ldap)
    try:
        answers, times = [], []
        for name, password in (("jane", "wrong"), ("unknown", "wrong"), ("admin", "wrong")):
            start = time.monotonic()
            status, answer, _ = sign_in(server, name, password)
            times.append(time.monotonic() - start)
            answers.append((status, answer))
        assert answers[0][0] == 401 and answers.count(answers[0]) == 3, answers
        # None of them is answered before the others may be.
        assert min(times) >= 1.0, times
        # An empty password is an anonymous bind, which servers accept; characters of filters have no meaning.
        for name, password in (("jane", ""), ("*)(uid=*", "password of jane"), ("jane)(|(uid=*", "password of jane"), ("*", "password of jane"), ("jan*", "password of jane")):
            status, answer, _ = sign_in(server, name, password)
            assert status == 401, (name, password, answer)
        # Two people with one address: neither is guessed.
        status, answer, _ = sign_in(server, "same@example.org", "password of twin")
        assert (status, answer) == answers[0], (status, answer)
        assert "several entries" in actions(server)
        assert "several entries" in tried(server, "same@example.org")[2]
        # The right password of somebody without a group.
        status, answer, _ = sign_in(server, "nobody")
        assert status == 403 and "no group" in answer["error"]["message"], (status, answer)
        assert "is in no group that a grant()" in tried(server, "nobody")[2]
        assert "nobody below" in tried(server, "unknown")[2]
        assert "local user" in tried(server, "admin")[2]
        code, _, err = tried(server, "jane", "--password", given="wrong\n")
        assert code == 1 and "invalidCredentials" in err, err
        assert [line for line in user(server, "list").stdout.splitlines() if "directory" in line] == []
        assert "directory-denied" in actions(server)
    finally:
        server.close()
        ldap.close()


def test_a_local_user_is_never_one_of_the_directory(binary):
    ldap = directory(person("admin"), person("eva"), group("auditors", dn("admin"), dn("eva")))
    server = started(binary, ldap)
    try:
        for name in ("admin", "ADMIN"):
            status, answer, _ = sign_in(server, name, "password of admin")
            assert status in (401, 403) and "session" not in answer, (name, status, answer)
        assert sign_in(server, "admin", server.password)[0] == 200
        # The command line cannot give somebody of the directory a password here.
        assert sign_in(server, "eva")[0] == 200
        done = user(server, "password", "eva", given="quite long enough\n", check=False)
        assert done.returncode == 1 and "kept in the directory" in done.stderr, done
    finally:
        server.close()
        ldap.close()


@waits_for(20)
def test_who_leaves_a_group_or_the_company_loses_rights_and_sessions(binary):
    ldap = directory(person("jane"), person("bob"), person("carl"), group("auditors", dn("jane"), dn("bob"), dn("carl")), group("company", dn("jane")))
    server = started(binary, ldap)
    try:
        (_, _, jane), (_, _, bob), (_, _, carl) = (sign_in(server, name) for name in ("jane", "bob", "carl"))
        assert rights(server, jane) == ["fire", "main"]
        token = user(server, "token", "add", "bob", "--label", "x", "--scope", "search").stdout.strip()
        assert ask(server, "session", **bearer(token))[0] == 200
        # One group less: the right is gone, the session stays.
        ldap.modify(group_dn("auditors"), f"delete: member\nmember: {dn('jane')}")
        server.until(lambda: rights(server, jane) == ["fire"], 30, "the right to be gone")
        # Disabled by an administrator of the directory, as OpenLDAP's password policy does it.
        ldap.modify(dn("bob"), "add: pwdAccountLockedTime\npwdAccountLockedTime: 000001010000Z")
        server.until(lambda: session(server, bob)[0] == 401, 30, "the session of a disabled person to end")
        assert ask(server, "session", **bearer(token))[0] == 401
        assert sign_in(server, "bob")[0] == 401
        assert "disabled" in tried(server, "bob")[2]
        # Gone altogether, and no group left.
        ldap.delete(dn("carl"))
        server.until(lambda: session(server, carl)[0] == 401, 30, "the session of somebody who is gone to end")
        ldap.delete(group_dn("company"))
        server.until(lambda: session(server, jane)[0] == 401, 30, "the session of somebody without a group to end")
        assert user(server, "list").stdout.splitlines()[1:] == [f"{name}\tof the directory, suspended" for name in ("bob", "carl", "jane")]
        # Back again: a new session, the old one stays ended, and the token works.
        ldap.modify(dn("bob"), "delete: pwdAccountLockedTime")
        assert sign_in(server, "bob")[0] == 200
        assert session(server, bob)[0] == 401 and ask(server, "session", **bearer(token))[0] == 200
        for text in ("directory-suspended", '"gone"', '"no-group"'):
            assert text in actions(server), text
    finally:
        server.close()
        ldap.close()


def test_an_account_outlasts_another_name(binary):
    ldap = directory(person("jane"), group("auditors", dn("jane")))
    server = started(binary, ldap)
    try:
        _, _, jane = sign_in(server, "jane")
        status, made = ask(server, "objects", {"kind": "search", "name": "mine", "spec": {"query": "x"}}, **jane)
        assert status in (200, 201), made
        # She marries; her entry moves, her id stays. Then somebody else gets her name.
        ldap.rename(dn("jane"), "uid=jane.holm")
        server.until(lambda: "jane.holm" in open(f"{server.folder}/data/users.json").read(), 30, "the new name to be read")
        assert session(server, jane)[0] == 200
        status, answer, again = sign_in(server, "jane.holm", "password of jane")
        assert (status, answer["user"]) == (200, "jane"), answer
        assert [one["name"] for one in ask(server, "objects?kind=search", **again)[1]["objects"]] == ["mine"]
        ldap.add(person("jane").replace("password of jane", "another password"))
        ldap.modify(group_dn("auditors"), f"add: member\nmember: {dn('jane')}")
        status, answer, other = sign_in(server, "jane", "another password")
        assert (status, answer["user"]) == (200, "jane-2"), answer
        assert ask(server, "objects?kind=search", **other)[1]["objects"] == []
    finally:
        server.close()
        ldap.close()


def test_passwords_go_over_checked_tls_only(binary):
    ldap = directory(person("jane"), group("auditors", dn("jane")))
    unencrypted = directory(person("jane"), group("auditors", dn("jane")), tls=False)
    server = started(binary, ldap, servers=[f"ldaps://localhost:{ldap.encrypted}"])
    try:
        assert sign_in(server, "jane")[0] == 200
        # The certificate of another authority, and one for another name.
        other, _, _ = certificate(ldap.folder, "other", "localhost")
        config = configured(ldap)
        for wrong, why in ((config.replace(ldap.authority, other), "certificate"), (config.replace("ldap://localhost", "ldap://127.0.0.1"), "certificate")):
            reloaded(server, wrong)
            # A right password is remembered for a minute, so another one is needed.
            status, answer, _ = sign_in(server, "bob")
            assert status == 503 and "local users can log in" in answer["error"]["message"], (status, answer)
            code, _, err = tried(server, "jane")
            assert code == 1 and why in err, err
            assert sign_in(server, "admin", server.password)[0] == 200
        # A server that refuses StartTLS gets no password.
        reloaded(server, configured(unencrypted))
        code, _, err = tried(server, "jane")
        assert code == 1 and "StartTLS is refused" in err and "ldaps://" in err, err
        assert sign_in(server, "bob")[0] == 503
        # It can be asked for, with a warning.
        server.write_config(configured(unencrypted, tls=False))
        done = subprocess.run([binary, "check", server.config], capture_output=True, text=True, timeout=30)
        assert done.returncode == 0 and "without encryption" in done.stderr, done
        server.ctl("reload")
        assert tried(server, "jane")[0] == 0
        # A wrong password of the service account is named as such.
        with open(unencrypted.folder + "/reader", "w") as out:
            out.write("wrong\n")
        assert "the bind of the service account" in tried(server, "jane")[2]
        os.remove(unencrypted.folder + "/reader")
        assert "cannot read the password of the service account" in tried(server, "jane")[2]
        assert "directory-unavailable" in actions(server)
    finally:
        server.close()
        ldap.close()
        unencrypted.close()


@waits_for(20)
def test_the_directory_may_be_away_for_some_time(binary):
    ldap = directory(person("jane"), group("auditors", dn("jane")))
    server = started(binary, ldap, keep="6s", servers=[f"ldap://localhost:{free_port()}", ldap.url])
    try:
        # The first server of the list is not there; the second is.
        _, _, jane = sign_in(server, "jane")
        token = user(server, "token", "add", "jane", "--label", "x", "--scope", "search").stdout.strip()
        ldap.kill()
        # Rights hold for a while, and nobody new gets in; local users do.
        assert session(server, jane)[0] == 200 and rights(server, jane) == ["main"]
        assert sign_in(server, "bob")[0] == 503
        assert sign_in(server, "admin", server.password)[0] == 200
        server.until(lambda: session(server, jane)[0] == 401, 60, "the session to end")
        assert ask(server, "session", **bearer(token))[0] == 401
        assert '"unchecked"' in actions(server)
        ldap.start()
        # The account comes back by itself, for its tokens; a session needs a log-in.
        server.until(lambda: ask(server, "session", **bearer(token))[0] == 200, 60, "the token to work again")
        assert session(server, jane)[0] == 401
        assert sign_in(server, "jane")[0] == 200
    finally:
        server.close()
        ldap.close()


def test_a_second_factor_and_the_password_asked_for_once_more(binary):
    ldap = directory(person("jane"), group("auditors", dn("jane")))
    server = started(binary, ldap)
    try:
        _, _, jane = sign_in(server, "jane")
        status, answer = ask(server, "password", {"password": "password of jane", "new_password": "quite long enough"}, **jane)
        assert status == 409 and "kept in the directory" in answer["error"]["message"], answer
        assert ask(server, "factor", {"password": "wrong"}, **jane)[0] == 401
        status, enrolment = ask(server, "factor", {"password": "password of jane"}, **jane)
        assert status == 200, enrolment
        assert ask(server, "factor/enrol", {"code": code(enrolment["secret"])}, **jane)[0] == 200
        status, answer, _ = sign_in(server, "JANE", "password of jane")
        assert status == 401 and answer["error"]["code"] == "code_needed", answer
        status, answer = ask(server, "login/code", {"ticket": answer["ticket"], "code": code(enrolment["secret"], 1)})
        assert (status, answer.get("user")) == (200, "jane"), answer
    finally:
        server.close()
        ldap.close()


def test_wrong_options_of_a_directory_are_named(binary):
    ldap = directory()
    server = Server(binary)
    try:
        good = configured(ldap)
        rows = [
            ('servers("ldapi://x")', 'servers("' + ldap.url + '")', "no URL of a directory server"),
            ('filter("objectClass=x")', 'filter("(objectClass=inetOrgPerson)")', "no LDAP filter"),
            ('name-attributes("uid=*")', 'name-attributes("uid" "mail")', "no name of an attribute"),
            ('group("auditors")', f'group("{group_dn("auditors")}")', "distinguished name of a group"),
            ('recheck("1h")', 'recheck("1s")', "1 to 900 seconds"),
            ('password-file("reader")', f'password-file("{ldap.folder}/reader")', "an absolute path"),
            ("", GRANTS, "needs a grant()"),
            ("", f'password-file("{ldap.folder}/reader")', "belong together"),
            ("", f'base("{BASE}")', "needs base()"),
        ]
        for bad, instead, why in rows:
            assert instead in good, instead
            server.write_config(good.replace(instead, bad))
            done = subprocess.run([binary, "check", server.config], capture_output=True, text=True, timeout=30)
            assert done.returncode == 1 and why in done.stderr, (why, done)
    finally:
        server.close()
        ldap.close()
