#!/usr/bin/env python3
"""Tests what ./dev installs, with a package manager that only records its arguments."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STUBS = {
    # At first nothing is installed. Each package contains a service of the same name.
    "dpkg-query": """case $* in
  -L*) shift; for name; do echo "/lib/systemd/system/$name.service"; done ;;
  *binary:Package*) cat "$STATE/installed" ;;
  *) grep -qx "$3" "$STATE/installed" && echo "install ok installed" ;;
esac""",
    "apt-get": """[ "$1" = install ] || exit 0
"$RIDGEWATT_POLICY_RC_D" prometheus start; echo "policy $?" >> "$STATE/log"
[ -e "$STATE/fails" ] && exit 100
for name; do case $name in -*|install) ;; *) echo "$name" >> "$STATE/installed" ;; esac; done""",
    "systemctl": 'echo "systemctl $*" >> "$STATE/log"',
    "cmake": 'echo "cmake $*" >> "$STATE/log"; case $* in *--build*) [ -e "$STATE/builds" ] ;; esac',
    "ctest": 'echo "ctest $*" >> "$STATE/log"; [ ! -e "$STATE/fast_fails" ]',
    "npm": 'echo "npm $*" >> "$STATE/log"',
    "sudo": 'exec "$@"',
}
ONLY_FOR_TESTS = ("chromium", "prometheus", "npm", "node", "tmux", "gtest", "gmock", "benchmark", "python", "xgboost")


class Setup(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.state = Path(folder.name)
        for name, code in STUBS.items():
            stub = self.state / "bin" / name
            stub.parent.mkdir(exist_ok=True)
            stub.write_text(f"#!/bin/sh\n{code}\n")
            stub.chmod(0o755)
        (self.state / "installed").write_text("")
        (self.state / "log").write_text("")
        self.policy = self.state / "policy-rc.d"

    def run_script(self, *words):
        environment = {**os.environ, "PATH": f"{self.state}/bin:{os.environ['PATH']}", "STATE": str(self.state),
                       "RIDGEWATT_POLICY_RC_D": str(self.policy)}
        return subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)

    def log(self):
        return (self.state / "log").read_text().splitlines()

    def installed(self):
        return (self.state / "installed").read_text().split()

    def test_no_service_starts_now_or_later(self):
        done = self.run_script("tools/install_packages.sh", "prometheus", "tmux")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.log(), ["policy 101", "systemctl --quiet disable prometheus.service tmux.service"])
        self.assertIn("without starting services", done.stdout)
        self.assertFalse(self.policy.exists())

    def test_the_policy_goes_when_an_installation_fails(self):
        (self.state / "fails").touch()
        done = self.run_script("tools/install_packages.sh", "prometheus")
        self.assertEqual(done.returncode, 100)
        self.assertEqual(self.log(), ["policy 101"])
        self.assertFalse(self.policy.exists())
        done = self.run_script("tools/install_packages.sh", "--optional", "prometheus")
        self.assertEqual(done.returncode, 0)
        self.assertIn("skipped: the package prometheus cannot be installed", done.stdout)
        self.assertFalse(self.policy.exists())

    def test_a_policy_of_the_machine_is_kept(self):
        self.policy.write_text("#!/bin/sh\nexit 104\n")
        self.policy.chmod(0o755)
        self.run_script("tools/install_packages.sh", "tmux")
        self.assertEqual(self.log()[0], "policy 104")
        self.assertTrue(self.policy.exists())

    def test_what_is_there_is_not_installed_again(self):
        (self.state / "installed").write_text("tmux\n")
        done = self.run_script("tools/install_packages.sh", "tmux")
        self.assertEqual((done.returncode, done.stdout, self.log()), (0, "", []))

    def test_quickstart_installs_what_building_needs(self):
        self.run_script("./dev", "quickstart")
        installed = self.installed()
        self.assertIn("g++", installed)
        self.assertEqual([name for name in installed if any(word in name for word in ONLY_FOR_TESTS)], [])
        log = self.log()
        fetched = [line for line in log if line.startswith("npm")]
        self.assertTrue(all(line.startswith("npm ci --prefix web --ignore-scripts") for line in fetched), fetched)
        self.assertTrue(log[-1].endswith("--target ridgewatt ridgewatt_serve"), log[-1])

    def test_fast_tests_come_first(self):
        (self.state / "builds").touch()
        self.run_script("./dev", "test")
        runs = [line for line in self.log() if line.startswith("ctest")]
        labels = ["-L ^fast$", "-LE ^(fast|board)$", "-L ^board$"]
        self.assertEqual([label in line for label, line in zip(labels, runs, strict=True)], [True] * 3, runs)
        (self.state / "fast_fails").touch()
        self.run_script("./dev", "test")
        more = [line for line in self.log() if line.startswith("ctest")][len(runs):]
        self.assertEqual([label in line for label, line in zip(["-L ^fast$", "--rerun-failed"], more, strict=True)],
                         [True] * 2, more)


if __name__ == "__main__":
    unittest.main()
