#!/usr/bin/env python3
"""Checks that each option and each of its choices is declared once: in a row of
ridgewatt/answer/parameters, in one call of OptionAdder, or in the names of an enum. Finds
  * options with the same name and help sentence that are declared in two places
  * options that are declared with CLI11 directly, which this script and the tests cannot see
  * comparisons of a text with the name of an enumerator instead of the enumerator
  * lists of choices in the declaration of an option
Positional arguments (upper case) are not checked."""
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TEXTS = r'((?:"(?:\\.|[^"\\])*"\s*)+)'

# Options that may be declared twice because their values differ, with the difference.
TWICE = {
    "--bound": "of a grid of problems in the laboratory, of one problem in the rows",
    "--dataset-size": "a whole number of samples in the rows, any number for `govern`",
    "--epochs": "`govern` has no rows: its goals are chosen while a program runs",
    "--jitter": "of a simulated day and of a trace, which have no question in common",
    "--kind": "filters of two questions to a store",
    "--max-celsius": "`mode apply` holds a mode without measuring points",
    "--parameters": "of two fits of the laboratory",
    "--prefetch": "of a real loader and of a modelled one",
    "--sweep": "of two evaluations of the laboratory",
    "--workers": "of boards in rounds and of a modelled loader",
    "--workload": "filters of two questions to a store, and of two evaluations and a study",
}
# Names of enumerators that are compared with another meaning.
WORDS = {
    "device": "a column or a key",
    "mode": "a part of an address",
    "none": "a header of HTTP",
    "json": "a form that only the HTTP interface limits",
    "csv": "a form that only the HTTP interface limits",
    "local": "a device: this machine",
    "published": "evidence that the program brings along",
    "fits": "a command",
    "idle": "a key of a board of `federate`",
}
COMPARING = ["cli", "answer", "report", "serve/ask"]
# Methods of OptionAdder that declare an option.
ADDERS = ("number|optional|numbers|text|named|repeated|list|words|board|model|stated|choice|choices|one_of|input|inputs|"
          "output|flag")
# Files that convert OptionAdder calls and rows to options of CLI11.
DECLARING = {"option_adder.h", "parameters.cc"}


def literal(text):
    return "".join(re.findall(r'"((?:\\.|[^"\\])*)"', text))


def call_at(text, begin):
    """Returns the text inside the parentheses that open at `begin`."""
    depth, at, quoted = 0, begin, False
    while True:
        c = text[at]
        if quoted:
            if c == "\\":
                at += 1
            elif c == '"':
                quoted = False
        elif c == '"':
            quoted = True
        elif c in "({[":
            depth += 1
        elif c in ")}]":
            depth -= 1
            if depth == 0:
                return text[begin + 1:at]
        at += 1


def sources(folder):
    for path in sorted((ROOT / "ridgewatt" / folder).rglob("*.[ch]*")):
        if not path.name.endswith(("_test.cc", "_fuzz.cc", "_support.h")):
            yield path, re.sub(r"^\s*//.*", "", path.read_text(), flags=re.M)


def declared():
    """Returns {(option, help): [file]}."""
    found = collections.defaultdict(list)
    for path, text in sources("cli"):
        adder = rf'\.\s*(?:{ADDERS})\(\s*"(-[^"]+)"'
        for call in re.finditer(adder, text):
            texts = re.findall(TEXTS, call_at(text, text.index("(", call.start())))
            name = call[1].split(",")[-1]
            found[name, literal(texts[-1]) if len(texts) > 1 else ""].append(path)
    for path, text in sources("answer/parameters"):
        for row in re.finditer(r'\.name = "([^"]+)",\s*\.help =\s*' + TEXTS, text):
            found["--" + row[1], literal(row[2])].append(path)
    return found


def members():
    """Returns the names of the enumerators of all enums with names."""
    names = set()
    for path in (ROOT / "ridgewatt").rglob("*.h"):
        text = path.read_text()
        for table in re.finditer(r"\bnamed<\w+>\(", text):
            names.update(re.findall(r'"([^"]+)"', call_at(text, table.end() - 1)))
        # Rows of a table (base/enum_rows.h).
        names.update(re.findall(r'\{\s*(?:\.id = )?\w+::k\w+,\s*(?:\.name = )?"([^"]+)"', text))
    return names


faults = []
used = set()
for (name, sentence), places in declared().items():
    if len(places) < 2:
        continue
    if name in TWICE:
        used.add(name)
        continue
    where = ", ".join(str(place.relative_to(ROOT)) for place in places)
    faults.append(f"{where}: {name} is declared {len(places)} times as '{sentence}': declare it once, "
                  "in OptionAdder or as a row")
faults += [f"tools/check_options.py: {name} is excepted but written once" for name in TWICE if name not in used]
for path, text in sources("cli"):
    if path.name in DECLARING:
        continue
    for number, line in enumerate(text.splitlines(), 1):
        if re.search(r'add_(?:option|flag)\w*(?:<[^>]*>)?\(\s*"-|CLI::(?:IsMember|CheckedTransformer|Transformer)\b', line):
            faults.append(f"{path.relative_to(ROOT)}:{number}: declares an option by CLI11: use OptionAdder or a row")
closed = members() - set(WORDS)
for folder in COMPARING:
    for path, text in sources(folder):
        for number, line in enumerate(text.splitlines(), 1):
            for word in re.findall(r'[=!]= "([\w.-]+)"', line) + re.findall(r'"([\w.-]+)"(?:sv?)? [=!]= ', line):
                if word in closed:
                    faults.append(f"{path.relative_to(ROOT)}:{number}: compares with the name '{word}' of a closed set: "
                                  "compare with its enumerator")
            if re.search(r'\b(?:one_of|list_names)\(.*\{\{?"', line):
                faults.append(f"{path.relative_to(ROOT)}:{number}: choices are written where the option is declared: "
                              "take the names of an enum")
print("\n".join(faults) if faults else "options: each is declared once, and so are its choices")
sys.exit(1 if faults else 0)
