#!/usr/bin/env python3
"""A proxy that lets requests to a language model server wait for `ridgewatt schedule run`.

Clients use this program like the server, and each of their requests waits for the device.

    llama-server -m model.gguf --host 127.0.0.1 --port 8081            # llama.cpp
    llama_worker.py --server http://127.0.0.1:8081 --listen 8080       # clients use port 8080
    curl http://127.0.0.1:8080/completion -d '{"prompt": "Hello", "n_predict": 16}'

POST requests to /completion, /v1/completions, /v1/chat/completions, /embedding and /v1/embeddings
wait; as many run at once as the grant permits. GET requests (/health, /props, ..) do not wait.
Streams are forwarded as they arrive. The program listens only on 127.0.0.1. Name and socket:
$RIDGEWATT_NAME, $RIDGEWATT_SOCKET. It needs only the standard library. It was tested with a small
server with the same endpoints (llama_worker_test.py), not on a GPU.
"""
import argparse
import concurrent.futures
import http.client
import http.server
import os
import pathlib
import sys
import threading
import time
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))
import ridgewatt  # noqa: E402

GATED = {"/completion", "/completions", "/v1/completions", "/v1/chat/completions", "/embedding",
         "/embeddings", "/v1/embeddings"}
LONGEST_REQUEST = 16 * 1024 * 1024
PASSED_ON = ("content-type", "authorization", "accept")


class Gate:
    """Requests that wait for the device, oldest first, and the worker that acquires the device."""

    def __init__(self, worker):
        self.worker, self.lock, self.waiting = worker, threading.Lock(), []
        self.gone = threading.Event()

    def enter(self, work):
        """Runs `work` when the device is granted and returns its result."""
        entry = concurrent.futures.Future()
        entry.work = work
        with self.lock:
            if self.gone.is_set():
                raise ridgewatt.ControllerGone("the controller has closed the connection")
            self.waiting.append(entry)
            self.worker.arrived(1)
        return entry.result()

    def take(self, count, aside):
        with self.lock:
            taken = self.waiting[aside:aside + count]
            del self.waiting[aside:aside + count]
        return taken

    @staticmethod
    def serve(entry):
        try:
            entry.set_result(entry.work())
        except Exception as error:  # only this client gets the error
            entry.set_exception(error)

    def run(self):
        try:
            while True:
                with self.worker.minibatch():
                    count = self.worker.requests or self.worker.batch  # 0: fixed cycle
                    taken = self.take(count, self.worker.aside)
                    threads = [threading.Thread(target=self.serve, args=(e,)) for e in taken]
                    for thread in threads:
                        thread.start()
                    for thread in threads:
                        thread.join()
        except (ridgewatt.ControllerGone, OSError) as error:
            with self.lock:
                self.gone.set()
                left, self.waiting = self.waiting, []
            for entry in left:
                entry.set_exception(ridgewatt.ControllerGone(str(error)))


def handler_of(gate, server, timeout_s):
    class Handler(http.server.BaseHTTPRequestHandler):
        def ask_server(self, body):
            """Forwards the request and the answer, without storing them."""
            connection = http.client.HTTPConnection(server.hostname, server.port, timeout=timeout_s)
            try:
                headers = {k: v for k, v in self.headers.items() if k.lower() in PASSED_ON}
                connection.request(self.command, self.path, body, headers)
                answer = connection.getresponse()
                self.send_response(answer.status)
                self.send_header("Content-Type", answer.headers.get("Content-Type", "text/plain"))
                self.send_header("Connection", "close")
                self.end_headers()
                while data := answer.read1(65536):
                    self.wfile.write(data)
                    self.wfile.flush()
            finally:
                connection.close()

        def relay(self, body=None):
            gated = self.command == "POST" and urllib.parse.urlsplit(self.path).path in GATED
            self.close_connection = True
            self.answered = False
            try:
                if gated:
                    gate.enter(lambda: self.ask_server(body))
                else:
                    self.ask_server(body)
            except BrokenPipeError:
                pass  # the client disconnected
            except ridgewatt.ControllerGone:
                self.refuse(503, "the controller has closed the connection")
            except (OSError, http.client.HTTPException) as error:
                self.refuse(502, f"the server does not answer: {error}")

        def refuse(self, status, text):
            if not self.answered:
                self.send_error(status, text)

        def send_response(self, code, message=None):
            self.answered = True
            super().send_response(code, message)

        def do_GET(self):
            self.relay()

        def do_POST(self):
            length = self.headers.get("Content-Length", "")
            if not length.isdigit() or int(length) > LONGEST_REQUEST:
                self.answered = False
                return self.refuse(413 if length.isdigit() else 411, "how long is the request?")
            self.relay(self.rfile.read(int(length)))

        def log_message(self, *_):
            pass

    return Handler


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--server", default="http://127.0.0.1:8081", help="of the model")
    parser.add_argument("--listen", type=int, default=8080, help="port; 0: any, which is printed")
    parser.add_argument("--timeout", type=float, default=600, help="seconds for one answer")
    options = parser.parse_args()
    server = urllib.parse.urlsplit(options.server)
    if server.scheme != "http" or not server.hostname or not server.port:
        sys.exit("llama_worker.py: --server must be like http://127.0.0.1:8081")
    try:
        worker = ridgewatt.Worker("inference", os.environ.get("RIDGEWATT_NAME", "llama"))
    except OSError as error:
        sys.exit(f"llama_worker.py: no controller: {error}")
    if not worker.count():
        sys.exit("llama_worker.py: the controller is too old to count requests")
    gate = Gate(worker)
    listener = http.server.ThreadingHTTPServer(
        ("127.0.0.1", options.listen), handler_of(gate, server, options.timeout))
    listener.daemon_threads = True
    print(f"listening on 127.0.0.1:{listener.server_port}", flush=True)
    threading.Thread(target=listener.serve_forever, daemon=True).start()
    gate.run()  # until the controller ends
    time.sleep(0.1)  # the last clients get the error
    listener.shutdown()


if __name__ == "__main__":
    main()
