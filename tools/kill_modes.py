#!/usr/bin/env python3
"""Kills `ridgewatt mode apply` or `profile` at random moments on a fake board and checks that the
board is as it was before: tools/kill_modes.py [--runs 200] [--seed 1] [--profile]
[--program build/ridgewatt/ridgewatt]

Half of the runs hold the mode for a limited time (--for), and half set it permanently. A run that
ends before the signal must leave the mode set (with --for, restored). Every killed run must leave
the original state. The time from the signal to the end of the guardian process is also reported.
With --profile, killed runs fill one store. No finished point may be lost or stored twice, and the
database must pass its integrity check.
"""
import argparse
import collections
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

SIGNALS = [signal.SIGKILL, signal.SIGTERM, signal.SIGINT]


def content(root):
    """Returns the content of all files except the time counters of clocks, which always change."""
    return {str(path): path.read_bytes() for path in sorted(pathlib.Path(root).rglob("*"))
            if path.is_file() and not path.is_symlink()
            and path.name not in ("time_in_state", "trans_stat")}


def processes(name):
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and name in (entry / "cmdline").read_bytes().decode(errors="replace"):
                if int(entry.name) != os.getpid():
                    found.append(entry.name)
        except OSError:
            pass
    return found


def points(store, check=False):
    """Returns the finished points of the store. The check uses a copy, so that the next run finds
    the files as the killed program left them."""
    if not os.path.exists(store):
        return set()
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "copy.db")
        for end in ("", "-wal") if check else ():
            if os.path.exists(store + end):
                shutil.copyfile(store + end, copy + end)
        database = sqlite3.connect(copy if check else f"file:{store}?mode=ro", uri=True)
        try:
            if not database.execute("SELECT name FROM sqlite_master WHERE name = 'point'").fetchall():
                return set()
            if check:
                assert database.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
            rows = database.execute("SELECT cpu_cores, cpu_clock_hz, gpu_clock_hz, mem_clock_hz, "
                                    "batch, repeat FROM point").fetchall()
            assert len(rows) == len(set(rows)), "a point is doubled"
            return set(rows)
        except sqlite3.OperationalError:
            if check:
                raise
            return set()  # the store is being created
        finally:
            database.close()


def kill_profiles(options, chance, root, first):
    """Fills stores of 4 modes with killed runs. Returns (faults, ends, finished points)."""
    faults = finished = 0
    ends = collections.Counter()
    store = root + ".db"
    # The folder of the board in the command identifies workloads that are still running.
    mark = f": {root}; for i in 1 2 3; do echo minibatch >&$RIDGEWATT_MARK_FD; sleep 0.01; done"
    known = set()
    for run in range(options.runs):
        command = [options.program, "profile", store, "--sysroot", root, "--sample", "4",
                   "--settle-window", "0.01", "--settle", "0.1", "--idle", "0", "--quiet",
                   "--workload", "w", "--", "/bin/sh", "-c", mark]
        child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(chance.uniform(0, 0.6))
        known |= points(store)  # these points may not be lost
        number = SIGNALS[run % 3]
        child.send_signal(number)
        errors = child.communicate()[1]  # ends when guardian and workload have closed the pipes
        ends[number.name, "killed" if child.returncode else "had ended"] += 1
        by_signal = child.returncode in (0, -number)
        now = points(store, check=True)
        left = processes(root)
        if content(root) != first or left or not known <= now or not by_signal:
            faults += 1
            print(f"run {run}: status {child.returncode}, points {len(known)} then {len(now)}, "
                  f"left {left}, {errors.decode()}")
        known = now
        if len(known) == 4:
            finished += 4
            known = set()
            for name in (store, store + "-wal", store + "-shm"):
                if os.path.exists(name):
                    os.remove(name)
    return faults, ends, finished + len(known)


def counts_text(ends):
    return ", ".join(f"{name} {how} {count}" for (name, how), count in sorted(ends.items()))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--program", default="build/ridgewatt/ridgewatt")
    parser.add_argument("--board", default="agx-orin")
    parser.add_argument("--profile", action="store_true")
    options = parser.parse_args()
    chance = random.Random(options.seed)
    faults = 0
    ends = collections.Counter()
    slowest = 0.0
    shared = "/dev/shm" if os.path.isdir("/dev/shm") else None
    with tempfile.TemporaryDirectory(dir=shared) as folder:
        root = os.path.join(folder, "board")
        subprocess.run([options.program, "fake-board", options.board, root, "--quiet"], check=True)
        first = content(root)
        if options.profile:
            faults, ends, finished = kill_profiles(options, chance, root, first)
            print(f"{options.runs} runs of profile ({counts_text(ends)}), {faults} faults, "
                  f"{finished} points finished")
            return 1 if faults else 0
        for run in range(options.runs):
            command = [options.program, "mode", "apply", "--cpu-cores", "4", "--cpu-mhz", "1113.6",
                       "--gpu-mhz", "510", "--mem-mhz", "665.6", "--sysroot", root]
            if run % 2:
                command += ["--for", "0.02"]
            number = SIGNALS[run % 3]
            child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            time.sleep(chance.uniform(0, 0.08))
            child.send_signal(number)
            sent = time.monotonic()
            errors = child.communicate()[1]  # ends when the guardian has closed the pipes
            slowest = max(slowest, time.monotonic() - sent)
            was_killed = child.returncode < 0
            ends[number.name, "killed" if was_killed else "had ended"] += 1
            left = processes(root)
            applied = content(root) != first
            if not was_killed and not run % 2:
                subprocess.run([options.program, "mode", "restore", "--quiet", "--sysroot", root],
                               check=True)
                applied = content(root) != first
            if applied or left or child.returncode not in (0, -number):
                faults += 1
                now = content(root)
                changed = [name for name in first if now.get(name) != first[name]]
                print(f"run {run}: signal {number}, status {child.returncode}, left {left}, "
                      f"changed {changed}, {errors.decode()}")
                subprocess.run([options.program, "mode", "restore", "--quiet", "--sysroot", root])
    print(f"{options.runs} runs ({counts_text(ends)}), {faults} faults, "
          f"first state back after at most {slowest:.3f} s")
    return 1 if faults else 0


sys.exit(main())
