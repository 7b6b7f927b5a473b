#!/usr/bin/env python3
"""A room includes only rooms on lower floors; rooms on one floor do not know each other. And a type has
one definition: two headers that define the same name would be merged by the linker without a word.
Files of a room are compiled some at a time, in groups that move when a file comes or goes: what a file
keeps to itself has a name of its own in its room."""
import collections
import pathlib
import re
import sys

FLOORS = {"base": 0, "device": 1, "workload": 2, "sweep": 2, "store": 3, "roofline": 4,
          "predict": 5, "platform": 5, "pipeline": 5, "measure": 6, "tune": 6, "schedule": 7, "study": 7,
          "report": 8, "cli": 9}

def kept_to_itself(text: str):
    """What an anonymous namespace defines that may not be there twice: types, constants, and functions
    with the same parameters."""
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        if line == "namespace {":
            inside = True
        elif line.startswith("}  // namespace"):
            inside = False
        elif inside:
            found = (re.match(r"(?:struct|class|enum(?: class)?) (\w+)[^;]*\{", line)
                     or re.match(r"(?:static )?constexpr [^(=]*?\b(k[A-Z]\w*)(?:\[\w*\])* ?[={;]", line)
                     or re.match(r"[A-Za-z][^=;]*?[ &*](\w+\(.*\)) (?:const )?\{$", line))
            if found:
                yield number, re.sub(r" \w+(?=[,)])", "", found[1])


def main() -> int:
    root = pathlib.Path(__file__).resolve().parent.parent / "ridgewatt"
    faults = []
    types = collections.defaultdict(list)
    kept = collections.defaultdict(list)
    for path in sorted(root.rglob("*")):
        if path.suffix not in (".h", ".cc") or path.name.endswith("_test.cc"):
            continue
        room = path.relative_to(root).parts[0]
        if room not in FLOORS:
            faults.append(f"{path}: room '{room}' has no floor")
            continue
        text = path.read_text()
        if path.suffix == ".cc" and not path.name.endswith("_fuzz.cc"):
            for number, name in kept_to_itself(text):
                kept[room, name].append(f"{path}:{number}")
        for number, line in enumerate(text.splitlines(), 1):
            defined = re.match(r"(?:struct|class|enum class) ([A-Z]\w*)[^;]*\{", line)
            if defined and path.suffix == ".h":
                types[defined[1]].append(f"{path}:{number}")
            found = re.match(r'\s*#include "ridgewatt/([a-z]+)/', line)
            if found and found[1] != room and FLOORS.get(found[1], 99) >= FLOORS[room]:
                faults.append(f"{path}:{number}: {room} (floor {FLOORS[room]}) includes {found[1]}"
                              f" (floor {FLOORS.get(found[1])})")
    for name, places in types.items():
        if len(places) > 1:
            faults.append(f"type {name} is defined at {' and at '.join(places)}")
    for (_, name), places in kept.items():
        if len(places) > 1:
            faults.append(f"{name} is not its file's own: {' and '.join(places)}")
    print("\n".join(faults) if faults else "rooms: every include goes down, every type has one home")
    return 1 if faults else 0

sys.exit(main())
