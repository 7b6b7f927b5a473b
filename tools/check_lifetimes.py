#!/usr/bin/env python3
"""Finds references into temporaries that no longer exist. In C++20, `for (auto& x : f().items)` and
`for (auto& x : items_of(f()))` destroy the result of f() before the loop starts, and so does
`const auto& x = items_of(f());`. To fix it, give the temporary a name. Functions are known only by
name: one counts as returning a reference if any file declares a function of this name that does."""
import pathlib
import re
import sys

REFERENCE = {"at", "front", "back", "value", "get", "begin", "emplace_back"}  # of the standard library
VALUE = set()


def blank(text: str) -> str:
    """Replaces comments and strings by blanks, so that positions and lines stay the same."""
    pattern = r'//[^\n]*|/\*.*?\*/|R"\((?:.*?)\)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\''
    keep = lambda m: re.sub(r"[^\n]", " ", m[0]) if m[0][0] == "/" else '""' + re.sub(r"[^\n]", " ", m[0][2:])
    return re.sub(pattern, keep, text, flags=re.S)


def learn(text: str) -> None:
    """Records which functions return references and which return values."""
    for found in re.finditer(r"^[ ]*(?:template <[^>]*> *)?(?:(?:static|inline|virtual|constexpr|friend|explicit) )*"
                             r"((?:const )?[A-Za-z_][\w:]*(?:<[^;(){}]*>)?(?:::\w+)?(?: const)?) ?(&?) ?"
                             r"(?:\w+::)*(\w+)\([^;{}]*\)[^;{}]*[;{=]", text, re.M):
        kind, reference, name = found[1], found[2], found[3]
        if kind in ("return", "throw", "else", "new", "delete", "using", "case", "co_return"):
            continue
        (REFERENCE if reference else VALUE).add(name)


def closing(text: str, start: int) -> int:
    """Returns the position of the bracket that closes the one at `start`."""
    depth = 0
    for i in range(start, len(text)):
        depth += text[i] in "([{"
        depth -= text[i] in ")]}"
        if depth == 0:
            return i
    return len(text)


def split_arguments(text: str):
    depth, last = 0, 0
    for i, c in enumerate(text):
        depth += c in "([{"
        depth -= c in ")]}"
        if c == "," and depth == 0:
            yield text[last:i]
            last = i + 1
    yield text[last:]


def state(expression: str) -> str:
    """Returns 'named', 'value' (a temporary) or 'inside' (a reference into a temporary)."""
    text = expression.strip().lstrip("*&!")
    match = re.match(r"(?:::)?[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*(?:<[^()<>]*>)?", text)
    if not match:
        return "named"
    result, name, at = "named", match[0].split("::")[-1], match.end()
    while True:
        rest = text[at:]
        if rest.startswith("("):
            end = closing(text, at)
            arguments = [a for a in split_arguments(text[at + 1:end]) if a.strip()]
            temporary = result != "named" or any(state(a) != "named" for a in arguments
                                                 if not re.match(r"\s*[\[\"\d]", a))
            if name in REFERENCE:
                result = "named" if not temporary else "value" if name in VALUE else "inside"
            else:
                result = "value"
            at = end + 1
        elif rest.startswith("["):
            at = closing(text, at) + 1
            result = "named" if result == "named" else "inside"
        elif member := re.match(r"\s*(?:\.|->)\s*(\w+)", rest):
            name, at = member[1], at + member.end()
            if not text[at:].startswith("("):
                result = "named" if result == "named" else "inside"
        else:
            return result if not rest.strip() else "named"


def range_of(text: str, start: int):
    """Returns the range of a range-based for whose bracket is at `start`; None for another loop."""
    body = text[start + 1:closing(text, start)]
    depth = 0
    for i, c in enumerate(body):
        depth += c in "([{"
        depth -= c in ")]}"
        if c == ";" and depth == 0:
            body = body[i + 1:]
            return range_of("(" + body + ")", 0) if ":" in body.replace("::", "") and ";" not in body else None
        if c == ":" and depth == 0 and body[i - 1:i] != ":" and body[i + 1:i + 2] != ":":
            return body[i + 1:]
    return None


def faults_in(text: str):
    for found in re.finditer(r"\bfor \(", text):
        over = range_of(text, found.end() - 1)
        if over and state(over) == "inside":
            yield text.count("\n", 0, found.start()) + 1, over.strip()
    for found in re.finditer(r"(?:auto|[A-Z]\w*)& (?:\w+|\[[\w, ]+\]) = ([^;]*);", text):
        if state(found[1]) == "inside" and re.search(r"\)\s*$", found[1]):
            yield text.count("\n", 0, found.start()) + 1, found[1].strip()


def check_itself() -> None:
    saved = set(REFERENCE), set(VALUE)
    REFERENCE.add("items_of"), VALUE.update({"made", "both"}), REFERENCE.add("both")
    for line in ("for (auto& x : items_of(made(1))) {}", "for (auto& x : made().items) {}",
                 "for (auto& [a, b] : made()->items) {}", "const auto& x = items_of(made());"):
        assert list(faults_in(line)), line
    for line in ("for (auto& x : items_of(box)) {}", "for (auto& x : made()) {}", "for (auto& x : both(made())) {}",
                 "for (auto& x : box.items) {}", "for (int i = 0; i < made().size(); ++i) {}",
                 "const auto& x = items_of(box);", "const auto x = items_of(made());"):
        assert not list(faults_in(line)), line
    REFERENCE.intersection_update(saved[0]), VALUE.intersection_update(saved[1])


def main() -> int:
    check_itself()
    root = pathlib.Path(__file__).resolve().parent.parent
    files = [path for folder in ("ridgewatt", "bench", "examples") for path in sorted((root / folder).rglob("*"))
             if path.suffix in (".h", ".cc")]
    texts = {path: blank(path.read_text()) for path in files}
    for text in texts.values():
        learn(text)
    faults = [f"{path.relative_to(root)}:{line}: a reference into a temporary: {what}"
              for path, text in texts.items() for line, what in faults_in(text)]
    print("\n".join(faults) if faults else "lifetimes: no loop or reference into a temporary")
    return 1 if faults else 0


sys.exit(main())
