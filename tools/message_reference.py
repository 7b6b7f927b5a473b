#!/usr/bin/env python3
"""The catalogue of error messages, from the sources:
    tools/message_reference.py > docs/reference/messages.md
`--check` compares the page with the sources instead (part of tools/lint.sh). A message is the arguments of an exception
of ridgewatt::Error or of a function in HELPERS; where it has no hint, ADVICE says what to do."""
import collections
import pathlib
import re
import sys

import check_messages

ROOT = check_messages.ROOT
PAGE = ROOT / "docs/reference/messages.md"
VALUE = ".."  # stands for a value in a message

# What to do, where a message does not say it: of the first row whose class, path and text match.
ADVICE = [
    ("Error", "", r"embedded", "Install ridgewatt again."),
    ("Error", "", r": \.\.", "The text after the colon is the cause."),
    ("Error", "", "", "Start the command again."),
    ("InputError", "", r"internal error", "Report the error with the command that caused it."),
    ("InputError", "", r"not enough memory", "Free memory, or give a smaller task."),
    ("InputError", r"cli/run_program", "", "Check standard output and the limits of the user (`ulimit -a`)."),
    ("InputError", "", r"ONNX Runtime", "Install Node.js and run `npm ci` in tools/runtimes."),
    ("InputError", r"^workload/", "", "Export the model again; `onnx.checker` shows whether a file is valid ONNX."),
    ("InputError", r"llm/(gguf|safetensors)", "", "The file is damaged: download or convert it again."),
    ("InputError", r"llm/engine", "", "Correct the named key of the engine file, or the named row of the CSV file."),
    ("InputError", r"llm/", "", "Use the files of the model as they were published."),
    ("InputError", r"^device/|twin/(twin|cpu/|fit/runtime_twin|fit/board_number)", "",
     "Correct the named key of the board file (docs/reference/board_file.md)."),
    ("InputError", r"study/study_log", "", "Give the database of a study."),
    ("InputError", r"study/", "", "Correct the named key of the study file."),
    ("InputError", r"thermal/thermal_file", "",
     "Correct the named key, or write the file again with `ridgewatt soak -o` or `ridgewatt thermal fit -o`."),
    ("InputError", r"trace/", "", "Record the profile again, and give the complete file."),
    ("InputError", r"platform/jetson/nvpmodel", "", "Correct the named line of nvpmodel.conf."),
    ("InputError", r"platform/fake/fake_(board|heat)", "", "Create the fake board again with `ridgewatt fake-board`."),
    ("InputError", r"schedule/live/live_programs", "", "Correct the named key of the --programs file."),
    ("InputError", r"evaluate/(parts|tables|strategy_scores)|outcome", "",
     "Write the part again with `ridgewatt evaluate ... --part K/N -o FILE`."),
    ("InputError", r"store/", "", "Run `ridgewatt store check STORE`, or give another store."),
    ("InputError", r"report/", "", "Give a file that ridgewatt wrote with --format json or csv."),
    ("InputError", r"measure/tokens", "", "Give the unchanged result of the tool that measured the requests."),
    ("InputError", r"predict/baselines", "", "Train the reference again with `ridgewatt predict --train-reference`."),
    ("InputError", r"campaign/", "", "Write the named file again."),
    ("InputError", r"", r"larger than|is a (folder|directory|block|socket)", "Give another file."),
    ("InputError", r"io/csv|sweep/|roofline/|twin/fit|thermal/heat|schedule/arrivals|schedule/join|govern/|few_shot|"
     r"power_trace|power_mean|board_list|platform/fake/fake_disturbance|calibrate_local|evaluate/", "",
     "Correct the named row or column of the CSV file."),
    ("InputError", "", "", "Correct the file at the place that the message names."),
    ("NotFoundError", "", r"process", "Check the process id; the program may have ended."),
    ("NotFoundError", "", r"store has no", "Run `ridgewatt store list STORE` to see what the store has."),
    ("NotFoundError", "", r"window", "Give the number of an open window."),
    ("NotFoundError", "", r"the board has no|this board has", "Choose another board, or give clocks, not a preset."),
    ("NotFoundError", "", "", "Check the spelling of the name or path."),
    ("PermissionError", "", "", "Use a user or role with the right to do this, or another file."),
    ("IoError", "", r"already has", "Nothing is lost: the store keeps the first point."),
    ("IoError", "", r"reported", "The message ends with the error that the server reports."),
    ("IoError", "", r"mark of", "Check that the program that reads the marks still runs."),
    ("IoError", r"store/postgresql", "", "Check that the database server runs and can be reached."),
    ("IoError", r"io/http|measure/tokens", "", "Check that a server runs at the given address, and try again."),
    ("IoError", r"campaign/", r"set aside", "After a repair run `ridgewatt campaign boards PLAN --readmit SERIAL`."),
    ("IoError", r"campaign/", "", "Run the named command by hand to see why it fails."),
    ("IoError", r"platform/modes", "", "Start the command again; `ridgewatt mode restore` restores the original mode."),
    ("IoError", "", r"listen", "Choose another address or port."),
    ("IoError", r"^serve|loader|^evaluate/", "", "Free memory, and start the command again."),
    ("IoError", "", r"power", "Check with `ridgewatt sensors` that the board measures power."),
    ("IoError", "", "", "Check the disk or the device, and try again."),
    ("NotSupportedError", "", r"memory", "Give a smaller batch, or a board with more memory."),
    ("NotSupportedError", "", r"sensor|power",
     "Use a board with this sensor, or give power from an external meter (docs/guide/measure.md)."),
    ("NotSupportedError", "", r"NVML|NVIDIA|driver|clock of the GPU",
     "Check with `nvidia-smi` that the NVIDIA driver works."),
    ("NotSupportedError", "", r"lacks the program", "Install the package of ridgewatt that contains the program."),
    ("NotSupportedError", "", r"time stamps", "Give a result with time stamps."),
    ("NotSupportedError", "", r"lacks|library|older", "Install the version of the library that README.md names."),
    ("NotSupportedError", "", "", "Choose a board, runtime or precision that supports this."),
    ("UsageError", "", r"--\w", "Change the option that the message names; `ridgewatt COMMAND --help` describes it."),
    ("UsageError", "", r"::\w+ is|\w+_\w+ is \.\.", "Give a value in the stated range."),
    ("UsageError", r"^(answer|campaign|cli|device|evaluate|platform|report|serve|store|sweep|tune)/|/words/", "",
     "Change the options of the command; `--help` lists them."),
    ("UsageError", "", "", "Correct the argument of the API call; in a command, the option that sets it."),
    ("NoSolutionError", "", r"connect", "Check that both programs run and call the worker API."),
    ("NoSolutionError", "", "", "Relax a limit, or give more modes or batches to choose from."),
    ("throw_errno", "", "", "The message ends with the reason that the operating system gives."),
]
# Messages for which a row of ADVICE would not fit.
ADVICE_OF_TEXT = [
    (r"none of the planned power modes", "Plan with power modes of this device."),
    (r"evidence has no row|was not measured on|not of a training|needs a batch column", "Give another file."),
    (r"stream is too long", "Check that the URL is that of a server of language models."),
    (r"valid TOML", "Correct the named line."),
    (r"cannot be profiled: ",
     "Check that COMMAND marks its minibatches (docs/guide/measure.md) and that power is measured."),
    (r"line is longer", "Give the output of `tegrastats`."),
    (r"PEM\)", "Give a file in the PEM format."),
    (r"token in the file", "Write another token into the file."),
    (r"no row with fixed clocks", "Give a sweep of modes with fixed clocks."),
    (r"/proc/meminfo", "Check that /proc is mounted."),
    (r"CUDA microbenchmark failed", "The message ends with the reason that CUDA gives."),
    (r"CUDA microbenchmarks is from", "Install the library of the same version of ridgewatt."),
    (r"no file descriptor", "Close files that the calling program leaves open."),
    (r"the board did not set", "Check that no other program sets the power mode."),
    (r"database error", "The message ends with the reason that the database gives."),
    (r"published findings", "Give another board."),
    (r"no regular files", "Give a folder with files."),
    (r"results have no figures", "Write HTML, or give results that have figures."),
    (r"folder for the socket", "Give --socket, or set XDG_RUNTIME_DIR."),
    (r"no row of .* at batch", "Give a point of the sweep, or another sweep."),
    (r"point to profile for", "Give more modes or batches."),
    (r"can run the model", "The message ends with the reason."),
    (r"filter of the sandbox", "Give --limits-alone, or use a kernel with seccomp."),
    (r"tegrastats cannot", "Check that `tegrastats` is installed and can be run."),
    (r"settings of the live view", "Give --once, or use another terminal."),
    (r"clocks of the power mode", "Give a power mode that the board file lists."),
    (r"RAPL", "Run as root."),
    (r"no power sample was taken", "Record power during the requests, with time stamps of the same clock."),
    (r"a profile cannot start", "Give more boards, or more profiles."),
    (r"implausible rows", "Delete the printed rows, or measure their points again."),
    (r"no finished run", "Run the study first."),
    (r"newer version of ridgewatt", "Use a newer version of ridgewatt."),
    (r"no power was measured", "Check with `ridgewatt sensors` that the board measures power."),
    (r"more than 16 power channels", "Report the board and its channels."),
    (r"states no power limit", "Give another board."),
    (r"ratio of spans|unit that findings|KEY=VALUE|=\.\. has no valid|not a knob: ", "Correct the named finding."),
    (r"JSON list of targets", "Write a list of targets as Prometheus reads it."),
    (r"id of a submission", "Give the id that `ridgewatt campaign status` prints."),
    (r"measurement (has a|was (a|n))|window (has|with)|the search is", "Start, use and end the measurement in this order."),
    (r"rows in an unknown format", "Report the version of the database server."),
    (r"(interference|sharing) could not", "The message says how to run the programs."),
    (r"path with its value", "Report the path with the type of the board."),
]
# What the function fail() of a file adds to its arguments.
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
    ("answer/board/calibrate_local", lambda a: f"{VALUE} could not be measured in ONNX Runtime: {text(a[0])}"),
]
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


# What such a function throws, without its arguments.
WRAPPED = re.compile(r"\.\.: \.\. (line|byte) \.\.|\.\. \(byte .*|\.\.: '(microbench|thermal)\.\.\.' \.\.|"
                     r"node '\.\.' \(\.\.\): \.\.|\.\.: tensor '\.\.'|\.\.' must .*|\.\. is \.\.")


def kinds() -> tuple[str, ...]:
    return tuple(verb + " " for verb in check_messages.verbs())


def advice_of(kind: str, name: str, message: str) -> str:
    for words, advice in ADVICE_OF_TEXT:
        if re.search(words, message):
            return advice
    return next(advice for of, path, words, advice in ADVICE
                if of == kind and re.search(path, name) and re.search(words, message))


def messages(path: pathlib.Path, verbs: tuple[str, ...]):
    """(message, what to do) of each error that a source constructs."""
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
            what, where, hint = of(given) if of else (text(first), subject(second), text(third))
            if name == "fail" and frame:
                what, where = frame(given), ""
        except IndexError:
            continue  # a declaration
        if place == "evaluate/parts/parts.cc" and name == "InputError" and not where:
            what = f"{VALUE} is not a part of an evaluation, because it has {what}"
        message = re.sub(r"\s+", " ", re.sub(r"\.{4,}", VALUE, joined(what, where, verbs))).strip()
        if re.search(r"[a-z]{3}", message) and not WRAPPED.fullmatch(message):
            advice = re.sub(r"\s+", " ", hint).strip()
            yield message, advice if re.search(r"[a-z]{2}", advice) else advice_of(kind, place, message)


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
