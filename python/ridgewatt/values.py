"""Gives answers and their rows value semantics: they are compared, hashed and pickled by content, so
that process pools, joblib, dask and caches accept them.

An unpickled object is an instance of the class of the original, equal to it, and has its
attributes, rows, to_dict() and to_frame(). PowerMode, Board, Model and Sweep are not copies of
attributes: unpickling creates them in the usual way.
"""
import math
from collections.abc import Hashable
from typing import Any

from . import _core, errors

__all__: list[str] = []

# Methods without arguments whose result is pickled as data.
_DATA = ("to_dict", "_columns", "power")
# Deprecated attributes and their new names. In unpickled objects both have the same value.
_FORMER = {"mends": "relaxations"}
_restored: dict[str, type] = {}


def _attributes(base: type) -> list[str]:
    return [name for name, member in vars(base).items()
            if isinstance(member, property) and name not in _FORMER]


def _frozen(value: Any) -> Hashable:
    """Returns a hashable copy of the value with tuples in place of lists. NaN becomes a text, so
    that it equals itself."""
    if isinstance(value, float) and math.isnan(value):
        return "nan"
    if isinstance(value, (list, tuple)):
        return tuple(_frozen(one) for one in value)
    if isinstance(value, dict):
        return tuple((name, _frozen(one)) for name, one in sorted(value.items()))
    if isinstance(value, errors.Error):
        return (type(value).__name__, str(value))
    return value  # type: ignore[no-any-return]


def _get(value: Any, name: str) -> Any:
    """Returns an attribute, or the error that reading it raises, for example for `best` without an
    answer."""
    try:
        return getattr(value, name)
    except errors.Error as error:
        return error


def _base_of(value: object) -> type:
    return next(base for base in type(value).__mro__ if base.__module__ == _core.__name__)


def _content(value: Any) -> tuple[Hashable, ...]:
    base = _base_of(value)
    if hasattr(base, "__getstate__") and "__getstate__" in vars(base):
        return (base.__name__, _frozen(value.__getstate__()))
    content = [base.__name__, *(_frozen(_get(value, name)) for name in _attributes(base))]
    if hasattr(base, "__len__"):
        content.append(tuple(value[:]))
    return tuple(content)


def _equal(self: object, other: object) -> Any:
    if self is other:
        return True
    if not isinstance(other, _base_of(self)):
        return NotImplemented
    return _content(self) == _content(other)


def _hash(self: Any) -> int:
    """Returns a hash of the plain attributes. Nested answers and rows are left out, because hashing
    them would take long."""
    plain = [value for value in map(_frozen, (_get(self, name) for name in _attributes(_base_of(self))))
             if isinstance(value, (str, int, float, bool, type(None)))]
    return hash((_base_of(self).__name__, *plain))


def _restored_class(base: type) -> type:
    """Returns a subclass of `base` that reads its attributes from the pickled state."""
    def reader(name: str) -> property:
        def read(self: Any) -> Any:
            value = self._state["attributes"][name]
            if isinstance(value, errors.Error):
                raise value
            return value
        return property(read, doc=getattr(base, name).__doc__)

    def data(name: str) -> Any:
        def method(self: Any) -> Any:
            return self._state["data"][name]
        method.__name__ = name
        return method
    members: dict[str, Any] = {name: reader(name) for name in _attributes(base)}
    members.update((name, data(name)) for name in _DATA if hasattr(base, name))
    members.update((former, members[name]) for former, name in _FORMER.items() if name in members)
    members["__repr__"] = lambda self: self._state["repr"]
    if hasattr(base, "__len__"):
        members["__len__"] = lambda self: len(self._state["rows"])
        members["__getitem__"] = lambda self, index: self._state["rows"][index]
    members.update(__module__=base.__module__, __qualname__=base.__qualname__)
    return type(base)(base.__name__, (base,), members)


def _restore(name: str, state: dict[str, Any]) -> Any:
    if name not in _restored:
        _restored[name] = _restored_class(getattr(_core, name))
    restored: Any = _restored[name]
    made = restored.__new__(restored)
    made._state = state
    return made


def _reduce(self: Any) -> tuple[Any, ...]:
    base = _base_of(self)
    state = {"attributes": {name: _get(self, name) for name in _attributes(base)},
             "data": {name: getattr(self, name)() for name in _DATA if hasattr(base, name)},
             "repr": repr(self)}
    if hasattr(base, "__len__"):
        state["rows"] = self[:]
    return _restore, (base.__name__, state)


def _make_values() -> None:
    for made in list(vars(_core).values()):
        if not isinstance(made, type) or not hasattr(made, "_fields") or made is _core.PowerMode:
            continue
        setattr(made, "__eq__", _equal)
        setattr(made, "__hash__", _hash)
        if "__getstate__" not in vars(made):
            setattr(made, "__reduce__", _reduce)


_make_values()
