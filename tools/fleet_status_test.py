#!/usr/bin/env python3
"""Tests `ridgewatt fleet status` with a real Prometheus:
tools/fleet_status_test.py BUILD_FOLDER [unittest's options]

Two fake boards run changing loads. `ridgewatt export` writes their metrics, and a Prometheus on
loopback scrapes them. The energy and power of `fleet status` are compared with the boards' files. A
store contains a better mode than the current mode of one board."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import fake_power
from test_support import free_port, needs, serve_metrics

SOURCE = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else SOURCE / "build").resolve()
PROGRAM = BUILD / "ridgewatt" / "ridgewatt"
DAY_S, WINDOW_S = 60, 16


def status(*options):
    environment = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    return subprocess.run([PROGRAM, "fleet", "status", *map(str, options)], capture_output=True, text=True,
                          env=environment, check=False)


class FleetStatus(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="ridgewatt-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def export(self, name):
        """Starts a busy fake board and serves its metrics. Returns the board and the address."""
        board = fake_power.FakeBoard(PROGRAM, name)
        self.addCleanup(board.remove)
        metrics = pathlib.Path(board.folder) / "ridgewatt.prom"
        board.start("export", "--textfile", metrics, "--every", "0.1", "--sampling-hz", "50")
        while not metrics.exists():
            time.sleep(0.05)
        board.keep_busy()
        server = serve_metrics(metrics)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return board, f"127.0.0.1:{server.server_address[1]}"

    def scrape(self, boards):
        """Starts a Prometheus with the targets in boards.json and returns its URL."""
        (self.folder / "boards.json").write_text(json.dumps(boards))
        (self.folder / "prometheus.json").write_text(json.dumps(
            {"global": {"scrape_interval": "1s"},
             "scrape_configs": [{"job_name": "ridgewatt",
                                 "file_sd_configs": [{"files": [str(self.folder / "boards.json")]}]}]}))
        listen = free_port()
        process = subprocess.Popen(
            ["prometheus", f"--config.file={self.folder}/prometheus.json", f"--storage.tsdb.path={self.folder}/data",
             f"--web.listen-address=127.0.0.1:{listen}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return f"http://127.0.0.1:{listen}"

    def scraped(self, url, address, now_s):
        """Returns the times at which the energy of a board was scraped."""
        expression = f'hw_energy_joules_total{{instance="{address}"}}[{DAY_S}s]'
        question = urllib.parse.urlencode({"query": expression, "time": now_s})
        ask = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with ask.open(f"{url}/api/v1/query?{question}", timeout=10) as reply:
            values = json.load(reply)["data"]["result"][0]["values"]
        return [float(when) for when, _ in values]

    def is_increase(self, watch, times_s, energy_j):
        """Checks a result of increase(), which extrapolates by up to 1.1 scrape intervals at each
        end. A scrape may have happened since the query."""
        truth_j = watch.mean_w(times_s[0], times_s[-1]) * (times_s[-1] - times_s[0])
        scrape = 1 / (len(times_s) - 1)
        self.assertGreater(energy_j, 0.97 * truth_j * (1 - scrape))
        self.assertLess(energy_j, 1.03 * truth_j * (1 + 3.2 * scrape))

    def store(self, mode):
        """Creates a store in which a mode with a lower GPU clock takes 10 % less time and 20 %
        less power than `mode`."""
        knobs = dict(part.split("=") for part in mode.split(","))
        rows = ["workload,kind,batch,cpu_cores,cpu_mhz,gpu_mhz,mem_mhz,time_ms,power_w"]
        for gpu_mhz, time_ms, power_w in ((float(knobs["gpu"]), 100, 30), (624.75, 90, 24)):
            rows.append(f"resnet18,training,16,{knobs['cores']},{knobs['cpu']},{gpu_mhz},{knobs['mem']},{time_ms},"
                        f"{power_w}")
        (self.folder / "rows.csv").write_text("\n".join(rows) + "\n")
        path = self.folder / "all.db"
        done = subprocess.run([PROGRAM, "store", "import", path, self.folder / "rows.csv", "--device", "fake:agx-orin"],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return path

    @needs("prometheus")
    def test_against_prometheus(self):
        (orin, orin_at), (nano, nano_at) = self.export("agx-orin"), self.export("orin-nano")
        watches = {orin_at: fake_power.Watch(orin), nano_at: fake_power.Watch(nano)}
        for watch in watches.values():
            self.addCleanup(watch.stop)
        gone = f"127.0.0.1:{free_port()}"
        url = self.scrape([{"targets": [orin_at, gone], "labels": {"fleet": "lab", "workload": "resnet18"}},
                           {"targets": [nano_at], "labels": {"fleet": "field", "serial": "N1"}}])
        time.sleep(WINDOW_S + 6)
        options = ("--prometheus", url, "--window", WINDOW_S, "--day", DAY_S)
        for _ in range(20):  # on a busy machine a scrape may time out, so that a board is not up
            now_s = time.time()
            done = status(*options, "--boards", self.folder / "boards.json", "--format", "json")
            self.assertEqual(done.returncode, 0, done.stderr)
            result = json.loads(done.stdout)
            boards = {board["board"]: board for board in result["boards"]}
            if result["totals"]["up"] == 2:
                break
            time.sleep(1)
        self.assertEqual(set(boards), {orin_at, nano_at, gone})
        absent = [boards[gone][key] for key in ("up", "window_power_w", "last_seen_s")]
        self.assertEqual(absent, ["no", None, None])
        for address, kind, fleet in ((orin_at, "fake:agx-orin", "lab"), (nano_at, "fake:orin-nano", "field")):
            board, watch = boards[address], watches[address]
            self.assertTrue(board["board_kind"].startswith(kind), board["board_kind"])
            self.assertEqual((board["fleet"], board["up"]), (fleet, "yes"))
            self.assertLess(board["last_seen_s"], 4)
            self.assertGreater(board["temperature_c"], 20)
            self.assertEqual(board["throttled"], "no")
            self.assertIn("gpu=", board["mode"])
            times_s = self.scraped(url, address, now_s)
            self.assertGreater(times_s[-1] - times_s[0], WINDOW_S / 2)
            recent_s = [when for when in times_s if when > now_s - WINDOW_S]
            power_w, energy_j = board["window_power_w"], board["day_energy_j"]
            print(f"\n{kind}: {power_w:.2f} W, {energy_j:.0f} J of the day")
            # Energy is power times time, from the files of the board.
            self.is_increase(watch, recent_s, power_w * WINDOW_S)
            self.is_increase(watch, times_s, energy_j)
        total = result["totals"]
        self.assertEqual((total["boards"], total["up"]), (3, 2))
        self.assertAlmostEqual(total["window_power_w"],
                               sum(boards[address]["window_power_w"] for address in (orin_at, nano_at)))
        self.assertEqual([(row["workload"], row["source"]) for row in result["energy"]], [("resnet18", "counters")])
        self.assertEqual(result["missing"], ["drift and better modes: no --store"])

        store = self.store(boards[orin_at]["mode"])
        both = json.loads(status(*options, "--store", store, "--format", "json").stdout)
        self.assertEqual([(row["board"], row["workload"]) for row in both["modes"]], [(orin_at, "resnet18")])
        self.assertAlmostEqual(both["modes"][0]["time_pct"], -10)
        self.assertAlmostEqual(both["modes"][0]["power_pct"], -20)
        table = status(*options, "--store", store)
        self.assertIn("Modes for which another mode is better in time and power", table.stdout)
        csv = status(*options, "--store", store, "--format", "csv", "--table", "modes")
        self.assertEqual(len(csv.stdout.splitlines()), 2, csv.stdout)

    def test_wrong_usage(self):
        nobody = f"http://127.0.0.1:{free_port()}"
        for options, code, word in (((), 2, "--store"), (("--prometheus", "file:///etc/passwd"), 2, "http"),
                                    (("--prometheus", nobody), 1, "no reply"),
                                    (("--prometheus", "http://me:secret@127.0.0.1:1"), 2, ".netrc"),
                                    (("--store", self.folder / "none.db"), 1, "none.db")):
            done = status(*options)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
            self.assertIn(word, done.stderr)
            self.assertNotIn("secret", done.stderr + done.stdout)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
