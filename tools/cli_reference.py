#!/usr/bin/env python3
"""The reference of the command line, from what the program says of itself:
    tools/cli_reference.py build/ridgewatt/ridgewatt > docs/reference/cli.md
A test (CommandReference in cli_test) holds the page against the program."""
import json
import subprocess
import sys


def words(option: dict) -> str:
    """How an option is written: `-o, --output FILE`."""
    names = ", ".join(option["names"])
    value = option.get("value", "")
    text = names if option["positional"] or option["kind"] == "flag" or not value else f"{names} {value}"
    return f"`{text}`"


def meaning(option: dict) -> str:
    parts = [option["description"]]
    if option["choices"] and not any(choice in option["description"] for choice in option["choices"]):
        parts.append("one of " + ", ".join(f"`{choice}`" for choice in option["choices"]))
    if option["default"]:
        parts.append(f"default `{option['default']}`")
    if option["required"]:
        parts.append("required")
    if option["repeats"]:
        parts.append("may be repeated")
    return "; ".join(parts).replace("|", "\\|")


def table(options: list) -> list:
    lines = ["", "| option | meaning |", "|---|---|"]
    lines += [f"| {words(option).replace('|', chr(92) + '|')} | {meaning(option)} |" for option in options]
    return lines if options else []


def section(command: dict, shared: list) -> list:
    own = [option for option in command["options"] if option["names"] not in shared]
    lines = ["", f"## {command['name']}", command["description"] + "."]
    if command.get("example"):
        lines += ["", "```text", *(line.strip() for line in command["example"].splitlines()), "```"]
    lines += table(own)
    for child in command["commands"]:
        lines += section(child, shared)
    return lines


def main() -> None:
    program = sys.argv[1]
    data = json.loads(subprocess.run([program, "help", "--format", "json"], check=True, stdout=subprocess.PIPE).stdout)
    everywhere = [option for option in data["options"] if option["group"] == "Options of every command"]
    shared = [["-h", "--help"], ["--version"]] + [option["names"] for option in everywhere]
    lines = ["# Commands and their options",
             "Printed by `tools/cli_reference.py` from `ridgewatt help --format json`. How numbers and units",
             "are written stands in [options.md](options.md).",
             "", "## Options of every command", *table(everywhere)]
    groups = {}
    for command in data["commands"]:
        groups.setdefault(command["group"], []).append(command)
    for group, commands in groups.items():
        lines += ["", f"# {group}"]
        for command in commands:
            lines += section(command, shared)
    print("\n".join(lines))


main()
