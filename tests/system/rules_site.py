"""A server with a folder of rules: its files, messages for it, and whether it follows them."""

import socket


def write(server, name, text):
    with open(f"{server.folder}/rules/{name}", "w") as out:
        out.write(text)


def send(server, *lines):
    with socket.create_connection(("127.0.0.1", server.port)) as peer:
        peer.sendall("".join(f"<13>Nov 21 12:00:00 {line}\n" for line in lines).encode())


def responds(server):
    try:
        return bool(server.call("health")["status"])
    except OSError:
        return False


def watches(server):
    """Rules are in force: what arrives from now on is evaluated."""
    server.until(lambda: "duramen_rules_sequence" in server.text("/metrics"), 20, "the rules")
