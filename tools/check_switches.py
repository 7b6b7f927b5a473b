#!/usr/bin/env python3
"""Finds `default:` in a switch over an enum class of the project. With a default, a new enumerator
compiles and silently takes the default branch. Without one, -Wswitch reports every switch that does
not handle it. Called by tools/lint.sh."""
import pathlib
import re
import sys

# `case X::kA:`, also in a cast or in parentheses, `case kA:` and `default:`.
LABEL = re.compile(r"\bcase [^;{}?]*?(\w+)::k\w+\)*:(?!:)|\bcase k\w+:|\bdefault\s*:")


def enum_classes(files: dict) -> set:
    return {name for text in files.values() for name in re.findall(r"\benum class (\w+)", text)}


def short_names(text: str, enums: set) -> dict:
    """Returns the aliases of enums in a file, such as `using P = TwinParam;`."""
    named = {short: long for short, long in re.findall(r"\busing (\w+) = (?:\w+::)*(\w+);", text)}
    return {short: long for short, long in named.items() if long in enums}


def body_of(text: str, begin: int) -> int:
    """Returns the position of the brace that closes the one at `begin`."""
    depth = 0
    for at in range(begin, len(text)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return at
    return len(text)


def faults(path: str, text: str, enums: set):
    code = re.sub(r"//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])'", lambda m: " " * len(m[0]), text)
    shorts = short_names(code, enums)
    opened = set(re.findall(r"\busing enum (?:\w+::)*(\w+);", code)) & enums
    for switch in re.finditer(r"\bswitch\s*\(", code):
        begin = code.find("{", switch.end())
        inside = code[begin + 1:body_of(code, begin)]
        while nested := re.search(r"\bswitch\s*\(", inside):  # remove nested switches
            first = inside.find("{", nested.end())
            inside = inside[:nested.start()] + inside[body_of(inside, first) + 1:]
        labels = list(LABEL.finditer(inside))
        over = {shorts.get(label[1], label[1]) for label in labels if label[1]} & enums
        if opened and any(re.match(r"case k", label[0]) for label in labels):
            over |= opened
        if over and any(label[0].startswith("default") for label in labels):
            line = code.count("\n", 0, switch.start()) + 1
            yield f"{path}:{line}: a switch over {' or '.join(sorted(over))} has a default: name every member"


def main() -> int:
    root = pathlib.Path(__file__).resolve().parent.parent
    paths = [path for folder in ("ridgewatt", "python") for path in sorted((root / folder).rglob("*"))
             if path.suffix in (".h", ".cc") and not path.name.endswith("_test.cc")]
    files = {path.relative_to(root).as_posix(): path.read_text() for path in paths}
    enums = enum_classes(files)
    found = [fault for path, text in files.items() for fault in faults(path, text, enums)]
    print("\n".join(found) if found else "switches: none over an enum of the project has a default")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
