"""The two engines of a campaign, and faults of their parts, with one interface.

    engine = SlurmEngine(place, boards)     # or ParallelEngine
    engine.options, engine.environment()    # for `ridgewatt campaign submit`
    engine.lose_board("orin2"), engine.bring_back("orin2"), engine.lose_center(), engine.restart_center()"""
import os
import re
import signal

from place import command_line, descendants
from slurm import Slurm
from ssh import Ssh


def end(pids):
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


class SlurmEngine:
    name = "slurm"
    center = "controller stopped (SIGTERM)"

    def __init__(self, place, boards):
        self.place, self.boards = place, boards
        kinds = {re.sub(r"\W", "_", kind): names for kind, names in boards.kinds().items()}
        self.cluster = Slurm(place, kinds, {"TaskProlog": boards.task_prolog()})
        self.options = ["--executor", "slurm", "--logs", str(place.make("logs/tasks"))]

    def environment(self):
        return self.cluster.environment()

    def lose_board(self, name):
        """Ends all processes of the board at once: its slurmd, the step daemon, the task."""
        below = [pid for step in self.cluster.stepds(name) for pid in [step, *descendants(step)]]
        end([self.cluster.nodes[name].pid, *below, *self.boards.running(name)])
        self.cluster.nodes[name].wait()

    def bring_back(self, name):
        self.cluster.start_node(name)

    def lose_center(self):
        self.cluster.stop_controller()

    def restart_center(self):
        self.cluster.start_controller()

    def timeouts_s(self):
        """Returns the time until Slurm detects a lost board (SlurmdTimeout)."""
        return 6


class ParallelEngine:
    name = "parallel"
    center = "GNU parallel of one kind killed"

    def __init__(self, place, boards):
        self.place, self.boards = place, boards
        self.ssh = Ssh(place, boards)
        hosts = [word for name, kind in boards.names.items() for word in ("--host", f"fake:{kind}={name}")]
        self.options = ["--executor", "parallel", "--ssh", self.ssh.command, *hosts]

    def environment(self):
        return {}

    def lose_board(self, name):
        self.ssh.stop(name)

    def bring_back(self, name):
        self.ssh.start(name)

    def lose_center(self):
        def is_parallel(pid):
            return re.search(r"perl \S*/parallel ", command_line(pid) + " ") is not None
        end(self.place.processes(is_parallel)[:1])

    def restart_center(self):
        """Does nothing, because `campaign watch` must handle the loss."""

    def timeouts_s(self):
        """Returns the time until ssh detects a lost board (ServerAliveInterval x
        ServerAliveCountMax in the configuration of the test)."""
        return 4
