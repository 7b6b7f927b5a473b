#!/usr/bin/env python3
"""TLS to a store on a server: tools/fleet/store_tls_test.py BUILD_FOLDER

Uses a real PostgreSQL with certificates from packaging/postgresql/make_certificates. Each board has
its own certificate and role. Wrong, expired and missing certificates and a wrong host name give an
error of one line. Tests whose programs are not installed are skipped with a line."""
import pathlib
import shutil
import subprocess
import sys
import time
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import postgres
from place import Place

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else SOURCE / "build").resolve()
PROGRAM = BUILD / "ridgewatt" / "ridgewatt"
MAKE = SOURCE / "packaging" / "postgresql" / "make_certificates"
SWEEP = "workload,kind,batch,gpu_mhz,time_ms,power_w\nnet,training,16,306,100,10\nnet,training,16,612,50,12\n"


def make_certificates(folder, *words):
    return subprocess.run([MAKE, folder, *words], capture_output=True, text=True, check=False)


def expire(crt, authority, subject, extensions):
    """Replaces a certificate by one with the same key that expired yesterday."""
    key = crt.with_suffix(".key")
    request = subprocess.run(["openssl", "req", "-new", "-key", key, "-subj", f"/CN={subject}"], check=True,
                             capture_output=True).stdout
    lines = crt.with_suffix(".ext")
    lines.write_text(extensions + "\n")
    subprocess.run(["openssl", "x509", "-req", "-days", "-1", "-CA", authority / "root.crt", "-CAkey",
                    authority / "root.key", "-set_serial", "77", "-extfile", lines, "-out", crt], input=request, check=True,
                   capture_output=True)


@unittest.skipUnless(postgres.installed() and shutil.which("openssl"), "skipped: no PostgreSQL server or openssl")
@unittest.skipUnless(PROGRAM.exists(), "skipped: no ridgewatt in the build folder")
class Tls(unittest.TestCase):
    def setUp(self):
        self.place = Place()
        self.place.__enter__()
        self.addCleanup(self.place.__exit__)
        self.database = postgres.Postgres(self.place)
        self.made = self.place.folder / "certificates"
        self.certify(self.made)
        self.database.use_tls(self.made / "server")
        self.database.run_file(self.made / "boards.sql")
        self.place.write("sweep.csv", SWEEP)
        self.expect(self.run_as_owner("store", "upgrade", self.database.url("ridgewatt_owner") + "?sslmode=require"))
        self.give_to_board("orin1", self.made / "boards" / "orin1")

    def certify(self, folder, *words):
        done = make_certificates(folder, "--host", "localhost", "--host", "127.0.0.1", *words, "orin1", "orin2")
        self.assertEqual(done.returncode, 0, done.stderr)

    def run_as_owner(self, *words):
        return self.place.run([PROGRAM, *words], self.database.environment(), check=False)

    def give_to_board(self, name, folder):
        """Copies the files of a board to the places that the guide states."""
        self.home = self.place.make(f"board/{name}")
        self.place.make(f"board/{name}/.postgresql")
        for path in folder.iterdir():
            to = self.home / (".pg_service.conf" if path.name == "pg_service.conf" else f".postgresql/{path.name}")
            shutil.copy(path, to)
            self.place.own(to)

    def run_on_board(self, *words, **environment):
        return self.place.run([PROGRAM, *words], {"HOME": str(self.home), "PGPORT": str(self.database.port),
                                                  **environment}, check=False)

    def expect(self, done):
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def refused(self, expected, store="postgresql:///?service=ridgewatt", **environment):
        began = time.monotonic()
        done = self.run_on_board("store", "import", store, "sweep.csv", "--device", "agx-orin", **environment)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        self.assertRegex(done.stderr, expected)
        self.assertLess(time.monotonic() - began, 10)  # the command does not wait for the server
        print(f"  {done.stderr.strip()}", file=sys.stderr)

    def test_a_board_writes_with_its_certificate(self):
        store = "postgresql:///?service=ridgewatt"
        self.expect(self.run_on_board("store", "import", store, "sweep.csv", "--device", "agx-orin"))
        self.assertIn("net", self.expect(self.run_on_board("store", "list", store)))
        by_name = f"postgresql://orin1@localhost:{self.database.port}/fleet?sslmode=verify-full"
        self.assertIn("net", self.expect(self.run_on_board("store", "list", by_name)))
        self.assertEqual(self.database.sql("select count(*) from ridgewatt.point"), [["2"]])
        # The role of a stolen board can be locked. Certificates of other boards remain valid.
        self.database.sql('alter role orin1 nologin')
        self.refused('server refuses.*role "orin1" is not permitted to log in')
        self.give_to_board("orin2", self.made / "boards" / "orin2")
        self.assertIn("net", self.expect(self.run_on_board("store", "list", store)))

    def test_what_the_server_does_not_trust(self):
        self.certify(self.place.folder / "other")
        other = self.place.folder / "other" / "boards" / "orin1"
        for name in ("postgresql.crt", "postgresql.key"):  # from another authority
            shutil.copy(other / name, self.home / ".postgresql" / name)
        self.refused("the server does not trust the certificate of this client")
        for name in ("postgresql.crt", "postgresql.key"):  # of another board
            shutil.copy(self.made / "boards" / "orin2" / name, self.home / ".postgresql" / name)
        self.refused('server refuses.*certificate authentication failed for user "orin1"')
        for name in ("postgresql.crt", "postgresql.key"):
            (self.home / ".postgresql" / name).unlink()
        self.refused("server refuses.*requires a valid client certificate")
        for name in ("postgresql.crt", "postgresql.key"):
            shutil.copy(self.made / "boards" / "orin1" / name, self.home / ".postgresql" / name)
        expire(self.home / ".postgresql" / "postgresql.crt", self.made / "authority", "orin1",
               "extendedKeyUsage=clientAuth")
        for path in (self.home / ".postgresql").iterdir():
            self.place.own(path)
        self.refused("the certificate of this client has expired")

    def test_what_the_board_does_not_trust(self):
        store = f"postgresql://orin1@localhost:{self.database.port}/fleet?sslmode=verify-full"
        self.refused("the server's certificate is not trusted", store, PGSSLROOTCERT=str(self.other_root()))
        wrong_name = f"postgresql://orin1@db.lab:{self.database.port}/fleet?hostaddr=127.0.0.1&sslmode=verify-full"
        self.refused('is for another host: .*does not match host name "db.lab"', wrong_name)
        self.refused("files for TLS cannot be used: .*: root certificate file \"/none\" does not exist", store, PGSSLROOTCERT="/none")
        (self.home / ".postgresql" / "postgresql.key").chmod(0o644)
        self.refused("files for TLS cannot be used: .*: private key file .* has group or world access", store)
        (self.home / ".postgresql" / "postgresql.key").chmod(0o600)
        expire(self.made / "server" / "server.crt", self.made / "authority", "server",
               "subjectAltName=DNS:localhost,IP:127.0.0.1")
        self.database.use_tls(self.made / "server")
        self.refused("the server's certificate is not trusted: .* it has expired, or", store)
        # A renewed certificate of the server is accepted without a change on the boards.
        self.certify(self.made)
        self.database.use_tls(self.made / "server")
        self.expect(self.run_on_board("store", "list", store))

    def other_root(self):
        self.certify(self.place.folder / "other")
        root = self.place.folder / "root_of_others.crt"
        shutil.copy(self.place.folder / "other" / "server" / "root.crt", root)
        self.place.own(root)
        return root


class Maker(unittest.TestCase):
    """Tests make_certificates."""

    @unittest.skipUnless(shutil.which("openssl"), "skipped: no openssl")
    def test_it_adds_and_renews_and_keeps(self):
        with Place() as place:
            made = place.folder / "made"
            self.assertEqual(make_certificates(made, "--host", "db.lab", "orin1").returncode, 0)
            first = {path.relative_to(made): path.read_bytes() for path in made.rglob("*.crt")}
            self.assertEqual(make_certificates(made, "orin1", "orin2").returncode, 0)
            for path, data in first.items():
                self.assertEqual((made / path).read_bytes(), data, path)
            self.assertIn("orin2", (made / "boards.sql").read_text())
            self.assertEqual((made / "boards/orin2/pg_service.conf").read_text().split(),
                             ["[ridgewatt]", "host=db.lab", "dbname=fleet", "user=orin2", "sslmode=verify-full"])
            self.assertEqual(make_certificates(made, "--renew", "orin1").returncode, 0)
            changed = {str(path) for path, data in first.items() if (made / path).read_bytes() != data}
            self.assertEqual(changed, {"boards/orin1/postgresql.crt"})
            for key in made.rglob("*.key"):
                self.assertEqual(key.stat().st_mode & 0o777, 0o600, key)

    def test_it_refuses_with_one_line(self):
        with Place() as place:
            for words in (["orin1"], ["--host", "db.lab", "Orin1"], ["--host", "a,b", "orin1"], ["--host"],
                          ["--host", "db.lab", "--days", "0", "a"], ["--host", "db.lab", "postgres"], ["--no"],
                          ["--host", "db.lab", "../a"], ["--host", "db.lab", "--database", "a b", "orin1"]):
                done = make_certificates(place.folder / "made", *words)
                self.assertEqual(done.returncode, 2, words)
                self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
                self.assertFalse((place.folder / "made").exists())


unittest.main(argv=sys.argv[:1] + sys.argv[2:], verbosity=2)
