"""Build conda/recipe.yaml and run its tests, against conda-forge or against a channel made of this machine.

``make conda`` runs it. The recipe is built by rattler-build, as conda-forge builds it. Where conda-forge cannot be
reached (no ``CHANNEL=``), the packages that the recipe asks for are made of what the machine has: its CPython,
packages of the package index in the versions of tools/constraints.txt, and its compilers, which stand for conda's. That
shows that the recipe renders, names every package it needs, builds in a folder of its own, that what was built is right
where it is installed, and that its tests pass; it does not show that conda's own compilers like the sources.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import rattler_build
from rattler.index import index_fs
from rattler.platform import Platform

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "conda"
VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"
BUILD = f"py{VERSION.replace('.', '')}_0"
TARGET = str(Platform.current())
# What conda calls a compiler and what it is called on this machine.
COMPILERS = {
    "gcc": ("gcc", "cc", "ar", "as", "ld", "nm", "objcopy", "readelf"),
    "gxx": ("g++", "c++"),
    "go-cgo": ("go",),
}
FROM_THE_INDEX = ("pip", "setuptools", "wheel", "pybindgen", "numpy", "click")


def say(text: str) -> None:
    """Write a line of progress."""
    print(f"· {text}", flush=True)


def add(
    channel: Path, name: str, version: str, files: Path, *, depends: tuple[str, ...] = (), build: str = "0"
) -> None:
    """Make a package of a folder of files, into the channel."""
    files.mkdir(parents=True, exist_ok=True)
    rattler_build.assemble_package(
        name, version, TARGET, build, channel / TARGET, files_dir=files, depends=depends, compression_level=1
    )


def add_python(channel: Path, work: Path) -> None:
    """Make packages of the CPython that runs this, without what pip put into it."""
    files, base = work / "python", Path(sys.base_prefix)
    library = Path(sysconfig.get_path("stdlib")).relative_to(base)
    left_out = shutil.ignore_patterns("site-packages", "test", "tests", "__pycache__", "*.a", "idlelib")
    shutil.copytree(base / library, files / library, ignore=left_out, symlinks=True)
    header = Path(sysconfig.get_path("include")).relative_to(base)
    shutil.copytree(base / header, files / header)
    for shared in (base / "lib").glob("libpython*.so*"):
        shutil.copy2(shared, files / "lib" / shared.name, follow_symlinks=False)
    (files / "bin").mkdir()
    shutil.copy2(base / "bin" / f"python{VERSION}", files / "bin")
    for name in ("python3", "python"):
        (files / "bin" / name).symlink_to(f"python{VERSION}")
    full = ".".join(map(str, sys.version_info[:3]))
    add(channel, "python", full, files, depends=(f"python_abi {VERSION}.*",), build="0_cpython")
    add(channel, "python_abi", VERSION, work / "python_abi", build=f"0_cp{VERSION.replace('.', '')}")


def add_from_the_index(channel: Path, work: Path, name: str) -> None:
    """Make a package of one that pip installs."""
    files = work / name
    folder = files / Path(sysconfig.get_path("purelib", vars={"base": "", "platbase": ""})).relative_to("/")
    command = [sys.executable, "-m", "pip", "-q", "install", "--no-deps", "--no-compile", "--target", str(folder), name]
    subprocess.run(command, check=True, cwd=ROOT)
    shutil.rmtree(folder / "bin", ignore_errors=True)
    (facts,) = folder.glob("*.dist-info/METADATA")
    version = re.search(r"(?m)^Version: (.+)$", facts.read_text("utf-8"))[1]
    add(channel, name, version, files, depends=(f"python {VERSION}.*",), build=BUILD)


def add_compilers(channel: Path, work: Path) -> None:
    """Make packages of words that call this machine's compilers."""
    for name, commands in COMPILERS.items():
        folder = work / name / "bin"
        folder.mkdir(parents=True)
        for command in commands:
            found = shutil.which(command)
            if found is None:
                raise SystemExit(f"{command!r} is needed to build the recipe and was not found on PATH")
            (folder / command).write_text(f'#!/bin/sh\nexec "{found}" "$@"\n')
            (folder / command).chmod(0o755)
        add(channel, f"{name}_{TARGET}", "1", work / name)
    add(channel, f"sysroot_{TARGET}", "2.28", work / "sysroot")
    add(channel, "c-compiler", "1", work / "c", depends=(f"gcc_{TARGET}",))
    add(channel, "cxx-compiler", "1", work / "cxx", depends=(f"gxx_{TARGET}",))


def channel_of_this_machine() -> str:
    """Make a channel of what this machine has; give its address."""
    channel, work = WORK / "channel", WORK / "files"
    for folder in (channel, work):
        shutil.rmtree(folder, ignore_errors=True)
    for subfolder in (TARGET, "noarch"):
        (channel / subfolder).mkdir(parents=True)
    say(f"a channel of this machine: CPython {VERSION}")
    add_python(channel, work)
    say("a channel of this machine: compilers")
    add_compilers(channel, work)
    for name in FROM_THE_INDEX:
        say(f"a channel of this machine: {name}")
        add_from_the_index(channel, work, name)
    asyncio.run(index_fs(channel, force=True))
    return channel.as_uri()


def sources() -> Path:
    """Give the folder that the recipe builds: what Git knows of this tree, as it stands."""
    tree = WORK / "sources"
    shutil.rmtree(tree, ignore_errors=True)
    command = ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, tree / name, follow_symlinks=False)
    return tree


def main() -> None:
    """Build, test, and say where the package is."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--channel", default="", help="a channel, such as conda-forge; default: one made of this machine"
    )
    chosen = parser.parse_args()
    channel = chosen.channel or channel_of_this_machine()
    variants = {
        "python": [VERSION],
        "c_stdlib": ["sysroot"],
        "c_stdlib_version": ["2.28"],
        "go_cgo_compiler": ["go-cgo"],
    }
    recipe = rattler_build.Stage0Recipe.from_file(sources() / "conda" / "recipe.yaml")
    say("the recipe: build and tests (some four minutes)")
    try:
        (built,) = recipe.run_build(
            rattler_build.VariantConfig(variants),
            rattler_build.ToolConfiguration(test_strategy="native"),
            WORK / "output",
            [channel],
        )
    except rattler_build.RattlerBuildError as error:
        raise SystemExit(f"the recipe does not build, or its tests fail: {error}") from None
    (WORK / "build.log").write_text("\n".join(built.log) + "\n", "utf-8")
    say(f"its tests passed; what was said is in {WORK.relative_to(ROOT)}/build.log")
    for package in built.packages:
        print(Path(package).relative_to(ROOT))


if __name__ == "__main__":
    main()
