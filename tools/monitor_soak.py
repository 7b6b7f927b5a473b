#!/usr/bin/env python3
"""Long test of monitoring: tools/monitor_soak.py [--build FOLDER] [--duration 3600] [--speed 24]

A fake board runs changing loads, --speed times faster than real time. `ridgewatt export` samples it
at 20 Hz times --speed, so that an hour at 24 gives the samples of a day. With --url
http://127.0.0.1:8470/metrics --pid PID, observes another program instead. Prints progress. The exit
status is 1 if a counter decreased or disappeared, a value was not finite, or memory grew by more
than 5 MB after the first tenth of the time."""
import argparse
import math
import os
import pathlib
import re
import sys
import time
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import fake_power

MOST_GROWTH_BYTES = 5e6


def resident_bytes(pid):
    pages = int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGESIZE")


def cpu_s(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def counters(text):
    """Returns the series of all counters with their values."""
    names = set(re.findall(r"^# TYPE (\S+) counter$", text, re.M))
    found = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            series, value = line.rsplit(" ", 1)
            if re.match(r"\w+", series)[0] in names:
                found[series] = float(value)
    return found


class Soak:
    def __init__(self):
        self.last, self.faults, self.looks = {}, [], 0

    def look(self, text):
        now = counters(text)
        self.looks += 1
        for series, value in self.last.items():
            if series not in now:
                self.faults.append(f"{series} is gone")
            elif not now[series] >= value:
                self.faults.append(f"{series} went from {value} to {now[series]}")
        self.faults += [f"{series} is {value}" for series, value in now.items() if not math.isfinite(value)]
        self.last = now


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    source = pathlib.Path(__file__).resolve().parent.parent
    parser.add_argument("--build", default=source / "build")
    parser.add_argument("--duration", type=float, default=3600)
    parser.add_argument("--speed", type=float, default=24)
    parser.add_argument("--url")
    parser.add_argument("--pid", type=int)
    options = parser.parse_args()
    board = fake_power.FakeBoard(pathlib.Path(options.build).resolve() / "ridgewatt/ridgewatt", "agx-orin")
    try:
        return watch(options, board)
    finally:
        board.remove()


def watch(options, board):
    if options.url:
        pid, read = options.pid, lambda: urllib.request.urlopen(options.url, timeout=10).read().decode()
    else:
        board.keep_busy(options.speed)
        file = pathlib.Path(board.folder) / "ridgewatt.prom"
        rate_hz = min(1000, 20 * options.speed)
        pid = board.start("export", "--textfile", file, "--every", "0.5", "--sampling-hz", rate_hz).pid
        while not file.exists():
            time.sleep(0.05)
        read = file.read_text
    soak, begin_s, settled_bytes, most_bytes, reported_s = Soak(), time.monotonic(), 0, 0, 0
    while (passed_s := time.monotonic() - begin_s) < options.duration and not soak.faults:
        soak.look(read())
        memory = resident_bytes(pid)
        if passed_s < options.duration / 10:
            settled_bytes = max(settled_bytes, memory)
        most_bytes = max(most_bytes, memory)
        if passed_s >= reported_s:
            energy_j = soak.last.get("hw_energy_joules_total", 0)
            print(f"{passed_s:7.0f} s  {energy_j:12.1f} J  {soak.last.get('ridgewatt_sampling_samples_total', 0):10.0f} "
                  f"samples  {memory / 1e6:6.2f} MB  {100 * cpu_s(pid) / max(passed_s, 1):5.2f} % of a core", flush=True)
            reported_s += max(1, options.duration / 20)
        time.sleep(0.5)
    growth = most_bytes - settled_bytes
    if growth > MOST_GROWTH_BYTES:
        soak.faults.append(f"memory grew by {growth / 1e6:.1f} MB")
    print(f"{soak.looks} looks at {len(soak.last)} counters; memory grew by {max(0, growth) / 1e6:.2f} MB; "
          + ("; ".join(soak.faults[:5]) or "no fault"))
    return 1 if soak.faults or soak.looks == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
