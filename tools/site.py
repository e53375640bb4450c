"""Build the site from docs/ and from the docstrings, and look at what came out.

python tools/site.py [--no-browser] [FOLDER]

Sphinx makes build/site/html, or FOLDER/html; warnings are errors. Then every page is looked at: links and anchors that
lead nowhere, what would be fetched from elsewhere when it is read, the size of the whole; and in a Chromium: errors of
the console, pages wider than a telephone, and whether the search finds what it should.
Pictures of some pages lie in FOLDER/pictures.
"""

from __future__ import annotations

import argparse
import functools
import html.parser
import http.server
import importlib
import inspect
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parent.parent
#: Whose names have pages; of a name that several have, the first says all.
PACKAGES = {
    "opweld": "what most programs need",
    "opweld.tensor": "variables that are arrays, and what is computed of them",
    "opweld.scalar": "operations on single elements",
    "opweld.graph": "what graphs are made of",
    "opweld.rewriting": "how graphs are rewritten",
    "opweld.printing": "graphs as text",
    "opweld.picture": "graphs as pictures",
    "opweld.enums": "C's constants as parameters",
    "opweld.params": "parameters of ops in C",
    "opweld.generic": "Python's objects in C",
    "opweld.external": "ops from .c files",
}
#: Public modules whose pages are in docs/.
ELSEWHERE = {"opweld.compat", "opweld.compile"}
#: What codespell takes for something else: words of signatures, of NumPy, of C, of old code, of Swedish.
WORDS = ("inout", "nin", "statics", "preambule", "fro", "tre")
LARGEST = 20_000_000  # bytes of the whole
NO_BROWSER = "no Chromium is on PATH: install one, or look at the files alone: make docs DOCS_ARGS=--no-browser"
WIDTH = 360  # pixels of a telephone
#: What people look for, and a page that must be among what the search finds.
SEARCHED = {
    "cop": "cop", "wrap": "cop", "c_code": "contract", "c_sync": "contract",
    "errstate": "functions", "threads": "modes", "march": "modes", "softmax": "api/opweld.tensor",
    "argmax": "api/opweld.tensor", "shared": "functions", "ParamsType": "contract-files",
    "debugprint": "functions", "DebugMode": "modes", "compiledir": "cache", "doctor": "cli",
    "fuse": "elementwise", "allow_input_downcast": "functions", "Theano": "coming-from",
    "ufunc": "cop", "polynomials": "vector", "leaked": "lint",
    "PyArray_GETPTR2": "cheatsheet", "c_init_code_struct": "hooks", "BadThunkOutput": "errors",
    "OPWELD_FLAGS": "configuration", "pybind11": "differs", "node_rewriter": "tutorial/rewriting",
    "interval": "tutorial/type",
    "Kepler": "gallery/kepler", "haemoglobin": "gallery/local_alignment",
}  # fmt: skip


#: Of which pages pictures are taken, to be looked at: wide, dark, narrow.
PICTURED = ("index", "tutorial/first", "how-it-works")


# ---- names ---------------------------------------------------------------------------------------------------


def directive(found: object) -> str:
    """Say how Sphinx is to document an object."""
    if inspect.isclass(found):
        return "autoclass"
    return "autofunction" if inspect.isroutine(found) else "autodata"


def names_of(package: ModuleType, seen: set[int]) -> Iterator[tuple[str, object]]:
    """List the public names whose docstring stands nowhere else."""
    for name in sorted(package.__all__, key=str.lower):
        found = getattr(package, name)
        own = (
            getattr(found, "__doc__", None) != type(found).__doc__ or inspect.isclass(found) or inspect.isroutine(found)
        )
        if inspect.ismodule(found) or id(found) in seen or not own:
            continue
        seen.add(id(found))
        yield name, found


def others_of(package: ModuleType, listed: set[str]) -> Iterator[tuple[str, str]]:
    """List the public names that have no docstring of their own, and what each is: another name, or a value."""
    first: dict[int, str] = {}
    for each in PACKAGES:
        room = importlib.import_module(each)
        for name in room.__all__:
            first.setdefault(id(getattr(room, name)), name if each == package.__name__ else f"{each}.{name}")
    for name in sorted(set(package.__all__) - listed, key=str.lower):
        found = getattr(package, name)
        if inspect.ismodule(found):
            continue
        same = first[id(found)]
        shown = " ".join(str(found).split()).replace("|", "\\|").replace("`", "'")
        value = shown if len(shown) < 100 and " at 0x" not in shown else type(found).__name__
        yield name, f"the same as `{same}`" if same != name else f"`{value}`"


def page_of(name: str, what: str, seen: set[int]) -> str:
    """Write the page of a package."""
    lines = [f"# `{name}`", "", f"{what[0].upper()}{what[1:]}.", "", "```{eval-rst}", f".. currentmodule:: {name}", ""]
    listed = set()
    for each, found in names_of(importlib.import_module(name), seen):
        kind = directive(found)
        lines += [f".. {kind}:: {each}", *(["   :members:"] if kind == "autoclass" else []), ""]
        listed.add(each)
    rows = [f"| `{each}` | {shown} |" for each, shown in others_of(importlib.import_module(name), listed)]
    others = ["## Other names", "", "| name | is |", "|---|---|", *rows, ""] if rows else []
    return "\n".join([*lines, "```", "", *others])


def write_names(folder: Path) -> None:
    """Write a page a package, and the page that lists them."""
    folder.mkdir(parents=True)
    seen: set[int] = set()
    rows = []
    for name, what in PACKAGES.items():
        (folder / f"{name}.md").write_text(page_of(name, what, seen))
        rows.append(f"* [`{name}`]({name}.md): {what}")
    listed = "\n".join(PACKAGES)
    said = "Examples begin with `import numpy as np`, `import opweld`, `import opweld.tensor as T`; the tests run each."
    text = f"# Names\n\n{said}\n\n{chr(10).join(rows)}\n\n```{{toctree}}\n:hidden:\n\n{listed}\n```\n"
    (folder / "index.md").write_text(text)


def bring_files(source: Path) -> None:
    """Let pages offer the files outside of docs/ that they name: examples can be had from the site."""
    beside = r"\[`?([^]`]+)`?\]\((?:\.\./)+((?:examples|notebooks)/[^)#]+)\)"
    for page in source.rglob("*.md"):
        text = page.read_text("utf-8")
        for _, name in re.findall(beside, text):
            (source / name).parent.mkdir(exist_ok=True)
            shutil.copyfile(ROOT / name, source / name)
        page.write_text(re.sub(beside, r"{download}`\1 </\2>`", text), "utf-8")


def build(folder: Path) -> Path:
    """Make the pages; where they are."""
    import notebooks  # beside this file, and needs Jupyter

    source = folder / "source"
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(ROOT / "docs", source)
    bring_files(source)
    notebooks.pages(ROOT / "notebooks", source / "notebooks")
    write_names(source / "api")
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-q",
        "-W",
        "--keep-going",
        "-d",
        folder / "doctrees",
        source,
        folder / "html",
    ]
    if subprocess.run(command, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}).returncode:
        raise SystemExit("site: Sphinx found what stands above")
    return folder / "html"


def unnamed(site: Path) -> Iterator[str]:
    """Say which public names have no place in the pages."""
    for package in PACKAGES:
        room = importlib.import_module(package)
        text = html.unescape(re.sub(r"<[^>]*>", " ", (site / "api" / f"{package}.html").read_text("utf-8")))
        words = set(re.findall(r"\w+", text))
        for name in room.__all__:
            if inspect.ismodule(getattr(room, name)):
                if f"{package}.{name}" not in {*PACKAGES, *ELSEWHERE}:
                    yield f"{package}.{name}: a public module without a page"
            elif name not in words:
                yield f"{package}.{name}: a public name without a page"


def misspelt() -> Iterator[str]:
    """Say what codespell finds in the pages and in what they are made of."""
    where = [*sorted(ROOT.glob("*.md")), ROOT / "docs", ROOT / "examples", ROOT / "python" / "opweld"]
    command = ["codespell_lib", "--skip=*.svg,*.so,*.o,*.pyc", f"--ignore-words-list={','.join(WORDS)}"]
    done = subprocess.run([sys.executable, "-m", *command, *map(str, where)], capture_output=True, text=True)
    yield from done.stdout.replace(f"{ROOT}/", "").splitlines()
    if done.returncode not in (0, 65):
        yield f"codespell: {done.stderr.strip()}"


# ---- what the pages hold -------------------------------------------------------------------------------------


class Page(html.parser.HTMLParser):
    """What a page refers to, and the places in it that others may."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.places: set[str] = set()
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note links, places, and what a browser fetches by itself."""
        given = dict(attrs)
        self.places.update(value for name in ("id", "name") if (value := given.get(name)))
        if tag == "a" and (to := given.get("href")):
            self.links.append(to)
        loads = given.get("href") if tag == "link" and "stylesheet" in (given.get("rel") or "") else given.get("src")
        if loads:
            self.fetched.append(loads)


def pages_of(site: Path) -> list[Path]:
    """List the pages; what the theme brings in _static are none."""
    return sorted(path for path in site.rglob("*.html") if "_static" not in path.parts)


def faults(site: Path) -> Iterator[str]:
    """Say what is wrong with the pages as they lie there."""
    pages = {path.relative_to(site).as_posix(): Page(path) for path in pages_of(site)}
    for name, page in pages.items():
        for to in (*page.links, *page.fetched):
            parts = urlsplit(to)
            if parts.scheme or to.startswith("//"):
                if to in page.fetched and parts.scheme != "data":
                    yield f"{name}: {to} would be fetched when it is read"
                continue
            target = os.path.normpath(os.path.join(os.path.dirname(name), unquote(parts.path))) if parts.path else name
            if not (site / target).exists():
                yield f"{name}: nothing is at {to}"
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].places:
                yield f"{name}: {to} leads to no place in that page"
    size = sum(path.stat().st_size for path in site.rglob("*") if path.is_file())
    if size > LARGEST:
        yield f"the site has {size:,} bytes, {LARGEST:,} at most"


# ---- in a browser --------------------------------------------------------------------------------------------

# Looks at each page in a frame as wide as a telephone, then searches; what it finds becomes the text of the document.
LOOK = """<!doctype html><meta charset="utf-8"><body><script>
const pages = %s, searched = %s, found = [];
const wait = ms => new Promise(done => setTimeout(done, ms));
async function open_(url) {
    const frame = document.createElement("iframe");
    frame.style = "width: %dpx; height: 800px; border: 0";
    const loaded = new Promise(done => frame.onload = done);
    frame.src = url;
    document.body.append(frame);
    await loaded;
    return frame;
}
async function look() {
    for (const page of pages) {
        const frame = await open_(page), width = frame.contentDocument.documentElement.scrollWidth;
        if (width > frame.clientWidth)
            found.push(`${page}: ${width} pixels wide, where there are ${frame.clientWidth}`);
        frame.remove();
    }
    for (const [text, page] of Object.entries(searched)) {
        const frame = await open_("search.html?q=" + encodeURIComponent(text));
        let links = [];
        for (let turn = 0; turn < 100 && !links.some(to => to.includes(page + ".html")); turn++) {
            await wait(50);
            links = [...frame.contentDocument.querySelectorAll("#search-results li a")];
            links = links.map(link => link.getAttribute("href"));
        }
        if (!links.some(to => to.includes(page + ".html")))
            found.push(`search: ${text} is not found in ${page}, but in ${links.slice(0, 5)}`);
        frame.remove();
    }
    document.body.textContent = "LOOKED" + JSON.stringify(found);
    document.title = "done";
}
look();
</script>"""


NARROW = '<!doctype html><iframe src="%s" style="width: %dpx; height: 1560px; border: 1px solid"></iframe>'


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves the pages, and says nothing of it."""

    def log_message(self, *args: object) -> None:
        """Leave it out."""


class Server(http.server.ThreadingHTTPServer):
    """Serves as long as a browser listens."""

    def handle_error(self, request: object, client_address: object) -> None:
        """Leave out that a browser has ended meanwhile."""


def browser() -> str | None:
    """Where a Chromium is."""
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def chromium(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the browser once."""
    with tempfile.TemporaryDirectory() as profile:
        command = [
            str(browser()),
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            f"--user-data-dir={profile}",
            *arguments,
        ]
        return subprocess.run(command, capture_output=True, text=True, timeout=600)


def browsed(site: Path, pictures: Path) -> Iterator[str]:
    """Say what is wrong with the pages in a browser, and take pictures."""
    pages = [path.relative_to(site).as_posix() for path in pages_of(site)]
    (site / "look.html").write_text(LOOK % (json.dumps(pages), json.dumps(SEARCHED), WIDTH))
    server = Server(("127.0.0.1", 0), functools.partial(Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    at = f"http://127.0.0.1:{server.server_port}"
    try:
        done = chromium("--enable-logging=stderr", "--dump-dom", "--virtual-time-budget=600000", f"{at}/look.html")
        told = re.search(r"LOOKED(\[.*?\])</body>", done.stdout, re.DOTALL)
        yield from (
            json.loads(html.unescape(told[1]))
            if told
            else [f"the browser did not come to an end: {done.stderr[-500:]}"]
        )
        said = re.findall(r"(\w+):CONSOLE[^\]]*\] (\".*\", source: .*)", done.stderr)
        yield from sorted({text for level, text in said if level == "ERROR" or text.startswith('"Uncaught')})
        pictures.mkdir(exist_ok=True)
        for page, (name, dark) in itertools.product(PICTURED, (("wide", False), ("dark", True), ("narrow", False))):
            arguments = ["--force-dark-mode", "--blink-settings=preferredColorScheme=0"] if dark else []
            picture = f"--screenshot={pictures / page.replace('/', '-')}-{name}.png"
            shown = f"{page}.html"
            if name == "narrow":  # no window of the browser's is so narrow; a frame is
                (site / "look.html").write_text(NARROW % (shown, WIDTH))
                shown = "look.html"
            chromium(*arguments, "--hide-scrollbars", "--window-size=1280,1600", picture, f"{at}/{shown}")
    finally:
        server.shutdown()
        (site / "look.html").unlink()


def main() -> int:
    """Build, look, and say."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "build" / "site")
    parser.add_argument("--no-browser", action="store_true", help="look at the files alone")
    arguments = parser.parse_args()
    folder = arguments.folder.resolve()
    site = build(folder)
    found = [*faults(site), *unnamed(site), *misspelt()]
    if not arguments.no_browser:
        found += browsed(site, folder / "pictures") if browser() else [NO_BROWSER]
    print(*found, sep="\n", end="\n" if found else "")
    print(f"{site / 'index.html'}: {len(pages_of(site))} pages, {len(found)} faults")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
