"""A real PostgreSQL for a test, with the roles of packaging/postgresql/roles.sql and passwords. It
listens on a Unix socket and on loopback.

    with Place() as place:
        database = Postgres(place)
        database.url("ridgewatt_writer")     # with PGPASSFILE=database.passfile in the environment

It starts in about 0.7 s. crash() ends it as a power failure would, and start() starts it again."""
import pathlib
import secrets
import shutil
import signal

from place import free_ports, listens, wait_until

ROLES = pathlib.Path(__file__).resolve().parents[2] / "packaging" / "postgresql" / "roles.sql"


def program(name):
    """Returns a program of the newest installed server. Debian does not put them in PATH."""
    found = sorted(pathlib.Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), key=lambda path: int(path.parts[4]))
    return str(found[-1]) if found else shutil.which(name)


def installed():
    return all(program(name) for name in ("initdb", "postgres", "psql"))


class Postgres:
    def __init__(self, place, database="fleet", name="pg", empty=False):
        """empty: creates no roles and no database."""
        self.place = place
        self.database = database
        self.data = place.folder / name
        self.socket = place.make(f"{name}s")
        self.port = free_ports(1)[0]
        self.settings = ["listen_addresses=127.0.0.1"]
        # Unique passwords, for which tests search all output and files.
        self.passwords = {role: f"secret{secrets.token_hex(12)}"
                          for role in ("ridgewatt_owner", "ridgewatt_writer", "ridgewatt_reader")}
        place.run([program("initdb"), "-D", self.data, "-U", "postgres", "--auth-local=peer",
                   "--auth-host=scram-sha-256", "--no-sync", "--no-locale", "-E", "UTF8"])
        name = place.user.pw_name
        (self.data / "pg_ident.conf").write_text(f"admin {name} postgres\n")
        (self.data / "pg_hba.conf").write_text("local all postgres peer map=admin\nlocal all all scram-sha-256\n"
                                               "host all all 127.0.0.1/32 scram-sha-256\n")
        self.start()
        if empty:
            return
        self.passfile = place.write("pgpass", "".join(
            f"*:*:{database}:{role}:{word}\n" for role, word in self.passwords.items()), 0o600)
        self.sql(f"create database {database}", "postgres")
        self.run_file(ROLES)
        self.sql("".join(f"alter role {role} login password '{word}';\n" for role, word in self.passwords.items()))

    def start(self):
        self.process = self.place.start(
            [program("postgres"), "-D", self.data, "-k", self.socket, "-p", self.port,
             *(word for setting in self.settings for word in ("-c", setting))], "postgres")
        wait_until(self.answers, 60, "PostgreSQL answers")

    def answers(self):
        return listens(self.port) and self.psql(["-c", "select 1"], "postgres", check=False).returncode == 0

    def crash(self):
        """Ends the server at once, like `pg_ctl stop -m immediate`. Connections are lost, and
        nothing is written."""
        self.process.send_signal(signal.SIGQUIT)
        self.process.wait()

    def use_tls(self, server):
        """Restarts the server with the certificate and key in the folder `server`
        (make_certificates). Boards then need a certificate of the same authority; the other roles
        need a password."""
        for name in ("server.crt", "server.key", "root.crt"):
            shutil.copy(server / name, self.data / name)
            self.place.own(self.data / name)
        (self.data / "server.key").chmod(0o600)
        (self.data / "pg_hba.conf").write_text(
            "local all postgres peer map=admin\n"
            "hostssl all ridgewatt_owner,ridgewatt_reader 127.0.0.1/32 scram-sha-256\n"
            "hostssl all +ridgewatt_writer 127.0.0.1/32 cert\n")
        self.settings = ["listen_addresses=127.0.0.1", "ssl=on", "ssl_cert_file=server.crt", "ssl_key_file=server.key",
                         "ssl_ca_file=root.crt"]
        self.crash()
        self.start()

    def psql(self, arguments, database=None, check=True, **more):
        # Debian's psql in PATH is a script that takes longer than the query.
        return self.place.run([program("psql"), "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", self.socket, "-p",
                               self.port, "-U", "postgres", "-d", database or self.database, *arguments],
                              check=check, **more)

    def sql(self, text, database=None):
        """Runs a query as administrator and returns the rows as lists of texts. The query is sent
        through standard input, so that no process list shows it."""
        done = self.psql([], database, input=text)
        return [line.split("|") for line in done.stdout.splitlines()]

    def run_file(self, path):
        self.psql([], input=path.read_text())

    def url(self, role):
        """Returns the address of the database on loopback."""
        return f"postgresql://{role}@127.0.0.1:{self.port}/{self.database}"

    def url_anywhere(self, role):
        """Returns the address without host and port, which the environment of each board contains
        (PGHOST, PGPORT)."""
        return f"postgresql://{role}@/{self.database}"

    def environment(self):
        return {"PGPASSFILE": str(self.passfile)}
