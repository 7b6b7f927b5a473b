#!/usr/bin/env python3
"""A stand-in for a server of language models, without a model. It has the protocols of llama.cpp's
llama-server and of OpenAI (like vLLM). It sends tokens at given times, to try and test measurements
of servers. It listens only on loopback.

    ridgewatt measure --server http://127.0.0.1:8089 --prompt 64 --generate 16 -- python3 stand_in_server.py --port 8089

--sysroot is the folder of a fake board. Its power is --prefill-power times its idle power during a
prompt and --decode-power times its idle power while tokens are generated. --log writes a line per
request (times of arrival, first and last token) and a line per change of power (times of its start
and end, factor). All times are of CLOCK_MONOTONIC."""
import argparse
import glob
import http.server
import json
import threading
import time


class Rails:
    """The currents of a fake board: the idle values times the highest factor of all current
    requests."""

    def __init__(self, root):
        files = glob.glob(root + "/sys/devices/**/hwmon/hwmon*/curr*_input", recursive=True) if root else []
        self.rest = {}
        for name in files:
            with open(name) as file:
                text = file.read().strip()
            if text.isdigit():  # a channel without a sensor contains "!EIO"
                self.rest[name] = int(text)
        self.lock = threading.Lock()
        self.factors = []

    def change(self, old, new):
        with self.lock:
            if old is not None:
                self.factors.remove(old)
            if new is not None:
                self.factors.append(new)
            factor = max(self.factors, default=1)
            begun = time.monotonic()
            for name, milliamperes in self.rest.items():
                with open(name, "r+") as file:
                    file.write(f"{round(milliamperes * factor):<12}")
            if self.rest:
                tell(f"power {begun:.6f} {time.monotonic():.6f} {factor}")


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=8089)
    parser.add_argument("--api", choices=["llama.cpp", "openai"], default="llama.cpp")
    parser.add_argument("--prompt-ms", type=float, default=1, help="per token of the prompt")
    parser.add_argument("--token-ms", type=float, default=10, help="per further token")
    parser.add_argument("--model", default="stand-in-q4_k_m.gguf")
    parser.add_argument("--fail-every", type=int, default=0, help="every such request fails")
    parser.add_argument("--slots", type=int, default=4, help="stated; all requests are answered at once")
    parser.add_argument("--cached", type=int, default=0, help="tokens of each prompt that it states to have cached")
    parser.add_argument("--ftype", default="", help="quantization that the server states")
    parser.add_argument("--api-key", default="", help="only /health answers without it")
    parser.add_argument("--sysroot", default="")
    parser.add_argument("--prefill-power", type=float, default=4)
    parser.add_argument("--decode-power", type=float, default=2)
    parser.add_argument("--log", default="")
    return parser.parse_args()


OPTIONS = parse()
RAILS = Rails(OPTIONS.sysroot)
COUNT = 0
LOCK = threading.Lock()


def tell(line):
    if OPTIONS.log:
        with open(OPTIONS.log, "a") as log:
            log.write(line + "\n")


def until(moment):
    while (left := moment - time.monotonic()) > 0:
        time.sleep(left)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, value, status=200):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def refused(self):
        if not OPTIONS.api_key or self.headers["Authorization"] == f"Bearer {OPTIONS.api_key}":
            return False
        self.reply({"error": {"message": "Invalid API Key"}}, 401)
        return True

    def do_GET(self):
        llama = OPTIONS.api == "llama.cpp"
        if self.path == "/health":
            return self.reply({"status": "ok"})
        if self.refused():
            return None
        if self.path == "/props" and llama:
            return self.reply({"default_generation_settings": {}, "model_path": "/models/" + OPTIONS.model,
                               "model_ftype": OPTIONS.ftype, "total_slots": OPTIONS.slots})
        if self.path == "/v1/models":
            owner = "llamacpp" if llama else "vllm"
            return self.reply({"object": "list", "data": [{"id": OPTIONS.model, "owned_by": owner,
                                                            "meta": {"ftype": OPTIONS.ftype}}]})
        return self.reply({"error": {"message": "no such path"}}, 404)

    def do_POST(self):
        global COUNT
        begin = time.monotonic()
        question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.refused():
            return None
        with LOCK:
            COUNT += 1
            fails = OPTIONS.fail_every > 0 and COUNT % OPTIONS.fail_every == 0
        if fails:
            return self.reply({"error": {"message": "the stand-in is set to fail"}}, 500)
        chat = self.path.endswith("/chat/completions")
        prompt = len(question["messages"][0]["content"].split()) if chat else len(question["prompt"])
        count = question.get("n_predict", question.get("max_tokens", 16))
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        RAILS.change(None, OPTIONS.prefill_power)
        first = begin + prompt * OPTIONS.prompt_ms * 1e-3
        until(first)
        RAILS.change(OPTIONS.prefill_power, OPTIONS.decode_power)
        first = end = time.monotonic()
        for i in range(count):
            until(first + i * OPTIONS.token_ms * 1e-3)
            end = time.monotonic()  # before the client receives the token
            self.event(self.piece(chat, i == count - 1))
        RAILS.change(OPTIONS.decode_power, None)
        self.finish_answer(prompt, count)
        tell(f"request {begin:.6f} {first:.6f} {end:.6f}")

    def piece(self, chat, last):
        if self.path == "/completion":
            return {"content": " word", "stop": False}
        choice = {"index": 0, "finish_reason": "length" if last else None}
        choice["delta" if chat else "text"] = {"content": " word"} if chat else " word"
        return {"choices": [choice]}

    def finish_answer(self, prompt, count):
        if self.path == "/completion":
            timings = {"prompt_n": prompt, "prompt_ms": prompt * OPTIONS.prompt_ms,
                       "predicted_n": count, "predicted_per_token_ms": OPTIONS.token_ms, "cache_n": OPTIONS.cached}
            return self.event({"content": "", "stop": True, "tokens_evaluated": prompt, "tokens_predicted": count,
                               "timings": timings})
        self.event({"choices": [], "usage": {"prompt_tokens": prompt, "completion_tokens": count,
                                             "prompt_tokens_details": {"cached_tokens": OPTIONS.cached}}})
        self.wfile.write(b"data: [DONE]\n\n")

    def event(self, value):
        self.wfile.write(b"data: " + json.dumps(value).encode() + b"\n\n")
        self.wfile.flush()


if __name__ == "__main__":
    http.server.ThreadingHTTPServer.daemon_threads = True
    http.server.ThreadingHTTPServer(("127.0.0.1", OPTIONS.port), Handler).serve_forever()
