#!/usr/bin/env python3
"""Checks that every error message begins with its subject. Error joins `what`, `where` and `hint`.
If `what` begins with a verb (kVerbs in ridgewatt/base/words/error.cc), its subject is `where`, as in
"model.gguf is cut off", so `where` must not be empty. `what` may not begin with "not": write
"is not". A number before a noun comes from counted() (base/plural.h), which writes "1 row". Tests
are not checked, and numbers are not checked in the laboratory."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
ERRORS = r"\b(?:Error|InputError|NotFoundError|PermissionError|IoError|NotSupportedError|UsageError|NoSolutionError)"
TEXT = r'"((?:[^"\\]|\\.)*)"'


def verbs() -> list[str]:
    source = (ROOT / "ridgewatt/base/words/error.cc").read_text()
    return re.findall(r'"([a-z ]+)"', source[source.index("kVerbs"):source.index("};")])


def arguments(text: str, start: int) -> list[str]:
    """Returns the arguments of the call whose bracket is at `start`."""
    parts, depth, quoted, i = [""], 0, False, start
    while i < len(text):
        c = text[i]
        if c == "\\" and quoted:
            parts[-1] += text[i:i + 2]
            i += 2
            continue
        quoted ^= c == '"'
        depth += (c in "([{") - (c in ")]}") if not quoted else 0
        if depth == 0:
            return [part.strip() for part in parts]
        if c == "," and depth == 1 and not quoted:
            parts.append("")
        elif i > start:
            parts[-1] += c
        i += 1
    return []


def faults(path: pathlib.Path, said: tuple[str, ...]) -> list[str]:
    found, text = [], path.read_text()
    for call in re.finditer(ERRORS + r"\(", text):
        parts = arguments(text, call.end() - 1)
        begin = re.match(r"(?:(?:fmt::format|sentence)\(\s*)?" + TEXT, parts[0]) if parts else None
        if not begin:
            continue
        place = f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, call.start()) + 1}"
        subject = len(parts) > 1 and parts[1] != '""'
        if begin[1].startswith(said) and not subject:
            found.append(f'{place}: "{begin[1]}" has no subject: give `where`')
        if re.match(r"not (a|an|the|valid) ", begin[1]):
            found.append(f'{place}: "{begin[1]}" begins with "not": write "is not"')
    return found


COUNTED = re.compile(r"(?<!of )\{\} (?:layers|rows|boards|modes|points|samples|minibatches|tasks|runs|columns|kernels)\b")
WRITTEN = {"load_samples.cc", "calibrate.cc"}  # exceptions: a file's mark; a constant above 1


def numbers(path: pathlib.Path) -> list[str]:
    """Returns faults for numbers before a plural noun, which may print "1 rows"."""
    if path.name in WRITTEN or {"evaluate", "laboratory"} & set(path.parts):
        return []
    text = re.sub(r'"\n\s*"', "", path.read_text())
    return [f'{path.relative_to(ROOT)}: "{one[0]}": write {{}} and counted(..) of base/plural.h'
            for literal in re.finditer(TEXT, text) for one in COUNTED.finditer(literal[1])]


def main() -> int:
    said = tuple(verb + " " for verb in verbs())
    files = [f for f in [*ROOT.glob("ridgewatt/**/*.cc"), *ROOT.glob("ridgewatt/**/*.h"), *ROOT.glob("python/**/*.cc")]
             if not f.stem.endswith("_test") and f.name != "quantity.cc"]  # its callers name it
    found = [fault for file in sorted(files) for fault in faults(file, said) + numbers(file)]
    print("\n".join(found) or f"check_messages: {len(files)} files, every message has its subject")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
