#!/usr/bin/env python3
"""Tests the systemd units of the package: tools/units_test.py

systemd accepts each unit (`systemd-analyze verify`), the exposure of each unit is low
(`systemd-analyze security`), and the package's control, tests and prerm contain every unit. The
exit status is 77 without systemd-analyze."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[1]
DEBIAN = SOURCE / "debian"
UNITS = {re.sub(r"^ridgewatt-fleet\.", "", path.name): path
         for path in [*DEBIAN.glob("*.service"), *(DEBIAN / "fleet").glob("*.service")]}
EXAMPLES = {path.name: path for path in (DEBIAN / "fleet" / "examples").glob("*.service")}
DROP_INS = {"ridgewatt-serve.service": "serve-network.conf"}
# The highest exposure level by systemd, from 0 to 10. The unit of `govern` runs a user's program,
# which needs the GPU and files.
MOST_EXPOSED = {"ridgewatt-govern@.service": 7.0}
MOST_EXPOSED_ELSE = 2.5


class Units(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        # The program is not installed on the machine that runs the tests.
        program = self.folder / "ridgewatt"
        shutil.copy("/bin/true", program)
        for name, path in {**UNITS, **EXAMPLES}.items():
            text = path.read_text(encoding="utf-8").replace("/usr/bin/ridgewatt", str(program))
            (self.folder / name).write_text(text, encoding="utf-8")

    def verify(self, name):
        done = subprocess.run(["systemd-analyze", "verify", "--man=no", str(self.folder / name)], check=False, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              env={"PATH": "/usr/bin:/bin", "SYSTEMD_UNIT_PATH": f"{self.folder}:"})
        return [line for line in done.stdout.splitlines() if "ridgewatt" in line or str(self.folder) in line]

    def test_systemd_understands_every_unit(self):
        self.assertGreaterEqual(len(UNITS), 5)
        for name in {**UNITS, **EXAMPLES}:
            with self.subTest(name):
                self.assertEqual(self.verify(name.replace("@.", "@example.")), [])

    def test_every_drop_in_is_understood(self):
        for name, drop_in in DROP_INS.items():
            folder = self.folder / f"{name}.d"
            folder.mkdir()
            text = (DEBIAN / "fleet" / "examples" / drop_in).read_text(encoding="utf-8")
            (folder / "10.conf").write_text(text.replace("/usr/bin/ridgewatt", str(self.folder / "ridgewatt")))
            self.assertEqual(self.verify(name), [])

    def test_an_environment_line_names_no_variable(self):
        """systemd expands variables only in ExecStart."""
        for path in [*UNITS.values(), *EXAMPLES.values(), *(DEBIAN / "fleet").rglob("*.conf")]:
            for line in path.read_text(encoding="utf-8").splitlines():
                if re.match(r"#?\s*Environment=", line):
                    self.assertNotIn("$", line, path)

    def test_little_is_left_open(self):
        for name in UNITS:
            done = subprocess.run(["systemd-analyze", "security", "--offline=yes", "--no-pager",
                                   str(self.folder / name)], check=False, text=True, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT)
            if "unrecognized option" in done.stdout:
                self.skipTest("skipped: systemd-analyze is older than 250")
            found = re.search(r"Overall exposure level for \S+: ([\d.]+)", done.stdout)
            self.assertIsNotNone(found, done.stdout)
            self.assertLessEqual(float(found[1]), MOST_EXPOSED.get(name, MOST_EXPOSED_ELSE), name)

    def test_the_package_speaks_of_every_unit(self):
        for file in ("control", "tests/units", "ridgewatt-fleet.prerm"):
            text = re.sub(r"\n #?", "\n", (DEBIAN / file).read_text(encoding="utf-8"))
            for name in UNITS:
                self.assertIn(name.removesuffix(".service"), text, file)
        installed = (DEBIAN / "ridgewatt-fleet.install").read_text() + (DEBIAN / "rules").read_text()
        for name in UNITS:
            self.assertIn(re.sub(r"^ridgewatt-|\.service$", "", name), installed, name)


if __name__ == "__main__":
    if not shutil.which("systemd-analyze"):
        print("skipped: no systemd-analyze")
        sys.exit(77)
    unittest.main(verbosity=2)
