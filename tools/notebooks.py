"""Run the notebooks and write them as pages of the site: what a cell gives stands below it."""

from __future__ import annotations

import base64
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def run(path: Path) -> tuple[Any, str]:
    """Run a notebook in a process and a folder of its own; the notebook with what its cells gave, and that folder.

    Parameters
    ----------
    path : Path
        The notebook. A cell that is tagged ``raises-exception`` may fail.

    Raises
    ------
    nbclient.exceptions.CellExecutionError
        If another does.
    """
    import nbclient
    import nbformat

    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        client = nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3")
        client.execute(env={**os.environ, "IPYTHONDIR": folder}, cwd=folder)
    return notebook, folder


def pages(source: Path, folder: Path) -> None:
    """Run each notebook of a folder and write its page, with the pictures that it shows, into another."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in sorted(source.glob("*.ipynb")):
        shutil.copyfile(path, folder / path.name)
        notebook, ran_in = run(path)
        parts = []
        for number, cell in enumerate(notebook.cells):
            if cell.cell_type == "markdown":
                parts.append(cell.source)
                continue
            parts.append(f"```{{code-block}} ipython3\n{cell.source}\n```")
            given = shown(cell.outputs, folder, f"{path.stem}-{number}")
            parts += [text.replace(ran_in + os.sep, "") for text in given]
        parts.append(f"The notebook: {{download}}`{path.name}`.")
        (folder / f"{path.stem}.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def shown(outputs: list[Any], folder: Path, name: str) -> Iterator[str]:
    """Write what the outputs of a cell show: pictures into files, else text."""
    for number, output in enumerate(outputs):
        if output.output_type == "error":
            yield text_block(f"{output.ename}: {output.evalue}")
        elif output.output_type == "stream":
            yield text_block(output.text)
        else:
            yield from picture_or_text(output.data, folder, f"{name}-{number}")


def picture_or_text(data: dict[str, str], folder: Path, name: str) -> Iterator[str]:
    """Write a result: its picture where it has one."""
    if "image/png" in data:
        (folder / f"{name}.png").write_bytes(base64.b64decode(data["image/png"]))
        yield f"![{name}]({name}.png)"
    elif "image/svg+xml" in data:
        (folder / f"{name}.svg").write_text(data["image/svg+xml"], encoding="utf-8")
        yield f"![{name}]({name}.svg)"
    elif data.get("text/plain"):
        yield text_block(data["text/plain"])


def text_block(text: str) -> str:
    """Fence what was printed, without its colours and whose home it was."""
    plain = re.sub(r"\x1b\[[0-9;]*m", "", text).replace(str(Path.home()) + os.sep, "~/").rstrip("\n")
    return f"```{{code-block}} none\n:class: output\n\n{plain}\n```"
