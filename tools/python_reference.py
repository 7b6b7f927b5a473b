#!/usr/bin/python3
"""Prints the reference of the Python package from its docstrings, and the stubs of its compiled
part:
    PYTHONPATH=build/python tools/python_reference.py docs > docs/reference/python.md
    PYTHONPATH=build/python tools/python_reference.py stubs > python/ridgewatt/_core.pyi
    PYTHONPATH=build/python tools/python_reference.py questions > python/ridgewatt/questions.pyi
    PYTHONPATH=build/python tools/python_reference.py llm > python/ridgewatt/llm.pyi
    PYTHONPATH=build/python tools/python_reference.py schedule > python/ridgewatt/schedule.pyi
    PYTHONPATH=build/python tools/python_reference.py live > python/ridgewatt/live.pyi
python/tests/test_reference.py checks that they are up to date."""
import inspect
import re
import sys
import textwrap
from typing import Any

import ridgewatt
from ridgewatt import parameters as parameters_of_questions
from ridgewatt import (_core, learning, lightning, live, llm, measuring, modes, monitor, progress, questions, schedule,
                       torch, transformers)

WIDTH = 100
OF_VALUES = ("__eq__", "__hash__", "__reduce__")
NOTEBOOK = {"to_frame": "self) -> Any", "_repr_html_": "self) -> str",
            "plot": "self, ax: Any = ...) -> Any"}
TYPES = {"object": "Any", "list": "list[Any]", "dict": "dict[str, Any]", "tuple": "tuple[Any, ...]"}


def classes():
    """Returns the classes of the compiled part."""
    return [kind for _, kind in sorted(vars(_core).items()) if inspect.isclass(kind)]


def python_type(text):
    """Converts a type from the notation of pybind11 to that of a stub."""
    text = text.strip().split(".")[-1]
    return TYPES.get(text, text)


def result(doc):
    """Returns the result type in the first line of a pybind11 docstring."""
    found = re.search(r"-> ([\w.]+)\s*$", (doc or "").strip().split("\n")[0])
    return python_type(found.group(1)) if found else "Any"


def list_type(of, meaning):
    """Returns the type of a list with its element type, if the description states it: "a list of
    Relaxation"."""
    row = re.search(r"\blist of (\w+)", meaning) if of == "list[Any]" else None
    return f"list[{row.group(1)}]" if row and inspect.isclass(vars(_core).get(row.group(1))) else of


def parameters(doc):
    """Returns the parameters of a bound function, all with the type Any."""
    text = re.search(r"\((.*)\)", (doc or "()").strip().split("\n")[0])
    made = []
    for part in re.split(r", (?=[\w*]+:|\*)", text.group(1) if text else ""):
        name = part.split(":")[0].strip()
        if name.startswith("*"):
            made.append(name + ": Any")
        elif name and name != "self":
            made.append(name + ": Any" + (" = ..." if "=" in part else ""))
    return made


def attributes(kind):
    """Yields (name, type, meaning) of every attribute, beginning with those in the list of
    fields."""
    fields = getattr(kind, "_fields", {})
    names = list(fields) + sorted(name for name, value in vars(kind).items()
                                  if isinstance(value, property) and name not in fields)
    for name in names:
        of = vars(kind)[name]
        meaning = of.__doc__ or ""
        yield name, fields.get(name) or list_type(result(of.fget.__doc__), meaning), meaning


def methods(kind):
    for name, value in sorted(vars(kind).items()):
        if callable(value) and not isinstance(value, property) and not inspect.isclass(value):
            yield name, value


def stub_method(kind, name, value):
    if name in NOTEBOOK:
        return [f"    def {name}({NOTEBOOK[name]}: ..."]
    if name in OF_VALUES and inspect.isfunction(value):
        return []  # from ridgewatt.values; the types are those of `object`
    if inspect.isfunction(value):  # a method that the package adds
        given = re.sub(r"=\w+", ": Any = ...", str(unannotated(value)))
        return [f"    def {name}{given.replace('**options', '**options: Any')} -> Any: ..."]
    if name == "__init__":
        return ["    def __init__(self, *args: Any, **kwargs: Any) -> None: ..."]
    if name == "__eq__":
        return ["    def __eq__(self, other: object) -> bool: ..."]
    if name == "__getitem__":
        row = re.search(r"index: \w+\) -> ([\w.]+)", value.__doc__)
        row = python_type(row.group(1)) if row else "Any"
        return ["    @overload", f"    def __getitem__(self, index: int) -> {row}: ...",
                "    @overload", f"    def __getitem__(self, index: slice) -> list[{row}]: ..."]
    if name == "__copy__":
        return [f"    def __copy__(self) -> {kind.__name__}: ..."]
    if name == "__deepcopy__":
        return [f"    def __deepcopy__(self, memo: dict[Any, Any]) -> {kind.__name__}: ..."]
    if name in ("__repr__", "__str__"):
        return [f"    def {name}(self) -> str: ..."]
    if name.startswith("__") and name not in ("__len__", "__bool__", "__hash__", "__enter__", "__exit__"):
        return []
    given = ", ".join(["self", *parameters(value.__doc__)])
    of = result(value.__doc__).replace("list[", "List[")  # a method may have the name list
    return [f"    def {name}({given}) -> {of}: ..."]


def stubs():
    lines = ["# Made by tools/python_reference.py from the compiled part; do not edit.",
             "from typing import Any, List, overload", "", "__version__: str", "__all__ = ["]
    lines += [f'    "{name}",' for name in sorted(_core.__all__)] + ["]", ""]
    for kind in classes():
        lines += ["", f"class {kind.__name__}:"]
        if "_fields" in vars(kind):
            lines.append("    _fields: dict[str, str]")
        for name, of, _ in attributes(kind):
            lines += ["    @property", f"    def {name}(self) -> {of}: ..."]
        for name, value in methods(kind):
            lines += stub_method(kind, name, value)
    lines.append("")
    for name, value in sorted(vars(_core).items()):
        if inspect.isbuiltin(value):
            given = ", ".join(parameters(value.__doc__))
            lines.append(f"def {name}({given}) -> {result(value.__doc__)}: ...")
    return "\n".join(lines) + "\n"


def wrapped(text):
    return textwrap.fill(" ".join(text.split()), WIDTH, break_long_words=False,
                         break_on_hyphens=False)


def prose(doc):
    """Wraps the paragraphs and lists of a docstring."""
    return "\n\n".join(listed(part) if part.startswith("- ") else wrapped(part)
                       for part in inspect.cleandoc(doc or "").split("\n\n"))


def listed(part):
    return "\n".join(textwrap.fill(re.sub(r"^- (\w+):", r"- `\1`:", line), WIDTH, subsequent_indent="  ",
                                   break_long_words=False, break_on_hyphens=False)
                     for line in part.split("\n"))


def question_stub(call, name):
    """Returns the stub of a function. The types come from its table of parameters or, without a
    table, from its annotations."""
    if not hasattr(call, "rows"):
        shape = str(inspect.signature(call)).replace("'", "")
        return f"def {name}{shape}: ..."
    given, keywords = [], False
    for row in call.rows:
        if not row["positional"] and not keywords:
            given.append("*")
            keywords = True
        of = parameters_of_questions.type_of(row)
        given.append(f"{row['name']}: {of}" + ("" if row["required"] else " | None = None"))
    given.append("progress: Callable[[str, int, int], object] | None = None")
    answer = call.answer if call.answer == "InPlace" else "_core." + call.answer
    return "\n".join([f"def {name}(", *(f"    {one}," for one in given), f") -> {answer}: ..."])


def question_stubs(module):
    lines = ["# Made by tools/python_reference.py from the parameters of the questions; do not edit.",
             "from collections.abc import Callable, Mapping, Sequence", "from os import PathLike",
             "from typing import Any", "", "from . import _core", "from ._core import Board, Model, PowerMode, Sweep"]
    classes_of = [name for name in module.__all__ if inspect.isclass(getattr(module, name))]
    lines += [f"from .{getattr(module, name).__module__.rpartition('.')[2]} import {name} as {name}" for name in classes_of]
    lines += ["", "__all__ = ["]
    lines += [f'    "{name}",' for name in module.__all__] + ["]", ""]
    lines += [question_stub(getattr(module, name), name) for name in module.__all__ if name not in classes_of]
    return "\n".join(lines) + "\n"


def unannotated(call):
    """Returns the signature of a function without types."""
    shape = inspect.signature(call)
    plain = [one.replace(annotation=one.empty) for one in shape.parameters.values()]
    return shape.replace(parameters=plain, return_annotation=shape.empty)


def signature(call, name):
    text = f"{name}{unannotated(call)}".replace("=None", "")
    return "\n".join(textwrap.wrap(text, WIDTH, subsequent_indent=" " * 4,
                                   break_on_hyphens=False))


def function_section(call, name):
    return f"### {name}\n\n```python\n{signature(call, name)}\n```\n\n{prose(call.__doc__)}\n"


def bound_doc(value):
    """Returns the docstring of a bound function without the generated signature."""
    if inspect.isfunction(value):
        return inspect.cleandoc(value.__doc__ or "")
    return (value.__doc__ or "").partition("\n\n")[2].strip()


def class_section(kind):
    doc = inspect.cleandoc(kind.__doc__ or "")
    first, _, rest = doc.partition("\n\n")
    text = f"### {kind.__name__}\n\n"
    if first.startswith(kind.__name__ + "("):
        made = "\n".join(textwrap.wrap(first, WIDTH, subsequent_indent=" " * 4))
        text += f"```python\n{made}\n```\n\n"
        doc = rest
    text += prose(doc) + "\n\n"
    for name, of, meaning in attributes(kind):
        text += textwrap.fill(f"- `{name}` ({of}): {' '.join(meaning.split())}", WIDTH,
                              subsequent_indent="  ", break_on_hyphens=False) + "\n"
    for name, value in methods(kind):
        said = bound_doc(value)
        if not name.startswith("_") and name not in NOTEBOOK and said:
            text += textwrap.fill(f"- `{name}()`: {' '.join(said.split())}", WIDTH,
                                  subsequent_indent="  ", break_on_hyphens=False) + "\n"
    return text


def python_class_section(kind):
    """Returns the section of a class that is written in Python: signature, attributes, methods."""
    text = f"### ridgewatt.{kind.__name__}\n\n```python\n{signature(kind, kind.__name__)}\n```\n\n"
    text += prose(kind.__doc__) + "\n\n"
    for name, value in vars(kind).items():
        said = " ".join((value.__doc__ or "").split())
        if name.startswith("_") or not said:
            continue
        call = "" if isinstance(value, property) else "()"
        text += textwrap.fill(f"- `{name}{call}`: {said}", WIDTH, subsequent_indent="  ",
                              break_on_hyphens=False) + "\n"
    return text


def module_section(title, module, names=None):
    """Returns the section of a module: its description, then its functions and classes."""
    said, _, example = inspect.cleandoc(module.__doc__).partition("\n\n    ")
    example, _, rest = example.partition("\n\n")
    text = f"## {title}\n\n{prose(said)}\n"
    if example:
        text += f"\n```python\n{inspect.cleandoc('    ' + example)}\n```\n"
    if rest:
        text += f"\n{prose(rest)}\n"
    parts = [text]
    place = "ridgewatt" if names is None else f"ridgewatt.{module.__name__.rpartition('.')[2]}"
    for name in names or module.__all__:
        value = getattr(module, name)
        parts.append(python_class_section(value) if inspect.isclass(value)
                     else function_section(value, f"{place}.{name}"))
    return "\n".join(parts)


def docs():
    parts = ["# Reference of the Python package\n\n"
             "Printed from the docstrings by `tools/python_reference.py docs`. Arguments that are "
             "not\ngiven are None.\n", "## Questions\n\n" + prose(questions.__doc__) + "\n"]
    for name in questions.__all__:
        parts.append(function_section(getattr(questions, name), f"ridgewatt.{name}"))
    parts.append(function_section(schedule.plan, "ridgewatt.schedule.plan"))
    parts.append(module_section("Language models", llm, llm.__all__))
    parts.append(module_section("In the manner of scikit-learn", learning))
    parts.append(module_section("Progress", progress))
    parts.append(module_section("Measuring", measuring))
    parts.append(python_class_section(measuring.OpenWindow).replace("### ridgewatt.", "### "))
    parts.append(module_section("Windows by name", monitor))
    parts.append(module_section("This machine's board", modes))
    parts.append(module_section("Tuning a program", live, ["tune", "in_place"]))
    parts.append(python_class_section(live.InPlace).replace("### ridgewatt.", "### ridgewatt.live."))
    for title, module in (("Loops of PyTorch", torch), ("Lightning", lightning),
                          ("Transformers", transformers)):
        parts.append(module_section(title, module, module.__all__))
    parts.append("## What every answer can do\n\nAn answer is a sequence of rows: `len()`, "
                 "indices and slices work. In addition to its attributes:\n")
    frames = vars(_core.Estimates)
    for name in ("to_frame", "plot"):
        parts.append(f"- `{name}()`: " + " ".join(frames[name].__doc__.split()))
    parts.append(f"- `to_dict()`: {bound_doc(frames['to_dict'])}")
    parts = parts[:-3] + ["\n".join(textwrap.fill(line, WIDTH, subsequent_indent="  ",
                                                  break_on_hyphens=False)
                                    for line in parts[-3:]) + "\n"]
    parts.append(wrapped("Answers, their rows, and PowerMode, Board, Model and Sweep are values: equal by content, "
                         "hashable, and pickled by content, so that process pools, joblib and caches take them.") +
                 "\n")
    parts.append("## Classes\n")
    parts += [class_section(kind) for kind in classes() if not kind.__name__.startswith("_")]
    parts.append("## Errors\n")
    lines = [f"- `{name}`: {inspect.getdoc(getattr(ridgewatt.errors, name))}"
             for name in ridgewatt.errors.__all__]
    parts.append("\n".join(textwrap.fill(line, WIDTH, subsequent_indent="  ") for line in lines))
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    pages = {"docs": docs, "stubs": stubs, "questions": lambda: question_stubs(questions),
             "llm": lambda: question_stubs(llm), "schedule": lambda: question_stubs(schedule),
             "live": lambda: question_stubs(live)}
    if len(sys.argv) != 2 or sys.argv[1] not in pages:
        sys.exit(__doc__)
    sys.stdout.write(pages[sys.argv[1]]())
