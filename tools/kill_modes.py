#!/usr/bin/env python3
"""Kills `ridgewatt mode apply` at random moments on a fake board and checks that the board is as
it was before: tools/kill_modes.py [--runs 200] [--seed 1] [--program build/ridgewatt/ridgewatt]

Half of the runs hold the mode (--for), half set it to stay. A run that ended by itself before the
signal came must leave the mode set (or restored, with --for); every killed run must leave the first
state. The time from the signal until the guardian has ended is reported too.
"""
import argparse
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time


def content(root):
    return {str(path): path.read_bytes() for path in sorted(pathlib.Path(root).rglob("*"))
            if path.is_file() and not path.is_symlink()}


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


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--program", default="build/ridgewatt/ridgewatt")
    parser.add_argument("--board", default="agx-orin")
    options = parser.parse_args()
    chance = random.Random(options.seed)
    faults = 0
    killed = 0
    slowest = 0.0
    shared = "/dev/shm" if os.path.isdir("/dev/shm") else None
    with tempfile.TemporaryDirectory(dir=shared) as folder:
        root = os.path.join(folder, "board")
        subprocess.run([options.program, "fake-board", options.board, root, "--quiet"], check=True)
        first = content(root)
        for run in range(options.runs):
            command = [options.program, "mode", "apply", "--cpu-cores", "4", "--cpu-mhz", "1113.6",
                       "--gpu-mhz", "510", "--mem-mhz", "665.6", "--sysroot", root]
            if run % 2:
                command += ["--for", "0.02"]
            number = [signal.SIGKILL, signal.SIGTERM, signal.SIGINT][run % 3]
            child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            time.sleep(chance.uniform(0, 0.08))
            child.send_signal(number)
            sent = time.monotonic()
            child.communicate()  # ends when the guardian has closed the pipes
            slowest = max(slowest, time.monotonic() - sent)
            was_killed = child.returncode < 0
            killed += was_killed
            left = processes(root)
            applied = content(root) != first
            if not was_killed and not run % 2:
                subprocess.run([options.program, "mode", "restore", "--quiet", "--sysroot", root],
                               check=True)
                applied = content(root) != first
            if applied or left:
                faults += 1
                now = content(root)
                changed = [name for name in first if now.get(name) != first[name]]
                print(f"run {run}: signal {number}, status {child.returncode}, left {left}, "
                      f"changed {changed}")
                subprocess.run([options.program, "mode", "restore", "--quiet", "--sysroot", root])
    print(f"{options.runs} runs, {killed} killed before their end, {faults} faults, "
          f"first state back after at most {slowest:.3f} s")
    return 1 if faults else 0


sys.exit(main())
