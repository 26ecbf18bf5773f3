"""Builds the manual into docs/book and prepares it for the server: only files that its pages use, the texts packed together as well.

Usage: tools/docs.py MDBOOK. Exits with 1 if a page of the manual is not in the contents, a link is broken, a page about
the tree names a file that does not exist, the glossary names a type that no crate has, or a badge is wrong.
"""

import glob
import html.parser
import os
import re
import shutil
import subprocess
import sys

TREE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BOOK = TREE + "/docs/book"
# Files that a script requests, although no page names them.
BY_SCRIPT = ["elasticlunr.min.js", "searchindex.js"]
# The page at the root of the book.
FIRST = "manual/introduction.html"
PACKED = (".html", ".css", ".js", ".svg")
# Pages at the root of the tree that name files of the tree.
OF_THE_TREE = ("ARCHITECTURE.md", "CONTRIBUTING.md")


class Links(html.parser.HTMLParser):
    """Collects the references of a page, and its anchors."""

    def __init__(self, path):
        super().__init__()
        self.links, self.ids, self.inline = [], set(), []
        with open(path, encoding="utf-8") as text:
            self.feed(text.read())

    def handle_starttag(self, tag, attributes):
        named = dict(attributes)
        self.links += [named[name] for name in ("href", "src") if named.get(name)]
        self.ids.update(named[name] for name in ("id", "name") if named.get(name))
        if "style" in named or any(name.startswith("on") for name in named) or tag == "style" or tag == "script" and "src" not in named:
            self.inline.append(tag)


def unlisted():
    """Pages of the manual that are not in its contents."""
    with open(TREE + "/docs/SUMMARY.md") as contents:
        listed = set(re.findall(r"\(([^)]+\.md)\)", contents.read()))
    pages = {os.path.relpath(path, TREE + "/docs") for path in glob.glob(TREE + "/docs/manual/*.md")}
    return [f"docs/{page} is not in docs/SUMMARY.md" for page in sorted(pages - listed)]


def unknown_types():
    """Types that the glossary names and no crate has."""
    known = set()
    for path in glob.glob(TREE + "/crates/*/src/**/*.rs", recursive=True):
        with open(path, encoding="utf-8") as code:
            known |= set(re.findall(r"\b(?:struct|enum|trait|type) (\w+)", code.read()))
    with open(TREE + "/docs/glossary.md", encoding="utf-8") as glossary:
        named = re.findall(r"\btypes? ((?:`\w+`(?:, )?)+)", glossary.read())
    types = {name for names in named for name in re.findall(r"\w+", names)}
    return [f"docs/glossary.md: no crate has a type {name}" for name in sorted(types - known)]


def missing_files():
    """Files of the tree that pages name but that do not exist."""
    findings = []
    for path in glob.glob(TREE + "/*.md"):
        name = os.path.basename(path)
        with open(path, encoding="utf-8") as text:
            page = text.read()
        files = {link.partition("#")[0] for link in re.findall(r"\]\(([^)]+)\)", page) if not outside(link)}
        if name in OF_THE_TREE:
            files |= set(re.findall(r"`((?:bench|crates|docs|fuzz|tests|tools|ui|xtask)/[\w*./-]+)`", page))
        findings += [f"{name}: there is no {file}" for file in sorted(files) if file and not glob.glob(f"{TREE}/{file}")]
    for path in glob.glob(TREE + "/docs/**/*.md", recursive=True):
        with open(path, encoding="utf-8") as text:
            page = text.read()
        files = set(re.findall(r"`(crates/[\w*./-]+)", page))
        files |= {f"crates/{package}/examples/{name}.rs" for package, name in re.findall(r"-p (\w+) --example (\w+)", page)}
        name = os.path.relpath(path, TREE)
        findings += [f"{name}: there is no {file}" for file in sorted(files) if not glob.glob(f"{TREE}/{file}")]
    return findings


def wrong_badges():
    """Badges of the README that disagree with Cargo.toml."""
    with open(TREE + "/Cargo.toml", encoding="utf-8") as manifest:
        package = dict(re.findall(r'^(version|license|rust-version) = "([^"]+)"', manifest.read(), re.MULTILINE))
    with open(TREE + "/README.md", encoding="utf-8") as text:
        badges = dict(re.findall(r"/badge/([a-z]+)-((?:--|[\w.])+)-", text.read()))
    wanted = {"licence": package["license"].replace("-", "--"), "rust": package["rust-version"] + "_or_newer", "version": package["version"]}
    return [f"README.md: the badge of {name} says {badges.get(name)}, not {text}" for name, text in wanted.items() if badges.get(name) != text]


def outside(link):
    return re.match(r"[a-z]+:", link) is not None


def settle():
    """Adjusts the links of the contents to each page, marks the page itself, and leaves pictures unchanged."""
    zoom = re.compile(r'<label class="checkbox-label"><input class="checkbox-img" type="checkbox">(<img[^>]*>)<span class="img-wrapper">.*?</span></label>')
    for path in glob.glob(BOOK + "/**/*.html", recursive=True):
        name = os.path.relpath(path, BOOK)
        # The first page is also at the root, with the links of its own folder.
        origin = FIRST if name == "index.html" else name
        with open(path, encoding="utf-8") as text:
            page = text.read()
        root = "../" * name.count("/")

        def of_contents(match):
            target = match.group(1)
            here = ' class="active" aria-current="page"' if target == origin else ""
            return f'<a href="{root}{target}"{here}'

        page = re.sub(r'(<nav class="contents".*?</nav>)',
                      lambda nav: re.sub(r'<a href="([^"]*)"', of_contents, nav.group(1)), page, flags=re.DOTALL)
        page = re.sub(r'<(t[hd]) style="text-align: ?(\w+);?"', r'<\1 class="\2"', page)
        # A folder's README is its index here.
        page = re.sub(r'(href="[^"]*)README\.html', r"\1index.html", page)
        page = zoom.sub(r"\1", page)
        if name == "index.html":
            moved = lambda match: match.group(0) if outside(match.group(2)) or match.group(2).startswith("#") else \
                f'{match.group(1)}="{os.path.normpath(os.path.join(os.path.dirname(FIRST), match.group(2)))}"'
            page = re.sub(r"(<main id=\"content\">.*?)(<nav class=\"steps\")",
                          lambda main: re.sub(r'(href|src)="([^"]*)"', moved, main.group(1)) + main.group(2), page, flags=re.DOTALL)
        with open(path, "w", encoding="utf-8") as out:
            out.write(page)


def prune_and_check():
    """Removes files that no page uses; returns the findings."""
    pages = {path: Links(path) for path in glob.glob(BOOK + "/**/*.html", recursive=True)
             if os.path.basename(path) not in ("404.html", "toc.html", "print.html")}
    used, findings = set(pages), []
    for path, page in pages.items():
        name = os.path.relpath(path, BOOK)
        findings += [f"{name}: <{tag}> has code or style in the page, which its own rules forbid" for tag in page.inline]
        for link in filter(lambda link: not outside(link), page.links):
            file, _, place = link.partition("#")
            target = os.path.normpath(os.path.join(os.path.dirname(path), file)) if file else path
            if not os.path.isfile(target):
                findings.append(f"{name}: there is no {link}")
                continue
            used.add(target)
            if place and target in pages and place not in pages[target].ids:
                findings.append(f"{name}: there is no place {link}")
    used |= {os.path.join(BOOK, name) for name in BY_SCRIPT}
    for path in glob.glob(BOOK + "/**/*", recursive=True):
        if os.path.isfile(path) and path not in used:
            os.remove(path)
    for folder, _, _ in os.walk(BOOK, topdown=False):
        if not os.listdir(folder):
            os.rmdir(folder)
    return findings


def pack():
    """Packs all texts together, for what pages have in common is much: `texts.zst`, and `texts.index` with each name and length in its order."""
    texts = [path for path in sorted(glob.glob(BOOK + "/**/*", recursive=True)) if path.endswith(PACKED)]
    with open(BOOK + "/texts.index", "w", encoding="utf-8") as index:
        index.writelines(f"{os.path.getsize(path)} {os.path.relpath(path, BOOK)}\n" for path in texts)
    whole = b""
    for path in texts:
        with open(path, "rb") as text:
            whole += text.read()
    with open(BOOK + "/texts", "wb") as out:
        out.write(whole)
    # From a file, not a pipe: the length is in the frame then, which the server asks for.
    subprocess.run(["zstd", "--ultra", "-22", "--quiet", "--force", "--rm", BOOK + "/texts", "-o", BOOK + "/texts.zst"], check=True)
    return f"{len(texts)} texts of {len(whole)} bytes, {os.path.getsize(BOOK + '/texts.zst')} packed"


def main():
    (mdbook,) = sys.argv[1:]
    shutil.rmtree(BOOK, ignore_errors=True)
    subprocess.run([mdbook, "build", TREE + "/docs"], check=True, env={**os.environ, "RUST_LOG": "warn"})
    settle()
    findings = unlisted() + unknown_types() + missing_files() + wrong_badges() + prune_and_check()
    if findings:
        sys.exit("\n".join("docs: " + finding for finding in findings))
    print(f"docs: {pack()}, in docs/book")


if __name__ == "__main__":
    main()
