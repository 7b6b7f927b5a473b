#!/usr/bin/env python3
"""Chooses a power mode for each board of a rack and prints a table. This file has types: `mypy
--strict` accepts it and reports a misspelled argument such as tune(max_power=30).

    examples/typed/choose_mode.py --model zoo:mobilenet_v2 --board agx-orin=30 --board orin-nano=10
"""
from __future__ import annotations

import argparse
import dataclasses
import pickle
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import ridgewatt as rw


@dataclasses.dataclass(frozen=True)
class Place:
    """A place in the rack: the board and its highest power."""
    board: str
    max_power_w: float

    @classmethod
    def parse(cls, text: str) -> Place:
        board, _, power = text.partition("=")
        if not power:
            raise rw.UsageError(f"{text}: write BOARD=WATTS")
        return cls(board, float(power))


@dataclasses.dataclass(frozen=True)
class Choice:
    place: Place
    answer: rw.Tuned

    @property
    def row(self) -> tuple[str, str, str, str, str]:
        if not self.answer.feasible:
            return self.place.board, f"{self.place.max_power_w:g}", "none", "", ""
        best = self.answer.best
        mode: rw.PowerMode = best.mode
        return (self.place.board, f"{self.place.max_power_w:g}", str(mode),
                f"{1e3 * best.time_s:.3g}", f"{best.power_w:.3g}")


def choose(model: str, place: Place) -> Choice:
    """Finds the fastest mode within the power limit. Runs in a process of the pool."""
    answer = rw.tune(model, device=place.board, minimize="time", max_power_w=place.max_power_w)
    return Choice(place, answer)


class Kept:
    """Answers of earlier runs, pickled in a file."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._answers: dict[tuple[str, Place], Choice] = {}
        if path is not None and path.exists():
            self._answers = pickle.loads(path.read_bytes())

    def missing(self, model: str, places: Iterable[Place]) -> list[Place]:
        return [place for place in places if (model, place) not in self._answers]

    def add(self, model: str, choices: Iterable[Choice]) -> None:
        self._answers.update({(model, choice.place): choice for choice in choices})
        if self._path is not None:
            self._path.write_bytes(pickle.dumps(self._answers))

    def of(self, model: str, places: Iterable[Place]) -> Iterator[Choice]:
        return (self._answers[model, place] for place in places)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--model", default="zoo:mobilenet_v2")
    options.add_argument("--board", action="append", default=[], help="BOARD=WATTS; may be repeated")
    options.add_argument("--keep", type=Path, help="file of answers")
    given = options.parse_args()
    places = [Place.parse(text) for text in given.board or ["agx-orin=30", "orin-nano=10"]]
    kept = Kept(given.keep)
    try:
        with ProcessPoolExecutor(max_workers=2) as pool:
            missing = kept.missing(given.model, places)
            kept.add(given.model, pool.map(choose, [given.model] * len(missing), missing))
    except rw.Error as error:
        print(error, file=sys.stderr)
        return 1
    for row in [("board", "limit (W)", "mode", "time (ms)", "power (W)"),
                *(choice.row for choice in kept.of(given.model, places))]:
        print("  ".join(f"{cell:<14}" for cell in row).rstrip())
    return 0


if __name__ == "__main__":
    sys.exit(main())
