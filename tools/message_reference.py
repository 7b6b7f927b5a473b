#!/usr/bin/env python3
"""Prints the list of error messages in the sources:
    tools/message_reference.py > docs/reference/messages.md
`--check` compares the page with the sources instead (part of tools/lint.sh). Messages are the
arguments of exceptions derived from ridgewatt::Error and of the functions in HELPERS. The program
prints the hint after the message."""
import collections
import pathlib
import re
import sys

import check_messages

ROOT = check_messages.ROOT
PAGE = ROOT / "docs/reference/messages.md"
VALUE = ".."  # replaces a value in a message

# The message of the function fail() in a file, from its arguments.
FRAMES = [
    ("device/board_toml", lambda a: f"{VALUE}: '{text(a[0])}' {text(a[1])}"),
    ("device/measured_roof", lambda a: f"{VALUE}: 'microbench.{text(a[1])}' {text(a[2])}"),
    ("thermal/thermal_file", lambda a: f"{VALUE}: 'thermal.{text(a[0])}' {text(a[1])}"),
    ("study/study.cc", lambda a: f"{VALUE}: '{text(a[0])}' {text(a[1])}"),
    ("llm/engine/engine_f", lambda a: f"{text(a[0])} {text(a[1])}: {VALUE}"),
    ("llm/gguf/gguf.cc", lambda a: joined(f"{text(a[0])} (byte {VALUE} of a GGUF header)", VALUE, kinds())),
    ("trace/text/element_reader", lambda a: joined(text(a[0]), f"{VALUE} byte {VALUE}", kinds())),
    ("platform/jetson/nvpmodel_conf", lambda a: joined(text(a[0]), f"{VALUE} line {VALUE}", kinds())),
    ("measure/tokens", lambda a: joined(text(a[0]), VALUE, kinds())),
    ("measure/profiling/live_profiler", lambda a: f"{VALUE} cannot be profiled: {text(a[1])}"),
    ("schedule/live/live_programs", lambda a: f"{text(a[0])}: {VALUE}: {VALUE}"),
    ("cli/run_program", lambda a: text(a[0])),
    ("workload/", lambda a: f"node '{VALUE}' ({VALUE}): {text(a[0])}"),
    ("answer/board/calibrate_local", lambda a: f"{VALUE} could not be measured in {VALUE}: {text(a[0])}"),
]
# Functions that throw: the class of the error, and (what, where, hint) from the arguments.
HELPERS = {
    "throw_errno": ("throw_errno", lambda a: (text(a[1]), subject(a[2]), "")),
    "throw_unknown_name": ("UsageError", lambda a: (f"unknown {text(a[0])} '{VALUE}'", "", f"choose one of {VALUE}")),
    "require_option": ("UsageError", lambda a: (f"{text(a[1])} is {VALUE}, but must be {text(a[3])}", "", "")),
    "require": ("UsageError", lambda a: (f"{text(a[1])} is {VALUE}, but must be {text(a[3])}" if a[3:] else text(a[-1]), "", "")),
    "fail": ("InputError", lambda a: (" ".join(map(text, a)), "", "")),
    "malformed": ("InputError", lambda a: (" ".join(map(text, a)), "", "")),
}
TESTS = re.compile(r"_test\.cc$|_fuzz\.cc$|_support\.h$|/test_|_fixture\.h$|_bench\.cc$")


def parts(expression: str, mark: str) -> list[str]:
    """Splits an expression at each `mark` outside quotes and brackets."""
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
    """Returns the value of adjacent string literals; None if the expression contains anything
    else."""
    found = re.findall(check_messages.TEXT, expression)
    rest = re.sub(check_messages.TEXT, "", expression)
    if not found or rest.strip():
        return None
    return "".join(found).replace('\\"', '"').replace("\\n", " ").replace("\\\\", "\\")


def text(expression: str) -> str:
    """Returns the text of a string expression. Values become VALUE, and `a ? b : c` becomes "b |
    c"."""
    expression = expression.strip()
    while expression.startswith("(") and expression.endswith(")") and len(parts(expression[1:-1], ")")) == 1:
        expression = expression[1:-1].strip()
    if len(ways := parts(expression, "?")) > 1:
        chosen = [text(way) for way in parts("?".join(ways[1:]), ":")]
        said = [way for way in chosen if way.strip(f"{VALUE} |")]
        return " | ".join(dict.fromkeys(said)) or VALUE
    if len(pieces := parts(expression, "+")) > 1:
        return "".join(map(text, pieces))
    called = re.match(r"(?:fmt::format|sentence|std::string)\((.*)\)$", expression, re.S)
    said = literal(check_messages.arguments(f"({called[1]})", 0)[0] if called and called[1].strip() else expression)
    if said is None:
        return "" if expression in ("", "{}") else VALUE
    return re.sub(r"\{\{|\}\}|\{[^{}]*\}", lambda m: m[0][0] if m[0] in ("{{", "}}") else VALUE, said) if called else said


def subject(expression: str) -> str:
    return "" if expression.strip() in ('""', "{}", "") else text(expression)


def joined(what: str, where: str, verbs: tuple[str, ...]) -> str:
    """Joins a message in the same way as Error (ridgewatt/base/words/error.cc)."""
    if what.startswith(verbs):
        return f"{where or VALUE} {what}"
    return f"{what}: {where}" if where else what


# Messages that consist only of the text that such a function adds.
WRAPPED = re.compile(r"\.\.: \.\. (line|byte) \.\.|\.\. \(byte .*|\.\.: '(microbench|thermal)\.\.\.' \.\.|"
                     r"node '\.\.' \(\.\.\): \.\.|\.\.: tensor '\.\.'|\.\.' must .*|\.\. is \.\.")


def kinds() -> tuple[str, ...]:
    return tuple(verb + " " for verb in check_messages.verbs())


def hint_of(expression: str, source: str) -> str:
    """Returns the text of a hint: a string, a constant or variable of the same file, or a list of
    base/suggest.h."""
    expression = expression.strip()
    if re.fullmatch(r"\w+", expression):
        value = re.search(rf"\b{expression}(?:\[\])? =\s*([^;]*);", source)
        expression = value[1] if value else ""
    if call := re.match(r"(?:ridgewatt::)?(hint_for|did_you_mean)\(", expression):
        given = check_messages.arguments(expression, call.end() - 1)
        if call[1] == "hint_for":
            return f"did you mean {VALUE}? choose one of {VALUE}"
        return f"did you mean {VALUE}?" + (f" | {found}" if (found := hint_of((given + [""] * 3)[2], source)) else "")
    hint = re.sub(r"\s+", " ", text(expression)).strip()
    return hint if re.search(r"[a-z]{2}", hint) else ""


def hint_of_fail(source: str) -> str:
    """Returns the hint that the function fail() of a file adds to every message."""
    body = re.search(r"void (?:\w+::)?fail\([^{;]*\{(.*?)\n *\}", source, re.S)
    call = body and re.search(check_messages.ERRORS + r"\(", body[1])
    given = check_messages.arguments(body[1], call.end() - 1) if call else []
    return hint_of(given[2], source) if given[2:] else ""


def messages(path: pathlib.Path, verbs: tuple[str, ...]):
    """Yields (message, hint) of each error that a source constructs."""
    place = path.relative_to(ROOT / "ridgewatt").as_posix()
    frame = next((frame for prefix, frame in FRAMES if place.startswith(prefix)), None)
    source = re.sub(r"^\s*//.*$", "", path.read_text(), flags=re.M)
    for call in re.finditer(rf"(?<!class )(?:{check_messages.ERRORS}|\b(?:{'|'.join(HELPERS)}))\(", source):
        name = call[0][:-1]
        given = check_messages.arguments(source, call.end() - 1)
        if not given or not any('"' in argument for argument in given):
            continue
        kind, of = HELPERS.get(name, (name, None))
        try:
            first, second, third = (given + ["", ""])[:3]
            if name == "require" and len(given) == 1:
                continue
            what, where, hint = of(given) if of else (text(first), subject(second), hint_of(third, source))
            if name == "fail":
                what, where, hint = (frame(given), "", hint_of_fail(source)) if frame else (what, where, hint)
        except IndexError:
            continue  # a declaration
        if place == "evaluate/parts/parts.cc" and name == "InputError" and not where:
            what = f"{VALUE} is not a part of an evaluation, because it has {what}"
            hint = "write it again with `ridgewatt evaluate ... --part K/N -o FILE`"
        message = re.sub(r"\s+", " ", re.sub(r"\.{4,}", VALUE, joined(what, where, verbs))).strip()
        if re.search(r"[a-z]{3}", message) and not WRAPPED.fullmatch(message):
            yield message, hint


def code(words: str) -> str:
    marks = "``" if "`" in words else "`"
    return f"{marks}{words}{marks}".replace("|", "\\|")


def page() -> str:
    verbs = kinds()
    modules = collections.defaultdict(dict)
    for path in sorted([*ROOT.glob("ridgewatt/**/*.cc"), *ROOT.glob("ridgewatt/**/*.h")]):
        name = path.relative_to(ROOT / "ridgewatt").as_posix()
        if TESTS.search("/" + name) or name.startswith(("base/error", "base/check_option")):
            continue
        for message, hint in messages(path, verbs):
            modules[name.split("/")[0]].setdefault((message, hint), name)
    lines = ["# Error messages", "",
             "Every error message, by the module that reports it, and the hint that follows it in the same line.",
             f"`tools/message_reference.py` generates this page from the sources. `{VALUE}` is a value: a file, a name,",
             "a number. [Exit status](../design.md#rules-of-the-code)."]
    for module, rows in sorted(modules.items()):
        lines += ["", f"## {module}", "", "| message | hint | source |", "|---|---|---|"]
        lines += [f"| {code(message)} | {hint.replace('|', chr(92) + '|')} | `{name}` |"
                  for (message, hint), name in sorted(rows.items(), key=lambda row: row[0][0].strip(". ").lower())]
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
