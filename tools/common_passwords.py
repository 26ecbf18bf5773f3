"""Writes the list of common passwords that the binary refuses, as hashes.

Usage: tools/common_passwords.py OUTPUT FILE... Each FILE has one password a line, as UTF-8 text, or compressed with gzip. Passwords
are taken as they are compared: in small letters, normalised (NFC), and only those of at least eight characters.

The committed list was made from these files:
- django/contrib/auth/common-passwords.txt.gz of Django 5.2 (BSD-3-Clause), collected by Royce Williams;
- the list `passwords` of zxcvbn 4.5.0 for Python (MIT), which is that of Dropbox's zxcvbn.
Their licences are in packaging/licences/common-passwords.txt.

The output has 256 numbers of 16 bits, big-endian: how many hashes begin with each byte; then the following three bytes of each hash
(SHA-256), in order. A password that is in no list has a chance of one in 250,000 to be taken for one that is.
"""

import gzip
import hashlib
import sys
import unicodedata

LENGTH_MIN = 8


def passwords(path):
    """The passwords of a file."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    for line in data.decode().splitlines():
        password = unicodedata.normalize("NFC", line.strip().lower())
        if len(password) >= LENGTH_MIN:
            yield password


def main():
    output, *files = sys.argv[1:]
    found = {password for path in files for password in passwords(path)}
    heads = sorted({hashlib.sha256(password.encode()).digest()[:4] for password in found})
    counts = [sum(head[0] == byte for head in heads) for byte in range(256)]
    with open(output, "wb") as out:
        out.write(b"".join(count.to_bytes(2, "big") for count in counts))
        out.write(b"".join(head[1:] for head in heads))
    print(f"{len(heads)} passwords")


if __name__ == "__main__":
    main()
