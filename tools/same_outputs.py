#!/usr/bin/env python3
"""Compares the output of two builds of the program. `record` runs every line of commands.txt, the
examples in the help of commands that only answer questions, and an example with each option that
occurs in no other line. It records output, exit status and written files. `compare` prints the
differences of two recordings.

    tools/same_outputs.py record PROGRAM FOLDER [--shared DIR] [--jobs N] [--commands FILE]
    tools/same_outputs.py compare FOLDER_A FOLDER_B [--ignore-keys FILE] [--lines N]

The file of --ignore-keys has lines `old new` with names of JSON keys, CSV columns or options that
were renamed on purpose. They are replaced in A before the comparison. In a text that changes by
this, the width of columns does not count."""
import argparse
import concurrent.futures
import difflib
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ANSWERING = ("Models", "Boards", "Answers")  # groups of the help whose examples are recorded
LONGEST = 300  # time limit of a line (s)
LARGEST = 4 << 20  # largest file that is kept, not only its checksum (bytes)
CLOCKS = ("trans_stat", "time_in_state")  # files of fake boards that count time


def read_commands(path):
    """Returns the groups of command lines, {name: [line]}. `# [fresh] NAME` begins a group, which
    has its own empty folder."""
    groups, name = {}, "first"
    for line in path.read_text().splitlines():
        line = line.strip()
        if begin := re.match(r"#\s*\[fresh\]\s*([\w-]+)", line):
            name = begin[1]
            if name in groups:
                sys.exit(f"{path}: group {name} twice")
        elif line and not line.startswith("#"):
            groups.setdefault(name, []).append(line)
    return groups


def is_answered(line):
    """Whether an example of the help is recorded, because it starts no other program and reads no
    sensors."""
    return " -- " not in line and " local" not in line


def recorded_options(lines, commands):
    """Returns {(command, name of an option)} of command lines. Words after -- belong to another
    program."""
    found = set()
    for line in lines:
        for call in re.split(r"(?=\$RIDGEWATT\b)|(?=\bridgewatt )", line):
            words = re.sub(r"^(\$RIDGEWATT|ridgewatt)\s*", "", call).split(" -- ")[0].split()
            command = ""
            for word in words:
                deeper = f"{command} {word}".strip()
                if deeper in commands:
                    command = deeper
                elif word.startswith("-"):
                    found.add((command, word.split("=")[0]))
    return found


def with_option(example, option):
    """Adds an option of the command, with the simplest value of its kind, to the example."""
    value = {"flag": "", "number": option["default"] or "1"}.get(option["kind"], "absent")
    if option["choices"]:
        value = option["choices"][-1]
    return f"{example} {option['names'][-1]} {value}".strip()


def examples(program, lines):
    """Returns the examples of commands that only answer, as lines of commands.txt. For each option
    of such a command that occurs in no example and not in `lines`, adds the first example with that
    option."""
    result = json.loads(subprocess.run([program, "help", "--format", "json"], check=True, stdout=subprocess.PIPE).stdout)
    commands, found = {}, []

    def walk(command, group):
        if group in ANSWERING:
            shown = [line.strip() for line in (command["example"] or "").splitlines()]
            shown = [re.sub("^ridgewatt", "$RIDGEWATT", line) for line in shown if line and is_answered(line)]
            found.extend(shown)
            commands[command["name"].removeprefix("ridgewatt ")] = (shown, command["options"])
        for inner in command["commands"]:
            walk(inner, group)

    for command in result["commands"]:
        walk(command, command["group"])
    known = recorded_options([*lines, *found], commands)
    for name, (shown, options) in commands.items():
        for option in options if shown else []:
            own = not option["positional"] and option["group"] not in ("Options of every command", "Tables")
            if own and option["names"][-1] != "--help" and not any((name, one) in known for one in option["names"]):
                found.append(with_option(shown[0], option))
    return found


def uses_shared(line):
    return re.search(r"\$SHARED\b|\$\{SHARED\}", line) is not None


def run_line(line, work, environment):
    """Returns status, standard output and standard error of a line."""
    process = subprocess.Popen(["bash", "-c", line], cwd=work, env=environment, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    try:
        out, err = process.communicate(timeout=LONGEST)
        return str(process.returncode), out, err
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        return f"none: ended after {LONGEST} s", out, err


def run_group(name, lines, root, words, shared):
    """Runs a group and returns [(line, text of its record, seconds)]."""
    work = root / "work" / name
    home = root / "home" / name
    for folder in (work, home / "run", home / "state"):
        folder.mkdir(parents=True, mode=0o700)
    # A fixed environment, so that the variables of the caller do not affect the record.
    environment = {
        "PATH": f"{root / 'bin'}:/usr/local/bin:/usr/bin:/bin", "HOME": str(home), "XDG_RUNTIME_DIR": str(home / "run"),
        "XDG_STATE_HOME": str(home / "state"), "COLUMNS": "120", "LC_ALL": "C.UTF-8", "TZ": "UTC", "TERM": "dumb",
        "RIDGEWATT": str(root / "bin" / "ridgewatt"), "TMPDIR": str(home),
    }
    if shared:
        environment["SHARED"] = str(root / "shared")
    answers = []
    for line in lines:
        if uses_shared(line) and not shared:
            answers.append((line, f"$ {line}\nskipped\n", 0.0))
            continue
        begin = time.monotonic()
        status, out, err = run_line(line, work, environment)
        out, err = (without_paths(stream, words).decode(errors="backslashreplace") for stream in (out, err))
        answers.append((line, f"$ {line}\nstatus {status}\n--- output\n{out}--- errors\n{err}", time.monotonic() - begin))
    return answers


def without_paths(content, words):
    for path, word in words:
        content = content.replace(path.encode(), word.encode())
    return content


def keep_files(work, folder, words):
    """Copies the files that the lines wrote, and lists their checksums. Replaces paths in them by
    the words for these paths."""
    lines = []
    for path in sorted(work.rglob("*")):
        name = path.relative_to(work)
        if path.is_symlink():
            lines.append(f"link to {without_paths(os.readlink(path).encode(), words).decode()}  {name}")
        elif path.is_file() and path.name not in CLOCKS:
            content = without_paths(path.read_bytes(), words)
            lines.append(f"{hashlib.sha256(content).hexdigest()}  {name}")
            if len(content) <= LARGEST:
                copy = folder / "files" / name
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_bytes(content)
        elif not path.is_dir() and not path.is_file():
            lines.append(f"neither file nor folder  {name}")
    (folder / "manifest.txt").write_text("".join(line + "\n" for line in lines))
    return len(lines)


def record(arguments):
    program = pathlib.Path(arguments.program).resolve()
    if not os.access(program, os.X_OK):
        sys.exit(f"{program}: not a program")
    folder = pathlib.Path(arguments.folder)
    if folder.exists():
        if any(folder.iterdir()) and not (folder / "manifest.txt").exists():
            sys.exit(f"{folder}: neither empty nor a recording")
        shutil.rmtree(folder)
    shared = pathlib.Path(arguments.shared).resolve()
    shared = shared if shared.is_dir() else None
    groups = read_commands(pathlib.Path(arguments.commands))
    groups["examples"] = examples(program, [line for group in groups.values() for line in group])
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="same-") as temporary:
        # Uses links, so that the length of a path does not affect the width of tables or line
        # breaks.
        root = pathlib.Path(temporary).resolve()
        (root / "bin").mkdir()
        (root / "bin" / "ridgewatt").symlink_to(program)
        words = [(str(root / "bin" / "ridgewatt"), "$RIDGEWATT"), (str(program), "$RIDGEWATT")]
        if shared:
            (root / "shared").symlink_to(shared)
            words += [(str(root / "shared"), "$SHARED"), (str(shared), "$SHARED")]
        words.append((str(root), "$TEMPORARY"))
        os.umask(0o022)
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            tasks = {name: pool.submit(run_group, name, lines, root, words, shared) for name, lines in groups.items()}
            answers = {name: task.result() for name, task in tasks.items()}
        for name, group in answers.items():
            (folder / "lines" / name).mkdir(parents=True)
            for number, (_, text, _) in enumerate(group, 1):
                (folder / "lines" / name / f"{number:03}.txt").write_text(text)
        files = keep_files(root / "work", folder, words)
    every = [answer for group in answers.values() for answer in group]
    skipped = sum(text.endswith("\nskipped\n") for _, text, _ in every)
    for line, _, seconds in sorted(every, key=lambda answer: -answer[2])[:arguments.slowest]:
        print(f"{seconds:6.2f} s  {line}")
    print(f"{len(every)} lines, {skipped} skipped, {files} files, {time.monotonic() - begin:.1f} s")


def without_schema(text):
    """Converts JSON results to their form without the key "schema", in which a result with only
    rows is an array. Removes remarks on old names of options."""
    text = re.sub(r'^\{"schema":"ridgewatt\.[^"]*",', "{", text, flags=re.MULTILINE)
    text = re.sub(r"^--[\w-]+ is now --[\w-]+\n", "", text, flags=re.MULTILINE)
    lines, result, i = text.split("\n"), [], 0
    while i < len(lines):
        if lines[i] != "{" or i + 1 >= len(lines) or not lines[i + 1].startswith('  "schema": "ridgewatt.'):
            result.append(lines[i])
            i += 1
            continue
        end = lines.index("}", i) if "}" in lines[i:] else len(lines) - 1
        inner = lines[i + 2:end]
        if inner and inner[0].startswith('  "rows": [') and not any(line.startswith('  "') for line in inner[1:]):
            result += [inner[0].removeprefix('  "rows": ')] + [line[2:] for line in inner[1:]]
        else:
            result += ["{", *inner, "}"]
        i = end + 1
    return "\n".join(result)


def renamed(text, names):
    """Replaces the names as whole words. Returns the text and whether it changed."""
    changes = 0
    for old, new in names:
        text, count = re.subn(rf"(?<![\w-]){re.escape(old)}(?![\w-])", lambda _: new, text)
        changes += count
    return text, changes > 0


def same(a, b, loosely):
    """Whether two texts are equal. `loosely` ignores spaces, line ends and rules of tables, which
    depend on the width of names."""
    if a == b or not loosely:
        return a == b
    return [word for word in a.split() if word.strip("-─")] == [word for word in b.split() if word.strip("-─")]


def show_difference(title, a, b, most):
    print(f"=== {title}")
    lines = list(difflib.unified_diff(a.splitlines(), b.splitlines(), "A", "B", n=0, lineterm=""))[2:]
    for line in lines[:most]:
        print(line if len(line) <= 220 else line[:220] + " ..")
    if len(lines) > most:
        print(f".. and {len(lines) - most} lines more")


def recorded_lines(folder, names):
    """Returns {(group, command, number of equal commands before it): (title, text, renamed?)}, in
    order."""
    found = {}
    for path in sorted((folder / "lines").glob("*/*.txt")):
        text, changed = renamed(without_schema(path.read_text()), names)
        command = text[2:text.index("\n")]
        number = 0
        while (key := (path.parent.name, command, number)) in found:
            number += 1
        found[key] = (f"{path.parent.name}/{path.stem}: {command}", text, changed)
    return found


def recorded_files(folder):
    manifest = (folder / "manifest.txt").read_text().splitlines()
    return {name: checksum for checksum, name in (line.split("  ", 1) for line in manifest)}


def text_of(path):
    try:
        return path.read_bytes().decode()
    except (OSError, UnicodeDecodeError):
        return None


def compare(arguments):
    a, b = pathlib.Path(arguments.a), pathlib.Path(arguments.b)
    for folder in (a, b):
        if not (folder / "manifest.txt").exists():
            sys.exit(f"{folder}: not a recording")
    names = []
    if arguments.ignore_keys:
        for line in pathlib.Path(arguments.ignore_keys).read_text().splitlines():
            fields = line.split("#")[0].split()
            if fields and len(fields) != 2:
                sys.exit(f"{arguments.ignore_keys}: not 'old new': {line}")
            names += [tuple(fields)] if fields else []
    equal = total = skipped = 0
    lines_a, lines_b = recorded_lines(a, names), recorded_lines(b, [])
    for key in lines_a | lines_b:
        if key not in lines_a or key not in lines_b:
            total += 1
            print(f"=== only in {'A' if key in lines_a else 'B'}: {(lines_a.get(key) or lines_b[key])[0]}")
            continue
        title, text_a, changed = lines_a[key]
        text_b = lines_b[key][1]
        if text_a.endswith("\nskipped\n") or text_b.endswith("\nskipped\n"):
            skipped += 1
            continue
        total += 1
        if same(text_a, text_b, changed):
            equal += 1
        else:
            show_difference(title, text_a, text_b, arguments.lines)
    of_lines = (equal, total)
    files_a, files_b = recorded_files(a), recorded_files(b)
    for name in sorted(files_a | files_b):
        if skipped and (name not in files_a or name not in files_b):
            continue  # a skipped line writes no file
        total += 1
        if files_a.get(name) == files_b.get(name):
            equal += 1
            continue
        text_a, text_b = text_of(a / "files" / name), text_of(b / "files" / name)
        if text_a is None or text_b is None:
            print(f"=== file {name}: {files_a.get(name, 'only in B')} and {files_b.get(name, 'only in A')}")
            continue
        text_a, changed = renamed(without_schema(text_a), names)
        text_b = without_schema(text_b)
        if same(text_a, text_b, changed):
            equal += 1
        else:
            show_difference(f"file {name}", text_a, text_b, arguments.lines)
    print(f"lines {of_lines[0]} of {of_lines[1]}, files {equal - of_lines[0]} of {total - of_lines[1]}, "
          f"{skipped} lines skipped")
    print(f"{equal} of {total} the same")
    return 0 if equal == total else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("record", help="run all lines and keep what they wrote")
    one.add_argument("program")
    one.add_argument("folder", help="new, empty, or an older recording, which is replaced")
    one.add_argument("--shared", default=HERE.parent.parent / "shared",
                     help="folder of the reference data; lines that need it are skipped without it")
    one.add_argument("--jobs", type=int, default=1, help="groups that run at once")
    one.add_argument("--commands", default=HERE / "commands.txt")
    one.add_argument("--slowest", type=int, default=5, help="lines shown with their seconds")
    one.set_defaults(run=record)
    two = commands.add_parser("compare", help="show where two recordings differ")
    two.add_argument("a")
    two.add_argument("b")
    two.add_argument("--ignore-keys", metavar="FILE", help="lines 'old new': renamed on purpose")
    two.add_argument("--lines", type=int, default=12, help="lines of each difference that are shown")
    two.set_defaults(run=compare)
    arguments = parser.parse_args()
    sys.exit(arguments.run(arguments))


if __name__ == "__main__":
    main()
