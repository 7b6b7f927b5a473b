"""A separate fake board for each test, and Python programs that use it."""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

# Background jobs of a shell script ignore Ctrl+C, and their child processes inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)


class OnAFakeBoard(unittest.TestCase):
    """Sets $RIDGEWATT_FAKE to a new folder, in which the files of fake:BOARD are created."""
    device = "fake:orin-nano"

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        before = os.environ.get("RIDGEWATT_FAKE")
        os.environ["RIDGEWATT_FAKE"] = str(self.folder / "fake")
        self.addCleanup(lambda: os.environ.pop("RIDGEWATT_FAKE") if before is None
                        else os.environ.update(RIDGEWATT_FAKE=before))

    def python(self, code, **options):
        """Starts a Python program that uses the same board. It is killed when the test ends."""
        process = subprocess.Popen([sys.executable, "-B", "-c", code], text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)

        def end():
            if process.poll() is None:
                process.kill()
            process.communicate()
        self.addCleanup(end)
        return process

    def content(self):
        """Returns the content of every file of the board except the kernel's counters, which always
        change."""
        root = self.folder / "fake"
        return {str(path): path.read_bytes() for path in sorted(root.rglob("*"))
                if path.is_file() and not path.is_symlink() and ".ridgewatt" not in str(path)
                and path.name not in ("trans_stat", "time_in_state")}

    def assert_comes_back(self, first, within_s=20):
        """Checks that the content of the board is restored to `first` within `within_s` seconds."""
        end = time.monotonic() + within_s
        while self.content() != first and time.monotonic() < end:
            time.sleep(0.02)
        now = self.content()
        self.assertEqual([path for path in first if now.get(path) != first[path]], [])
