#!/usr/bin/env python3
"""The plan of the house. A room (ridgewatt/ROOM/) includes only rooms on lower floors; rooms on one floor do not know
each other. The headers directly in a room are its face: the only ones that other rooms may include and that are
installed, so a face includes faces alone. What lies in an alcove (ridgewatt/ROOM/ALCOVE/) is the room's own; alcoves
do not include each other in a circle. A folder holds at most 30 files.
A room is a namespace, ridgewatt::ROOM; the rooms of words that all others speak (SHARED) lie in ridgewatt itself. A
type has one definition: two headers that define the same name would be merged by the linker without a word.
A path's folder is folder_of(path), which is never empty.
Files of a room are compiled some at a time, in groups that move when a file comes or goes: what a file keeps to
itself has a name of its own in its room."""
import collections
import graphlib
import pathlib
import re
import sys

FLOORS = {"base": 0, "io": 1, "numerics": 1, "device": 2, "workload": 3, "sweep": 3, "roofline": 4, "store": 4, "thermal": 4, "twin": 5, "trace": 5,
          "platform": 6, "predict": 6, "pipeline": 6, "llm": 6,
          "measure": 7, "tune": 7, "schedule": 8, "study": 8, "monitor": 8, "campaign": 8, "govern": 8,
          "answer": 9, "evaluate": 9, "report": 10,
          "screen": 11, "serve": 11, "cli": 12}
SHARED = {"base", "io", "numerics", "device", "sweep"}
MOST_FILES = 30
# Path functions of the standard library that give or refuse an empty path: io/path.h has what takes a bare name.
PATHS = re.compile(r"parent_path\(|(?:fs|filesystem)::(?:absolute|canonical|weakly_canonical)\(")
PATHS_IN = {"io/path.cc", "cli/result_files.cc", "base/test_support.h", "platform/fake_board_support.h",
            "workload/onnx/external_data.cc"}


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
                     or re.match(r"(?:static )?const(?:expr)? [^(=]*?\b(k[A-Z]\w*)(?:\[\w*\])* ?[={;]", line)
                     or re.match(r"[A-Za-z][^=;]*?[ &*](\w+\(.*\)) (?:const )?\{$", line))
            if found:
                yield number, re.sub(r" \w+(?=[,)])", "", found[1])


def namespace_faults(room: str, text: str):
    """Lines that open another namespace than the room's, but to declare a class of it, or for tests."""
    for found in re.finditer(r"^namespace ridgewatt(?:::(\w+))?[\w:]* \{\n(.*?)^\}  // namespace ridgewatt", text,
                             re.M | re.S):
        declares = re.fullmatch(r"(?:\s*(?:class|struct|enum class) \w+;\n)+", found[2])
        if room not in SHARED and found[1] not in (room, "testing") and not declares:
            yield text.count("\n", 0, found.start()) + 1, f"does not open ridgewatt::{room}"


def include_fault(path: pathlib.Path, place: tuple, target: tuple) -> str | None:
    """Why a file of `place` (room, or room and alcove) may not include a header of `target`."""
    room, other = place[0], target[0]
    if other != room:
        if FLOORS.get(other, 99) >= FLOORS[room]:
            return f"{room} (floor {FLOORS[room]}) includes {other} (floor {FLOORS.get(other)})"
        if len(target) > 1:
            return f"{room} includes '{'/'.join(target)}', an alcove of another room"
    elif path.suffix == ".h" and len(place) == 1 and len(target) > 1 and room != "cli":
        return f"the face of {room} includes its alcove '{target[1]}'"
    return None


def main() -> int:
    root = pathlib.Path(__file__).resolve().parent.parent / "ridgewatt"
    faults = []
    types = collections.defaultdict(list)
    kept = collections.defaultdict(list)
    folders = collections.Counter()
    alcoves = collections.defaultdict(set)
    for path in sorted(root.rglob("*.*")):
        if path.parent == root:
            continue  # the front door: ridgewatt.h
        folders[path.parent] += path.is_file()
        if path.suffix not in (".h", ".cc"):
            continue
        place = path.relative_to(root).parts[:-1]
        room = place[0]
        test = path.name.endswith("_test.cc")
        if room not in FLOORS:
            faults.append(f"{path}: room '{room}' has no floor")
            continue
        text = path.read_text()
        if path.suffix == ".cc" and not path.name.endswith("_fuzz.cc"):
            for number, name in kept_to_itself(text):
                kept[room, test, name].append(f"{path}:{number}")
        faults += [f"{path}:{number}: {fault}" for number, fault in namespace_faults(room, text)]
        for number, line in enumerate(text.splitlines(), 1):
            if not test and path.relative_to(root).as_posix() not in PATHS_IN and PATHS.search(line.split("//")[0]):
                faults.append(f"{path}:{number}: take folder_of() or absolute_path() of io/path.h")
            defined = re.match(r"(?:struct|class|enum class) ([A-Z]\w*)\b(?!::)[^;]*\{", line)
            if defined and path.suffix == ".h":
                types["" if room in SHARED else room, defined[1]].append(f"{path}:{number}")
            found = re.match(r'\s*#include "ridgewatt/([\w/]+)/\w+\.', line)
            if not found:
                continue
            target = tuple(found[1].split("/"))
            fault = include_fault(path, place, target)
            if fault:
                faults.append(f"{path}:{number}: {fault}")
            if not test and target[0] == room and len(place) > 1 and len(target) > 1 and target != place:
                alcoves["/".join(place)].add("/".join(target))
    try:
        graphlib.TopologicalSorter(alcoves).prepare()
    except graphlib.CycleError as circle:
        faults.append(f"alcoves include each other: {' -> '.join(circle.args[1])}")
    for folder, count in folders.items():
        if count > MOST_FILES:
            faults.append(f"{folder}: {count} files; {MOST_FILES} at most: make an alcove")
    for (_, name), places in types.items():
        if len(places) > 1:
            faults.append(f"type {name} is defined at {' and at '.join(places)}")
    for (_, _, name), places in kept.items():
        if len(places) > 1:
            faults.append(f"{name} is not its file's own: {' and '.join(places)}")
    print("\n".join(faults) if faults else "rooms: includes go down and meet faces, every type has one home")
    return 1 if faults else 0


sys.exit(main())
