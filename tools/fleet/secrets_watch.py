"""Searches for secrets in the process list during a test, and in all written files after it.

    with SecretsWatch(place, words) as watch:
        ...
    watch.found      # a line for each place where a secret was found"""
import os
import pathlib
import threading


class SecretsWatch:
    def __init__(self, place, words, allowed):
        """allowed: files and folders that may contain secrets (password file, data of the
        server)."""
        self.place, self.allowed = place, [pathlib.Path(path) for path in allowed]
        self.words = [word.encode() for word in words]
        self.found = []
        self.seen = set()
        self.over = threading.Event()

    def __enter__(self):
        self.thread = threading.Thread(target=self._watch_processes, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *error):
        self.over.set()
        self.thread.join()
        self.files = 0
        for folder, folders, names in os.walk(self.place.folder):
            folders[:] = [name for name in folders if pathlib.Path(folder, name) not in self.allowed]
            for name in names:
                self._look_into(pathlib.Path(folder, name))

    def _look_into(self, path):
        if path in self.allowed or not path.is_file():
            return
        self.files += 1
        if self._has(path.read_bytes()):
            self.found.append(f"file {path}")

    def _has(self, data):
        return any(word in data for word in self.words)

    def _watch_processes(self):
        while not self.over.wait(0.2):
            for entry in os.listdir("/proc"):
                if not entry.isdigit():
                    continue
                try:
                    line = pathlib.Path(f"/proc/{entry}/cmdline").read_bytes()
                except OSError:
                    continue
                self.seen.add(line)
                if self._has(line):
                    self.found.append(f"process {line.replace(bytes(1), b' ').decode(errors='replace')}")
