#!/usr/bin/env python3
"""Compares `ridgewatt measure --server` with what a real llama-server says: the times in its answers
and the counters of /metrics. With --device also with estimates of this machine's processor.

    tools/runtimes/llama/build.sh server
    tools/runtimes/llama/server_check.py --device here.toml --models qwen2.5-0.5b --quantizations q8_0

A row is a protocol and a number of requests at a time. The exit code is 1 if the counts of requests
or tokens differ, or if a time is shorter than the server's own; 77: llama-server is not built."""
import argparse
import csv
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

from check import FOLDER, estimate_row, write_model

SERVER = FOLDER / "bin" / "llama-server"
KEY = "a-key"
WARM_UP = 1
STATED = re.compile(r"states ([0-9.e+-]+) ms for the prompt and ([0-9.e+-]+) ms per token")


def get(url):
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {KEY}"})
    with urllib.request.urlopen(request, timeout=60) as reply:
        return reply.read().decode()


class Server:
    def __init__(self, file, slots, context):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.url = f"http://127.0.0.1:{free.getsockname()[1]}"
        self.command = [str(SERVER), "-m", str(file), "--port", self.url.rsplit(":", 1)[1], "-t", str(os.cpu_count()),
                        "-np", str(slots), "-c", str(slots * context), "--metrics", "--api-key", KEY]
        self.process = subprocess.Popen(self.command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def __enter__(self):
        for _ in range(600):
            if self.process.poll() is not None:
                sys.exit(f"server_check.py: {SERVER} ended with {self.process.returncode}")
            try:
                get(self.url + "/health")
                return self
            except OSError:
                time.sleep(0.5)
        sys.exit("server_check.py: the server is not ready after 5 minutes")

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def counters(self):
        lines = [line.split() for line in get(self.url + "/metrics").splitlines() if not line.startswith("#")]
        found = {name.split(":")[1]: float(value) for name, value in lines}
        found["busy_total"] = found["n_busy_slots_per_decode"] * found["n_decode_total"]
        return found


def measure(options, url, api, concurrency, requests):
    command = [options.program, "measure", "--server", url, "--api", api, "--prompt", str(options.prompt), "--generate",
               str(options.generate), "--concurrency", str(concurrency), "--requests", str(requests), "--warm-up",
               str(WARM_UP), "--idle", "0", "--format", "json", "--quiet"]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True,
                          env={**os.environ, "RIDGEWATT_API_KEY": KEY})
    return json.loads(done.stdout)["runs"][0]


def compare(options, server, model, quantization, api, concurrency):
    """A row, and what is wrong in it."""
    requests = options.requests * concurrency
    before = server.counters()
    run = measure(options, server.url, api, concurrency, requests)
    after = server.counters()
    delta = {name: after[name] - before[name] for name in after}
    said = STATED.search(" ".join(run["notes"]))
    server_prompt_ms, server_token_ms = (float(value) for value in said.groups()) if said else (0, 0)
    row = {"model": model, "quantization": quantization, "api": api, "concurrency": concurrency,
           "decoded_at_once": delta["busy_total"] / max(1, delta["n_decode_total"]),
           "prompt_tokens": run["prompt_tokens"], "ttft_ms": run["ttft_ms"], "server_prompt_ms": server_prompt_ms,
           "tpot_ms": run["tpot_ms"], "server_token_ms": server_token_ms, "gap_median_ms": run["gap_median_ms"],
           "tokens_per_s": run["tokens_per_s"]}
    counts = [("prompt tokens", run["prompt_tokens"], delta["prompt_tokens_total"]),
              ("generated tokens", run["generated_tokens"], delta["tokens_predicted_total"])]
    if api == "openai-chat":  # prompts of random words differ in length
        counts = counts[1:]
    wrong = [f"{name}: {ours * (requests + WARM_UP):g}, the server counted {theirs:g}" for name, ours, theirs in counts
             if ours * (requests + WARM_UP) != theirs]
    if run["quantization"] != quantization or run["failed"] or run["requests"] != requests or not said:
        wrong.append(f"quantization {run['quantization']}, {run['requests']} requests, {run['failed']} failed; {said}")
    steps = options.generate - 1
    if run["ttft_ms"] + run["tpot_ms"] * steps < 0.999 * (server_prompt_ms + server_token_ms * steps):
        wrong.append("a request took less time than the server states")  # it sends a token after it has it
    if options.device:
        found = estimate_row(options, model, quantization, os.cpu_count(), round(run["prompt_tokens"]), options.generate,
                             concurrency)
        row.update(modelled_ttft_ms=float(found["ttft_ms"]), modelled_tpot_ms=float(found["tpot_ms"]))
    return row, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="ridgewatt")
    parser.add_argument("--device", help="board file for estimates")
    parser.add_argument("--models", default="qwen2.5-0.5b")
    parser.add_argument("--quantizations", default="q8_0,q4_k_m")
    parser.add_argument("--apis", default="llama.cpp,openai,openai-chat")
    parser.add_argument("--concurrency", default="1,2,4")
    parser.add_argument("--prompt", type=int, default=128)
    parser.add_argument("--generate", type=int, default=32)
    parser.add_argument("--requests", type=int, default=4, help="for each request at a time")
    options = parser.parse_args()
    if not SERVER.exists():
        print("skipped: llama-server is not built (tools/runtimes/llama/build.sh server)")
        return 77
    levels = [int(one) for one in options.concurrency.split(",")]
    context = 256 * -(-(16 * options.prompt + options.generate) // 256)  # a word of a chat is many tokens
    bad, table = [], None
    for model in options.models.split(","):
        for quantization in options.quantizations.split(","):
            with tempfile.TemporaryDirectory() as folder:
                file = write_model(options.program, model, quantization, pathlib.Path(folder))
                with Server(file, max(levels), context) as server:
                    measure(options, server.url, "auto", 1, 1)
                    for api in options.apis.split(","):
                        for concurrency in levels:
                            row, wrong = compare(options, server, model, quantization, api, concurrency)
                            if table is None:
                                table = csv.DictWriter(sys.stdout, row)
                                table.writeheader()
                            table.writerow({key: f"{value:.4g}" if isinstance(value, float) else value
                                            for key, value in row.items()})
                            sys.stdout.flush()
                            bad += [f"{api}, {concurrency} at a time: {one}" for one in wrong]
    print("\n".join(bad), file=sys.stderr, end="\n" if bad else "")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
