"""For tests of monitoring: keeps a fake board busy, and reads the power from its files without the
tested program."""
import bisect
import itertools
import os
import pathlib
import shutil
import subprocess
import tempfile
import threading
import time

# Rails whose sum is the total power, with the names in the vendors' documents.
TOTALS = {"agx-orin": ("VDD_GPU_SOC", "VDD_CPU_CV", "VIN_SYS_5V0"), "orin-nano": ("VDD_IN",)}


class FakeBoard:
    """A folder with a fake board. remove() ends the programs that were started on it."""

    def __init__(self, program, name):
        self.program, self.name = str(program), name
        memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self.folder = tempfile.mkdtemp(prefix="ridgewatt-", dir=memory)
        self.root = pathlib.Path(self.folder) / "board"
        self.device = ["--sysroot", str(self.root)]
        self.processes, self.stop = [], threading.Event()
        self.load = None
        subprocess.run([self.program, "fake-board", name, str(self.root)], check=True, stdout=subprocess.DEVNULL)

    def start(self, *command):
        process = subprocess.Popen([self.program, *map(str, command), *self.device], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        self.processes.append(process)
        return process

    def keep_busy(self, speed=1):
        """Runs loads one after another, with pauses, until remove()."""
        def work():
            loads = itertools.cycle((("zoo:resnet50", 16, 12), ("zoo:mobilenet_v2", 4, 150), ("zoo:lenet5", 1, 400)))
            for model, batch, minibatches in loads:
                if self.stop.is_set():
                    return
                process = self.start("fake-run", model, "--batch", batch, "--minibatches", int(minibatches * speed),
                                     "--speed", speed)
                process.wait()
                self.processes.remove(process)
                self.stop.wait(0.7)
        self.load = threading.Thread(target=work, daemon=True)
        self.load.start()

    def remove(self):
        self.stop.set()
        for process in list(self.processes):
            process.terminate()
            process.wait()
        if self.load:
            self.load.join()
        shutil.rmtree(self.folder, ignore_errors=True)


class Watch:
    """Reads the rails of the total 100 times per second, with wall-clock times."""

    def __init__(self, board):
        self.files = []
        for label in board.root.glob("sys/class/hwmon/hwmon*/in*_label"):
            if label.read_text().strip() in TOTALS[board.name]:
                channel = label.name[2:-6]
                self.files.append((label.parent / f"in{channel}_input", label.parent / f"curr{channel}_input"))
        assert len(self.files) == len(TOTALS[board.name]), self.files
        self.times_s, self.powers_w, self.ended = [], [], threading.Event()
        self.thread = threading.Thread(target=self.work, daemon=True)
        self.thread.start()

    def power_w(self):
        return sum(int(voltage.read_text()) * int(current.read_text()) * 1e-6 for voltage, current in self.files)

    def work(self):
        while not self.ended.wait(0.01):
            try:
                power_w = self.power_w()
            except ValueError:  # a file was being written
                continue
            self.times_s.append(time.time())
            self.powers_w.append(power_w)

    def stop(self):
        self.ended.set()
        self.thread.join()

    def mean_w(self, begin_s, end_s):
        """Returns the mean power. Each value holds until the next one was read."""
        first, last = bisect.bisect(self.times_s, begin_s), bisect.bisect(self.times_s, end_s)
        energy_j = 0
        for i in range(first, last):
            energy_j += self.powers_w[i] * (min(self.times_s[i + 1], end_s) - self.times_s[i])
        energy_j += self.powers_w[first - 1] * (self.times_s[first] - begin_s)
        return energy_j / (end_s - begin_s)

    def spread_w(self, begin_s, end_s):
        first, last = bisect.bisect(self.times_s, begin_s), bisect.bisect(self.times_s, end_s)
        return min(self.powers_w[first:last]), max(self.powers_w[first:last])
