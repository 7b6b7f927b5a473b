#!/usr/bin/env python3
"""Joins the units of a build into few, so that clang-tidy reads the headers of libraries less often.

usage: join_units.py BUILD COUNT

Writes BUILD/joined/N.cxx, each of which includes units of different modules (units of one module may
share names), and BUILD/joined/compile_commands.json. Files that the build compiles alone stay
alone, except programs, whose main() gets another name. So does the module screen, because curses
defines words such as "columns" as macros.
Generated sources and C are left out. Prints the number of units.
"""
import json
import os
import re
import shlex
import shutil
import sys

SKIPPED = re.compile(r"/generated/|/embedded_[a-z]*\.cc$|\.pb\.cc$|\.c$")


def module(unit):
    """Returns the module of a unit of several files, or the file of a program. Returns None if the
    unit stays alone."""
    if unit["file"].endswith("/main.cc"):
        return unit["file"]
    found = re.search(r"unity_([a-z]+)_\d+_cxx", unit["file"])
    return found.group(1) if found and found.group(1) != "screen" else None


def inclusion(unit, index):
    line = f'#include "{unit["file"]}"\n'
    return f"#define main main_{index}\n{line}#undef main\n" if unit["file"].endswith("/main.cc") else line


def size_bytes(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    return sum(os.path.getsize(p) for p in re.findall(r'#include "(/[^"]*)"', text)) or len(text)


def flags_of(command):
    """Yields the flags of a compiler command, without program, input and output. A flag with its
    value is one tuple."""
    words = iter(shlex.split(command)[1:])
    for word in words:
        if word == "-o":
            return
        yield (word, next(words)) if word in ("-isystem", "-include") else (word,)


def join(build, count):
    with open(f"{build}/compile_commands.json", encoding="utf-8") as file:
        units = [unit for unit in json.load(file) if not SKIPPED.search(unit["file"])]
    alone = [[unit] for unit in units if not module(unit)]
    groups = [[] for _ in range(count)]
    sizes = [0] * count
    shared = [unit for unit in units if module(unit)]
    for unit in sorted(shared, key=lambda unit: size_bytes(unit["file"]), reverse=True):
        others = [i for i, group in enumerate(groups) if module(unit) not in map(module, group)]
        if not others:
            sys.exit(f"join_units: more than {count} units of module {module(unit)}")
        best = min(others, key=lambda i: sizes[i])
        groups[best].append(unit)
        sizes[best] += size_bytes(unit["file"])
    groups += alone
    shutil.rmtree(f"{build}/joined", ignore_errors=True)
    os.makedirs(f"{build}/joined")
    commands = []
    for i, group in enumerate(groups):
        path = os.path.abspath(f"{build}/joined/{i}.cxx")
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(inclusion(unit, index) for index, unit in enumerate(group))
        flags = dict.fromkeys(flag for unit in group for flag in flags_of(unit["command"]))
        commands.append({"directory": os.path.abspath(build), "file": path,
                         "arguments": ["c++", *(w for flag in flags for w in flag), "-c", path]})
    with open(f"{build}/joined/compile_commands.json", "w", encoding="utf-8") as file:
        json.dump(commands, file, indent=1)
    print(len(units))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    join(sys.argv[1], int(sys.argv[2]))
