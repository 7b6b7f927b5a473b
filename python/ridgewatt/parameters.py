"""Turns questions into functions. The arguments of each function are the rows of its parameter
table (ridgewatt/answer/parameter.h), as the compiled part lists them. The command line uses the
same tables.

    @asks("estimate", "Estimates")
    def estimate(): "Says what the function returns."
"""
import inspect
from collections.abc import Callable, Iterable
from typing import Any

from . import _core

Row = dict[str, Any]
TABLES: dict[str, list[Row]] = _core._parameters()

# The type of an argument in the stubs, by the kind of its row.
TYPES = {"flag": "bool", "number": "float", "whole": "int", "word": "str", "pairs": "Mapping[str, float]", "extents": "Mapping[str, int]",
         "model": "Model | str | PathLike[str]", "board": "Board | str | PathLike[str]",
         "range": "tuple[float, float]", "points": "str | PathLike[str] | Sequence[PowerMode | tuple[PowerMode, int]]",
         "names": "str | Sequence[str]", "file": "str | PathLike[str]", "sweep": "Sweep | str | PathLike[str]"}


def type_of(row: Row) -> str:
    kind = TYPES[row["kind"]]
    several = row["repeated"] and not kind.startswith("Mapping")
    return f"{kind} | Sequence[{kind}]" if several else kind


def meaning(row: Row) -> str:
    """Returns the description of an argument: its help text with unit, choices and default."""
    text = row["help"]
    if row["unit"]:
        text += f" ({row['unit']})"
    if row["choices"]:
        text += ": " + ", ".join(row["choices"])
    if row["default"]:
        text += f"; default {row['default']}"
    return f"- {row['name']}: {text}"


def signature(rows: Iterable[Row]) -> inspect.Signature:
    kinds = inspect.Parameter
    given = [kinds(row["name"],
                   kinds.POSITIONAL_OR_KEYWORD if row["positional"] else kinds.KEYWORD_ONLY,
                   default=kinds.empty if row["required"] else None) for row in rows]
    return inspect.Signature([*given, kinds("progress", kinds.KEYWORD_ONLY, default=None)])


def asks(name: str, answer: str, call: Callable[..., Any] | None = None,
         more: str | None = None) -> Callable[[Callable[[], object]], Callable[..., Any]]:
    """Decorator that replaces a stub by the function of the question `name`. The new function has
    the arguments of the question's table, and the docstring of the stub with a list of these
    arguments after its first paragraph.

    `answer` is the name of the class that the function returns. `call` is the function that
    answers; the default is the function of this name in the compiled part. `more` names a table of
    further keyword arguments.
    """
    rows = TABLES[name]
    answers: Callable[..., Any] = call or getattr(_core, name)
    names = {row["name"] for row in rows}
    others = [row for row in TABLES.get(more or "", ())
              if row["name"] not in names and not row["positional"]]
    shape = signature([*rows, *others])

    def decorate(described: Callable[[], object]) -> Callable[..., Any]:
        def ask(*args: Any, **given: Any) -> Any:
            return answers(**shape.bind(*args, **given).arguments)

        about, _, rest = inspect.cleandoc(described.__doc__ or "").partition("\n\n")
        ask.__doc__ = "\n\n".join([about, "\n".join(map(meaning, rows)), rest])
        ask.__name__ = ask.__qualname__ = described.__name__
        ask.__module__ = described.__module__
        vars(ask).update(__signature__=shape, rows=[*rows, *others], answer=answer)
        return ask

    return decorate
