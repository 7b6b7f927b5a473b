#!/usr/bin/env python3
"""Runs a campaign on faulty boards: tools/fleet/misbehaving.py BUILD_FOLDER [slurm|parallel]

Three boards of one kind share twelve points. On orin2 the program always fails. On orin1 it hangs
once. With Slurm, orin3 is drained from the beginning. `ridgewatt campaign watch` must measure every
point once and set orin2 aside with a reason. The failure of the hung point must contain its reason
and the last line of the program. Prints a transcript."""
import argparse
import json
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from chaos import Chaos
from engines import ParallelEngine, SlurmEngine
from place import Place

PROGRAM = """#!/bin/sh
if [ "$RIDGEWATT_BOARD" = orin2 ]; then echo "cannot load weights.engine" >&2; exit 3; fi
if [ "$RIDGEWATT_BOARD" = orin1 ] && mkdir "$XDG_STATE_HOME/hung" 2>/dev/null; then
  echo "building the engine"
  sleep 600
fi
exec ridgewatt fake-run zoo:mobilenet_v2 --device "$1" --batch "$2" --minibatches 100000 --quiet
"""
DRAINED = "Duplicate jobid"


class Misbehaving(Chaos):
    def __init__(self, place, program, engine):
        boards = {name: ("agx-orin", {}) for name in ("orin1", "orin2", "orin3")}
        super().__init__(place, program, engine, 12, boards, calibration=1, points_per_task=2, window=20)
        place.write("bin/measured", PROGRAM, 0o755)

    def plan(self):
        self.file = self.place.folder / "plan.json"
        self.run("campaign", "plan", "chaos", "--store", self.database.url_anywhere("ridgewatt_writer"), "--boards",
                 f"fake:agx-orin:{len(self.boards.names)}", "--sample", self.points, "--batch", 1, "--calibration",
                 self.calibration, "--tasks", self.points // self.points_per_task, "--settle", 0, "--window",
                 self.window, "--idle", 0.2, "--workload", "mobilenet", "--model", "zoo:mobilenet_v2", "-o", self.file,
                 "--", "measured", "{device}", "{batch}")
        # A point takes about 2 s here. A program that hangs is ended after 10 s.
        self.engine.options = [*self.engine.options, "--limit-factor", "1", "--limit-floor", "10"]
        self.say(f"planned {self.points} points on {', '.join(self.boards.names)}; the program fails on orin2 and "
                 "hangs once on orin1")

    def drain(self, *names):
        if self.engine.name == "slurm":
            self.engine.cluster.run("scontrol", "update", f"NodeName={','.join(names)}", "State=DRAIN",
                                    f"Reason={DRAINED}")
            self.say(f"{', '.join(names)} drained: {DRAINED}")

    def asked(self, *words):
        return json.loads(self.run("campaign", *words, self.file, "--format", "json").stdout)

    def board_rows(self):
        return {row["host"]: row for row in self.asked("boards")["boards"]}

    def failures(self):
        """Returns serial, reason and output of each failure, with line breaks replaced."""
        return self.database.sql("select serial, replace(reason, chr(10), ' / '), replace(output, chr(10), ' / ') "
                                 "from ridgewatt.failure order by failed_unix_s")


def faults_of(one, status):
    """Returns a line for each failed check."""
    wrong = []

    def require(good, text):
        if not good:
            wrong.append(text)
    require(status == 0, f"watch ended with {status}: {one.log_end('watch', 20)}")
    slots = {slot: times for slot, times in one.slots().items() if "/cal-" not in slot}
    require(len(slots) == one.points and set(slots.values()) == {1}, f"slots: {slots}")
    rows = one.board_rows()
    bad = rows.get("orin2", {})
    require(bad.get("state") == "set aside" and bad.get("points") == 0, f"orin2: {bad}")
    require("ended with status 3" in str(bad.get("last_error")), f"orin2: {bad}")
    hung = [row for row in one.failures() if "longer than its limit" in row[1]]
    require(len(hung) == 1 and hung[0][0] == "orin1" and "building the engine" in hung[0][2], f"hung: {hung}")
    require(all("weights.engine" in output for serial, _, output in one.failures() if serial == "orin2"),
            "a failure of orin2 lacks the program's line")
    if one.engine.name == "slurm":
        require(rows["orin3"]["state"] == "drained" and rows["orin3"]["engine_reason"] == DRAINED, f"{rows['orin3']}")
    return wrong


def nothing_runs(one):
    """Checks that if every board is drained or set aside, the status of planned points has no
    remaining time, but a reason."""
    one.drain("orin1")
    again = one.asked("rerun", "--older-than", "0s")["kinds"][0]
    status = one.asked("status")
    one.say(f"{again['to_rerun']} points planned again; nothing runs: {status['kinds'][0]['blocked']}")
    reasons = status["kinds"][0]["blocked"] or ""
    held = status["eta_s"] is None and DRAINED in reasons and "set aside" in reasons and again["to_rerun"] == one.points
    return [] if held else [f"status of what cannot run: {status}"]


def whole(place, program, engine):
    one = Misbehaving(place, program, engine)
    one.start()
    one.plan()
    one.drain("orin3")
    one.submit()
    status = one.watch(240)
    wrong = faults_of(one, status)
    for name, row in one.board_rows().items():
        one.say(f"{name}: {row['state']}, {row['points']} points, {row['failures']} failures; "
                f"{row['last_error'] or ''} {row['engine_reason'] or ''}".rstrip("; "))
    if engine is SlurmEngine:
        wrong += nothing_runs(one)
    return wrong


def search(place, program):
    """Checks that a search on orin1 and orin2 finds an answer and sets orin2 aside, and that a
    search on orin2 alone ends with an error of one line."""
    one = Misbehaving(place, program, ParallelEngine)
    one.start()
    one.plan()
    place.make("b/orin1/state/hung")  # prevents the program from hanging
    wrong = []

    def tune(*names):
        hosts = [word for name in names for word in ("--host", f"fake:agx-orin={name}")]
        return one.run("tune", "--campaign", one.file, "--executor", "parallel", "--ssh", one.engine.ssh.command, *hosts,
                       "--program", one.boards.program, "--boards", len(names), "--profiles", 10, "--max-power", 100,
                       check=False)
    found = tune("orin1", "orin2")
    aside = "board orin2: set aside after 3 failed points in a row"
    if found.returncode != 0 or aside not in found.stdout + found.stderr:
        wrong.append(f"search: {found.returncode} {found.stdout} {found.stderr}")
    failures = len(one.failures())
    refused = tune("orin2")
    if refused.returncode != 1 or len(refused.stderr.strip().splitlines()) != 1 or "no board of kind" not in refused.stderr:
        wrong.append(f"search without a board: {refused.returncode} {refused.stderr}")
    if len(one.failures()) != failures:
        wrong.append("a board that is set aside got a task")
    one.say(f"search: {refused.stderr.strip()}")
    return wrong


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("build", type=pathlib.Path)
    options.add_argument("engine", choices=["slurm", "parallel"], default="slurm", nargs="?")
    given = options.parse_args()
    with Place() as place:
        wrong = whole(place, given.build / "ridgewatt" / "ridgewatt",
                      SlurmEngine if given.engine == "slurm" else ParallelEngine)
    if given.engine == "parallel":
        with Place() as place:
            wrong += search(place, given.build / "ridgewatt" / "ridgewatt")
    print("\n".join(wrong) or "every point once; what misbehaved is named")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
