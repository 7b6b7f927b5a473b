"""The search of a program that tunes itself while it runs. ridgewatt.live.in_place() creates it."""
import contextlib
from typing import Any, ContextManager, Dict, Iterable, Iterator, Optional, Tuple, TypeVar

from . import _core, errors, worker

__all__ = ["InPlace"]

Item = TypeVar("Item")


class InPlace:
    """A search that runs inside the program it tunes. in_place() creates it.

    Inside its `with` block, each mode that the search tries is held for a few minibatches. After
    the search, the block continues in the best mode. At the end of the block the original mode is
    restored, also after an exception or SIGKILL, because another process watches the program.

    Mark minibatches with mark(), with minibatches() or with ridgewatt.mark() anywhere in the
    program, while the device is idle.
    """

    def __init__(self, **options: Any) -> None:
        self._core = _core._InPlace(**options)
        self._runs = False
        self._begun = False
        self._result: Optional[Tuple[_core.Tuned, Dict[str, Any]]] = None

    @property
    def hears(self) -> bool:
        """Whether the search is running in this process. It then also receives ridgewatt.mark() and
        ridgewatt.fetched()."""
        return self._runs and self._core.ours

    def begin(self) -> "InPlace":
        """Sets the first mode that the search tries, and returns this object. Raises UsageError if
        the search was begun before, PermissionError without root rights, IoError if the board has
        no power sensor, and NotSupportedError if it has no power modes."""
        if self._begun:
            raise errors.UsageError("the search was already started: create a new one")
        self._begun = True
        self._core.begin()
        self._runs = True
        worker.runs.add(self)
        return self

    def end(self) -> _core.Tuned:
        """Ends the search, restores the original mode and returns the Tuned that was found so far.
        Raises Error if no window was measured, the error that ended the search, if any, and
        UsageError if the search is not running."""
        if not self._runs:
            raise errors.UsageError("the search is not running")
        self._runs = False
        worker.runs.discard(self)
        tuned, report = self._core.end()
        self._result = tuned, report
        return self.tuned

    def __enter__(self) -> "InPlace":
        return self.begin()

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if not self.hears:
            return
        try:
            self.end()
        except errors.Error:
            if kind is None:  # an error of the block must not be replaced
                raise

    def mark(self) -> None:
        """Marks the end of a minibatch. The device must be idle at that moment
        (torch.cuda.synchronize())."""
        if self.hears:
            self._core.mark()

    def fetched(self) -> None:
        """Marks that the data of the next minibatch has arrived."""
        if self.hears:
            self._core.fetched()

    def phase(self, name: str) -> ContextManager[None]:
        """Does nothing, because phases do not affect the search. It exists because
        ridgewatt.phase() calls it."""
        return contextlib.nullcontext()

    def minibatches(self, loader: Iterable[Item]) -> Iterator[Item]:
        """Yields the items of the loader. Calls fetched() when an item has arrived, and mark()
        after the loop body."""
        for batch in loader:
            self.fetched()
            yield batch
            self.mark()

    @property
    def found(self) -> Optional[_core.Tuned]:
        """The Tuned after the search has ended, while the block continues in its best mode. None
        before."""
        return self._result[0] if self._result else self._core.found()

    @property
    def tuned(self) -> _core.Tuned:
        """The Tuned. Raises UsageError before the end of the block."""
        return self._ended()[0]

    @property
    def report(self) -> Dict[str, Any]:
        """What `ridgewatt tune --in-place --format json` prints, as a dict. Raises UsageError
        before the end of the block."""
        return self._ended()[1]

    def _ended(self) -> Tuple[_core.Tuned, Dict[str, Any]]:
        if self._result is None:
            raise errors.UsageError("the search is still running: `found` has its answer as soon as there is one"
                                    if self._runs else "the search has no answer")
        return self._result

    def __repr__(self) -> str:
        return f"InPlace({'runs' if self._runs else 'ended' if self._begun else 'not begun'})"
