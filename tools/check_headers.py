#!/usr/bin/env python3
"""Checks that every header of FOLDER compiles alone: tools/check_headers.py FOLDER FLAG...
The compiler is $CXX; default c++.

To save time, a header is compiled after a precompiled header, but only if it includes all headers
of that one itself, directly or indirectly. A missing include therefore remains an error."""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

# Contents of the precompiled headers. A header uses the first one whose headers it all includes.
STARTS = [["array", "cstddef", "cstdint", "optional", "span", "string", "string_view", "utility", "vector"],
          ["optional", "string", "vector"], ["string"]]


class Headers:
    def __init__(self, folder):
        self.folder = folder
        self.names = sorted(str(path.relative_to(folder)) for path in folder.rglob("*.h"))
        self.system = {}

    def included(self, name):
        """Returns the system headers that a header includes directly or through the folder's
        headers."""
        if name not in self.system:
            self.system[name] = set()  # ends the recursion of circular includes
            text = (self.folder / name).read_text()
            found = set(re.findall(r"^#include <([^>]+)>", text, re.M))
            for other in re.findall(r'^#include "([^"]+)"', text, re.M):
                found |= self.included(other)
            self.system[name] = found
        return self.system[name]


def main():
    folder = pathlib.Path(sys.argv[1])
    compiler = [os.environ.get("CXX", "c++"), "-std=c++20", *sys.argv[2:], "-I", str(folder)]
    headers = Headers(folder)
    with tempfile.TemporaryDirectory() as work, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        def precompile(index):
            start = pathlib.Path(work, f"start{index}.h")
            start.write_text("".join(f"#include <{name}>\n" for name in STARTS[index]))
            subprocess.run([*compiler, "-x", "c++-header", start, "-o", f"{start}.gch"], check=True)

        def alone(name):
            index = next((i for i, start in enumerate(STARTS) if headers.included(name).issuperset(start)), None)
            start = ["-include", f"{work}/start{index}.h"] if index is not None else []
            return subprocess.run([*compiler, *start, "-fsyntax-only", "-x", "c++", "-"], text=True,
                                  input=f"#include <{name}>\n", stderr=subprocess.PIPE, check=False)

        list(pool.map(precompile, range(len(STARTS))))
        failed = 0
        for name, done in zip(headers.names, pool.map(alone, headers.names)):
            if done.returncode:
                failed += 1
                print(f"alone: {name}\n{done.stderr}")
    print(f"headers: {len(headers.names) - failed} of {len(headers.names)} compile alone")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
