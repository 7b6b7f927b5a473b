"""Virtual boards for a test. Each is a separate fake board with its own specimen, folders and
connection to the database.

    boards = Boards(place, program, database)
    boards.add("orin1", "agx-orin", time=1.05, power=0.97)
    boards.environment("orin1")

Programs on a board get its environment from Slurm's TaskProlog (`boards.task_prolog()`) or from its
sshd (ssh.py). A real board has it in its own files."""
import os
import pathlib
import shlex
import shutil

from place import command_line, environment_of
from proxy import Proxy


class Boards:
    def __init__(self, place, program, database=None):
        self.place, self.database = place, database
        self.names = {}
        self.proxies = {}
        # The user of the boards may not have access to the folder of the checkout.
        self.bin = place.make("bin")
        self.program = self.bin / "ridgewatt"
        shutil.copy(program, self.program)
        self.program.chmod(0o755)

    def add(self, name, kind, **specimen):
        self.names[name] = kind
        home = self.place.make(f"b/{name}")
        self.place.own(home.parent)
        for part in ("fake", "state"):
            self.place.make(f"b/{name}/{part}")
        if self.database:
            self.proxies[name] = Proxy(self.database.port)
        text = ",".join(f"{key}={value}" for key, value in {"serial": name, **specimen}.items())
        self.place.write(f"b/{name}/specimen", text)

    def home(self, name):
        return self.place.folder / "b" / name

    def kinds(self):
        found = {}
        for name, kind in self.names.items():
            found.setdefault(kind, []).append(name)
        return found

    def environment(self, name):
        home = self.home(name)
        found = {"RIDGEWATT_FAKE": str(home / "fake"), "XDG_STATE_HOME": str(home / "state"),
                 "RIDGEWATT_FAKE_SPECIMEN": (home / "specimen").read_text(), "RIDGEWATT_BOARD": name,
                 "PATH": f"{self.bin}:{self.place.environment()['PATH']}", "HOME": str(self.place.home)}
        if self.database:
            found.update(self.database.environment())
            found.update(PGHOST="127.0.0.1", PGPORT=str(self.proxies[name].port))
        return found

    def task_prolog(self):
        """Writes a TaskProlog that gives each task the environment of its board."""
        for name in self.names:
            lines = "".join(f"export {key}={value}\n" for key, value in self.environment(name).items())
            self.place.write(f"b/{name}/environment", lines)
        return self.place.write("taskprolog", f"#!/bin/sh\ncat {shlex.quote(str(self.place.folder))}"
                                              "/b/$SLURMD_NODENAME/environment\n", 0o755)

    def running(self, name, word="ridgewatt"):
        """Returns the running processes of the program on a board, the campaign's task first."""
        mark = f"RIDGEWATT_BOARD={name}"
        found = self.place.processes(lambda pid: f"/{word}" in os.path.join("/", command_line(pid).split(" ")[0]) and
                                     mark in environment_of(pid))
        return sorted(found, key=lambda pid: " campaign " not in command_line(pid))

    def spool_folder(self, name):
        return pathlib.Path(self.home(name)) / "state" / "ridgewatt" / "spool"
