#!/usr/bin/env python3
"""Checks the structure of the library:
* A module (ridgewatt/MODULE/) includes only modules of lower layers, none of its own layer.
* The headers directly in a module are its interface. Other modules include only these, and these
  include only interface headers.
* The public headers are those that ridgewatt/ridgewatt.h includes, directly or indirectly.
* An internal folder (ridgewatt/MODULE/FOLDER/) belongs to its module. Internal folders do not
  include each other in a circle. A folder has at most 30 files.
* A module has the namespace ridgewatt::MODULE. The modules that all others use (SHARED) are in the
  namespace ridgewatt.
* A type has one definition, because the linker would silently merge two types of the same name.
* Code calls environment_variable(name), for which an empty variable counts as unset, and other
  functions of this project in place of those that INSTEAD lists.
* A sentence of answer or report has its numbers from sentence(), which writes no exponents:
  fmt::format has no format such as {:.3g}, except in files of DATA_TEXTS.
* Names in anonymous namespaces are unique in their module, because files of a module are compiled
  in groups, which change when a file is added or removed."""
import collections
import graphlib
import pathlib
import re
import sys

LAYERS = {"base": 0, "io": 1, "numerics": 1, "device": 2, "workload": 3, "sweep": 3, "roofline": 4, "store": 4,
          "thermal": 4, "twin": 5, "trace": 5,
          "platform": 6, "predict": 6, "pipeline": 6, "llm": 6,
          "measure": 7, "tune": 7, "schedule": 8, "study": 8, "monitor": 8, "campaign": 8, "govern": 8,
          "answer": 9, "report": 10, "evaluate": 11,
          "screen": 11, "serve": 11, "cli": 12}
SHARED = {"base", "io", "numerics", "device", "sweep"}
MOST_FILES = 30
# What code outside of tests may not write, the files that may, and what to write instead.
INSTEAD = [
    # These return or reject an empty path. The functions of io/path.h accept a bare file name.
    (re.compile(r"parent_path\(|(?:fs|filesystem)::(?:absolute|canonical|weakly_canonical)\("),
     {"io/path.cc", "cli/result_files.cc", "base/test_support.h", "platform/fake_board_support.h",
      "workload/onnx/external_data.cc"}, "folder_of() or absolute_path() of io/path.h"),
    # These files have their own test for an empty variable, or use the number in it.
    (re.compile(r"\bgetenv\("),
     {"base/environment.h", "base/test_support.h", "io/marks.h", "measure/sampling/marked_command.cc",
      "schedule/executor/worker_socket.cc", "screen/terminal.cc", "study/study_bench.cc"},
     "environment_variable() of base/environment.h"),
    # These compile to several times as much machine code.
    (re.compile(r"\bstable_sort\("), {"base/numbers/sort.cc"}, "sort_stably() of base/sort.h"),
    (re.compile(r'\bJson (?:\w+ = )?\{\{"|\bjson = \{\{"|\.update\(\{\{"'), set(),
     "json_object() or set_members() of io/json.h"),
]
SENTENCES = re.compile(r"answer/|report/")
# What these write is read by programs, drawn, or a formatter of numbers itself.
DATA_TEXTS = re.compile(r"report/chart/|report/page/(html_report|table)\.cc")
EXPONENT = re.compile(r'fmt::format\(\s*(?:"(?:[^"\\]|\\.)*"\s*)*?"(?!\{[^"]*\},\{)(?:[^"\\]|\\.)*?\{\d*:\.?\d*g\}')


def file_local_names(text: str):
    """Yields (line, name) of each type, constant and function that an anonymous namespace defines.
    The name of a function includes its parameter types."""
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


def namespace_faults(module: str, text: str):
    """Yields the lines that open the namespace of another module, except for forward declarations
    and tests."""
    for found in re.finditer(r"^namespace ridgewatt(?:::(\w+))?[\w:]* \{\n(.*?)^\}  // namespace ridgewatt", text,
                             re.M | re.S):
        declares = re.fullmatch(r"(?:\s*(?:class|struct|enum class) \w+;\n)+", found[2])
        if module not in SHARED and found[1] not in (module, "testing") and not declares:
            yield text.count("\n", 0, found.start()) + 1, f"does not open ridgewatt::{module}"


def include_fault(path: pathlib.Path, place: tuple, target: tuple) -> str | None:
    """Returns why a file of `place` (module, or module and internal folder) may not include a
    header of `target`, or None."""
    module, other = place[0], target[0]
    if other != module:
        if LAYERS.get(other, 99) >= LAYERS[module]:
            return f"{module} (layer {LAYERS[module]}) includes {other} (layer {LAYERS.get(other)})"
        if len(target) > 1:
            return f"{module} includes '{'/'.join(target)}', an internal folder of another module"
    elif path.suffix == ".h" and len(place) == 1 and len(target) > 1 and module != "cli":
        return f"the interface of {module} includes its internal folder '{target[1]}'"
    return None


def public_faults(project: pathlib.Path):
    """Yields faults of the public headers. They are the headers that ridgewatt/ridgewatt.h
    includes, directly or indirectly. They include no header of another library, and their
    declarations are visible in a shared library."""
    listed = set(re.findall(r"^  (ridgewatt/\S+\.h)$", (project / "cmake/PublicHeaders.cmake").read_text(), re.M))
    reached, waiting = set(), ["ridgewatt/ridgewatt.h"]
    while waiting:
        header = waiting.pop()
        if header in reached:
            continue
        reached.add(header)
        text = (project / header).read_text()
        includes = re.findall(r'^#include "(\S+)"', text, re.M)
        waiting += includes
        for library in re.findall(r"^#include <([^>]*[/.][^>]*)>", text, re.M):
            if not library.startswith("sys/"):
                yield f"{header}: a public header includes <{library}>, of another library"
        visible = re.search(r"^#pragma GCC visibility push\(default\)\n.*^#pragma GCC visibility pop\n", text, re.M | re.S)
        if header != "ridgewatt/ridgewatt.h" and not visible:
            yield f"{header}: a public header that does not make its declarations visible (#pragma GCC visibility)"
    for header in sorted(reached - listed):
        yield f"{header}: a public header includes it, but cmake/PublicHeaders.cmake does not list it"
    for header in sorted(listed - reached):
        yield f"{header}: cmake/PublicHeaders.cmake lists it, but ridgewatt/ridgewatt.h does not include it"
    for path in sorted((project / "ridgewatt").rglob("*.h")):
        header = path.relative_to(project).as_posix()
        if header not in reached and "#pragma GCC visibility" in path.read_text():
            yield f"{header}: makes its declarations visible (#pragma GCC visibility) and is not a public header"


def main() -> int:
    root = pathlib.Path(__file__).resolve().parent.parent / "ridgewatt"
    faults = list(public_faults(root.parent))
    types = collections.defaultdict(list)
    local = collections.defaultdict(list)
    folders = collections.Counter()
    internal = collections.defaultdict(set)
    for path in sorted(root.rglob("*.*")):
        if path.parent == root:
            continue  # ridgewatt.h
        folders[path.parent] += path.is_file()
        if path.suffix not in (".h", ".cc"):
            continue
        place = path.relative_to(root).parts[:-1]
        module = place[0]
        test = path.name.endswith("_test.cc")
        if module not in LAYERS:
            faults.append(f"{path}: module '{module}' has no layer")
            continue
        text = path.read_text()
        if path.suffix == ".cc" and not path.name.endswith("_fuzz.cc"):
            for number, name in file_local_names(text):
                local[module, test, name].append(f"{path}:{number}")
        faults += [f"{path}:{number}: {fault}" for number, fault in namespace_faults(module, text)]
        own = path.relative_to(root).as_posix()
        if path.suffix == ".cc" and not test and SENTENCES.match(own) and not DATA_TEXTS.match(own):
            for found in EXPONENT.finditer(text):
                number = text.count("\n", 0, found.start()) + 1
                faults.append(f"{path}:{number}: use sentence() of base/sentence.h for a number in a text")
        for number, line in enumerate(text.splitlines(), 1):
            for pattern, files, instead in [] if test else INSTEAD:
                if own not in files and pattern.search(line.split("//")[0]):
                    faults.append(f"{path}:{number}: use {instead}")
            defined = re.match(r"(?:struct|class|enum class) ([A-Z]\w*)\b(?!::)[^;]*\{", line)
            if defined and path.suffix == ".h":
                types["" if module in SHARED else module, defined[1]].append(f"{path}:{number}")
            found = re.match(r'\s*#include "ridgewatt/([\w/]+)/\w+\.', line)
            if not found:
                continue
            target = tuple(found[1].split("/"))
            fault = include_fault(path, place, target)
            if fault:
                faults.append(f"{path}:{number}: {fault}")
            if not test and target[0] == module and len(place) > 1 and len(target) > 1 and target != place:
                internal["/".join(place)].add("/".join(target))
    try:
        graphlib.TopologicalSorter(internal).prepare()
    except graphlib.CycleError as circle:
        faults.append(f"internal folders include each other: {' -> '.join(circle.args[1])}")
    for folder, count in folders.items():
        if count > MOST_FILES:
            faults.append(f"{folder}: {count} files; {MOST_FILES} at most: add an internal folder")
    for (_, name), places in types.items():
        if len(places) > 1:
            faults.append(f"type {name} is defined at {' and at '.join(places)}")
    for (_, _, name), places in local.items():
        if len(places) > 1:
            faults.append(f"{name} is not unique in its module: {' and '.join(places)}")
    print("\n".join(faults) if faults else "modules: includes follow the layers, every type is defined once")
    return 1 if faults else 0


sys.exit(main())
