#!/usr/bin/env python3
"""Tests examples/schedule/llama_worker.py with `ridgewatt schedule run --programs` and a small
server with the endpoints of llama.cpp. Requests reach the server only while the worker has the
device, every client gets its own answer, streams arrive in pieces, and errors are reported.

    llama_worker_test.py --program build/ridgewatt/ridgewatt
"""
import argparse
import csv
import http.client
import http.server
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = ""


class ModelServer(http.server.BaseHTTPRequestHandler):
    """Answers like llama-server and records the times of its work."""
    worked = []

    def do_GET(self):
        self.answer({"status": "ok"})

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        begin = time.monotonic()
        if request.get("stream"):
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            for piece in range(3):
                self.wfile.write(f'data: {{"content": "{piece}"}}\n\n'.encode())
                self.wfile.flush()
                time.sleep(0.02)
            return self.worked.append((begin, time.monotonic()))
        prompt = request["prompt"]
        time.sleep(0.01)
        self.worked.append((begin, time.monotonic()))
        self.answer({"content": prompt.upper()})

    def answer(self, value):
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class LlamaWorker(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        ModelServer.worked.clear()
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), ModelServer)
        self.server.handle_error = lambda *_: None
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        for name, workload in (("llm", ["mobilenet_v3_large", "--batch", "1,4"]),
                               ("train", ["resnet18:training"])):
            subprocess.run([PROGRAM, "sweep", "example", "--workload", *workload, "--quiet", "-o",
                            str(self.folder / f"{name}.csv")], check=True, stdout=subprocess.DEVNULL)
        (self.folder / "programs.toml").write_text(
            '[[inference]]\nname = "llm"\nsweep = "llm.csv"\nmax_latency_ms = 2000\n'
            '[[training]]\nname = "train"\nsweep = "train.csv"\n')

    def start(self, seconds):
        self.controller = subprocess.Popen(
            [PROGRAM, "schedule", "run", "--programs", self.folder / "programs.toml", "--socket",
             self.folder / "s", "--duration", str(seconds), "--log", self.folder / "grants.csv",
             "--quiet", "--format", "json"], stdout=subprocess.PIPE, text=True)
        self.addCleanup(self.end, self.controller)
        while not (self.folder / "s").exists():
            self.assertIsNone(self.controller.poll())
            time.sleep(0.01)
        self.worker = subprocess.Popen(
            [sys.executable, ROOT / "examples/schedule/llama_worker.py", "--listen", "0", "--server",
             f"http://127.0.0.1:{self.server.server_port}"], stdout=subprocess.PIPE, text=True,
            env={**os.environ, "RIDGEWATT_SOCKET": str(self.folder / "s"),
                 "RIDGEWATT_NAME": "llm"})
        self.addCleanup(self.end, self.worker)
        self.port = int(self.worker.stdout.readline().split(":")[1])

    @staticmethod
    def end(process):
        process.kill()
        process.wait()
        process.stdout.close()

    def ask(self, path, body=None, method="POST"):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request(method, path, None if body is None else json.dumps(body),
                           {"Content-Type": "application/json"})
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, text

    def test_requests_wait_for_the_device(self):
        self.start(6)
        begin = time.monotonic()  # the controller has started a little earlier
        self.assertEqual(self.ask("/health", method="GET")[0], 200)
        answers = {}

        def client(number):
            answers[number] = self.ask("/completion", {"prompt": f"hello {number}"})

        clients = [threading.Thread(target=client, args=(i,)) for i in range(24)]
        for one in clients:
            one.start()
            time.sleep(0.02)
        status, stream = self.ask("/v1/chat/completions", {"prompt": "x", "stream": True})
        for one in clients:
            one.join()
        self.assertEqual(status, 200)
        self.assertEqual([line[-3] for line in stream.split("\n\n")[:3]], ["0", "1", "2"])
        for i in range(24):
            self.assertEqual(answers[i][0], 200)
            self.assertEqual(json.loads(answers[i][1])["content"], f"HELLO {i}")
        self.assertEqual(self.ask("/completion", {"wrong": 1})[0], 502)  # the server fails
        said = json.loads(self.controller.communicate()[0])
        self.worker.wait(10)
        self.assertEqual(said["programs"][0]["requests"], 26)
        self.assertEqual(said["requests"], 26)
        with open(self.folder / "grants.csv", newline="") as file:
            grants = [(float(row["granted_s"]), float(row["released_s"]), int(row["requests"]))
                      for row in csv.DictReader(file)]
        self.assertEqual(sum(count for _, _, count in grants), 26)
        self.assertEqual(len(ModelServer.worked), 25)
        # With some constant offset between the two clocks, all work is within grants.
        def fits(shift):
            return all(any(g - 1e-3 <= b - shift and e - shift <= r + 1e-3 for g, r, _ in grants)
                       for b, e in ModelServer.worked)

        shifts = [begin - 10 + i * 1e-3 for i in range(10_000)]
        self.assertTrue(any(map(fits, shifts)))

    def test_errors_are_reported(self):
        self.start(2.5)
        self.server.shutdown()
        self.server.server_close()
        self.assertEqual(self.ask("/completion", {"prompt": "x"})[0], 502)
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.putrequest("POST", "/completion")
        connection.putheader("Content-Length", "99999999999")
        connection.endheaders()
        self.assertEqual(connection.getresponse().status, 413)
        connection.close()
        self.controller.wait()
        self.assertEqual(self.worker.wait(10), 0)

    def test_no_controller(self):
        ran = subprocess.run([sys.executable, ROOT / "examples/schedule/llama_worker.py"], text=True,
                             env={**os.environ, "RIDGEWATT_SOCKET": str(self.folder / "no")},
                             capture_output=True)
        self.assertEqual(ran.returncode, 1)
        self.assertEqual(ran.stderr.count("\n"), 1)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", default="build/ridgewatt/ridgewatt")
    options, rest = parser.parse_known_args()
    PROGRAM = str(pathlib.Path(options.program).resolve())
    unittest.main(argv=[sys.argv[0], *rest])
