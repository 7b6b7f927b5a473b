"""Virtual boards behind ssh. Each has a real sshd on loopback, without root rights, and its own
keys.

    hosts = Ssh(place, boards)
    hosts.command                      # "ssh -F FILE": for parallel --ssh
    hosts.stop("orin1")                # loss of power: all connections end

The keys are created in the folder of the test and removed with it. No key of the user is read."""
import os
import pathlib
import shlex
import shutil

from place import command_line, descendants, free_ports, listens, stat_of, wait_until


def missing():
    return [name for name in ("sshd", "ssh", "ssh-keygen") if not shutil.which(name, path="/usr/sbin:/usr/bin:/bin")]


class Ssh:
    def __init__(self, place, boards):
        self.place, self.boards = place, boards
        self.folder = place.make("ssh")
        self.ports = dict(zip(boards.names, free_ports(len(boards.names))))
        self.servers = {}
        for key in ("host", "user"):
            place.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.folder / key])
        user, host = ((self.folder / f"{key}.pub").read_text() for key in ("user", "host"))
        place.write("ssh/authorized", user, 0o600)
        place.write("ssh/known", "".join(f"[127.0.0.1]:{port} {host}" for port in self.ports.values()))
        self.config = place.write("ssh/config", "".join(
            f"Host {name}\n  HostName 127.0.0.1\n  Port {port}\n" for name, port in self.ports.items()) +
            f"Host *\n  User {place.user.pw_name}\n  IdentityFile {self.folder}/user\n  IdentitiesOnly yes\n"
            f"  UserKnownHostsFile {self.folder}/known\n  GlobalKnownHostsFile none\n  BatchMode yes\n"
            "  ConnectTimeout 3\n  ServerAliveInterval 2\n  ServerAliveCountMax 2\n  LogLevel ERROR\n")
        self.command = f"ssh -F {self.config}"
        for name in boards.names:
            self.start(name)
        for port in self.ports.values():
            wait_until(lambda: listens(port), 30, "sshd listens")

    def start(self, name):
        words = " ".join(shlex.quote(f"{key}={value}") for key, value in self.boards.environment(name).items())
        config = self.place.write(f"ssh/sshd.{name}", f"""ListenAddress 127.0.0.1
Port {self.ports[name]}
HostKey {self.folder}/host
AuthorizedKeysFile {self.folder}/authorized
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
StrictModes no
PidFile none
MaxStartups 100
SetEnv {words}
""", 0o600)
        self.servers[name] = self.place.start([shutil.which("sshd", path="/usr/sbin:/usr/bin"), "-D", "-e", "-f",
                                               config], f"sshd.{name}")

    def stop(self, name):
        """Kills the board's sshd and all processes that it started, like a loss of power."""
        for pid in [self.servers[name].pid, *descendants(self.servers[name].pid), *self.boards.running(name)]:
            try:
                os.kill(pid, 9)
            except ProcessLookupError:
                pass
        self.servers[name].wait()
