#!/usr/bin/env python3
"""Runs a campaign over virtual boards during faults: tools/fleet/chaos.py BUILD_FOLDER
[slurm|parallel] [--points N]

There are two kinds of boards with four boards each; one board is three times slower. Only
`ridgewatt campaign watch` runs. During the campaign, a board fails in the middle of a task and
boots again, the program on a board is killed, the database crashes, the center of the engine fails,
the disk of a board is full, and a connection to the database is cut. At the end, every slot and the
calibration of every board must be stored once. Prints a transcript, whose figures are in
docs/results/fleet.md."""
import argparse
import dataclasses
import pathlib
import statistics
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from boards import Boards
from engines import ParallelEngine, SlurmEngine, end
from place import Place
from postgres import Postgres
from secrets_watch import SecretsWatch

COUNT = """select s.serial, count(*) filter (where p.slot not like '%/cal-%'),
count(*) filter (where p.slot like '%/cal-%') from ridgewatt.point p join ridgewatt.series s on s.id = p.series
where p.slot like 'chaos/%' group by 1 order by 1"""
STARTED = """select s.serial, p.slot, p.started_unix_s from ridgewatt.point p join ridgewatt.series s on s.id = p.series
where p.slot like 'chaos/%' and p.slot not like '%/cal-%' order by 1, 3"""
SLOTS = "select p.slot, count(*) from ridgewatt.point p where p.slot like 'chaos/%' group by 1"


@dataclasses.dataclass
class Fault:
    at_points: int
    begin_text: str
    begin: callable
    lasts_s: float = 0
    end_text: str = ""
    end: callable = None
    board: str = ""  # board that cannot measure during the fault; empty: none
    began: float = 0
    over: bool = False
    began_unix_s: float = 0
    over_unix_s: float = 0


class Chaos:
    def __init__(self, place, program, engine, points, boards, calibration=6, points_per_task=4, window=70):
        """boards: {name: (kind, specimen)}."""
        self.place, self.points, self.calibration = place, points, calibration
        self.points_per_task = points_per_task
        self.window = window  # minibatches per point
        self.database = Postgres(place)
        self.boards = Boards(place, program, self.database)
        for name, (kind, specimen) in boards.items():
            self.boards.add(name, kind, **specimen)
        self.small_disk = None
        self.engine_type = engine
        self.faults = []
        self.seen = {}
        self.lines = []

    def operator(self):
        place = self.place
        return {**self.database.environment(), **self.engine.environment(), "PGHOST": "127.0.0.1",
                "PGPORT": str(self.database.port), "XDG_STATE_HOME": str(place.home / "state"),
                "RIDGEWATT_FAKE": str(place.home / "fake"),
                "PATH": f"{self.boards.bin}:{place.environment()['PATH']}"}

    def make_tables(self):
        """Creates the tables of the store as their owner."""
        self.place.run([self.boards.program, "store", "upgrade", self.database.url("ridgewatt_owner")],
                       self.database.environment())

    def start(self):
        self.make_tables()
        self.engine = self.engine_type(self.place, self.boards)
        self.began = time.monotonic()

    def say(self, text):
        line = f"{time.monotonic() - self.began:7.1f} s  {text}"
        self.lines.append(line)
        print(line, flush=True)

    def run(self, *words, check=True, **more):
        return self.place.run([self.boards.program, *words], self.operator(), check=check, **more)

    def plan(self):
        kinds = self.boards.kinds()
        store = self.database.url_anywhere("ridgewatt_writer")
        words = ["campaign", "plan", "chaos", "--store", store, "--boards",
                 ",".join(f"fake:{kind}:{len(names)}" for kind, names in kinds.items()),
                 "--sample", self.points // len(kinds), "--batch", 1, "--calibration", self.calibration,
                 "--tasks", -(-self.points // len(kinds) // self.points_per_task),
                 "--settle", 0, "--window", self.window, "--idle", 0.2, "--workload", "mobilenet", "-o",
                 self.place.folder / "plan.json", "--", "ridgewatt", "fake-run", "zoo:mobilenet_v2", "--device",
                 "{device}", "--batch", "{batch}", "--minibatches", 100000, "--quiet"]
        self.run(*words)
        self.say(f"planned {self.points} points on {len(self.boards.names)} boards, {self.calibration} calibration "
                 f"points on each, tasks of {self.points_per_task}")

    def submit(self):
        done = self.run("campaign", "submit", self.place.folder / "plan.json", "--program", self.boards.program,
                        *self.engine.options)
        self.say(f"submitted to {self.engine.name}: {' '.join(done.stdout.split())[:100]}")
        self.began_work = time.monotonic()

    def count(self):
        """Returns {serial: (points, calibration points)} in the database; None while it does not
        answer."""
        done = self.database.psql(["-c", COUNT], check=False)
        if done.returncode:
            return None
        rows = [line.split("|") for line in done.stdout.splitlines()]
        return {serial: (int(planned), int(calibration)) for serial, planned, calibration in rows}

    def watch(self, seconds):
        """Runs `campaign watch` during the faults and returns its exit status."""
        watcher = self.place.start([self.boards.program, "campaign", "watch", self.place.folder / "plan.json",
                                    "--interval", 2],
                                   "watch", self.operator())
        said = 0
        while watcher.poll() is None:
            now = time.monotonic()
            if now - self.began_work > seconds:
                self.say(f"given up after {seconds} s")
                return None
            self.seen = self.count() or self.seen
            self.advance_faults(sum(planned for planned, _ in self.seen.values()))
            if now - said > 10:
                said = now
                self.say(self.progress())
            self.place.reap()
            time.sleep(0.5)
        self.took_s = time.monotonic() - self.began_work
        self.seen = self.count()
        self.say(self.progress())
        return watcher.returncode

    def progress(self):
        boards = " ".join(f"{name} {self.seen.get(name, (0, 0))[0]}" for name in self.boards.names)
        return f"points {sum(planned for planned, _ in self.seen.values()):3}   {boards}"

    def advance_faults(self, points):
        now = time.monotonic()
        for fault in self.faults:
            if not fault.began and points >= fault.at_points:
                happened = fault.begin()
                if happened is False:
                    continue  # no task is running now
                fault.began, fault.began_unix_s = now, time.time()
                self.say(fault.begin_text)
            if fault.began and not fault.over and now - fault.began >= fault.lasts_s:
                fault.over, fault.over_unix_s = True, time.time()
                if fault.end:
                    fault.end()
                    self.say(fault.end_text)

    def add_faults(self, *faults):
        self.faults += faults

    # Faults.
    def board_dies(self, name, at_points, seconds=None):
        """Returns the fault that a board fails. Without `seconds` it does not boot again, and fails
        only after its calibration, which no other board can provide."""
        def begin():
            _, calibration = self.seen.get(name, (0, 0))
            if not self.boards.running(name) or (seconds is None and calibration < self.calibration):
                return False
            self.engine.lose_board(name)
            return True
        text = f"{name} dies in the middle of a task"
        if seconds is None:
            return Fault(at_points, text, begin, board=name)
        return Fault(at_points, text, begin, seconds, f"{name} boots again",
                     lambda: self.engine.bring_back(name), name)

    def program_killed(self, name, at_points):
        def begin():
            running = self.boards.running(name)
            end(running[:1])
            return bool(running)
        return Fault(at_points, f"{name}: ridgewatt killed (SIGKILL)", begin, board=name)

    def database_crashes(self, at_points, seconds):
        return Fault(at_points, "database crashes", self.database.crash, seconds, "database started again",
                     self.database.start)

    def center_lost(self, at_points, seconds):
        return Fault(at_points, self.engine.center, self.engine.lose_center, seconds,
                     "controller started again" if self.engine.name == "slurm" else "", self.engine.restart_center
                     if self.engine.name == "slurm" else None)

    def disk_full(self, name, at_points, seconds):
        """Returns the fault that the disk of a board is full. Needs use_small_disk() before
        start()."""
        filler = self.small_disk / "filler"

        def fill():
            with open(filler, "wb", buffering=0) as file:
                try:
                    while True:
                        file.write(bytes(1 << 14))
                except OSError:
                    pass
        return Fault(at_points, f"{name}: disk full", fill, seconds, f"{name}: disk has space again", filler.unlink,
                     name)

    def use_small_disk(self, name):
        self.small_disk = self.place.mount_tmpfs(f"b/{name}/state", "24m")

    def line_cut(self, name, at_points, seconds):
        proxy = self.boards.proxies[name]
        return Fault(at_points, f"{name}: connection to the database cut", proxy.cut, seconds, f"{name}: connection restored",
                     proxy.restore)

    # Checks at the end.
    def slots(self):
        return {slot: int(times) for slot, times in self.database.sql(SLOTS)}

    def interrupted(self, serial, begin_s, end_s):
        return any(fault.board == serial and begin_s <= fault.over_unix_s and fault.began_unix_s <= end_s
                   for fault in self.faults)

    def durations(self):
        """Returns {board: mean seconds from the start of a point to the start of the next one in
        the same task}, which excludes the time of the engine. Pairs with a fault of the board
        between them do not count."""
        gaps = {}
        before, last = None, 0
        for serial, slot, when in self.database.sql(STARTED):
            now, start = (serial, int(slot.split("/")[2]) // self.points_per_task), float(when)
            if before == now and not self.interrupted(serial, last, start):
                gaps.setdefault(serial, []).append(start - last)
            before, last = now, start
        return {serial: statistics.mean(of_board) for serial, of_board in gaps.items()}

    def ideal_s(self):
        """Returns the duration of the campaign if no board failed or waited. Each kind measures its
        points, with calibration, at the sum of its boards' speeds. The slower kind counts."""
        durations = self.durations()
        kinds = self.boards.kinds()
        work = self.points / len(kinds)
        return max((work + self.calibration * len(names)) / sum(1 / durations[name] for name in names)
                   for names in kinds.values())

    def secrets_watch(self):
        return SecretsWatch(self.place, self.database.passwords.values(),
                            [self.database.passfile, self.database.data])

    def log_end(self, name, lines=5):
        path = self.place.logs / f"{name}.log"
        return "\n".join(path.read_text().splitlines()[-lines:]) if path.exists() else ""


def eight_boards():
    kinds = {"orin": "agx-orin", "nano": "orin-nano"}
    small = [1.00, 1.03, 0.97, 1.05]
    found = {f"{word}{i + 1}": (kind, {"time": factor, "power": round(2 - factor, 2)})
             for word, kind in kinds.items() for i, factor in enumerate(small)}
    found["nano4"] = ("orin-nano", {"time": 3})
    return found


def whole(place, program, engine, points, window=70):
    """Runs the campaign of docs/results/fleet.md. Returns (chaos, exit status of `campaign watch`,
    SecretsWatch)."""
    chaos = Chaos(place, program, engine, points, eight_boards(), window=window)
    can_fill = place.may_mount()
    if can_fill:
        chaos.use_small_disk("orin3")
    chaos.start()
    with chaos.secrets_watch() as secrets:
        chaos.plan()
        chaos.submit()
        tenth = points // 10
        chaos.add_faults(chaos.board_dies("orin2", tenth, 20), chaos.program_killed("nano1", 2 * tenth),
                         chaos.database_crashes(3 * tenth, 4), chaos.center_lost(4 * tenth, 4),
                         chaos.line_cut("nano3", 6 * tenth, 20))
        if can_fill:
            chaos.add_faults(chaos.disk_full("orin3", 5 * tenth, 15))
        else:
            chaos.say("not tried: a full disk (it needs root, to mount a small one)")
        status = chaos.watch(points * 2)
    return chaos, status, secrets


def verdict(chaos, status, secrets):
    """Returns a line for each failed check."""
    wrong = []
    if status != 0:
        wrong.append(f"watch ended with {status}: {chaos.log_end('watch')}")
    slots = chaos.slots()
    planned = [slot for slot in slots if "/cal-" not in slot]
    calibration = [slot for slot in slots if "/cal-" in slot]
    if len(planned) != chaos.points:
        wrong.append(f"{len(planned)} of {chaos.points} slots are there")
    if any(times != 1 for times in slots.values()):
        wrong.append("a slot is there more than once")
    if len(calibration) != chaos.calibration * len(chaos.boards.names):
        wrong.append(f"{len(calibration)} calibration points")
    if not all(fault.began and fault.over for fault in chaos.faults):
        wrong.append("not all faults happened: " + ", ".join(f.begin_text for f in chaos.faults if not f.over))
    wrong += secrets.found
    return wrong


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("build", type=pathlib.Path)
    options.add_argument("engine", choices=["slurm", "parallel"], default="slurm", nargs="?")
    options.add_argument("--points", type=int, default=400)
    options.add_argument("--window", type=int, default=70, help="minibatches of a point")
    given = options.parse_args()
    with Place() as place:
        chaos, status, secrets = whole(place, given.build / "ridgewatt" / "ridgewatt",
                                       SlurmEngine if given.engine == "slurm" else ParallelEngine, given.points,
                                       given.window)
        wrong = verdict(chaos, status, secrets)
        if not wrong:
            ideal = chaos.ideal_s()
            chaos.say(f"all {given.points} slots once; took {chaos.took_s:.1f} s, ideal {ideal:.1f} s, "
                      f"{chaos.took_s / ideal:.2f} times; {secrets.files} files and {len(secrets.seen)} command "
                      "lines without a password")
        print("\n".join(wrong))
        return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
