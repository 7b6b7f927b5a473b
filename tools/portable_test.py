#!/usr/bin/env python3
"""Tests the statically linked arm64 PROGRAM on an old system:
tools/portable_test.py PROGRAM OLD_ROOT [HOST_PROGRAM]

PROGRAM runs under qemu's user emulation in OLD_ROOT, a Debian 11 for arm64 (glibc 2.31, like
JetPack 5). System calls that Linux 4.9 (JetPack 4) does not have fail (tools/old_kernel.py). The
test sets, restores, measures, profiles and tunes fake boards of JetPack 4 and 5, and compares an
answer with that of HOST_PROGRAM. Prints a line per check. The first failed check ends the test with
status 1.
"""
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

JETPACK_4_GLIBC = (2, 27)
BOARDS = {"nano": "5W", "xavier-nx-jp4": "MODE_15W_2CORE", "xavier-nx-jp5": "MODE_15W_2CORE",
          "agx-orin-jp5": "MODE_30W"}  # board: a preset other than its original mode
OLD_KERNEL = pathlib.Path(__file__).resolve().parent / "old_kernel.py"
QEMU = "/usr/bin/qemu-aarch64-static"


def check(fact, text):
    if not fact:
        sys.exit(f"failed: {text}")
    print(f"well: {text}", flush=True)


def highest_glibc(program):
    """Returns the highest version of a glibc symbol that the dynamic linker would need, or None."""
    said = subprocess.run(["aarch64-linux-gnu-readelf", "-W", "--version-info", program], check=True,
                          capture_output=True, text=True).stdout
    versions = [tuple(map(int, text.split("."))) for text in re.findall(r"GLIBC_([0-9.]+)", said)]
    return max(versions, default=None)


def text_of(version):
    return "none" if version is None else "GLIBC_" + ".".join(map(str, version))


class OldSystem:
    """Runs programs in the folder `root`, where `program` is /usr/bin/ridgewatt."""

    def __init__(self, root, program):
        self.root = pathlib.Path(root)
        for name in ("proc", "dev", "root", "tmp"):
            (self.root / name).mkdir(exist_ok=True)
        shutil.copy(shutil.which("qemu-aarch64-static") or QEMU, self.root / QEMU[1:])
        shutil.copy(program, self.root / "usr/bin/ridgewatt.arm64")
        # A script starts qemu, so that measured programs need no binfmt_misc.
        wrapper = self.root / "usr/bin/ridgewatt"
        wrapper.write_text(f'#!{QEMU} /bin/dash\nexec {QEMU} /usr/bin/ridgewatt.arm64 "$@"\n')
        wrapper.chmod(0o755)

    def command(self, *words):
        inside = ('for folder in proc dev; do mount --rbind "/$folder" "$0/$folder" || exit; done; '
                  f'exec chroot "$0" {QEMU} "$@"')
        return [sys.executable, str(OLD_KERNEL), "unshare", "-rm", "sh", "-c", inside, str(self.root), *words]

    def start(self, *words, **options):
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "QEMU_UNAME": "4.9.337-tegra"}
        return subprocess.Popen(self.command(*words), env=environment, stdin=subprocess.DEVNULL, text=True,
                                **options)

    def run(self, *words):
        """Returns (exit status, standard output, standard error) of a command in the old root."""
        process = self.start(*words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        out, error = process.communicate(timeout=300)
        return process.returncode, out, error

    def ridgewatt(self, *words):
        """Returns the output of the program, which must succeed."""
        status, out, error = self.run("/usr/bin/ridgewatt.arm64", *words)
        if status != 0:
            sys.exit(f"failed: ridgewatt {' '.join(words)}: status {status}: {error.strip()}")
        return out

    def json(self, *words):
        end = words.index("--") if "--" in words else len(words)
        return json.loads(self.ridgewatt(*words[:end], "--format", "json", *words[end:]))


def linked_for_old_systems(old, program):
    needed = highest_glibc(program)
    check(needed is None or needed <= JETPACK_4_GLIBC,
          f"highest glibc symbol needed: {text_of(needed)} (JetPack 4 has GLIBC_2.27, JetPack 5 GLIBC_2.31)")
    # An ordinary program of the same compiler must fail, which shows that the root is old.
    with tempfile.TemporaryDirectory() as folder:
        ordinary = pathlib.Path(folder) / "ordinary"
        subprocess.run(["aarch64-linux-gnu-gcc", "-x", "c", "-", "-o", ordinary], input="int main(void) { return 0; }",
                       text=True, check=True)
        shutil.copy(ordinary, old.root / "tmp/ordinary")
        status, _, error = old.run("/tmp/ordinary")
        check(status != 0 and "GLIBC_" in error,
              f"an ordinary program of this compiler needs {text_of(highest_glibc(ordinary))} and does not start there")
    check(old.run("/bin/uname", "-r")[1].startswith("4.9."), "the kernel says 4.9 and has no later calls")


def same(one, other):
    """Whether JSON is equal, with numbers to 12 digits, because exp and log of the C library round
    differently on other processors."""
    if isinstance(one, dict) and isinstance(other, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-12, abs_tol=0)
    return one == other


def answers(old, host):
    question = ("tune", "zoo:resnet50", "--device", "agx-orin", "--max-power", "30", "--minimize", "time")
    answer = old.json(*question)
    check(answer["feasible"] and answer["power_w"] <= 30, f"tune zoo:resnet50: {answer['time_ms']:.2f} ms")
    if host:
        theirs = subprocess.run([host, *question, "--format", "json"], check=True, capture_output=True, text=True)
        check(same(json.loads(theirs.stdout), answer), "the same answer, in 12 digits, as this machine's program")


def boards(old):
    for board, preset in BOARDS.items():
        device = ("--device", f"fake:{board}")
        sensors = old.json("sensors", *device)
        check(sensors["total"]["power_w"] > 0,
              f"{board}: JetPack {sensors['board']['jetpack']}, {len(sensors['rails'])} rails")
        before = old.json("mode", "show", *device)
        old.ridgewatt("mode", "apply", preset, *device)
        check(old.json("mode", "show", *device)["preset"] == preset, f"{board}: {preset} is set")
        old.ridgewatt("mode", "restore", *device)
        check(old.json("mode", "show", *device) == before, f"{board}: the first mode is back")


def killed(old):
    show = ("/usr/bin/ridgewatt.arm64", "mode", "show", "--device", "fake:xavier-nx-jp4", "--format", "json")
    tree = old.root / "root/.local/state/ridgewatt/fake/xavier-nx-jp4"
    before, files = old.run(*show), tree_of(tree)
    holder = old.start("/usr/bin/ridgewatt.arm64", "mode", "apply", BOARDS["xavier-nx-jp4"], "--for", "300s", *show[3:5],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    try:
        while tree_of(tree) == files and time.monotonic() < deadline:
            time.sleep(0.01)
        check(tree_of(tree) != files, "a mode is held")
    finally:
        holder.kill()
        holder.wait()
    while old.run(*show) != before and time.monotonic() < deadline:
        pass
    check(old.run(*show) == before, "its holder is killed: the first mode is back")


def tree_of(folder):
    """Returns the content of a fake board's files except the time counters of clocks, which always
    change."""
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file() and os.access(path, os.R_OK)
            and path.name not in ("time_in_state", "trans_stat")}


def measuring(old):
    device = ("--device", "fake:xavier-nx-jp4")
    run = ("--", "ridgewatt", "fake-run", "zoo:mobilenet_v2", "--quiet", *device)
    quick = ("--window", "5", "--settle-window", "0.05", "--idle", "0.1", "--quiet", *device)
    found = old.json("measure", "--idle", "0.1", *device, *run, "--batch", "4", "--minibatches", "4")
    power = found["power"]
    check(found["status"] == 0 and power["energy_j"] > 0,
          f"measure: {power['energy_j']:.1f} J in {found['time_ms'] / 1e3:.1f} s, {power['samples']} samples")
    local = old.json("measure", "--idle", "0", "--", "ridgewatt", "--version")
    check(local["status"] == 0 and local["time_ms"] > 0, "measure on this machine, which has no power sensor")
    old.ridgewatt("profile", "/root/runs.db", "--suggest", "2", "--workload", "mobilenet", "--batch", "4", *quick,
                  *run, "--batch", "4")
    rows = old.ridgewatt("store", "export", "/root/runs.db").splitlines()
    check(len(rows) == 3, f"profile: {len(rows) - 1} points in the store")
    tuned = old.json("tune", "--batch", "4", "--minimize", "energy", "--profiles", "2", "--store", "/root/tune.db",
                     *quick, *run, "--batch", "{batch}")
    check(tuned["feasible"] and tuned["provenance"] == "fake", f"tune on a board: {tuned['energy_j']:.2f} J")


def opens_no_library(old):
    old.ridgewatt("sweep", "example", "--workload", "resnet18:training", "--mode-count", "20", "-o",
                  "/root/samples.csv")
    for words in (("predict", "--samples", "/root/samples.csv", "--device", "agx-orin", "--method", "trees"),
                  ("microbench", "--target", "cuda")):
        status, _, error = old.run("/usr/bin/ridgewatt.arm64", *words)
        check(status == 1 and "linked statically" in error and len(error.splitlines()) == 1, error.strip())


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    program, root, host = sys.argv[1], os.path.abspath(sys.argv[2]), sys.argv[3] if len(sys.argv) == 4 else ""
    old = OldSystem(root, program)
    for name in ("root", "tmp"):
        shutil.rmtree(old.root / name)
        (old.root / name).mkdir()
    began = time.monotonic()
    linked_for_old_systems(old, program)
    boards(old)
    killed(old)
    measuring(old)
    opens_no_library(old)
    answers(old, host)
    print(f"all well in {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
