#!/usr/bin/env python3
"""Tests metrics from a board to Prometheus: tools/metrics_test.py BUILD_FOLDER [unittest's options]

A fake board runs changing loads. `ridgewatt export` writes its metrics, and a Prometheus on
loopback scrapes them. rate(hw_energy_joules_total) is compared with the mean power in the board's
files, which the test itself reads. promtool and systemd-analyze check the shipped rules, dashboard
and units. Tests whose programs are not installed are skipped with a line."""
import json
import os
import pathlib
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import fake_power
from test_support import free_port, needs, serve_metrics

SOURCE = pathlib.Path(__file__).resolve().parent.parent
SHIPPED = SOURCE / "packaging" / "metrics"
BUILD = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else SOURCE / "build").resolve()
PROGRAM = BUILD / "ridgewatt" / "ridgewatt"


def run(*command, **options):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)


def dashboard_expressions():
    """Yields the expressions of the dashboard, with its variables replaced as by Grafana."""
    def walk(value):
        if isinstance(value, dict):
            for key, inner in value.items():
                if key == "expr":
                    yield inner
                yield from walk(inner)
        elif isinstance(value, list):
            for inner in value:
                yield from walk(inner)
    for expression in walk(json.loads((SHIPPED / "grafana_dashboard.json").read_text())):
        expression = expression.replace("$__rate_interval", "1m")
        yield re.sub(r"\$(fleet|board|instance)\b", ".*", expression)


def families(text):
    return set(re.findall(r"^# TYPE (\S+) ", text, re.M))


class Shipped(unittest.TestCase):
    @needs("promtool")
    def test_configuration_and_rules(self):
        checked = run("promtool", "check", "config", "prometheus.yml", cwd=SHIPPED)
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)
        tested = run("promtool", "test", "rules", "rules_test.yml", cwd=SHIPPED)
        self.assertEqual(tested.returncode, 0, tested.stdout + tested.stderr)

    @needs("promtool")
    def test_every_expression_of_the_dashboard_parses(self):
        expressions = list(dashboard_expressions())
        self.assertGreater(len(expressions), 15)
        rules = [{"record": f"test:expression:{i}", "expr": text} for i, text in enumerate(expressions)]
        with tempfile.NamedTemporaryFile("w", suffix=".yml") as file:
            json.dump({"groups": [{"name": "dashboard", "rules": rules}]}, file)  # JSON is YAML
            file.flush()
            checked = run("promtool", "check", "rules", file.name)
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)
        self.assertIn(f"{len(rules)} rules found", checked.stdout)

    @needs("systemd-analyze")
    def test_units(self):
        for unit in SHIPPED.glob("*.service"):
            with tempfile.TemporaryDirectory() as folder:
                copy = pathlib.Path(folder) / unit.name
                copy.write_text(unit.read_text().replace("/usr/bin/ridgewatt", str(PROGRAM)))
                checked = run("systemd-analyze", "verify", "--man=no", copy)
                self.assertNotIn(unit.name, checked.stderr, unit.name)
            for line in ("DynamicUser=yes", "ProtectSystem=strict", "NoNewPrivileges=yes", "CapabilityBoundingSet="):
                self.assertIn(line + "\n", unit.read_text(), unit.name)

    def test_boards_json_is_what_file_sd_reads(self):
        for group in json.loads((SHIPPED / "boards.json").read_text()):
            self.assertTrue(all(re.fullmatch(r"[\w.-]+:\d+", target) for target in group["targets"]))
            self.assertTrue(all(isinstance(value, str) for value in group["labels"].values()))


class Export(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.board = fake_power.FakeBoard(PROGRAM, "agx-orin")
        cls.addClassCleanup(cls.board.remove)
        cls.file = pathlib.Path(cls.board.folder) / "ridgewatt.prom"
        done = run(PROGRAM, "export", "--textfile", cls.file, "--count", "2", "--every", "0.3", *cls.board.device)
        assert done.returncode == 0, done.stderr
        cls.text = cls.file.read_text()

    @needs("promtool")
    def test_promtool_finds_no_fault(self):
        checked = run("promtool", "check", "metrics", input=self.text)
        self.assertEqual((checked.returncode, checked.stdout, checked.stderr), (0, "", ""))

    def test_once_prints_no_counters(self):
        once = run(PROGRAM, "export", *self.board.device)
        self.assertEqual(once.returncode, 0, once.stderr)
        counters = set(re.findall(r"^# TYPE (\S+) counter", self.text, re.M))
        self.assertEqual(families(once.stdout), families(self.text) - counters)

    def test_every_family_is_documented_and_every_name_exists(self):
        documented = set(re.findall(r"^\| `((?:hw|ridgewatt)_\w+)`", (SOURCE / "docs/reference/metrics.md").read_text(),
                                    re.M))
        self.assertLessEqual(families(self.text), documented)
        source = "".join((SOURCE / "ridgewatt" / file).read_text() for file in
                         ("monitor/exposition/metrics.cc", "report/data/campaign_metrics.cc"))
        written = set(re.findall(r'out_?\.(?:gauge|counter)\(\s*"(\w+)"', source))
        self.assertEqual(written, documented)
        used = " ".join(dashboard_expressions()) + (SHIPPED / "rules.yml").read_text()
        names = set(re.findall(r"(?<![\w:])(?:hw|ridgewatt)_\w+(?!\w|:)", used))
        self.assertLessEqual(names, documented)

    def test_readable_by_others_and_nothing_left_next_to_it(self):
        self.assertTrue(self.file.stat().st_mode & 0o004)
        self.assertEqual([p.name for p in self.file.parent.glob("*.prom*")], [self.file.name])

    def test_ends_by_signal_with_a_whole_file(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            process = subprocess.Popen([PROGRAM, "export", "--textfile", self.file, "--every", "0.1",
                                        *self.board.device])
            time.sleep(1)
            process.send_signal(number)
            self.assertEqual(process.wait(5), 0)
            self.assertEqual(families(self.file.read_text()), families(self.text))

    def test_wrong_usage(self):
        for options, word in ((["--every", "0"], "every"), (["--sampling-hz", "0"], "sampling-hz"),
                              (["--count", "3"], "textfile"), (["--textfile", "/nowhere/x.prom"], "/nowhere")):
            done = run(PROGRAM, "export", *options, *self.board.device)
            self.assertNotEqual(done.returncode, 0, options)
            self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
            self.assertIn(word, done.stderr)


class Campaigns(unittest.TestCase):
    """The metrics that `export` writes for a campaign whose only board fails."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.plan = pathlib.Path(cls.folder.name) / "c.json"
        state = {**os.environ, "XDG_STATE_HOME": cls.folder.name, "RIDGEWATT_FAKE": f"{cls.folder.name}/fake"}

        def ridgewatt(*words):
            return run(PROGRAM, *words, env=state, cwd=cls.folder.name)
        ridgewatt("campaign", "plan", "c", "--store", "points.db", "--boards", "fake:orin-nano", "--sample", "4",
                  "--calibration", "0", "--settle", "0", "--idle", "0", "--window", "3", "-o", cls.plan, "--", "false")
        ridgewatt("campaign", "submit", cls.plan, "--executor", "local", "--program", PROGRAM)
        ridgewatt("campaign", "watch", cls.plan, "--interval", "0.2", "--at-most", "100")
        cls.done = ridgewatt("export", "--campaign", cls.plan)

    def value(self, name, **labels):
        found = [line for line in self.done.stdout.splitlines() if re.match(rf"{name}[{{ ]", line) and
                 all(f'{key}="{text}"' in line for key, text in labels.items())]
        self.assertEqual(len(found), 1, f"{name} {labels}: {self.done.stdout} {self.done.stderr}")
        return float(found[0].split()[-1])

    def test_a_board_that_is_set_aside_and_points_that_are_missing(self):
        self.assertEqual(self.value("ridgewatt_campaign_points", state="missing"), 4)
        self.assertEqual(self.value("ridgewatt_campaign_points", state="done"), 0)
        self.assertEqual(self.value("ridgewatt_campaign_boards", state="set_aside"), 1)
        self.assertEqual(self.value("ridgewatt_campaign_blocked"), 1)
        self.assertGreaterEqual(self.value("ridgewatt_campaign_failures_total"), 3)
        self.assertEqual(self.value("ridgewatt_campaign_energy_joules_total"), 0)
        self.assertNotIn("ridgewatt_campaign_end_timestamp_seconds{", self.done.stdout)

    @needs("promtool")
    def test_promtool_finds_no_fault(self):
        checked = run("promtool", "check", "metrics", input=self.done.stdout)
        self.assertEqual((checked.returncode, checked.stdout, checked.stderr), (0, "", ""))


class Scraped(unittest.TestCase):
    """rate(hw_energy_joules_total) in a real Prometheus, compared with the power in the board's
    files."""
    WINDOW_S = 20
    WINDOWS = 9

    @needs("prometheus")
    def test_export(self):
        board = fake_power.FakeBoard(PROGRAM, "agx-orin")
        self.addCleanup(board.remove)
        metrics = pathlib.Path(board.folder) / "ridgewatt.prom"
        board.start("export", "--textfile", metrics, "--every", "0.1", "--sampling-hz", "50")
        while not metrics.exists():
            time.sleep(0.05)
        self.rate_is_mean_power(board, self.server(metrics))

    @needs("prometheus")
    @unittest.skipUnless((PROGRAM.parent / "ridgewatt-serve").exists(), "skipped: built without the server")
    def test_serve(self):
        board = fake_power.FakeBoard(PROGRAM, "agx-orin")
        self.addCleanup(board.remove)
        port = free_port()
        board.start("serve", "--port", port)
        for _ in range(100):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=1).read()
                break
            except urllib.error.HTTPError as refused:
                self.skipTest(f"skipped: the server says {refused.code} to /metrics")
            except OSError:
                time.sleep(0.1)
        self.rate_is_mean_power(board, port)

    def rate_is_mean_power(self, board, port):
        watched = fake_power.Watch(board)
        self.addCleanup(watched.stop)
        board.keep_busy()
        self.prometheus(board, port)
        time.sleep(self.WINDOW_S + self.WINDOWS + 4)
        now = time.time()
        # Power changes between two scrapes move the ends of a window, so the median of several
        # windows is compared.
        found = [self.window(watched, now - i) for i in range(self.WINDOWS)]
        error = statistics.median(rate_w / truth_w - 1 for rate_w, truth_w in found)
        print(f"\nrate of the counter {found[0][0]:.3f} W, mean power {found[0][1]:.3f} W; "
              f"median of {len(found)} windows {100 * error:+.2f} %")
        self.assertLess(abs(error), 0.01)

    def window(self, watched, end_s):
        """Returns the rate of the counter and the mean power in the window that ends at `end_s`."""
        rate_w = float(self.ask(f"rate(hw_energy_joules_total[{self.WINDOW_S}s])", end_s)[0]["value"][1])
        points = self.ask(f"hw_energy_joules_total[{self.WINDOW_S}s]", end_s)[0]["values"]
        begin_s, end_s = float(points[0][0]), float(points[-1][0])
        self.assertGreaterEqual(end_s - begin_s, self.WINDOW_S - 3)  # two scrapes may be missed
        values = [float(value) for _, value in points]
        self.assertEqual(values, sorted(values))
        least_w, most_w = watched.spread_w(begin_s, end_s)
        self.assertGreater(most_w, 1.5 * least_w, "the load does not change")
        return rate_w, watched.mean_w(begin_s, end_s)

    def server(self, metrics):
        server = serve_metrics(metrics)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return server.server_address[1]

    def prometheus(self, board, port):
        folder = pathlib.Path(board.folder)
        (folder / "prometheus.json").write_text(json.dumps(
            {"global": {"scrape_interval": "1s"},
             "scrape_configs": [{"job_name": "ridgewatt",
                                 "static_configs": [{"targets": [f"127.0.0.1:{port}"]}]}]}))
        listen = free_port()
        self.address = f"http://127.0.0.1:{listen}"
        process = subprocess.Popen(
            ["prometheus", f"--config.file={folder}/prometheus.json", f"--storage.tsdb.path={folder}/data",
             f"--web.listen-address=127.0.0.1:{listen}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)

    def ask(self, query, at_s):
        parameters = urllib.parse.urlencode({"query": query, "time": at_s})
        with urllib.request.urlopen(f"{self.address}/api/v1/query?{parameters}", timeout=10) as reply:
            return json.load(reply)["data"]["result"]


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
