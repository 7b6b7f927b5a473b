#!/usr/bin/env python3
"""Finds code of the command line that does not use the safe functions. remark() prints remarks and
escapes them. write_output() writes results and replaces only regular files. quantity() reads
numbers and rejects those that are not finite or out of range. Tables and JSON come from `report` or
`evaluate`."""
import pathlib
import re
import sys

RULES = [
    # pattern, files in which it is allowed, what to do instead
    (r"std::cerr|\bstderr\b", {"command.cc", "run_program.cc"}, "say it with remark()"),
    (r"write_file_atomically|std::ofstream|\bO_CREAT\b", set(), "write it with write_output()"),
    (r"\bfopen\(", {"cmd_schedule_run.cc"}, "write it with write_output(); a log that grows may stay open"),
    (r"report::Column\b|report::Cell\b|\.add_row\(|report::(?:Table|Rows) [a-z_]+(?:\(\{|\{|;)|report::(?:Table|Rows)[({]"
     r"|\btable_of<|\breport::rows_of\(", set(), "declare the table in report, with table_of()"),
    # The allowed files write other JSON than results: schema and program of a report, parameters of
    # a study, files for the laboratory and the server. cmd_llm.cc adds figures.
    (r"\bJson(?: [a-z_]+)?(?:;|\{| = \{)|\bJson::(?:array|object)\(|\bjson\[|\bnlohmann::|\w\[\"\"\] =[^=]",
     {"command.cc", "cmd_help.cc", "cmd_study.cc", "part_options.cc", "cmd_serve.cc", "cmd_llm.cc"},
     "write the JSON in report (report/result.h)"),
    (r"CLI::(?:PositiveNumber|NonNegativeNumber|Range|Number)\b", set(), "declare it with quantity()"),
]

faults = []
root = pathlib.Path(__file__).resolve().parent.parent
for path in sorted((root / "ridgewatt" / "cli").rglob("*.[ch]*")):
    if path.name.endswith("_test.cc"):
        continue
    for number, line in enumerate(path.read_text().splitlines(), 1):
        code = re.sub(r"//.*|\"(?:\\.|[^\"\\])*\"", lambda m: "" if m[0].startswith("//") else '""', line)
        for pattern, allowed, instead in RULES:
            if path.name not in allowed and re.search(pattern, code):
                faults.append(f"{path.relative_to(root)}:{number}: {instead}: {line.strip()}")
print("\n".join(faults) if faults else "commands: remarks, results, tables and numbers have one way each")
sys.exit(1 if faults else 0)
