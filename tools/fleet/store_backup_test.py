#!/usr/bin/env python3
"""Backup and restore of a store with the commands of docs/guide/fleet.md:
tools/fleet/store_backup_test.py BUILD_FOLDER

A store in PostgreSQL is dumped and restored on a second server. A store in a file is copied while a
run writes to it. The restored store passes `store check`, exports the same bytes, has the same rows
and rights, and accepts new points."""
import pathlib
import shutil
import sqlite3
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import postgres
from place import Place, wait_until

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else SOURCE / "build").resolve()
PROGRAM = BUILD / "ridgewatt" / "ridgewatt"
SWEEP = "workload,kind,batch,gpu_mhz,time_ms,power_w\nnet,training,16,306,100,10\nnet,training,16,612,50,12\n"
TABLES = "select tablename from pg_tables where schemaname = 'ridgewatt' order by 1"
RIGHTS = """select grantee, table_name, privilege_type from information_schema.role_table_grants
where table_schema = 'ridgewatt' order by 1, 2, 3"""


@unittest.skipUnless(PROGRAM.exists(), "skipped: no ridgewatt in the build folder")
class Backup(unittest.TestCase):
    def setUp(self):
        self.place = Place()
        self.place.__enter__()
        self.addCleanup(self.place.__exit__)
        self.place.write("sweep.csv", SWEEP)
        self.environment = {"XDG_STATE_HOME": str(self.place.home)}

    def run_program(self, *words):
        return self.place.run([PROGRAM, *words], self.environment).stdout

    def profile(self, store, points=2):
        return [PROGRAM, "profile", store, "--device", "fake:agx-orin", "--sample", str(points), "--window", "3",
                "--settle-window", "50ms", "--idle", "0", "--workload", "lenet5", "--", PROGRAM, "fake-run",
                "zoo:lenet5", "--device", "fake:agx-orin", "--minibatches", "400", "--quiet"]

    def fill(self, store):
        """Stores points with and without samples, a campaign and its board."""
        self.run_program("store", "import", store, "sweep.csv", "--device", "agx-orin")
        self.place.run(self.profile(store), self.environment)
        self.run_program("campaign", "run", "--campaign", "backup", "--fingerprint", "0123456789abcdef", "--device",
                         "fake:agx-orin", "--store", store, "--settle", 0, "--window", 3, "--idle", 0, "--workload",
                         "lenet5", "--point", "0:cores=12,batch=1", "--", PROGRAM, "fake-run", "zoo:lenet5", "--device",
                         "fake:agx-orin", "--batch", "{batch}", "--quiet")

    def good_copy(self, store, copy):
        self.assertEqual(self.run_program("store", "export", store), self.run_program("store", "export", copy))
        self.assertEqual(self.run_program("campaign", "list", store), self.run_program("campaign", "list", copy))
        self.run_program("store", "check", copy)

    @unittest.skipUnless(postgres.installed() and shutil.which("pg_dump"), "skipped: no PostgreSQL server")
    def test_a_dump_restored_in_another_server(self):
        first = postgres.Postgres(self.place)
        self.environment.update(first.environment())
        owner = first.url("ridgewatt_owner")
        self.fill(owner)
        local = ["-h", first.socket, "-p", first.port, "-U", "postgres"]
        dump, roles = self.place.folder / "fleet.dump", self.place.folder / "roles.dump"
        self.place.run(["pg_dump", *local, "--format", "custom", "--file", dump, "fleet"])
        self.place.run(["pg_dumpall", *local, "--roles-only", "--file", roles])

        second = postgres.Postgres(self.place, name="pg2", empty=True)
        to = ["-h", second.socket, "-p", second.port, "-U", "postgres"]
        self.place.run(["psql", "-X", "-q", *to, "-d", "postgres", "-f", roles])
        self.place.run(["pg_restore", *to, "--create", "--exit-on-error", "--dbname", "postgres", dump])
        restored = second.url("ridgewatt_owner")  # the passwords are restored too
        self.good_copy(owner, restored)
        for (table,) in first.sql(TABLES):
            everything = f"select md5(string_agg(t::text, '|' order by t::text)), count(*) from ridgewatt.{table} t"
            self.assertEqual(first.sql(everything), second.sql(everything), table)
            self.assertNotEqual(first.sql(everything)[0][1], "0" if table != "failure" else "", table)
        self.assertEqual(first.sql(RIGHTS), second.sql(RIGHTS))
        writer = second.url("ridgewatt_writer")
        self.place.run(self.profile(writer, 4), self.environment)
        self.run_program("store", "check", writer)
        refused = self.place.run([PROGRAM, "store", "prune", writer, "--points", "0s"], self.environment, check=False)
        self.assertEqual(refused.returncode, 1, refused.stderr)

    def test_a_file_copied_while_it_is_written(self):
        store = self.place.folder / "points.db"
        self.fill(store)
        for name, words in {"backup.db": ".backup 'backup.db'", "vacuum.db": "VACUUM INTO 'vacuum.db'"}.items():
            copy = self.place.folder / name
            self.copy(store, copy, words)
            self.good_copy(store, copy)
            with sqlite3.connect(store) as one, sqlite3.connect(copy) as other:
                self.assertEqual(list(one.iterdump()), list(other.iterdump()))
            self.place.run(self.profile(copy, 4), self.environment)  # the copy accepts new points
        before = self.points(store)
        running = self.place.start(self.profile(store, 40), "profile", self.environment)
        wait_until(lambda: self.points(store) > before + 2, 60, "the run stores points")
        live = self.place.folder / "live.db"
        self.copy(store, live, "VACUUM INTO 'live.db'")
        self.assertIsNone(running.poll(), "the run ended before the copy")
        self.run_program("store", "check", live)
        self.assertGreater(self.points(live), before)

    def copy(self, store, copy, words):
        """Copies with the program sqlite3 or, if it is not installed, with the same library
        functions."""
        if shutil.which("sqlite3"):
            self.place.run(["sqlite3", store, words])
            return
        source = sqlite3.connect(store)
        if words.startswith("VACUUM"):
            source.execute(f"VACUUM INTO '{copy}'")
        else:
            target = sqlite3.connect(copy)
            source.backup(target)
            target.close()
        source.close()
        self.place.own(copy)

    def points(self, store):
        reader = sqlite3.connect(f"file:{store}?mode=ro", uri=True)
        count = reader.execute("select count(*) from point").fetchone()[0]
        reader.close()
        return count


unittest.main(argv=sys.argv[:1] + sys.argv[2:], verbosity=2)
