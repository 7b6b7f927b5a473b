#!/usr/bin/env python3
"""Measures latency and memory of the server under load on loopback, and the time of slider moves.

The load is a number of event streams and of requests per second.

    bench/serve_load.py build/ridgewatt/ridgewatt [--streams 200] [--rate 50] [--seconds 60]

--seconds 0 measures only the sliders. Prints one JSON object. Client and server share the machine,
so the results are upper bounds."""
import argparse
import asyncio
import json
import os
import random
import re
import statistics
import subprocess
import tempfile
import time


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else None


async def ask(port, path):
    """Sends one request on a new connection and returns its status and time (s)."""
    begin = time.perf_counter()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        await writer.drain()
        answer = await reader.read(12)
        while await reader.read(65536):
            pass
    finally:
        writer.close()
    return int(answer[9:12] or 0), time.perf_counter() - begin


async def listen(port, until, counts):
    """Reads one event stream. Records its status and the number of events."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 20)
    writer.write(b"GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
    status = int((await reader.readline())[9:12] or 0)
    events = 0
    try:
        while time.monotonic() < until:
            line = await asyncio.wait_for(reader.readline(), until - time.monotonic())
            if not line:
                counts["ended"] += 1
                break
            events += line.startswith(b"event: monitor")
    except asyncio.TimeoutError:
        pass
    writer.close()
    counts["statuses"].append(status)
    counts["events"].append(events)


def resident_kb(pid):
    with open(f"/proc/{pid}/status") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


def processor_s(pid):
    """Returns the processor time of the server and of its child processes."""
    with open(f"/proc/{pid}/stat") as line:
        fields = line.read().rsplit(")", 1)[1].split()
    return sum(int(field) for field in fields[11:15]) / os.sysconf("SC_CLK_TCK")


def slider_paths(knobs, count):
    """Yields the requests for each move of a clock slider. Each asks for one mode of the board, in
    most cases for the first time."""
    for _ in range(count):
        mode = f"cores={random.choice(knobs['cpu_cores'])},gpu={random.choice(knobs['gpu_mhz'])}"
        model = f"model=zoo:resnet50&device=agx-orin&batch={random.choice([1, 2, 4, 8, 16])}&modes={mode}"
        yield f"/api/v1/estimate?{model}", f"/api/v1/roofline?{model}"


def language_paths(knobs, count):
    """Yields the requests for each move of a slider on the page Language models, which changes a
    clock or the prompt."""
    for _ in range(count):
        mode = f"cores={random.choice(knobs['cpu_cores'])},gpu={random.choice(knobs['gpu_mhz'])}"
        request = (f"model=zoo:llama-3.1-8b&device=agx-orin&prompt={random.choice([2 ** i for i in range(4, 18)])}"
                   f"&generate={random.choice([64, 256, 1024])}")
        prompt, generate = (int(re.search(rf"{name}=(\d+)", request)[1]) for name in ("prompt", "generate"))
        yield (f"/api/v1/llm?{request}&concurrency=1&context=512&modes={mode}",
               f"/api/v1/fits?model=zoo:llama-3.1-8b&device=agx-orin&quantization=all&context={prompt + generate}&batch=1")


async def load(port, options, pid):
    until = time.monotonic() + options.seconds
    counts = {"statuses": [], "events": [], "ended": 0}
    streams = [asyncio.create_task(listen(port, until, counts)) for _ in range(options.streams)]
    await asyncio.sleep(2)
    first_kb, times, statuses, memory = resident_kb(pid), [], [], []
    paths = ["/api/v1/monitor", "/api/v1/zoo", "/", "/api/v1/devices", "/api/v1/estimate?model=zoo:lenet5&device=agx-orin"]

    async def one(path):
        status, seconds = await ask(port, path)
        statuses.append(status)
        times.append(seconds)

    tasks, number, begin = [], 0, time.monotonic()
    while time.monotonic() < until - 1:
        tasks.append(asyncio.create_task(one(paths[number % len(paths)])))
        number += 1
        if number % options.rate == 0:
            memory.append(resident_kb(pid))
        await asyncio.sleep(max(0, begin + number / options.rate - time.monotonic()))
    await asyncio.gather(*tasks)
    await asyncio.gather(*streams)
    return {"streams": options.streams, "rate_hz": options.rate, "seconds": options.seconds,
            "streams_answered_200": counts["statuses"].count(200), "streams_ended_early": counts["ended"],
            "events_least": min(counts["events"], default=0), "requests": len(statuses),
            "requests_not_200": sum(status != 200 for status in statuses),
            "median_ms": 1e3 * statistics.median(times), "p99_ms": 1e3 * percentile(times, 0.99),
            "most_ms": 1e3 * max(times), "memory_begin_kb": first_kb, "memory_end_kb": memory[-1] if memory else None}


async def slide(port, paths, pid):
    times, before_s = [], processor_s(pid)
    for move in paths:
        begin = time.perf_counter()
        answers = await asyncio.gather(*(ask(port, path) for path in move))
        if any(status != 200 for status, _ in answers):
            raise SystemExit(f"a move was answered {answers}: {move}")
        times.append(time.perf_counter() - begin)
    moves = len(times)
    return {"moves": moves, "processor_ms_per_move": 1e3 * (processor_s(pid) - before_s) / moves, "median_ms": 1e3 * statistics.median(times), "p99_ms": 1e3 * percentile(times, 0.99)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--streams", type=int, default=200)
    parser.add_argument("--rate", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--moves", type=int, default=200)
    options = parser.parse_args()
    random.seed(1)
    shown = subprocess.run([options.program, "device", "show", "agx-orin", "--format", "json"], check=True, stdout=subprocess.PIPE)
    knobs = json.loads(shown.stdout)["bsps"][0]["knobs"]
    with tempfile.TemporaryDirectory() as folder:
        server = subprocess.Popen([options.program, "serve", "--port", "0", "--device", "fake:agx-orin"],
                                  env={**os.environ, "RIDGEWATT_FAKE": folder}, stderr=subprocess.PIPE, text=True)
        try:
            port = int(re.search(r":(\d+)/", server.stderr.readline())[1])
            result = {"slider": asyncio.run(slide(port, slider_paths(knobs, options.moves), server.pid)),
                      "language_slider": asyncio.run(slide(port, language_paths(knobs, options.moves), server.pid))}
            if options.seconds > 0:
                result["load"] = asyncio.run(load(port, options, server.pid))
        finally:
            server.terminate()
            server.wait()
    print(json.dumps(result, indent=2))


main()
