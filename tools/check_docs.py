#!/usr/bin/env python3
"""Checks the documentation. A page begins with its title. Lines have at most 100 columns, except in
tables. Linked pages and named files exist. docs/README.md links to every page, and the navigation
in mkdocs.yml matches it. Pages of docs/ that sources and scripts name must exist too."""
import pathlib
import re
import subprocess
import sys

from docs_nav import with_navigation

ROOT = pathlib.Path(__file__).resolve().parent.parent
WIDEST = 100
PLACES = [ROOT, ROOT / "ridgewatt"]  # paths in the text are relative to one of these
GENERATED = {"docs/reference/cli.md", "docs/reference/operators.md"}


def anchors(page: pathlib.Path) -> set:
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def line_faults(page: pathlib.Path, line: str):
    name = page.relative_to(ROOT).as_posix()
    if len(line) > WIDEST and not line.startswith("|") and name not in GENERATED:
        yield f"{len(line)} columns, {WIDEST} at most"
    for target in re.findall(r"\]\(([^)\s]+)\)", line):
        if re.match(r"https?:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists():
            yield f"nothing lies at {target}"
        elif anchor and anchor not in anchors(file):
            yield f"no heading for {target}"
    for path in re.findall(r"`((?:[\w-]+/)+[\w.-]+\.(?:h|cc|c|cu|py|sh|toml|md|proto|cmake))\b", line):
        if not path.startswith(("path/", "build")) and not any((place / path).exists() for place in PLACES):
            yield f"there is no {path}"


def navigation_faults():
    config = (ROOT / "mkdocs.yml").read_text()
    if config != with_navigation(config, (ROOT / "docs/README.md").read_text()):
        yield "mkdocs.yml: its navigation is not that of docs/README.md: ./dev pages"
    listed = re.findall(r"^ +- ([\w/]+\.md)$", config, re.M)
    there = {page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").rglob("*.md")} | {"CONTRIBUTING.md"}
    for page in sorted(there - set(listed)):
        yield f"docs/{page}: docs/README.md does not link to it"


def main() -> int:
    faults = list(navigation_faults())
    files = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, text=True, check=True,
                           stdout=subprocess.PIPE).stdout.split("\n")
    for file in sorted(set(filter(None, files))):
        path = ROOT / file
        if not path.exists() or path.suffix not in {".md", ".h", ".cc", ".c", ".py", ".sh", ".toml", ".cmake", ".txt"}:
            continue
        if path.suffix == ".md" and file.startswith("docs/") and not path.read_text().startswith("# "):
            faults.append(f"{file}:1: a page begins with its title, '# ..'")
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            if path.suffix == ".md":
                faults += [f"{file}:{number}: {fault}" for fault in line_faults(path, line)]
            faults += [f"{file}:{number}: there is no {page}" for page in re.findall(r"\bdocs/[\w/]+\.md\b", line)
                       if not (ROOT / page).exists()]
    print("\n".join(faults) if faults else "docs: lines fit, links and paths lead somewhere")
    return 1 if faults else 0


sys.exit(main())
