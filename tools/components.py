"""Lists the components of the binary: a CycloneDX bill of materials, and the notices that the licences require.

Usage: tools/components.py BINARY FOLDER KIND. Writes FOLDER/duramenKIND.cdx.json and FOLDER/noticesKIND.txt. Exits with 1 if
a component has no licence that is allowed here, or its text is missing. The same tree yields the same bytes.
"""

import collections
import datetime
import hashlib
import json
import os
import re
import subprocess
import sys
import uuid

TREE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Licences that components of the binary may have: they require at most a notice.
ALLOWED = {"Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC0-1.0",
           "CDLA-Permissive-2.0", "ISC", "MIT", "MIT-0", "OFL-1.1", "OpenSSL", "Unicode-3.0", "Unlicense", "Zlib", "0BSD"}
# Sources in other languages inside crates: name, licence, and the file with the version.
INSIDE = {
    "aws-lc-sys": ("aws-lc", "Apache-2.0 AND ISC AND OpenSSL AND MIT", "aws-lc/include/openssl/base.h", r'AWSLC_VERSION_NUMBER_STRING "([^"]+)"'),
    "tikv-jemalloc-sys": ("jemalloc", "BSD-2-Clause", "jemalloc/ChangeLog", r"(?s)\A.*?\n\* (\d+\.\d+\.\d+) "),
    "zstd-sys": ("zstd", "BSD-3-Clause", "zstd/lib/zstd.h", r"ZSTD_VERSION_(?:MAJOR|MINOR|RELEASE) +(\d+)"),
    "rdkafka-sys": ("librdkafka", "BSD-2-Clause AND BSD-3-Clause AND MIT AND Zlib AND Apache-2.0", "librdkafka/CHANGELOG.md", r"\A# librdkafka v(\S+)"),
    "pcre2-sys": ("pcre2", "BSD-3-Clause", "upstream/include/pcre2.h", r"define PCRE2_(?:MAJOR|MINOR) +(\d+)"),
}
IS_LICENCE = re.compile(r"^(licen[cs]e|copying|notice|unlicense)", re.IGNORECASE)
# The text for crates that name this licence without including it.
MIT = TREE + "/packaging/licences/MIT.txt"
# The notice of musl, which a static binary contains.
MUSL = TREE + "/packaging/licences/musl.txt"
# The notices of the lists that the hashes of common passwords were made from.
COMMON_PASSWORDS = TREE + "/packaging/licences/common-passwords.txt"

Component = collections.namedtuple("Component", "ref name version licence digest texts needs kind")


def is_allowed(expression):
    """Returns whether an SPDX expression can be met with allowed licences alone."""
    words = re.findall(r"\(|\)|AND|OR|[^\s()]+(?:\s+WITH\s+[^\s()]+)?", expression.replace("/", " OR "))

    def either():
        good = both()
        while words and words[0] == "OR":
            words.pop(0)
            good = both() or good
        return good

    def both():
        good = one()
        while words and words[0] == "AND":
            words.pop(0)
            good = one() and good
        return good

    def one():
        word = words.pop(0)
        if word != "(":
            return re.sub(r"\s+", " ", word) in ALLOWED
        good = either()
        words.pop(0)
        return good

    return either()


def texts(folder, depth):
    """The licence texts of a folder and those below it."""
    found = []
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        if entry.is_dir(follow_symlinks=False) and (depth > 0 or entry.name.upper() in ("LICENSES", "LICENSE")):
            found += texts(entry.path, depth - 1)
        elif entry.is_file() and IS_LICENCE.match(entry.name) and not entry.name.endswith((".rs", ".py", ".toml", ".tmpl")):
            with open(entry.path, encoding="utf-8", errors="replace") as text:
                found.append(text.read().replace("\r\n", "\n").strip() + "\n")
    return found


def fallback(expression, authors):
    """The text of a licence that a crate names without including it."""
    if re.search(r"\bMIT\b", expression):
        with open(MIT) as text:
            return ["Copyright (c) " + (", ".join(authors) or "the authors") + "\n\n" + text.read()]
    if "Apache-2.0" in expression:
        with open(TREE + "/LICENSE") as text:
            return [text.read()]
    return []


def target_of(facts):
    """The target that the program was built for."""
    host = re.search(r"host: (\S+)", subprocess.check_output(["rustc", "-vV"], text=True)).group(1)
    return f"{facts['architecture']}-unknown-linux-musl" if facts["libc"] == "musl" else host


def crates(target):
    """The crates that are linked into the program, including ours, and the sources inside them."""
    metadata = json.loads(subprocess.check_output(
        ["cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", target], cwd=TREE))
    with open(TREE + "/Cargo.lock") as lock:
        digests = {(name, version): digest for name, version, digest in re.findall(
            r'name = "([^"]+)"\nversion = "([^"]+)"\nsource = "[^"]+"\nchecksum = "([0-9a-f]+)"', lock.read())}
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    is_macro = lambda package: any("proc-macro" in target["kind"] for target in package["targets"])
    start = next(package["id"] for package in metadata["packages"] if package["name"] == "duramen")
    linked, waiting = {}, [start]
    while waiting:
        one = waiting.pop()
        if one in linked:
            continue
        needs = [dep["pkg"] for dep in nodes[one]["deps"] if any(kind["kind"] is None for kind in dep["dep_kinds"])]
        linked[one] = [need for need in needs if not is_macro(packages[need])]
        waiting += linked[one]
    ref = lambda one: f"pkg:cargo/{packages[one]['name']}@{packages[one]['version']}"
    for one in sorted(linked, key=ref):
        package = packages[one]
        folder = os.path.dirname(package["manifest_path"])
        licence = package["license"] or ""
        ours = package["source"] is None
        inside = INSIDE.get(package["name"])
        found = [] if ours else texts(folder, 0) or fallback(licence, package["authors"])
        needs = sorted(map(ref, linked[one]))
        if inside:
            name, its_licence, header, pattern = inside
            with open(os.path.join(folder, header)) as text:
                version = ".".join(re.findall(pattern, text.read()))
            its_ref = f"pkg:generic/{name}@{version}"
            its_texts = texts(os.path.join(folder, header.split("/")[0]), 0)
            # zstd is also available under the GPL; we use it under the BSD licence.
            its_texts = [text for text in its_texts if "GNU GENERAL PUBLIC LICENSE" not in text] or in_header(os.path.join(folder, header))
            yield Component(its_ref, name, version, its_licence, None, its_texts, [], "library")
            needs.append(its_ref)
        digest = digests.get((package["name"], package["version"]))
        yield Component(ref(one), package["name"], package["version"], licence, digest, found, needs,
                        "application" if one == start else "library")


def in_header(path):
    """Returns the licence in the comments of a header."""
    with open(path) as text:
        comments = re.findall(r"/\*(.*?)\*/", text.read(), re.DOTALL)
    end = next((at for at, comment in enumerate(comments) if "Redistribution and use" in comment), -1)
    return ["\n".join(comment.strip() for comment in comments[: end + 1]) + "\n"] if end >= 0 else []


def openssl(facts):
    """The OpenSSL in the program, with the licence text of its source."""
    version = facts["openssl"].split()[1]
    debian = "/usr/share/doc/libssl-dev/copyright"
    licence = texts_of = None
    if os.path.exists(debian) and facts["libc"] != "musl":
        with open(debian) as text:
            texts_of = [text.read()]
    else:
        with open(TREE + "/LICENSE") as text:
            texts_of = [text.read()]
    licence = "Apache-2.0"
    return Component(f"pkg:generic/openssl@{version}", "openssl", version, licence, None, texts_of, [], "library")


def musl(target):
    """The C library in a static program: the one that comes with Rust."""
    folder = subprocess.check_output(["rustc", "--print", "target-libdir", "--target", target], text=True).strip()
    version = subprocess.check_output(["ar", "p", folder + "/self-contained/libc.a", "version.lo"])
    version = re.search(rb"\0(\d+\.\d+\.\d+)\0", version).group(1).decode()
    with open(MUSL) as text:
        return Component(f"pkg:generic/musl@{version}", "musl", version, "MIT", None, [text.read()], [], "library")


def common_passwords():
    """The lists of common passwords whose hashes the program contains."""
    with open(COMMON_PASSWORDS, encoding="utf-8") as text:
        return Component("pkg:generic/common-passwords@1", "common-passwords", "1", "BSD-3-Clause AND MIT", None, [text.read()], [],
                         "library")


def page():
    """Lists the packages that the page contains: its build records them, with the texts of their licences."""
    with open(TREE + "/ui/package-lock.json") as lock:
        packages = {path.split("node_modules/")[-1]: package for path, package in json.load(lock)["packages"].items()}
    with open(TREE + "/ui/dist/licences.txt", encoding="utf-8") as text:
        parts = re.split(r"^(\S+) (\S+)\n={72}\n", text.read(), flags=re.MULTILINE)[1:]
    for name, version, licence in zip(parts[::3], parts[1::3], parts[2::3]):
        yield Component(f"pkg:npm/{name.replace('@', '%40')}@{version}", name, version, packages[name]["license"], None,
                        [licence.strip() + "\n"], [], "library")


def bill(components, version, epoch):
    """CycloneDX 1.5."""
    own = next(one for one in components if one.kind == "application")
    shown = lambda one: {
        "type": one.kind, "bom-ref": one.ref, "name": one.name, "version": one.version, "purl": one.ref,
        "licenses": [{"expression": one.licence.replace("/", " OR ")}],
        **({"hashes": [{"alg": "SHA-256", "content": one.digest}]} if one.digest else {}),
    }
    stamp = datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    listed = [shown(one) for one in components if one is not own]
    name = hashlib.sha256(json.dumps(listed).encode()).hexdigest()
    return {
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, f'duramen {version} {name}')}",
        "metadata": {"timestamp": stamp, "component": shown(own)},
        "components": listed,
        "dependencies": [{"ref": one.ref, "dependsOn": one.needs} for one in components],
    }


def notices(components):
    """Every text once, with the components that it belongs to."""
    owners = collections.OrderedDict()
    for one in components:
        for text in one.texts:
            owners.setdefault(text, []).append(f"{one.name} {one.version} ({one.licence})")
    parts = ["Duramen is licensed under the Apache License, version 2.0. The binary has parts of others; their notices:\n"]
    for text, names in owners.items():
        parts.append("=" * 100 + "\n" + "\n".join(sorted(set(names))) + "\n" + "-" * 100 + "\n" + text)
    return "\n".join(parts)


def main():
    binary, folder, kind = sys.argv[1:]
    facts = json.loads(subprocess.check_output([binary, "version", "--json"]))
    target = target_of(facts)
    library = [musl(target)] if facts["libc"] == "musl" else []
    components = sorted([*crates(target), openssl(facts), common_passwords(), *library, *page()], key=lambda one: one.ref)
    own = next(one for one in components if one.kind == "application")
    by_name = {one.name: one for one in components}
    by_name["openssl-sys"].needs.append(next(one.ref for one in components if one.ref.startswith("pkg:generic/openssl")))
    own.needs.extend(one.ref for one in components if one.ref.startswith(("pkg:npm/", "pkg:generic/musl@", "pkg:generic/common-passwords@")))
    with open(TREE + "/LICENSE") as text:
        own_text = text.read()
    wrong = []
    for one in components:
        if not one.licence or not is_allowed(one.licence):
            wrong.append(f"{one.name} {one.version}: the licence {one.licence!r} is not one of those that are allowed")
        if not one.texts and one.licence != "Apache-2.0":
            wrong.append(f"{one.name} {one.version}: no text of its licence was found")
    if wrong:
        sys.exit("components: " + "\ncomponents: ".join(wrong))
    components = [one if one.texts else one._replace(texts=[own_text]) for one in components]
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))
    with open(os.path.join(folder, f"duramen{kind}.cdx.json"), "w") as out:
        json.dump(bill(components, own.version, epoch), out, indent=1)
        out.write("\n")
    with open(os.path.join(folder, f"notices{kind}.txt"), "w") as out:
        out.write(notices(components))
    print(f"components: {len(components)} components, {len({text for one in components for text in one.texts})} texts of licences")


if __name__ == "__main__":
    main()
