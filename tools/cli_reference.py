#!/usr/bin/env python3
"""Prints the reference of the command line from the help of the program:
    tools/cli_reference.py build/ridgewatt/ridgewatt > docs/reference/cli.md
A test (CommandReference in cli_test) compares the page with the program."""
import json
import subprocess
import sys


def words(option: dict) -> str:
    """Returns the syntax of an option: `-o, --output FILE`."""
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


def reference(program: str, *command: str) -> dict:
    """Returns the help of a command. If another program implements the command, returns its
    help."""
    words = [program, "help", *command, "--format", "json"]
    data = json.loads(subprocess.run(words, check=True, stdout=subprocess.PIPE).stdout)
    data["commands"] = [reference(program, *one["name"].split()[1:]) if "program" in one else one
                        for one in data["commands"]]
    return data


def main() -> None:
    data = reference(sys.argv[1])
    everywhere = [option for option in data["options"] if option["group"] == "Options of every command"]
    shared = [["-h", "--help"], ["--version"]] + [option["names"] for option in everywhere]
    lines = ["# Commands and their options",
             "Printed by `tools/cli_reference.py` from `ridgewatt help --format json`.",
             "[options.md](options.md) describes how numbers and units are written.",
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
