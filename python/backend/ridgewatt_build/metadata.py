"""Reads the table [project] of pyproject.toml and writes the metadata of source archive and wheel
(PEP 621, PEP 566).

Python 3.10 has no TOML reader. The file uses only tables, strings and arrays of strings, which are
written as in Python. The reader rejects everything else.
"""
import ast
import re

from .errors import BuildError


def parse(text):
    """Returns {"table.name": {key: string or list of strings}} for such a file. Raises BuildError
    if it contains anything else."""
    tables, table = {}, {}
    text = re.sub(r"^\s*#.*$", "", text, flags=re.MULTILINE)
    value = r'"[^"\\\n]*"|\[[^\[\]]*\]'
    pattern = re.compile(rf'\s*(?:\[([\w.-]+)\][ \t]*$|([\w-]+)[ \t]*=[ \t]*({value})[ \t]*$)', re.MULTILINE)
    position, end = 0, len(text.rstrip())
    while position < end:
        match = pattern.match(text, position)
        if match is None:
            raise BuildError(f"pyproject.toml: not understood: {text[position:].strip().splitlines()[0]}")
        if match[1]:
            table = tables.setdefault(match[1], {})
        else:
            table[match[2]] = ast.literal_eval(match[3])
        position = match.end()
    return tables


def read(root):
    """Returns the table [project], with the optional dependencies as "extras". Raises BuildError if
    its version differs from that of CMakeLists.txt."""
    tables = parse((root / "pyproject.toml").read_text(encoding="utf-8"))
    project = {**tables["project"], "extras": tables.get("project.optional-dependencies", {})}
    text = (root / "CMakeLists.txt").read_text(encoding="utf-8")
    found = re.search(r"^project\(ridgewatt VERSION ([\d.]+)", text, re.MULTILINE)
    theirs = found[1] if found else "none"
    if theirs != project["version"]:
        raise BuildError(f"pyproject.toml has version {project['version']}, CMakeLists.txt {theirs}: make them equal")
    return project


def core(root, project):
    """Returns the text of METADATA and PKG-INFO."""
    lines = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {project['version']}",
             f"Summary: {project['description']}", f"License: {project['license']}",
             f"Keywords: {','.join(project['keywords'])}"]
    lines += [f"Classifier: {classifier}" for classifier in project["classifiers"]]
    lines += [f"Requires-Python: {project['requires-python']}"]
    lines += [f"Requires-Dist: {name}" for name in project["dependencies"]]
    for extra, names in project["extras"].items():
        lines += [f"Provides-Extra: {extra}"]
        lines += [f'Requires-Dist: {name}; extra == "{extra}"' for name in names]
    lines += ["Description-Content-Type: text/markdown", "", (root / project["readme"]).read_text(encoding="utf-8")]
    return "\n".join(lines)


def dist_info_name(project):
    return f"ridgewatt-{project['version']}.dist-info"


def dist_info(root, project, tag):
    """Returns {path: content} of the .dist-info folder, without RECORD."""
    folder = dist_info_name(project)
    wheel = f"Wheel-Version: 1.0\nGenerator: ridgewatt_build\nRoot-Is-Purelib: false\nTag: {tag}\n"
    return {f"{folder}/METADATA": core(root, project).encode(), f"{folder}/WHEEL": wheel.encode(),
            f"{folder}/LICENSE": (root / "LICENSE").read_bytes()}
