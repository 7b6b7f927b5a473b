#!/usr/bin/env python3
"""Measures the overhead of `ridgewatt top`: the CPU time of all its processes over SECONDS in a
terminal of 80x24, while a workload runs on a fake AGX Orin: bench/top_cost.py [--program
build/ridgewatt/ridgewatt] [--seconds 30] [--rounds 3]"""
import argparse
import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import tempfile
import termios
import time


def one_round(program, board, seconds):
    """Returns the CPU time (getrusage) and the wall-clock time (s)."""
    begin = time.monotonic()
    process, terminal = pty.fork()
    if process == 0:
        os.environ.update(TERM="xterm-256color", LC_ALL="C.UTF-8")
        os.execv(program, [program, "top", "--sysroot", board])
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    drawn = 0
    while time.monotonic() - begin < seconds:
        if select.select([terminal], [], [], 0.2)[0]:
            drawn += len(os.read(terminal, 65536))
    os.write(terminal, b"q")
    _, status, usage = os.wait4(process, 0)
    if status != 0 or drawn < 1000:
        sys.exit(f"ridgewatt top ended with {status} after {drawn} bytes")
    return usage.ru_utime + usage.ru_stime, time.monotonic() - begin, drawn


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", default="build/ridgewatt/ridgewatt")
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    program = os.path.abspath(options.program)
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
        board = os.path.join(folder, "board")
        subprocess.run([program, "fake-board", "agx-orin", board, "--quiet"], check=True)
        load = subprocess.Popen([program, "fake-run", "zoo:resnet50", "--minibatches", "1000000", "--quiet",
                                 "--sysroot", board])
        try:
            for _ in range(options.rounds):
                cpu_s, time_s, drawn = one_round(program, board, options.seconds)
                print(f"{100 * cpu_s / time_s:.2f} % of a core: {cpu_s:.3f} s in {time_s:.1f} s, {drawn} bytes drawn")
        finally:
            load.terminate()
            load.wait()
    return 0


if __name__ == "__main__":
    sys.exit(main())
