"""A real Slurm for a test. It uses packaging/slurm/slurm.conf with other addresses, users and
delays.

    with Place() as place:
        cluster = Slurm(place, {"agx_orin": ["orin1", "orin2"], "orin_nano": ["nano1"]})
        place.run(["sinfo"], cluster.environment())

munged, slurmctld and a slurmd for each board run on loopback without root rights. They are ready
after about 1 s."""
import pathlib
import re
import secrets
import shutil
import signal
import socket

from place import command_line, free_ports, listens, wait_until

SHIPPED = pathlib.Path(__file__).resolve().parents[2] / "packaging" / "slurm"
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol")


def missing():
    return [name for name in PROGRAMS if not shutil.which(name, path="/usr/sbin:/usr/bin:/sbin:/bin")]


def shipped_boards():
    """Returns {kind: names} from the shipped slurm.conf (orin[1-8])."""
    found = {}
    for line in (SHIPPED / "slurm.conf").read_text().splitlines():
        node = re.match(r"NodeName=(\w+?)\[(\d+)-(\d+)\] .*Gres=board:([\w-]+):1", line)
        if node:
            found[node[4]] = [f"{node[1]}{number}" for number in range(int(node[2]), int(node[3]) + 1)]
    return found


class Slurm:
    def __init__(self, place, boards=None, more=None, as_root=False):
        """boards: {kind: names}; default: those of the shipped file. more: further keys of
        slurm.conf. as_root: runs slurmd as root, which prolog and epilog need."""
        shipped = boards is None
        boards = boards or shipped_boards()
        self.place, self.boards, self.as_root = place, boards, as_root
        self.run_folder = place.make("run")
        place.make("state")
        names = [name for group in boards.values() for name in group]
        ports = free_ports(len(names) + 1)
        self.port = ports[0]
        self.ports = dict(zip(names, ports[1:]))
        self.nodes = {}
        self.config = place.write("slurm.conf", self.configuration(more or {}, shipped))
        place.write("gres.conf", (SHIPPED / "gres.conf").read_text() if shipped else "".join(
            f"NodeName={name} Name=board Type={kind} Count=1\n" for kind, group in boards.items() for name in group))
        key = place.folder / "munge.key"
        key.touch(mode=0o600)
        key.write_bytes(secrets.token_bytes(128))
        place.own(key)
        self.munge_socket = self.run_folder / "munge.sock"
        self.munge = place.start(
            ["munged", "-F", "--force", f"--key-file={key}", f"--socket={self.munge_socket}",
             f"--pid-file={self.run_folder}/munge.pid", f"--log-file={place.logs}/munged.log",
             f"--seed-file={self.run_folder}/munge.seed", "--num-threads=2"], "munged_start")
        wait_until(self.munge_socket.exists, 30, "munged listens")
        self.start_controller()
        for name in names:
            self.start_node(name)
        wait_until(lambda: set(self.states().values()) == {"idle"}, 60, "all boards idle")

    def configuration(self, more, shipped_nodes):
        """Returns the shipped file with other addresses, ports, users, folders and delays."""
        host, user = socket.gethostname().split(".")[0], self.place.user.pw_name
        run, logs = self.run_folder, self.place.logs
        replaced = {
            "SlurmctldHost": f"{host}(127.0.0.1)", "SlurmctldPort": self.port, "SlurmdPort": None,
            "SlurmUser": user, "SlurmdUser": "root" if self.as_root else user,
            "StateSaveLocation": self.place.folder / "state", "SlurmdSpoolDir": f"{run}/spool.%n",
            "SlurmctldPidFile": f"{run}/slurmctld.pid", "SlurmdPidFile": f"{run}/slurmd.%n.pid",
            "AuthInfo": f"socket={run}/munge.sock", "SlurmctldLogFile": logs / "slurmctld.log",
            "SlurmdLogFile": f"{logs}/slurmd.%n.log",
            # Configless mode needs munge's usual socket. Here all daemons read the same file.
            "SlurmctldParameters": None,
            # Short delays for the test.
            "SlurmdTimeout": 6, "MessageTimeout": 5, "KillWait": 5, "InactiveLimit": 0,
            "SchedulerParameters": "bf_interval=1,sched_interval=2,batch_sched_delay=0,sched_min_interval=0",
            "Prolog": None, "Epilog": None, "TaskProlog": None, **more}
        shipped = (SHIPPED / "slurm.conf").read_text().splitlines()
        lines = [line for line in shipped if line and not line.startswith(("#", "NodeName=")) and
                 line.split("=")[0] not in replaced]
        lines += [f"{key}={value}" for key, value in replaced.items() if value is not None]
        for kind, group in self.boards.items():
            where = f"NodeAddr=127.0.0.1 NodeHostname={host} Port={','.join(str(self.ports[name]) for name in group)}"
            rest = f"CPUs=1 RealMemory=100 Feature={kind} Gres=board:{kind}:1"
            if shipped_nodes:
                rest = next(line for line in shipped if f"Gres=board:{kind}:" in line).split(maxsplit=2)[2]
            lines.append(f"NodeName={','.join(group)} {where} {rest}")
        return "\n".join(lines) + "\n"

    def environment(self):
        return {"SLURM_CONF": str(self.config)}

    def run(self, *command, **more):
        return self.place.run(command, self.environment(), **more)

    def start_controller(self):
        self.controller = self.place.start(["slurmctld", "-D", "-f", self.config], "slurmctld_start",
                                           self.environment())
        wait_until(lambda: listens(self.port), 30, "slurmctld listens")

    def stop_controller(self):
        """Ends the controller with SIGTERM, at which it saves its state."""
        self.controller.send_signal(signal.SIGTERM)
        self.controller.wait(30)

    def start_node(self, name):
        self.nodes[name] = self.place.start(["slurmd", "-D", "-N", name, "-f", self.config], f"slurmd_start.{name}",
                                            self.environment(), as_root=self.as_root)

    def states(self):
        """Returns {board: state}. Slurm marks boards that do not answer with an asterisk
        (down*)."""
        done = self.run("sinfo", "-h", "-N", "-o", "%N %t", check=False)
        return dict(line.split() for line in done.stdout.splitlines())

    def stepds(self, name):
        """Returns the step daemons of a board."""
        return self.place.processes(lambda pid: command_line(pid).startswith("slurmstepd") and
                                    self.board_of(pid) == name)

    def board_of(self, pid):
        """Returns the board of a step daemon, which has a file of its spool folder open."""
        spool = f"{self.run_folder}/spool."
        for file in pathlib.Path(f"/proc/{pid}/fd").iterdir():
            try:
                target = str(file.readlink())
            except OSError:
                continue
            if target.startswith(spool):
                return target[len(spool):].split("/")[0]
        return None
