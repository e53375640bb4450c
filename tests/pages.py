"""The pages of docs/ as tests read them: blocks run section by section, links lead somewhere. Not a test.

A ``python`` block is run, and an ``output`` block behind it is what it prints (``...`` stands for anything); so is what
stands behind ``print(…)  #`` in it. A block
whose first line is ``# file: NAME`` or ``// file: NAME`` is a file beside those that run. A ``console`` block has
commands, each a line that begins with ``$``, and what they print. A picture that a block makes, and that lies beside
the page, is the one that is made. A block behind a line ``<!-- not run: REASON -->`` is not run.
``python tests/pages.py docs/tutorial/*.md`` writes what is printed and drawn into the pages; read what it changed.
"""

import base64
import contextlib
import doctest
import io
import linecache
import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

DOCS = Path(__file__).resolve().parent.parent / "docs"
BLOCK = re.compile(r"(?ms)^(?P<fence>```+)(?P<language>\w+)\n(?P<text>.*?)^(?P=fence)$")
FILE = re.compile(r"(?://|#) file: (\S+)\n")
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")
MADE = ("api/", "gallery/")
NOT_RUN = re.compile(r"<!-- not run: [^>\n]+ -->\n\Z")
BESIDE = re.compile(r"(?m)^print\(.*\)  # (.*)$")
COMMAND = re.compile(r"(?m)^\$ (.*)\n?")


def same(wanted, got):
    """Whether what is printed is what stands in the page; blanks at the ends of lines do not count."""
    options = doctest.ELLIPSIS | doctest.DONT_ACCEPT_TRUE_FOR_1
    strip = [re.sub(r"(?m)[ \t]+$", "", text).strip("\n") + "\n" for text in (wanted, got)]
    return doctest.OutputChecker().check_output(*strip, options)


def drawn(text):
    """What can be seen of a picture in SVG: its shapes and words, in order, and all numbers of these.

    A name by which one part refers to another is left out, and so is what is said of the whole (its date).
    """
    shapes, numbers = [], []

    def add(text):
        shapes.append(NUMBER.sub("0", text))
        numbers.extend(map(float, NUMBER.findall(text)))

    def look(element):
        tag = element.tag.rpartition("}")[2]
        if tag == "metadata":
            return
        for name, value in sorted(element.items()):
            name = name.rpartition("}")[2]
            if name == "href" and value.startswith("data:image/png;base64,"):
                numbers.extend(pixels(base64.b64decode(value.partition(",")[2])))
            elif name not in ("id", "href", "clip-path"):
                add(f"{tag} {name} {re.sub(r'url[(]#[^)]*[)]', 'url', value)}")
        shapes.append(tag)
        if element.text and element.text.strip():
            shapes.append(" ".join(element.text.split()))
        for inner in element:
            look(inner)

    look(ElementTree.fromstring(text))
    return shapes, numbers


def pixels(png):
    """The means of an image in squares of a grid, in units of a colour's step."""
    from matplotlib.image import imread

    image = imread(io.BytesIO(png)) * 255
    rows, columns = [np.linspace(0, size, min(size, 24), endpoint=False).astype(int) for size in image.shape[:2]]
    return np.add.reduceat(np.add.reduceat(image, rows, 0), columns, 1).ravel().tolist()


def same_picture(wanted, got):
    """Whether two pictures look the same."""
    (shapes, numbers), (other_shapes, other_numbers) = drawn(wanted), drawn(got)
    return shapes == other_shapes and numbers == pytest.approx(other_numbers, abs=0.1)


def plain_pictures():
    """Let Matplotlib, where it is there, draw what does not depend on the time and the terminal."""
    os.environ |= {"MPLBACKEND": "svg", "SOURCE_DATE_EPOCH": "0"}
    with contextlib.suppress(ImportError):
        import matplotlib
        import matplotlib.pyplot as plt

        plt.close("all")
        matplotlib.rcParams |= {"svg.hashsalt": "opweld", "svg.fonttype": "none", "font.family": "sans-serif"}
        matplotlib.rcParams |= {"figure.figsize": (6.4, 3.2), "figure.constrained_layout.use": True}


def ran(command, folder):
    """What a command prints in a folder; ``opweld`` and ``python`` are those of this test."""
    tools = folder / ".bin"
    tools.mkdir(exist_ok=True)
    for name, arguments in {"python": "", "opweld": "-m opweld "}.items():
        (tools / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {arguments}"$@"\n')
        (tools / name).chmod(0o755)
    path = f"{tools}{os.pathsep}{os.environ['PATH']}"
    said = subprocess.run(
        command,
        shell=True,
        cwd=folder,
        env={**os.environ, "PATH": path, "COLUMNS": "100", "NO_COLOR": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return said.stdout


class Page:
    """A page, in parts: what stands before its sections, and the sections."""

    def __init__(self, name):
        self.path = DOCS / name
        self.text = self.path.read_text(encoding="utf-8")
        self.head, *self.sections = re.split(r"(?m)^(?=## )", self.text)

    def run_blocks(self, text, folder, renewed=None):
        """Run blocks one after the other, and look at what they print, or note it in a list of (place, text).

        Gives how many were run.
        """
        names = {"__name__": self.path.stem.replace("-", "_")}
        said, count = "", 0

        def told(block, wanted, got):
            if renewed is not None:
                renewed.append((block.start("text"), block["text"], got))
            elif not same(wanted, got):
                raise AssertionError(f"{self.path.name} says:\n{wanted}\nbut this is printed:\n{got}")

        for block in BLOCK.finditer(text):
            language, code = block["language"], block["text"]
            if NOT_RUN.search(text, 0, block.start()):
                continue
            if file := FILE.match(code):
                (folder / file[1]).parent.mkdir(parents=True, exist_ok=True)
                (folder / file[1]).write_text(code[file.end() :])
                language = "file"
            elif language == "python":
                at = self.text.find(code)
                line = self.text.count("\n", 0, at) if at >= 0 else 0
                with contextlib.redirect_stdout(io.StringIO()) as printed:
                    exec(compile(*self.placed("\n" * line + code, folder), "exec"), names)
                said = printed.getvalue()
                if beside := BESIDE.findall(code):
                    told(block, "\n".join(beside), said)
            elif language == "output":
                told(block, code, said)
            elif language == "console":
                _, *parts = COMMAND.split(code)
                got = "".join(f"$ {command}\n{ran(command, folder)}" for command in parts[::2])
                told(block, code, got)
            else:
                continue
            count += language != "output"
        return count

    def placed(self, code, folder):
        """Say what the code is and where it stands: in a file beside those of the page, which errors can quote."""
        name = str(folder / self.path.name)
        linecache.cache[name] = (len(code), None, code.splitlines(True), name)
        return code, name

    def check_pictures(self, folder, renew=False):
        """See that the pictures that were drawn are those beside the page; which ones."""
        made = [path for path in sorted(folder.glob("*.svg")) if f"]({path.name})" in self.text]
        for path in made:
            beside = self.path.with_name(path.name)
            text = re.sub(r"(?m)[ \t]+$", "", path.read_text("utf-8").replace(f"{folder}/", ""))
            if renew:
                beside.write_text(text, "utf-8")
            else:
                assert same_picture(beside.read_text("utf-8"), text), path.name
        return [path.name for path in made]

    def renew(self, folder):
        """Write what is printed and drawn into the page."""
        renewed = []
        plain_pictures()
        self.run_blocks(self.text, folder, renewed)
        text = self.text
        for start, old, new in reversed(renewed):
            if not same(old, new):
                text = text[:start] + re.sub(r"(?m)[ \t]+$", "", new).strip("\n") + "\n" + text[start + len(old) :]
        self.path.write_text(text, encoding="utf-8")
        self.check_pictures(folder, renew=True)

    def check_links(self):
        """See that there is a file for each link that is no address, and not of pages that the site makes."""
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", re.sub(r"`[^`\n]*`", "", BLOCK.sub("", self.text))):
            assert "//" in target or target.startswith(MADE) or (self.path.parent / target).exists(), target


if __name__ == "__main__":
    import tempfile

    for given in sys.argv[1:]:
        at = Path(given).resolve()
        for _ in range(2):  # what is drawn and printed may say lines, which stand elsewhere after the first time
            with tempfile.TemporaryDirectory() as there:
                os.chdir(there)
                Page(at).renew(Path(there))
                os.chdir(DOCS.parent)
