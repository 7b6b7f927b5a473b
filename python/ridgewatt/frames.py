"""Methods that every answer has in addition to its rows: a DataFrame, a table in a notebook, a
plot. The compiled part provides the columns. pandas and matplotlib are imported only when they are
needed."""
import html
import importlib
from typing import Any

from . import errors

_ROWS_SHOWN = 60


def objects(values: "list[Any]") -> Any:
    """Returns a NumPy array of Python objects."""
    import numpy
    column = numpy.empty(len(values), dtype=object)
    column[:] = values
    return column


def to_frame(self: Any) -> Any:
    """Returns the rows as a pandas DataFrame with one column per attribute and one per knob of the
    power mode. Without pandas, returns a dict of NumPy arrays of equal length. Values are in SI
    units; the unit is part of the column name. Unknown values are NaN. The `attrs` of the DataFrame
    contain provenance, workload, kind and board."""
    columns = self._columns()
    try:
        pandas = importlib.import_module("pandas")
    except ImportError:
        return columns
    frame = pandas.DataFrame(columns)
    for name in ("provenance", "workload", "kind", "board"):
        value = getattr(self, name, None)
        if isinstance(value, str) and value:
            frame.attrs[name] = value
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
    """Returns an HTML table of the first rows for notebooks. If there are no rows, the table shows
    the attributes of the answer."""
    columns, count = self._columns(), len(self)
    if count == 0:
        columns, count = _own_columns(self), 1
    shown = min(count, _ROWS_SHOWN)
    head = "".join(f"<th>{html.escape(str(name))}</th>" for name in columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{_cell(values[row])}</td>" for values in columns.values()) + "</tr>"
        for row in range(shown))
    more = f"<p>{count - shown} more rows</p>" if count > shown else ""
    rows = f": {len(self)} row{'' if len(self) == 1 else 's'}" if len(self) else ""
    said = html.escape(f"{type(self).__name__}, {self.provenance}{rows}")
    about = html.escape(repr(self))
    return f"<p>{said}</p><p><small>{about}</small></p><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


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
