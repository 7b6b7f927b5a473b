#!/usr/bin/env python3
"""Measures a store of a million points, in a file and in PostgreSQL: the time to import, merge,
list and export the points, and to predict from the export. Starts a separate PostgreSQL server, on
a socket in a temporary folder, with fsync on.

    bench/store_million.py build/ridgewatt/ridgewatt [--points 1000000] [--rates build-bench/bench/store_bench]

Prints one JSON object: seconds, and points per second of --rates."""
import argparse
import glob
import json
import os
import pathlib
import pwd
import shutil
import subprocess
import tempfile
import time

SERVER = sorted(glob.glob("/usr/lib/postgresql/*/bin"))


def unprivileged():
    """Returns the options to run as another user, because the server refuses to run as root."""
    if os.geteuid() != 0:
        return {}
    user = pwd.getpwnam("nobody")
    return {"user": user.pw_uid, "group": user.pw_gid}


def start_server(folder):
    folder.mkdir()
    if os.geteuid() == 0:
        shutil.chown(folder, "nobody")
    programs = pathlib.Path(SERVER[-1])
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder, **unprivileged()}
    subprocess.run([programs / "initdb", "-D", folder / "data", "-U", "bench", "-A", "trust", "--no-locale", "-E", "UTF8"],
                   check=True, **quiet)
    server = subprocess.Popen([programs / "postgres", "-D", folder / "data", "-k", folder, "-c", "listen_addresses="],
                              **quiet)
    for _ in range(200):
        if (folder / ".s.PGSQL.5432").exists():
            break
        time.sleep(0.05)
    time.sleep(0.5)
    return server, f"postgresql://bench@localhost/postgres?host={folder}"


def write_sweep(path, points):
    with open(path, "w", encoding="ascii") as file:
        file.write("workload,kind,batch,cpu_cores,cpu_mhz,gpu_mhz,mem_mhz,time_ms,power_w\n")
        for i in range(points):
            gpu, rest = i % 13, i // 13
            cpu, rest = rest % 29, rest // 29
            cores, rest = rest % 12, rest // 12
            memory, batch = (204, 665, 2133, 3199)[rest % 4], 1 + rest // 4
            time_ms = batch * (900 / (gpu + 1) + 40 / (cpu + 1) + 2000 / memory)
            file.write(f"net,training,{batch},{cores + 1},{76 * (cpu + 1)},{100 * (gpu + 1)},{memory},{time_ms:.6f},"
                       f"{9 + cores * 0.1 + gpu:.3f}\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--points", type=int, default=1_000_000)
    parser.add_argument("--rates", type=pathlib.Path)
    asked = parser.parse_args()
    program = asked.program.resolve()
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="ridgewatt-million-"))
    scratch.chmod(0o755)
    server = None
    result = {"points": asked.points}

    def timed(*words):
        begin = time.perf_counter()
        subprocess.run([program, *map(str, words)], check=True, cwd=scratch, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        return round(time.perf_counter() - begin, 2)

    try:
        write_sweep(scratch / "million.csv", asked.points)
        stores = {"sqlite": str(scratch / "million.db")}
        if SERVER:
            server, stores["postgresql"] = start_server(scratch / "server")
        for name, store in stores.items():
            seconds = result[name + "_s"] = {}
            seconds["import"] = timed("store", "import", store, "million.csv", "--device", "agx-orin")
            seconds["list"] = timed("store", "list", store)
            seconds["export"] = timed("store", "export", store, "-o", f"{name}.csv")
        if server:
            result["same_export"] = (scratch / "sqlite.csv").read_bytes() == (scratch / "postgresql.csv").read_bytes()
            result["hand_in_again_s"] = timed("store", "merge", stores["sqlite"], stores["postgresql"])
        (scratch / "query.csv").write_text("cpu_cores,cpu_mhz,gpu_mhz,mem_mhz,batch\n4,760,600,2133,8\n")
        result["predict_s"] = timed("predict", "--samples", "sqlite.csv", "--query", "query.csv", "--method", "linear")
        if asked.rates:
            for name, store in stores.items():
                place = store + ".rates" if name == "sqlite" else store
                found = subprocess.run([asked.rates, "--benchmark_format=json"], check=True, capture_output=True,
                                       env={**os.environ, "RIDGEWATT_STORE": place})
                result[name + "_points_per_s"] = {one["name"]: round(one["items_per_second"])
                                                  for one in json.loads(found.stdout)["benchmarks"]}
    finally:
        if server:
            server.terminate()
            server.wait()
        shutil.rmtree(scratch)
    print(json.dumps(result, indent=2))


main()
