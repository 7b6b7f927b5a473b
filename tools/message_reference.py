#!/usr/bin/env python3
"""The catalogue of error messages, from the sources:
    tools/message_reference.py > docs/reference/messages.md
`--check` compares the page with the sources instead (part of tools/lint.sh). A message is the arguments of an exception
of ridgewatt::Error or of a function in HELPERS; where it has no hint, ADVICE of its class says what to do."""
import collections
import pathlib
import re
import sys

import check_messages

ROOT = check_messages.ROOT
PAGE = ROOT / "docs/reference/messages.md"
VALUE = ".."  # stands for a value in a message

ADVICE = {
    "Error": "Read the text after the colon: it is the cause.",
    "InputError": "Correct the input at the place that the message names.",
    "NotFoundError": "Check the name or the path.",
    "PermissionError": "Run as a user who may do this, or choose another file.",
    "IoError": "Check the disk, the device or the connection, and try again.",
    "NotSupportedError": "Choose another board, sensor, model or build.",
    "UsageError": "Correct the value; `--help` of the command lists its options.",
    "NoSolutionError": "Relax a limit.",
    "throw_errno": "The message ends with the reason that the operating system gives.",
}
# Functions that throw: the class, and (what, where, hint) from the arguments.
HELPERS = {
    "throw_errno": ("throw_errno", lambda a: (text(a[1]), subject(a[2]), "")),
    "throw_unknown_name": ("UsageError", lambda a: (f"unknown {text(a[0])} '{VALUE}'", "", "use a listed name")),
    "require_option": ("UsageError", lambda a: (f"{text(a[1])} is {VALUE}: must be {text(a[3])}", "", "")),
    "require": ("UsageError", lambda a: (f"{text(a[1])} is {VALUE}: {text(a[3])}" if a[3:] else text(a[-1]), "", "")),
    "fail": ("InputError", lambda a: (" ".join(map(text, a)), "", "")),
    "malformed": ("InputError", lambda a: (" ".join(map(text, a)), "", "")),
}
TESTS = re.compile(r"_test\.cc$|_fuzz\.cc$|_support\.h$|/test_|_fixture\.h$|_bench\.cc$")


def parts(expression: str, mark: str) -> list[str]:
    """`expression`, cut at each `mark` outside quotes and brackets."""
    found, depth, quoted, i = [""], 0, False, 0
    while i < len(expression):
        c = expression[i]
        if c == "\\" and quoted:
            found[-1] += expression[i:i + 2]
            i += 2
            continue
        quoted ^= c == '"'
        if not quoted:
            depth += (c in "([{") - (c in ")]}")
        if c == mark and depth == 0 and not quoted and expression[i:i + 2] != "::" and expression[i - 1:i + 1] != "::":
            found.append("")
        else:
            found[-1] += c
        i += 1
    return found


def literal(expression: str) -> str | None:
    """The value of adjacent string literals."""
    found = re.findall(check_messages.TEXT, expression)
    rest = re.sub(check_messages.TEXT, "", expression)
    if not found or rest.strip():
        return None
    return "".join(found).replace('\\"', '"').replace("\\n", " ").replace("\\\\", "\\")


def text(expression: str) -> str:
    """What an expression of strings says; values are VALUE, the ways of `a ? b : c` are "b | c"."""
    expression = expression.strip()
    while expression.startswith("(") and expression.endswith(")") and len(parts(expression[1:-1], ")")) == 1:
        expression = expression[1:-1].strip()
    if len(ways := parts(expression, "?")) > 1:
        chosen = [text(way) for way in parts("?".join(ways[1:]), ":")]
        said = [way for way in chosen if way.strip(f"{VALUE} |")]
        return " | ".join(dict.fromkeys(said)) or VALUE
    if len(pieces := parts(expression, "+")) > 1:
        return "".join(map(text, pieces))
    called = re.match(r"(?:fmt::format|std::string)\((.*)\)$", expression, re.S)
    said = literal(check_messages.arguments(f"({called[1]})", 0)[0] if called and called[1].strip() else expression)
    if said is None:
        return "" if expression in ("", "{}") else VALUE
    return re.sub(r"\{\{|\}\}|\{[^{}]*\}", lambda m: m[0][0] if m[0] in ("{{", "}}") else VALUE, said) if called else said


def subject(expression: str) -> str:
    return "" if expression.strip() in ('""', "{}", "") else text(expression)


def joined(what: str, where: str, verbs: tuple[str, ...]) -> str:
    """As Error joins them (ridgewatt/base/error.cc)."""
    if what.startswith(verbs):
        return f"{where or VALUE} {what}"
    return f"{what}: {where}" if where else what


def messages(path: pathlib.Path, verbs: tuple[str, ...]):
    """(message, what to do) of each error that a source constructs."""
    source = re.sub(r"^\s*//.*$", "", path.read_text(), flags=re.M)
    for call in re.finditer(rf"(?<!class )(?:{check_messages.ERRORS}|\b(?:{'|'.join(HELPERS)}))\(", source):
        name = call[0][:-1]
        given = check_messages.arguments(source, call.end() - 1)
        if not given or not any('"' in argument for argument in given):
            continue
        kind, of = HELPERS.get(name, (name, None))
        try:
            first, second, third = (given + ["", ""])[:3]
            what, where, hint = of(given) if of else (text(first), subject(second), text(third))
        except IndexError:
            continue  # a declaration
        message = re.sub(r"\s+", " ", re.sub(r"\.{4,}", VALUE, joined(what, where, verbs))).strip()
        if re.search(r"[a-z]{3}", message):
            advice = re.sub(r"\s+", " ", hint).strip()
            yield message, advice if re.search(r"[a-z]{2}", advice) else ADVICE[kind]


def code(words: str) -> str:
    marks = "``" if "`" in words else "`"
    return f"{marks}{words}{marks}".replace("|", "\\|")


def page() -> str:
    verbs = tuple(verb + " " for verb in check_messages.verbs())
    modules = collections.defaultdict(dict)
    for path in sorted([*ROOT.glob("ridgewatt/**/*.cc"), *ROOT.glob("ridgewatt/**/*.h")]):
        name = path.relative_to(ROOT / "ridgewatt").as_posix()
        if TESTS.search("/" + name) or name.startswith(("base/error", "base/check_option")):
            continue
        for message, advice in messages(path, verbs):
            modules[name.split("/")[0]].setdefault((message, advice), name)
    lines = ["# Error messages", "",
             "Every error message, by the module that reports it, and what to do.",
             f"`tools/message_reference.py` generates this page from the sources. `{VALUE}` is a value: a file, a name,",
             "a number. [Exit status](../design.md#rules-of-the-code)."]
    for module, rows in sorted(modules.items()):
        lines += ["", f"## {module}", "", "| message | what to do | source |", "|---|---|---|"]
        lines += [f"| {code(message)} | {advice.replace('|', chr(92) + '|')} | `{name}` |"
                  for (message, advice), name in sorted(rows.items(), key=lambda row: row[0][0].strip(". ").lower())]
    return "\n".join(lines) + "\n"


def main() -> int:
    made = page()
    if "--check" not in sys.argv:
        sys.stdout.write(made)
        return 0
    if PAGE.read_text() != made:
        print("docs/reference/messages.md is not current: run 'tools/message_reference.py > docs/reference/messages.md'")
        return 1
    print("messages: docs/reference/messages.md is current")
    return 0


if __name__ == "__main__":
    sys.exit(main())
