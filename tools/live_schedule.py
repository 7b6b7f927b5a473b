#!/usr/bin/env python3
"""Tests `ridgewatt schedule run --programs` on a fake board, faster than real time.

Runs two inference programs and one training, and kills some workers. The arrivals of requests are
constant, Poisson, bursty and from a trace, for a quarter of the time each. The checks use the
records of the workers and the log of grants, not the report of the command:

  * No two grants overlap.
  * A minute of a program is met if the 99th percentile of the latency of its requests is within the
    bound. A request that was not served is late.
  * A minute cannot be met if more than 1 % of its requests had no worker until their bound was
    over. Such a request waited at the kill or arrived after it, and its bound ended before the next
    worker could have finished the shortest minibatch. Such minutes do not count.
  * Modes were changed, and killed workers were started again.

    tools/live_schedule.py --minutes 30 --speed 10          # 3 minutes
    tools/live_schedule.py --minutes 4 --speed 10 --kills 2

Prints JSON. The exit status is 1 if a check fails. The latency of messages counts --speed times. On
a busy machine, use real-time priority (--realtime, which needs the right to set it).
"""
import argparse
import csv
import json
import math
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = {  # name: (model, batches, bound in s, rates in 1/s of constant, Poisson, bursty)
    "detector": ("zoo:mobilenet_v3_large", "1,2,4,8,16,32", 1.0, (40, 40, (10, 30, 60, 90))),
    "classifier": ("zoo:resnet18", "1,2,4,8,16,32", 1.5, (20, 20, (5, 15, 30, 45))),
}
ORDER = {"detector": ("constant", "poisson", "bursty", "trace"),
         "classifier": ("bursty", "trace", "constant", "poisson")}


def poisson(rng, rate, begin, end):
    times, now = [], begin + rng.expovariate(rate)
    while now < end:
        times.append(now)
        now += rng.expovariate(rate)
    return times


def arrivals(kind, rates, scale, rng, begin, end):
    constant, mean, bursty = rates[0] * scale, rates[1] * scale, [r * scale for r in rates[2]]
    if kind == "constant":
        return [begin + (i + 1) / constant for i in range(int((end - begin) * constant))]
    if kind == "poisson":
        return poisson(rng, mean, begin, end)
    if kind == "bursty":  # Markov-modulated; states last a minute on average (arrivals.h)
        times, now, state = [], begin, rng.randrange(len(bursty))
        while now < end:
            until = min(end, now + rng.expovariate(1 / 60))
            times += poisson(rng, bursty[state], now, until)
            now, state = until, rng.choice([s for s in range(len(bursty)) if s != state])
        return times
    # The trace: the rate varies slowly between a quarter of the mean and twice the mean.
    times, now = [], begin
    while now < end:
        phase = (now - begin) / (end - begin)
        rate = mean * (1.125 - 0.875 * math.cos(2 * math.pi * 2 * phase))
        now += rng.expovariate(rate)
        times.append(now)
    return [t for t in times if t < end]


def p99(values):
    return sorted(values)[max(1, math.ceil(0.99 * len(values))) - 1]


class Rehearsal:
    def __init__(self, options, folder):
        self.options, self.folder = options, pathlib.Path(folder)
        self.seconds = options.minutes * 60  # duration of the schedule
        self.traces, self.kills, self.events = {}, [], []
        self.kill_times = []

    def prepare(self):
        o, board = self.options, self.folder / "board"
        run = lambda *words: subprocess.run([o.program, *map(str, words)], check=True,
                                            stdout=subprocess.DEVNULL)
        run("fake-board", "agx-orin", board, "--quiet")
        for name, (model, batches, _, _) in PROGRAMS.items():
            run("sweep", "example", "--device", "agx-orin", "--quiet", "--workload", model,
                "--batch", batches, "-o", self.folder / f"{name}.csv")
        run("sweep", "example", "--device", "agx-orin", "--quiet", "--workload",
            "resnet50:training", "-o", self.folder / "train.csv")
        rng = random.Random(o.seed)
        for name, kinds in ORDER.items():
            quarter, times = self.seconds / 4, []
            for i, kind in enumerate(kinds):
                times += arrivals(kind, PROGRAMS[name][3], self.options.rates, rng, i * quarter,
                                  (i + 1) * quarter)
            self.traces[name] = times
            # The program shifts a trace to its first arrival, so the record must do the same.
            self.traces[name] = [t - times[0] for t in times]
            with open(self.folder / f"{name}_arrivals.csv", "w") as file:
                file.write("time_s\n" + "".join(f"{t:.6f}\n" for t in times))

    def write_programs(self, begin):
        o, text = self.options, []
        for name, (model, batches, bound, rates) in PROGRAMS.items():
            command = [o.worker, f"{self.folder}/board", model, "inference", str(o.speed), batches,
                       f"{self.folder}/{name}_arrivals.csv", repr(begin),
                       f"{self.folder}/{name}_served.csv"]
            text.append(f'[[inference]]\nname = "{name}"\nsweep = "{name}.csv"\n'
                        f"max_latency_ms = {bound * 1e3}\narrival_rate_hz = {rates[0] * o.rates}\n"
                        f"command = {json.dumps(command)}\n")
        command = [o.worker, f"{self.folder}/board", "zoo:resnet50", "training", str(o.speed)]
        text.append(f'[[training]]\nname = "trainer"\nsweep = "train.csv"\n'
                    f"command = {json.dumps(command)}\n")
        (self.folder / "programs.toml").write_text("\n".join(text))

    def kill_workers(self, controller, begin):
        """Kills workers with SIGKILL at even intervals, each program in turn."""
        names = ["trainer", "detector", "classifier"]
        for i in range(self.options.kills):
            at = self.seconds * (i + 1) / (self.options.kills + 1)
            time.sleep(max(0, begin + at / self.options.speed - time.monotonic()))
            name = names[i % len(names)]
            number = self.find(controller.pid, name)
            if number is not None:
                self.kill_times.append((name, (time.monotonic() - begin) * self.options.speed))
                os.kill(number, signal.SIGKILL)

    def find(self, pid, name):
        for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
            for number in (task / "children").read_text().split():
                try:
                    environment = pathlib.Path(f"/proc/{number}/environ").read_bytes()
                except OSError:
                    continue
                if f"RIDGEWATT_NAME={name}".encode() in environment.split(b"\0"):
                    return int(number)
        return None

    def run(self):
        o = self.options
        begin = time.monotonic() + o.start
        self.write_programs(begin)
        # Ends after the bounds of the last requests.
        duration = o.start + (self.seconds + 3) / o.speed
        words = [o.program, "schedule", "run", "--programs", self.folder / "programs.toml",
                 "--max-power", o.max_power, "--apply-mode", "--sysroot", self.folder / "board",
                 "--state-dir", self.folder / "state", "--speed", o.speed, "--socket",
                 self.folder / "plan.sock", "--log", self.folder / "grants.csv", "--duration",
                 duration, "--least-deadline", 1000, "--format", "json"]
        if o.realtime:
            words = ["chrt", "-f", "10", *words]
        with open(self.folder / "events.txt", "w") as events:
            controller = subprocess.Popen(list(map(str, words)), stdout=subprocess.PIPE,
                                          stderr=events, text=True)
            killer = threading.Thread(target=self.kill_workers, args=(controller, begin))
            killer.start()
            output, _ = controller.communicate()
            killer.join()
        if controller.returncode != 0:
            sys.exit((self.folder / "events.txt").read_text()[-2000:])
        return json.loads(output)

    def beyond(self, name, times, served, joined, count):
        """Returns the minutes that cannot be met because of a kill."""
        bound, quickest = PROGRAMS[name][2], 0.02
        lost = [0] * count
        for who, killed in self.kill_times:
            back = min((at for at in joined if at > killed), default=math.inf)
            if who != name:
                continue
            for index, at in enumerate(times):
                waited = at < back and served.get(index, math.inf) > killed
                if waited and at + bound < back + quickest:
                    lost[min(int(at / 60), count - 1)] += 1
        totals = [0] * count
        for at in times:
            totals[min(int(at / 60), count - 1)] += 1
        return {i for i in range(count) if lost[i] > totals[i] - math.ceil(0.99 * totals[i])}

    def check(self, said):
        with open(self.folder / "grants.csv", newline="") as file:
            grants = sorted((float(row["granted_s"]), float(row["released_s"]), row["kind"])
                            for row in csv.DictReader(file))
        overlaps = sum(b[0] < a[1] for a, b in zip(grants, grants[1:]))
        result = {"minutes": self.options.minutes, "speed": self.options.speed,
                  "load": os.getloadavg()[0], "grants": len(grants), "overlaps": overlaps,
                  "training_minibatches": sum(kind == "training" for _, _, kind in grants),
                  "mode_changes": said["mode_changes"], "plan_changes": said["plan_changes"],
                  "mode_change_ms": said["mode_change_ms"], "kills": len(self.kill_times),
                  "restarts": said["restarts"], "programs": {}}
        used = met = all_met = 0
        for name, times in self.traces.items():
            served, joined = {}, []
            with open(self.folder / f"{name}_served.csv") as file:
                for line in file:
                    index, at = line.split(",")
                    if index == "joined":
                        joined.append(float(at))
                    else:
                        served[int(index)] = float(at)
            bound = PROGRAMS[name][2]
            minutes = [[] for _ in range(math.ceil(self.options.minutes))]
            for index, at in enumerate(times):
                minutes[min(int(at / 60), len(minutes) - 1)].append(
                    served.get(index, math.inf) - at)
            worst = [p99(latencies) for latencies in minutes]
            missed = [i for i, value in enumerate(worst) if value > bound]
            beyond = self.beyond(name, times, served, joined, len(minutes))
            used += len(worst) - len(beyond)
            met += sum(i not in beyond and i not in missed for i in range(len(worst)))
            all_met += len(worst) - len(missed)
            every = [value for latencies in minutes for value in latencies]
            result["programs"][name] = {
                "requests": len(times), "bound_ms": bound * 1e3,
                "late": sum(value > bound for value in every),
                "p50_ms": sorted(every)[len(every) // 2] * 1e3, "p99_ms": p99(every) * 1e3,
                "minutes": len(worst), "minutes_met": len(worst) - len(missed),
                "beyond_any_schedule": sorted(beyond),
                "missed": [{"minute": i, "p99_ms": worst[i] * 1e3} for i in missed],
                "killed_in_minutes": sorted(int(at / 60) for who, at in self.kill_times
                                            if who == name)}
        every_minute = sum(p["minutes"] for p in result["programs"].values())
        result["minutes_met_pct"] = 100 * all_met / every_minute
        result["minutes_met_of_possible_pct"] = 100 * met / used
        result["good"] = (overlaps == 0 and 
                          result["minutes_met_of_possible_pct"] >= self.options.least_met and
                          said["mode_changes"] >= self.options.least_changes and
                          said["restarts"] >= len(self.kill_times))
        return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="build/ridgewatt/ridgewatt")
    parser.add_argument("--worker", default="build/examples/fake_worker")
    parser.add_argument("--minutes", type=float, default=30, help="of the schedule")
    parser.add_argument("--speed", type=float, default=10)
    parser.add_argument("--kills", type=int, default=6)
    parser.add_argument("--max-power", type=float, default=30)
    parser.add_argument("--rates", type=float, default=1, help="times the programs' own")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--least-met", type=float, default=97, help="percent of the minutes")
    parser.add_argument("--least-changes", type=int, default=1, help="of the mode")
    parser.add_argument("--start", type=float, default=1.5, help="seconds until requests come")
    parser.add_argument("--realtime", action="store_true")
    parser.add_argument("--keep", help="folder for all files, else a temporary one")
    options = parser.parse_args()
    options.program = str(pathlib.Path(options.program).resolve())
    options.worker = str(pathlib.Path(options.worker).resolve())
    with tempfile.TemporaryDirectory() as folder:
        rehearsal = Rehearsal(options, options.keep or folder)
        rehearsal.prepare()
        result = rehearsal.check(rehearsal.run())
    print(json.dumps(result, indent=1))
    return 0 if result["good"] else 1


if __name__ == "__main__":
    sys.exit(main())
