#!/usr/bin/env python3
"""Runs a campaign with a stopped database and full disks: tools/fleet/outages.py BUILD_FOLDER
[--away 120]

Three boards behind ssh share the points of a campaign, with GNU parallel and a real PostgreSQL. The
disk of the server is full for some time, then the disk of a board, and then the server is stopped
for `--away` seconds. One point of the plan always fails. Only `ridgewatt campaign watch` runs. At
the end, every point is in the store once or is listed with its reason, and no unfinished task has
reported success. Prints a transcript, whose figures are in docs/results/fleet.md."""
import argparse
import json
import pathlib
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from chaos import Chaos, Fault
from engines import ParallelEngine
from place import Place

POISON = 9  # the batch that always fails
PROGRAM = f"""#!/bin/sh
if [ "$2" = {POISON} ]; then echo "out of memory at batch $2" >&2; exit 3; fi
exec ridgewatt fake-run zoo:mobilenet_v2 --device "$1" --batch "$2" --minibatches 100000 --quiet
"""
CONNECTIONS = "select count(*) from pg_stat_activity where application_name = 'ridgewatt'"
NO_SPACE = "No space left on device"


def fill(folder):
    """Fills the disk of a folder and returns the file that must be removed afterwards."""
    filler = folder / "filler"
    for size in (1 << 20, 1 << 12, 1):
        with open(filler, "ab", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(size))
            except OSError:
                pass
    return filler


class Outages(Chaos):
    def __init__(self, place, program, points, away_s, full_s, window=20):
        self.away_s, self.full_s = away_s, full_s
        self.connections = []  # numbers of connections of boards and `watch`
        self.can_fill = place.may_mount()
        if self.can_fill:
            place.mount_tmpfs("pg", "200m")
        boards = {name: ("agx-orin", {}) for name in ("orin1", "orin2", "orin3")}
        super().__init__(place, program, ParallelEngine, points, boards, calibration=1, points_per_task=2, window=window)
        place.write("bin/measured", PROGRAM, 0o755)
        if self.can_fill:
            self.use_small_disk("orin1")

    def plan(self):
        self.file = self.place.folder / "plan.json"
        self.run("campaign", "plan", "chaos", "--store", self.database.url_anywhere("ridgewatt_writer"), "--boards",
                 f"fake:agx-orin:{len(self.boards.names)}", "--sample", self.points, "--batch", 1, "--calibration",
                 self.calibration, "--tasks", self.points // self.points_per_task, "--settle", 0, "--window",
                 self.window, "--idle", 0.2, "--workload", "mobilenet", "-o", self.file, "--", "measured", "{device}",
                 "{batch}")
        plan = json.loads(self.file.read_text())
        poisoned = plan["boards"][0]["points"][self.points // 2]
        poisoned["batch"] = POISON
        self.poison = f"chaos/fake:agx-orin/{poisoned['label']}"
        self.place.write("plan.json", json.dumps(plan))
        self.engine.options = [*self.engine.options, "--retries", "2"]
        self.say(f"planned {self.points} points on {', '.join(self.boards.names)}; {self.poison} never works")

    def server_disk_full(self, at_points, seconds):
        def begin():
            fill(self.database.data)

        def end():
            (self.database.data / "filler").unlink()
            if self.database.process.poll() is not None:  # it ends if it cannot write its log
                self.database.start()
        return Fault(at_points, "the server's disk is full", begin, seconds, "the server's disk has space again", end)

    def count(self):
        found = super().count()
        if found is not None:
            self.connections.append(int(self.database.sql(CONNECTIONS)[0][0]))
        return found

    def add_outages(self):
        sixth = self.points // 6
        if self.can_fill:
            self.add_faults(self.server_disk_full(sixth, self.full_s), self.disk_full("orin1", 2 * sixth, self.full_s))
        else:
            self.say("not tried: full disks (they need root, to mount small ones)")
        self.away = self.database_crashes(3 * sixth, self.away_s)
        self.add_faults(self.away)

    def asked(self, *words):
        return json.loads(self.run("campaign", *words, self.file, "--format", "json").stdout)

    def ended_tasks(self):
        """Yields (exit status, time of the end, labels of the points) of each finished task."""
        for log in self.place.home.glob("state/ridgewatt/campaign/chaos/*/joblog"):
            tasks = (log.parent / "tasks").read_text().splitlines()
            for line in log.read_text().splitlines()[1:]:
                place, _, began, took, _, _, status, signal = line.split("\t")[:8]
                labels = re.findall(r"--point (\d+(?:@\d+)?):", tasks[int(place) - 1])
                yield int(status) or int(signal), float(began) + float(took), labels


def faults_of(one, status):
    """Returns a line for each failed check."""
    wrong = []

    def require(good, text):
        if not good:
            wrong.append(text)
    require(status == 1, f"watch ended with {status}: {one.log_end('watch', 20)}")
    require(all(fault.began and fault.over for fault in one.faults), "not all faults happened")
    slots = {slot: times for slot, times in one.slots().items() if "/cal-" not in slot}
    require(len(slots) == one.points - 1 and set(slots.values()) == {1} and one.poison not in slots, f"slots: {slots}")
    status = one.asked("status")
    listed = [(row["label"], row["reason"]) for row in status["failed_points"]]
    require([label for label, _ in listed] == [one.poison.rsplit("/", 1)[1]] and "ended with status 3" in listed[0][1],
            f"listed: {listed}")
    # An outage does not count as a failure of a board or a point.
    blamed = one.database.sql(f"select slot, reason from ridgewatt.failure where slot <> '{one.poison}'")
    require(not blamed, f"failures: {blamed}")
    require(all(row["state"] != "set aside" for row in one.asked("boards")["boards"]), "a board is set aside")
    one.run("store", "check", one.database.url("ridgewatt_reader"))
    ended = list(one.ended_tasks())
    done = [(when, labels) for code, when, labels in ended if code == 0]
    require(done and len(done) < len(ended), f"{len(done)} of {len(ended)} tasks ended with 0")
    for when, labels in done:
        require(not one.away.began_unix_s < when < one.away.over_unix_s, f"task of {labels} done while the server was away")
        require(labels and all(f"chaos/fake:agx-orin/{label}" in slots for label in labels), f"task of {labels} was not done")
    if one.can_fill:
        require(NO_SPACE in (one.place.logs / "postgres.log").read_text(), "the server's disk was not full")
    # A board holds no connection while it measures, because a server allows fewer connections than
    # a fleet has boards.
    held = sum(one.connections) / len(one.connections)
    require(held < len(one.boards.names) / 8, f"{held:.1f} connections on average")
    one.say(f"{held:.2f} connections on average, at most {max(one.connections)}")
    one.say(f"{len(done)} tasks ended with 0, all their points are there; {len(ended) - len(done)} did not end with 0")
    return wrong


def whole(place, program, points=18, away_s=8, full_s=6):
    one = Outages(place, program, points, away_s, full_s)
    one.start()
    one.plan()
    one.submit()
    one.add_outages()
    status = one.watch(120 + 3 * (away_s + full_s) + 5 * points)
    one.say(f"watch ended with {status} after {one.took_s if status is not None else 0:.0f} s")
    return faults_of(one, status)


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("build", type=pathlib.Path)
    options.add_argument("--points", type=int, default=60)
    options.add_argument("--away", type=float, default=120, help="seconds that the database is away")
    options.add_argument("--full", type=float, default=30, help="seconds that a disk is full")
    given = options.parse_args()
    with Place() as place:
        wrong = whole(place, given.build / "ridgewatt" / "ridgewatt", given.points, given.away, given.full)
        print("\n".join(wrong) or "every point once, or listed with its reason; no task said that it was done when it was not")
        return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
