"""Methods that every answer has in addition to its rows: a DataFrame, a table in a notebook, a
plot. The compiled part provides the columns. pandas and matplotlib are imported only when they are
needed."""
import html
import importlib
import sys
import warnings
from types import FrameType
from typing import Any

from . import errors

_ROWS_SHOWN = 60


def warn(text: str) -> None:
    """Issues a RuntimeWarning for the line that calls this package."""
    level = 1
    frame: FrameType | None = sys._getframe()
    while frame is not None and frame.f_globals.get("__name__", "").split(".")[0] == __package__:
        level, frame = level + 1, frame.f_back
    warnings.warn(text, RuntimeWarning, stacklevel=level)


def objects(values: "list[Any]") -> Any:
    """Returns a NumPy array of Python objects."""
    import numpy
    column = numpy.empty(len(values), dtype=object)
    column[:] = values
    return column


class Columns(dict[str, Any]):
    """The columns of an answer as NumPy arrays of equal length, by name. It takes the place of a
    DataFrame without pandas, and has the same `attrs`."""

    def __init__(self, columns: "dict[str, Any]", attrs: "dict[str, Any]") -> None:
        super().__init__(columns)
        self.attrs = attrs

    def copy(self) -> "Columns":
        return Columns(self, dict(self.attrs))

    def __reduce__(self) -> tuple[Any, ...]:
        return Columns, (dict(self), self.attrs)


# Properties of all rows, and the attributes that state them.
_ORIGIN = {"workload": ("workload", "model"), "kind": ("kind",), "board": ("board", "device"),
           "runtime": ("runtime",), "twin": ("twin",)}


def stated(self: Any, name: str, columns: "dict[str, Any]") -> str:
    """Returns a property of all rows by the origin of the answer, by its attributes, or by what its
    rows have in common. Empty if it is not known or the rows differ."""
    for of in (getattr(self, "origin", None), self):
        for attribute in _ORIGIN[name]:
            value = getattr(of, attribute, None)
            if isinstance(value, str) and value:
                return value
    values = set(columns[name]) if name in columns else set()
    return str(values.pop()) if len(values) == 1 else ""


def _attrs(self: Any, columns: "dict[str, Any]") -> "dict[str, Any]":
    attrs: dict[str, Any] = {"provenance": self.provenance}
    for name in _ORIGIN:
        if value := stated(self, name, columns):
            attrs[name] = value
    if self.remarks:
        attrs["remarks"] = self.remarks
    return attrs


def to_frame(self: Any) -> Any:
    """Returns the rows as a pandas DataFrame with one column per attribute and one per knob of the
    power mode. Without pandas, returns a dict of NumPy arrays of equal length. Values are in SI
    units; the unit is part of the column name. Unknown values are NaN. The `attrs` of both contain
    provenance, workload, kind, board, runtime and twin, as far as they are known and the same for
    all rows, and the remarks of the answer."""
    columns = self._columns()
    attrs = _attrs(self, columns)
    try:
        pandas = importlib.import_module("pandas")
    except ImportError:
        return Columns(columns, attrs)
    frame = pandas.DataFrame(columns)
    frame.attrs.update(attrs)
    return frame


def _cell(value: object) -> str:
    if isinstance(value, float):
        text = f"{value:.5g}"
    else:
        text = str(value)
    return html.escape(text)


def _own_columns(self: Any) -> dict[str, list[Any]]:
    """Returns the attributes of the answer itself as columns of one row, without missing values."""
    columns = {}
    for name in getattr(type(self), "_fields", {}):
        try:
            columns[name] = [getattr(self, name)]
        except errors.Error:  # has no value in this answer
            continue
    return columns


def _repr_html_(self: Any) -> str:
    """Returns an HTML table of the first rows for notebooks, and the remarks below it. If there are
    no rows, the table shows the attributes of the answer."""
    own = _own_columns(self)
    remarks = own.pop("remarks", [[]])[0]
    columns, count = (self._columns(), len(self)) if len(self) else (own, 1)
    shown = min(count, _ROWS_SHOWN)
    head = "".join(f"<th>{html.escape(str(name))}</th>" for name in columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{_cell(values[row])}</td>" for values in columns.values()) + "</tr>"
        for row in range(shown))
    more = f"<p>{count - shown} more rows</p>" if count > shown else ""
    notes = "".join(f"<li>{html.escape(remark)}</li>" for remark in remarks)
    notes = f"<ul>{notes}</ul>" if notes else ""
    rows = f": {len(self)} row{'' if len(self) == 1 else 's'}" if len(self) else ""
    said = html.escape(f"{type(self).__name__}, {self.provenance}{rows}")
    about = html.escape(", ".join(f"{name}={value!r}" for name, (value,) in own.items()))
    return (f"<p>{said}</p><p><small>{about}</small></p><table><thead><tr>{head}</tr></thead>"
            f"<tbody>{body}</tbody></table>{more}{notes}")


def plot(self: Any, ax: Any = None) -> Any:
    """Draws the answer with matplotlib on `ax`, or on new axes, and returns the axes. Raises
    NotSupportedError if matplotlib is not installed or there is no plot for this answer."""
    try:
        pyplot = importlib.import_module("matplotlib.pyplot")
    except ImportError:
        raise errors.NotSupportedError(
            "a plot needs matplotlib, which is not installed: install python3-matplotlib") from None
    from . import plots
    return plots.draw(self, ax if ax is not None else pyplot.subplots()[1])
