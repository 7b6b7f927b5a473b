#!/usr/bin/env python3
"""Sends malformed requests to a running server on loopback: broken heads, queries, bodies and
tokens, and damaged models and sweeps, which a child process of the server reads.

    tools/fuzz_serve.py build/ridgewatt/ridgewatt SECONDS [SEED]

Every status in a reply must be documented. At the end, the server must still run, and it may not
have lost file descriptors. Otherwise prints the request or the reason; the exit status is 1."""
import os
import random
import re
import socket
import subprocess
import sys
import tempfile
import time

DOCUMENTED = {200, 304, 400, 401, 403, 404, 405, 408, 411, 413, 414, 415, 422, 429, 431, 503, 504, 505}
PATHS = ["/", "/app.js", "/api/v1/estimate", "/api/v1/analyze", "/api/v1/roofline", "/api/v1/tune", "/api/v1/zoo",
         "/api/v1/schedule/plan", "/api/v1/pareto", "/api/v1/layers", "/api/v1/device", "/api/v1/runs", "/api/v1/windows",
         "/api/v1/windows/1/end", "/api/v1/marks", "/api/v1/mode", "/api/v1/session", "/api/v1/uploads", "/metrics"]
NAMES = ["model", "device", "batch", "modes", "training", "precision", "runtime", "dim", "format", "sweep", "samples", "seed",
         "columns", "figures", "max-power", "x", "store", "strict", "top", "sort", "explain", "inference", "arrivals"]
VALUES = ["zoo:lenet5", "zoo:resnet50", "zoo:", "upload:", "agx-orin", "maxn", "1", "0", "-1", "1e400", "nan", "/etc/passwd",
          "../..", "--output=x", "-o", "%00", "%0d%0aX-Evil:1", "%ff", "%c3%a4", "'; ls", "$(id)", "`id`", "a" * 1999,
          "cores=4,gpu=612", "cores=,gpu=", "local", "fake:agx-orin", "{}", "true", "30W", "1,2,3", "0x10", "zoo:lenet5%20-o%20x"]


def damaged(data, chance):
    """Returns `data` with changed, deleted, repeated or inserted bytes."""
    out = bytearray(data)
    for _ in range(chance.randint(1, 8)):
        if not out:
            break
        at = chance.randrange(len(out))
        kind = chance.randrange(5)
        if kind == 0:
            out[at] = chance.randrange(256)
        elif kind == 1:
            del out[at:at + chance.randint(1, 64)]
        elif kind == 2:
            out[at:at] = out[at:at + chance.randint(1, 64)]
        elif kind == 3:
            out[at:at] = bytes(chance.randrange(256) for _ in range(chance.randint(1, 16)))
        else:
            out[at] ^= 1 << chance.randrange(8)
    return bytes(out)


def a_query(chance):
    return "&".join(f"{chance.choice(NAMES)}={chance.choice(VALUES)}" for _ in range(chance.randrange(6)))


def a_request(chance):
    method = chance.choices(["GET", "POST", "DELETE", "HEAD", "PUT"], [8, 5, 1, 1, 1])[0]
    path = chance.choice(PATHS)
    query = a_query(chance)
    body = chance.choice([b"", b"{}", b'{"name": "a"}', b'{"mode": "MAXN"}', b"[" * 5000, b'{"name": "\xff"}', b"token"])
    headers = ["Host: " + chance.choice(["localhost", "localhost", "localhost", "evil", "", "[::1"])]
    if method == "POST":
        headers += ["Content-Type: application/json", f"Content-Length: {chance.choice([len(body)] * 6 + [0, -1, 10 ** 20])}"]
    for _ in range(chance.randrange(3)):
        headers.append(chance.choice(["Origin: http://evil", "Cookie: ridgewatt-0=x; ;=;", "Authorization: Bearer x", "Range: bytes=0-",
                                      "Transfer-Encoding: chunked", "Expect: 100-continue", "Accept-Encoding: gzip", "If-None-Match: *",
                                      "Connection: keep-alive", "X: " + "y" * chance.randint(0, 9000), "Upgrade: websocket"]))
    headers.append("Connection: close")
    head = f"{method} {path}{'?' if query else ''}{query} HTTP/1.1\r\n" + "\r\n".join(headers) + "\r\n\r\n"
    request = head.encode() + body
    return damaged(request, chance) if chance.random() < 0.4 else request


def exchange(port, request):
    """Returns the reply of the server until it closes the connection; empty after an error or
    timeout."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        try:
            connection.sendall(request)
            connection.shutdown(socket.SHUT_WR)
            answer = b""
            while part := connection.recv(65536):
                answer += part
                if b"text/event-stream" in answer:
                    break
        except (ConnectionError, socket.timeout):
            return b""
        return answer


def a_file(chance, seeds):
    """Returns a request that uploads a damaged file."""
    data = damaged(chance.choice(seeds), chance)
    return (f"POST /api/v1/uploads HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(data)}\r\nConnection: close\r\n\r\n".encode() + data)


def ask_of(port, name, chance):
    query = chance.choice([f"analyze?model=upload:{name}", f"estimate?model=upload:{name}&device=agx-orin", f"tune?sweep=upload:{name}&max-power=30",
                           f"layers?profile=upload:{name}", f"pareto?sweep=upload:{name}", f"schedule/plan?inference-sweep=upload:{name}&arrival-rate=1"])
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(f"GET /api/v1/{query} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        answer = b""
        while part := connection.recv(65536):
            answer += part
        return query, answer


def state_of(pid):
    with open(f"/proc/{pid}/status") as lines:
        memory = next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))
    return memory, len(os.listdir(f"/proc/{pid}/fd"))


def check(request, answer):
    answer = answer.removeprefix(b"HTTP/1.1 100 Continue\r\n\r\n")
    if not answer:
        return  # the server closed the connection, for example after an incomplete head
    status = int(answer[9:12]) if answer.startswith(b"HTTP/1.1 ") else -1
    if status not in DOCUMENTED or b"\nX-Evil" in answer or b"root:" in answer:
        raise SystemExit(f"answered {answer[:1500]!r} to {request[:2000]!r}")


def main():
    program, seconds = sys.argv[1], float(sys.argv[2])
    chance = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    with tempfile.TemporaryDirectory() as folder:
        made = [subprocess.run([program, *words.split()], check=True, stdout=subprocess.PIPE).stdout
                for words in ("zoo write lenet5 -o -", "sweep example --mode-count 30 -o -")]
        server = subprocess.Popen([program, "serve", "--port", "0", "--device", "fake:agx-orin", "--rate", "100000", "--max-upload", "1MB"],
                                  env={**os.environ, "RIDGEWATT_FAKE": folder}, stderr=subprocess.PIPE, text=True)
        try:
            port = int(re.search(r":(\d+)/", server.stderr.readline())[1])
            until, count, files, first = time.monotonic() + seconds, 0, 0, None
            while time.monotonic() < until:
                request = a_request(chance)
                check(request, exchange(port, request))
                count += 1
                if count % 5 == 0:
                    sent = exchange(port, a_file(chance, made))
                    name = re.search(rb'"upload": "(\w+)"', sent)
                    if name:
                        check(*ask_of(port, name[1].decode(), chance))
                        files += 1
                if count == 500:
                    first = state_of(server.pid)
            if server.poll() is not None:
                raise SystemExit(f"the server ended with {server.returncode}")
            last = state_of(server.pid)
            print(f"{count} requests, {files} files; memory {first and first[0]} -> {last[0]} kB, descriptors {first and first[1]} -> {last[1]}")
            if first and last[1] > first[1] + 80:  # the server keeps 64 uploads
                raise SystemExit("descriptors are lost")
        finally:
            server.terminate()
            if server.wait() != 0:
                raise SystemExit(f"the server ended with {server.returncode}")


main()
