"""A temporary environment for servers under test: a folder, a user without rights, and processes,
which end with it.

    with Place() as place:
        place.start(["munged", "-F", ...], "munged")     # in the foreground; logs to place.logs
        place.run(["sinfo"], environment).stdout

If the test runs as root, the programs run as the user `postgres`, which has a shell (sshd needs
one). PostgreSQL does not run as root. No process survives the test. The test adopts orphaned
processes (PR_SET_CHILD_SUBREAPER) and ends all descendants. If the test is killed, a guard process
ends all processes that mention the folder."""
import ctypes
import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

SET_PDEATHSIG, SET_CHILD_SUBREAPER = 1, 36
LIBC = ctypes.CDLL(None, use_errno=True)


def die_with_parent():
    LIBC.prctl(SET_PDEATHSIG, signal.SIGKILL)


def free_ports(count):
    """Returns free ports on loopback, below the range that the kernel assigns to clients."""
    found = []
    port = 20000 + os.getpid() * 37 % 10000
    while len(found) < count:
        port = port + 1 if port < 32000 else 20000
        with socket.socket() as tried:
            try:
                tried.bind(("127.0.0.1", port))
            except OSError:
                continue
            found.append(port)
    return found


def wait_until(true, seconds, what, every=0.05):
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            raise TimeoutError(f"{what}: not within {seconds} s")
        time.sleep(every)


def listens(port):
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


def stat_of(pid):
    """Returns (parent, state) of a process; None if it has ended."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return None
    return int(fields[1]), fields[0]


def descendants(root):
    """Returns the running descendants of the process `root`."""
    children = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            stat = stat_of(entry)
            if stat and stat[1] != "Z":
                children.setdefault(stat[0], []).append(int(entry))
    found, todo = [], [root]
    while todo:
        below = children.get(todo.pop(), [])
        found += below
        todo += below
    return found


def command_line(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return ""


def environment_of(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/environ").read_bytes().decode(errors="replace").split("\0")
    except OSError:
        return []


def remove(folder):
    for line in reversed(pathlib.Path("/proc/mounts").read_text().splitlines()):
        if line.split()[1].startswith(f"{folder}/"):
            subprocess.run(["umount", "-l", line.split()[1]], check=False)
    shutil.rmtree(folder, ignore_errors=True)


def kill_all(left):
    """Kills the processes that `left()` returns until it returns none, for at most five seconds."""
    for _ in range(100):
        pids = left()
        if not pids:
            break
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        time.sleep(0.05)


def guard(folder):
    """Waits for any end of the test, then kills all processes whose command line or environment
    contains the folder."""
    sys.stdin.buffer.read()
    mark = f"{folder}/"
    kill_all(lambda: [int(entry) for entry in os.listdir("/proc") if entry.isdigit() and int(entry) != os.getpid() and
                      stat_of(entry) and stat_of(entry)[1] != "Z" and
                      (mark in command_line(entry) or any(mark in word for word in environment_of(entry)))])
    remove(folder)


class Place:
    def __init__(self):
        self.user = pwd.getpwuid(os.geteuid())
        if os.geteuid() == 0:
            names = {user.pw_name for user in pwd.getpwall()}
            self.user = pwd.getpwnam("postgres" if "postgres" in names else "nobody")
        self.started = []

    def __enter__(self):
        LIBC.prctl(SET_CHILD_SUBREAPER, 1)
        signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by SIGTERM"))
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="rw", dir="/tmp"))
        self.folder.chmod(0o755)
        self.own(self.folder)
        self.guard = subprocess.Popen([sys.executable, "-B", __file__, str(self.folder)], stdin=subprocess.PIPE,
                                      start_new_session=True)
        self.logs = self.make("logs")
        self.home = self.make("home")
        return self

    def __exit__(self, *error):
        if os.environ.get("RIDGEWATT_KEEP_LOGS"):  # for failed tests
            shutil.copytree(self.logs, os.environ["RIDGEWATT_KEEP_LOGS"], dirs_exist_ok=True)
        self.end()
        remove(self.folder)

    def own(self, path):
        if os.geteuid() == 0:
            os.chown(path, self.user.pw_uid, self.user.pw_gid)

    def make(self, name):
        folder = self.folder / name
        folder.mkdir(parents=True, exist_ok=True)
        self.own(folder)
        return folder

    def write(self, name, text, mode=0o644):
        path = self.folder / name
        path.touch(mode=mode)
        path.chmod(mode)
        path.write_text(text)
        self.own(path)
        return path

    def environment(self, more=None):
        return {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "LANG": "C.UTF-8", "HOME": str(self.home),
                "USER": self.user.pw_name, "LOGNAME": self.user.pw_name, "SHELL": "/bin/bash", **(more or {})}

    def _options(self, environment, as_root):
        options = {"env": self.environment(environment), "cwd": self.folder, "stdin": subprocess.DEVNULL}
        if os.geteuid() == 0 and not as_root:
            options.update(user=self.user.pw_uid, group=self.user.pw_gid, extra_groups=[])
        return options

    def start(self, command, name, environment=None, as_root=False):
        """Starts a program, which must stay in the foreground."""
        with open(self.logs / f"{name}.log", "ab") as log:
            process = subprocess.Popen([str(part) for part in command], stdout=log, stderr=subprocess.STDOUT,
                                       start_new_session=True, preexec_fn=die_with_parent,
                                       **self._options(environment, as_root))
        self.started.append(process)
        return process

    def run(self, command, environment=None, check=True, timeout=120, as_root=False, **more):
        options = self._options(environment, as_root)
        if "input" in more:
            del options["stdin"]
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=timeout,
                              check=False, **options, **more)
        if check and done.returncode:
            raise RuntimeError(f"{command[0]} ended with {done.returncode}: {done.stderr[-2000:]}{done.stdout[-500:]}")
        return done

    def processes(self, tells):
        """Returns the running processes of this place for which `tells(pid)` is true."""
        return [pid for pid in descendants(os.getpid()) if tells(pid)]

    def may_mount(self):
        """Whether this process can mount. In containers, even root often cannot."""
        folder = self.make("try_mount")
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)], capture_output=True,
                              check=False)
        if done.returncode == 0:
            subprocess.run(["umount", str(folder)], check=True)
        folder.rmdir()
        return done.returncode == 0

    def mount_tmpfs(self, name, size):
        """Mounts a small file system in memory and returns its folder. Needs root."""
        folder = self.make(name)
        options = f"size={size},uid={self.user.pw_uid},gid={self.user.pw_gid}"
        subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)], check=True)
        return folder

    def reap(self):
        """Waits for ended processes that this process adopted, so that they do not stay as
        zombies."""
        own = {process.pid for process in self.started}
        for entry in os.listdir("/proc"):
            stat = stat_of(entry) if entry.isdigit() else None
            if stat == (os.getpid(), "Z") and int(entry) not in own:
                try:
                    os.waitpid(int(entry), os.WNOHANG)
                except ChildProcessError:
                    pass

    def end(self):
        self.guard.stdin.close()
        self.guard.wait()
        kill_all(lambda: descendants(os.getpid()))
        for process in self.started:
            process.wait()
        self.reap()


def listening(pids):
    """Returns the addresses on which these processes listen, in hexadecimal as in /proc/net/tcp."""
    inodes = set()
    for pid in pids:
        try:
            for file in os.scandir(f"/proc/{pid}/fd"):
                target = os.readlink(file.path)
                if target.startswith("socket:["):
                    inodes.add(target[8:-1])
        except OSError:
            pass
    found = set()
    for table in ("tcp", "tcp6"):
        for line in pathlib.Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and fields[9] in inodes:
                found.add(fields[1].split(":")[0])
    return found


if __name__ == "__main__":
    guard(sys.argv[1])
