#!/usr/bin/env python3
"""Checks that tools/same_outputs.py records a line with every option of every command. The line is
in tools/commands.txt. Commands that only answer questions need none, because same_outputs.py tries
their options by itself. The options are those of docs/reference/cli.md, which a test compares with
the program."""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from same_outputs import ANSWERING, is_answered, read_commands, recorded_options  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
EVERY_COMMAND = {"--output", "--wide", "--top", "--sort", "--columns"}


def options_of(page):
    """Returns {command: [names of an option]}, and the commands whose options same_outputs.py tries
    by itself."""
    options, by_itself, name, group, fenced = {}, set(), "", "", False
    for line in page.splitlines():
        if line.startswith("```"):
            fenced = line == "```text"
        elif fenced:
            if group in ANSWERING and is_answered(line):
                by_itself.add(name)
        elif line.startswith("# "):
            group = line[2:]
        elif line.startswith("## ridgewatt "):
            name = line.removeprefix("## ridgewatt ")
            options[name] = []
        elif name and (row := re.match(r"\| `(-[^`]+)` \|", line)):
            options[name].append(re.findall(r"(?<!\w)--?[\w-]+", row[1]))
    return options, by_itself


commands, tried = options_of((ROOT / "docs/reference/cli.md").read_text())
recorded = recorded_options([line for group in read_commands(ROOT / "tools/commands.txt").values() for line in group], commands)
faults = [f"tools/commands.txt: no line has {names[-1]} of '{command}': add it to a line, or a line that is refused"
          for command, options in commands.items() if command not in tried for names in options
          if names[-1] not in EVERY_COMMAND and not any((command, name) in recorded for name in names)]
print("\n".join(faults) if faults else "recorded lines: every option of every command")
sys.exit(1 if faults else 0)
