#!/usr/bin/env python3
"""Passwords of a store on a server: tools/fleet/store_secrets_test.py BUILD_FOLDER

Runs every command that accepts a store against a real PostgreSQL, with correct and wrong passwords
from the environment and from a file, with unreachable servers, and with a password in the address.
Also runs `serve` with a token and such a store. Passwords and tokens must not appear in output,
replies, written files, or the process list during a command. Tests whose programs are not installed
are skipped with a line."""
import os
import pathlib
import re
import subprocess
import sys
import threading
import time
import unittest
import urllib.error
import urllib.request

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import postgres
from place import Place, command_line, descendants

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else SOURCE / "build").resolve()
PROGRAM = BUILD / "ridgewatt" / "ridgewatt"
SWEEP = """workload,kind,batch,gpu_mhz,time_ms,power_w
net,training,16,306,100,10
net,training,16,612,50,12
"""


def answer(address, headers):
    """Returns the reply of the server with its headers."""
    try:
        with urllib.request.urlopen(urllib.request.Request(address, headers=headers), timeout=60) as reply:
            return f"{reply.headers}\n{reply.read().decode()}"
    except urllib.error.HTTPError as error:
        return f"{error.headers}\n{error.read().decode()}"


@unittest.skipUnless(postgres.installed(), "skipped: no PostgreSQL server")
@unittest.skipUnless(PROGRAM.exists(), "skipped: no ridgewatt in the build folder")
class Secrets(unittest.TestCase):
    def setUp(self):
        self.place = Place()
        self.place.__enter__()
        self.addCleanup(self.place.__exit__)
        self.database = postgres.Postgres(self.place)
        self.role = "ridgewatt_owner"
        self.secret = self.database.passwords[self.role]
        self.url = self.database.url(self.role)
        self.place.write("sweep.csv", SWEEP)

    def ask(self, words, environment):
        """Returns status and output of a command. Checks that neither the output nor any command
        line during the command contains the secret."""
        options = self.place._options({"XDG_STATE_HOME": str(self.place.home), **environment}, False)
        with subprocess.Popen([str(PROGRAM), *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, **options) as process:
            seen = set()
            while process.poll() is None:
                seen.update(str(command_line(pid)) for pid in descendants(os.getpid()))
                time.sleep(0.005)
            output = process.stdout.read()
        self.assertTrue(seen)
        for line in seen:
            self.assertNotIn(self.secret, line)
        self.assertNotIn(self.secret, output)
        return process.returncode, output

    def expect(self, words, environment):
        status, output = self.ask(words, environment)
        self.assertEqual(status, 0, output)
        return output

    def profile(self, store):
        return ["profile", store, "--device", "fake:agx-orin", "--sample", "1", "--window", "3", "--settle-window",
                "50ms", "--idle", "0", "--workload", "net", "--format", "json", "--", str(PROGRAM), "fake-run",
                "zoo:lenet5", "--device", "fake:agx-orin", "--minibatches", "400"]

    def test_right_passwords(self):
        by_file = f"{self.url}?passfile={self.database.passfile}"
        for store, environment in ((self.url, {"PGPASSWORD": self.secret}), (self.url, self.database.environment()),
                                   (by_file, {})):
            self.expect(["store", "import", store, "sweep.csv", "--device", "agx-orin"], environment)
            self.assertIn("net", self.expect(["store", "list", store], environment))
            self.assertIn("net", self.expect(["store", "list", store, "--format", "json"], environment))
            self.assertIn("replayed", self.expect(["store", "export", store], environment))
            self.expect(["store", "merge", store, "local.db"], environment)
            self.expect(["store", "merge", "local.db", store], environment)
        self.expect(self.profile(by_file), {})
        self.expect(self.profile(self.url), {"PGPASSWORD": self.secret})
        self.look_into_files()

    def test_wrong_passwords_and_servers_out_of_reach(self):
        wrong = {"PGPASSWORD": self.secret + "x"}
        for words in (["store", "list", self.url], ["store", "export", self.url], self.profile(self.url),
                      ["store", "merge", "local.db", self.url], ["store", "import", self.url, "sweep.csv"]):
            self.place.run([PROGRAM, "store", "import", "local.db", "sweep.csv", "--device", "agx-orin"])
            status, output = self.ask(words, wrong)
            self.assertEqual(status, 1, output)
            self.assertEqual(len(output.strip().splitlines()), 1, output)
        self.database.crash()
        status, output = self.ask(["store", "list", self.url], {"PGPASSWORD": self.secret})
        self.assertEqual(status, 1)
        self.assertEqual(len(output.strip().splitlines()), 1, output)
        self.look_into_files()

    def test_a_password_in_the_address_is_refused_and_not_repeated(self):
        for address in (f"postgresql://u:{self.secret}@127.0.0.1/d", f"postgres://u@h/d?password={self.secret}"):
            for words in (["store", "list", address], ["store", "export", address], self.profile(address),
                          ["store", "merge", address, "x.db"], ["store", "import", address, "sweep.csv"],
                          ["serve", "--store", address]):
                done = self.place.run([PROGRAM, *words], check=False)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertNotIn(self.secret, done.stdout + done.stderr)
                self.assertIn("password", done.stderr)
        self.look_into_files()

    def test_the_password_of_a_served_store_and_its_token(self):
        """No message, reply, file or command line of a child contains the token of a server or the
        password of its store."""
        token = "a-token-of-this-test-0123456789"
        self.expect(["store", "import", self.url, "sweep.csv", "--device", "agx-orin"], {"PGPASSWORD": self.secret})
        file = self.place.write("serve.token", token + "\n")
        options = self.place._options({"XDG_STATE_HOME": str(self.place.home), "PGPASSWORD": self.secret}, False)
        with subprocess.Popen([str(PROGRAM), "serve", "--port", "0", "--device", "fake:agx-orin", "--store", self.url,
                               "--token-file", str(file)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                              **options) as server:
            said = server.stderr.readline()
            address = re.search(r"http://\S+", said)[0]
            seen, answers = set(), []
            for path, headers in (("api/v1/runs?store=0", {}), ("api/v1/runs?store=0", {"Authorization": "Bearer " + token}),
                                  ("api/v1/runs?store=9", {"Authorization": "Bearer " + token}),
                                  ("api/v1/stores", {"Authorization": "bearer " + token}), ("healthz", {}), ("metrics", {})):
                asked = threading.Thread(target=lambda: answers.append(answer(address + path, headers)))
                asked.start()
                while asked.is_alive():
                    seen.update(str(command_line(pid)) for pid in descendants(os.getpid()))
                    time.sleep(0.005)
                asked.join()
            server.terminate()
            said += server.stderr.read()
            self.assertEqual(server.wait(), 0, said)
        self.assertIn("net", answers[1])
        self.assertTrue(any("store" in line for line in seen), seen)
        for text in (said, *answers, *seen):
            self.assertNotIn(token, text)
            self.assertNotIn(self.secret, text)
        self.look_into_files()
        for path in self.place.folder.rglob("*"):
            if path.is_file() and path != file and self.database.data not in path.parents:
                self.assertNotIn(token.encode(), path.read_bytes(), path)

    def look_into_files(self):
        for path in self.place.folder.rglob("*"):
            if path.is_file() and path != self.database.passfile and self.database.data not in path.parents:
                self.assertNotIn(self.secret.encode(), path.read_bytes(), path)


unittest.main(argv=sys.argv[:1] + sys.argv[2:], verbosity=2)
