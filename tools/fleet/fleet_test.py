#!/usr/bin/env python3
"""Fleets on real engines: tools/fleet/fleet_test.py BUILD_FOLDER [full] [unittest's options]

Starts a PostgreSQL, a Slurm and an sshd for each virtual board, on loopback and without root
rights. Runs campaigns while boards, programs, servers and connections fail. Tests whose programs
are not installed are skipped with a line. The exit status is 77 if nothing could run. `full` also
runs the campaigns of 400 points on 8 boards."""
import json
import os
import pathlib
import re
import shutil
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import chaos
import misbehaving
import outages
import postgres
import slurm
import ssh
from boards import Boards
from engines import ParallelEngine, SlurmEngine
from place import Place, descendants, listening, wait_until

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else SOURCE / "build").resolve()
PROGRAM = BUILD / "ridgewatt" / "ridgewatt"
FULL = "full" in sys.argv[2:]
LOOPBACK = {"0100007F"}

NO_SLURM = f"skipped: no {', '.join(slurm.missing())}"
NO_POSTGRES = "skipped: no PostgreSQL server"
NO_PARALLEL = [*ssh.missing(), *([] if shutil.which("parallel") else ["parallel"])]
NO_SSH = f"skipped: no {', '.join(NO_PARALLEL)}"


class ShippedSlurm(unittest.TestCase):
    """packaging/slurm, with other addresses, users and delays."""

    @unittest.skipIf(slurm.missing(), NO_SLURM)
    def test_twelve_boards_on_loopback_alone(self):
        with Place() as place:
            cluster = slurm.Slurm(place)
            self.assertEqual(len(cluster.states()), 12)
            self.assertEqual(listening(descendants(os.getpid())), LOOPBACK)
            shown = cluster.run("sinfo", "-h", "-o", "%G %D").stdout.split()
            self.assertEqual(dict(zip(shown[::2], shown[1::2])), {"board:agx_orin:1": "8", "board:orin_nano:1": "4"})

    @unittest.skipIf(slurm.missing(), NO_SLURM)
    @unittest.skipIf(os.geteuid() != 0, "skipped: prolog and epilog serve root alone")
    def test_prolog_gives_the_mode_and_epilog_takes_it_back(self):
        with Place() as place:
            board = self.board(place)
            tree = place.folder / "tree"
            scripts = {key: place.folder / "etc" / key.lower() for key in ("Prolog", "Epilog", "TaskProlog")}
            cluster = slurm.Slurm(place, {"agx_orin": ["orin1"]}, scripts, as_root=True)
            mode = ["mode", "apply", "MODE_15W", "--sysroot", tree]
            self.assertIn("needs root", place.run([board.program, *mode, "--state-dir", place.make("other")],
                                                    check=False).stderr)
            before = self.mode(place, board, tree)
            job = place.write("job", f"""#!/bin/sh
#SBATCH --gres=board:agx_orin:1
{board.program} mode apply MODE_15W --sysroot {tree} --state-dir $XDG_STATE_HOME/ridgewatt
{board.program} mode show --sysroot {tree} --format json > {place.folder}/during
kill -9 $$
""")
            cluster.run("sbatch", "-o", place.logs / "job.log", job)
            wait_until(lambda: not cluster.run("squeue", "-h").stdout and cluster.states()["orin1"] == "idle", 60,
                       "the job and its epilog end")
            log = (place.logs / "job.log").read_text()
            self.assertIn('"MODE_15W"', (place.folder / "during").read_text(), log)
            self.assertEqual(self.mode(place, board, tree), before, log)
            theirs = ["find", tree / "sys", "-type", "f", "-user", place.user.pw_name]
            self.assertEqual(place.run(theirs, as_root=True).stdout, "")

    @unittest.skipIf(os.geteuid() != 0, "skipped: prolog and epilog serve root alone")
    def test_an_epilog_that_cannot_restore_the_mode_says_so(self):
        """Slurm drains a board if the exit status of the epilog is not 0."""
        with Place() as place:
            self.board(place)
            settings = place.folder / "etc" / "settings"
            job = {"SLURM_JOB_UID": str(place.user.pw_uid), "SLURM_JOB_GID": str(place.user.pw_gid)}
            place.run([place.folder / "etc" / "prolog"], job, as_root=True)
            self.assertEqual(self.epilog(place, job), 0)
            place.write("restore", "#!/bin/sh\necho cannot restore >&2\nexit 1\n", 0o755)
            settings.write_text(settings.read_text() + f"PROGRAM={place.folder}/restore\n")
            place.run([place.folder / "etc" / "prolog"], job, as_root=True)
            self.assertEqual(self.epilog(place, job), 1)
            theirs = ["find", place.folder / "tree" / "sys", "-type", "f", "-user", place.user.pw_name]
            self.assertEqual(place.run(theirs, as_root=True).stdout, "")

    def epilog(self, place, job):
        return place.run([place.folder / "etc" / "epilog"], job, check=False, as_root=True).returncode

    def board(self, place):
        """Creates a fake board that belongs to root, like a real one, and sets up the shipped
        scripts."""
        board = Boards(place, PROGRAM)
        place.run([board.program, "fake-board", "agx-orin", place.folder / "tree"], as_root=True)
        shutil.copytree(slurm.SHIPPED, place.folder / "etc")
        place.write("etc/settings", f"ROOT={place.folder}/tree\nMEMORY_CLOCK=yes\nSTATE={place.folder}/users\n"
                                    f"PROGRAM={board.program}\n")
        return board

    def mode(self, place, board, tree):
        return place.run([board.program, "mode", "show", "--sysroot", tree, "--format", "json"], as_root=True).stdout


class Queue(unittest.TestCase):
    """Tasks of a campaign in Slurm's queue; the store is a file."""

    @unittest.skipIf(slurm.missing(), NO_SLURM)
    def test_a_held_task_whose_points_are_there_leaves_the_queue_and_logs_stay_on_the_board(self):
        with Place() as place:
            boards = Boards(place, PROGRAM)
            boards.add("orin1", "agx-orin")
            cluster = slurm.Slurm(place, {"agx_orin": ["orin1"]}, {"TaskProlog": boards.task_prolog()})
            store, plan = place.folder / "points.db", place.folder / "plan.json"
            place.own(store.parent)

            def run(*words, **more):
                return place.run([boards.program, *words], {**boards.environment("orin1"), **cluster.environment()}, **more)
            run("campaign", "plan", "queue", "--store", store, "--boards", "fake:agx-orin", "--sample", 2, "--batch", 1,
                "--calibration", 0, "--settle", 0, "--window", 5, "--idle", 0, "--workload", "lenet5", "-o", plan, "--",
                "ridgewatt", "fake-run", "zoo:lenet5", "--device", "{device}", "--batch", "{batch}", "--quiet")
            job = json.loads(run("campaign", "submit", plan, "--program", boards.program, "--sbatch-option=--hold",
                                 "--format", "json").stdout)["jobs"][0]["job"]
            cluster.run("scontrol", "release", f"{job}_0")
            wait_until(lambda: self.queued(cluster) == [f"{job}_1"], 60, "the first task ends")
            # Measures the point of the second task outside of Slurm, with the settings of the plan.
            entry = json.loads(run("campaign", "list", store, "--format", "json").stdout)["rows"][0]
            wanted = json.loads(plan.read_text())["boards"][0]["points"][1]
            run("campaign", "run", "--campaign", "queue", "--fingerprint", entry["fingerprint"], "--device",
                "fake:agx-orin", "--store", store, "--settle", 0, "--window", 5, "--idle", 0, "--workload", "lenet5",
                "--point", f"{wanted['label']}:{wanted['mode']},batch={wanted['batch']}", "--", "ridgewatt", "fake-run",
                "zoo:lenet5", "--device", "fake:agx-orin", "--batch", "{batch}", "--quiet")
            done = run("campaign", "watch", plan, "--interval", 1, "--at-most", 60, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            wait_until(lambda: not self.queued(cluster), 20, "the held task leaves the queue")
            log = (boards.home("orin1") / "state" / "ridgewatt" / "campaign" / "queue.log").read_text()
            self.assertIn(f"job {job}_0 on ", log)
            self.assertIn("handed", log)

    def queued(self, cluster):
        return cluster.run("squeue", "-h", "-r", "-o", "%F_%K").stdout.split()


@unittest.skipUnless(postgres.installed(), NO_POSTGRES)
class Roles(unittest.TestCase):
    def test_the_roles_may_what_the_guide_says_on_every_table(self):
        with Place() as place:
            database = postgres.Postgres(place)
            program = Boards(place, PROGRAM, database).program
            place.run([program, "store", "upgrade", database.url("ridgewatt_owner")], database.environment())
            tables = [row[0] for row in database.sql("select tablename from pg_tables where schemaname = 'ridgewatt'")]
            self.assertIn("campaign", tables)
            for role, said in self.guide().items():
                for table in tables:
                    may = {right for right in ("select", "insert", "update", "delete", "truncate")
                           if database.sql(f"select has_table_privilege('{role}', 'ridgewatt.{table}', '{right}')") == [["t"]]}
                    self.assertEqual(may, said, f"{role} on {table}")

    def guide(self):
        """Returns {role: rights} from the table in fleet.md. The text after ';' is an
        explanation."""
        text = (SOURCE / "docs" / "guide" / "fleet.md").read_text()
        rows = re.findall(r"^\| `(ridgewatt_\w+)`[^|]* \| ([^|;]+)(?:;[^|]*)? \|$", text, re.M)
        self.assertEqual(len(rows), 3)
        return {role: set(re.split(r", *", said.strip())) for role, said in rows if said.strip() != "all"}


@unittest.skipUnless(postgres.installed(), NO_POSTGRES)
class Campaigns(unittest.TestCase):
    """40 points (24 with ssh) on two kinds of boards, two of each. A board fails during a task, and
    a program is killed."""

    @unittest.skipIf(slurm.missing(), NO_SLURM)
    def test_slurm(self):
        self.campaign(SlurmEngine, 40)

    @unittest.skipIf(NO_PARALLEL, NO_SSH)
    def test_parallel(self):
        self.campaign(ParallelEngine, 24)

    def campaign(self, engine, points):
        boards = {"orin1": ("agx-orin", {}), "orin2": ("agx-orin", {"time": 1.05}),
                  "nano1": ("orin-nano", {}), "nano2": ("orin-nano", {"power": 0.95})}
        with Place() as place:
            one = chaos.Chaos(place, PROGRAM, engine, points, boards, calibration=2, points_per_task=2, window=20)
            one.start()
            with one.secrets_watch() as secrets:
                one.plan()
                one.submit()
                one.add_faults(one.program_killed("nano1", points // 6), one.board_dies("orin2", 6))
                status = one.watch(300)
                # All processes listen only on loopback, including the proxies of the test.
                self.assertEqual(listening([os.getpid(), *descendants(os.getpid())]), LOOPBACK)
            self.assertEqual(chaos.verdict(one, status, secrets), [])
            self.boards_may_add_only(one.database)
            self.another_plan_of_the_name_is_refused(one)

    def another_plan_of_the_name_is_refused(self, one):
        plan = json.loads((one.place.folder / "plan.json").read_text())
        for field in ("submission", "jobs"):
            del plan[field]
        plan["boards"][0]["points"].pop()
        other = one.place.write("other.json", json.dumps(plan))
        for words in (["submit", other, "--program", one.boards.program, *one.engine.options], ["status", other],
                      ["collect", other]):
            done = one.run("campaign", *words, check=False)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertRegex(done.stderr, r"the store has a campaign chaos with plan \w{16} of \S+, .* but this task has plan \w{16}")

    def boards_may_add_only(self, database):
        for text in ("delete from ridgewatt.point", "update ridgewatt.point set time_s = 1",
                     "drop table ridgewatt.point", "truncate ridgewatt.point", "create table ridgewatt.mine (a int)"):
            done = database.place.run(["psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-c", text,
                                       database.url("ridgewatt_writer")], database.environment(), check=False)
            self.assertNotEqual(done.returncode, 0, text)
            self.assertRegex(done.stderr, "permission denied|must be owner", text)


@unittest.skipUnless(postgres.installed(), NO_POSTGRES)
class Misbehaving(unittest.TestCase):
    """A board whose program always fails, a board whose program hangs once, and with Slurm a
    drained board."""

    @unittest.skipIf(slurm.missing(), NO_SLURM)
    def test_slurm(self):
        self.misbehave(SlurmEngine)

    @unittest.skipIf(NO_PARALLEL, NO_SSH)
    def test_parallel(self):
        self.misbehave(ParallelEngine)

    @unittest.skipIf(NO_PARALLEL, NO_SSH)
    def test_search(self):
        with Place() as place:
            self.assertEqual(misbehaving.search(place, PROGRAM), [])

    def misbehave(self, engine):
        with Place() as place:
            self.assertEqual(misbehaving.whole(place, PROGRAM, engine), [])


@unittest.skipUnless(postgres.installed(), NO_POSTGRES)
@unittest.skipIf(NO_PARALLEL, NO_SSH)
class Outages(unittest.TestCase):
    """Full disks of the server and of a board, and a stopped database: for seconds, or with `full`
    for minutes."""

    def test_parallel(self):
        long = {"points": 60, "away_s": 120, "full_s": 30} if FULL else {}
        with Place() as place:
            self.assertEqual(outages.whole(place, PROGRAM, **long), [])


@unittest.skipUnless(FULL, "skipped: 400 points only with the word full")
@unittest.skipUnless(postgres.installed(), NO_POSTGRES)
class Chaos(unittest.TestCase):
    """All faults in one campaign. It takes at most 1.5 times the ideal time, plus the timeout of
    the engine."""

    @unittest.skipIf(slurm.missing(), NO_SLURM)
    def test_slurm(self):
        self.four_hundred_points(SlurmEngine)

    @unittest.skipIf(NO_PARALLEL, NO_SSH)
    def test_parallel(self):
        self.four_hundred_points(ParallelEngine)

    def four_hundred_points(self, engine):
        with Place() as place:
            one, status, secrets = chaos.whole(place, PROGRAM, engine, 400)
            self.assertEqual(chaos.verdict(one, status, secrets), [])
            self.assertLess(one.took_s - one.engine.timeouts_s(), 1.5 * one.ideal_s())


def again(result):
    """Runs failed tests once more, alone, because time limits may fail on a busy machine."""
    names = [test.id().removeprefix("__main__.") for test, _ in [*result.failures, *result.errors]]
    print(f"\nonce more: {', '.join(names)}", file=sys.stderr)
    suite = unittest.defaultTestLoader.loadTestsFromNames(names, sys.modules[__name__])
    return unittest.TextTestRunner(verbosity=2).run(suite)


def main():
    if slurm.missing() and (NO_PARALLEL or not postgres.installed()):
        print(NO_SLURM, NO_SSH, NO_POSTGRES, sep="\n")
        return 77
    if not PROGRAM.exists():
        return f"{PROGRAM} is not built"
    words = [word for word in sys.argv[2:] if word != "full"]
    result = unittest.main(argv=[sys.argv[0], *words], verbosity=2, exit=False).result
    return not (result.wasSuccessful() or again(result).wasSuccessful())


if __name__ == "__main__":
    sys.exit(main())
