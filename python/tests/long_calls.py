"""A long call that is interrupted by Ctrl+C after a fifth of its work.

long_calls.py NAME runs one call and prints how it ended, and the processor time and wall-clock time
(s) from the signal to its end. Without a name, it prints all names.
"""
import json
import os
import signal
import sys
import threading
import time

import ridgewatt as rw

signal.signal(signal.SIGINT, signal.default_int_handler)
ALL = {"device": "agx-orin", "modes": "all"}
BATCHES = list(range(1, 17))


def model():
    return rw.Model("zoo:resnet50")


def samples():
    some = list(rw.estimate("zoo:resnet18", device="orin-nano", modes="all"))[::90]
    return rw.Sweep({"time_s": [row.time_s for row in some], "power_w": [row.power_w for row in some],
                     "batch": [row.batch for row in some],
                     "cpu_clock_hz": [row.mode.cpu_clock_hz for row in some],
                     "gpu_clock_hz": [row.mode.gpu_clock_hz for row in some]})


def sweeps():
    return [rw.example_sweep("zoo:resnet50", device="agx-orin", training=training, batch=batch, modes=3000)
            for training, batch in ((True, 16), (False, [1, 4, 16, 32, 64]))]


# For each call, what it needs, and the call.
CALLS = {
    "estimate": (model, lambda it: rw.estimate(it, batch=BATCHES, **ALL)),
    "estimate all boards": (model, lambda it: rw.estimate(it, device="all", modes="all", batch=[1, 16])),
    "estimate all runtimes": (model, lambda it: rw.estimate(it, runtime="all", batch=[1, 16], **ALL)),
    "tune": (model, lambda it: rw.tune(it, device="all", max_power_w=30, batch=BATCHES)),
    "roofline": (model, lambda it: rw.roofline(it, batch=16, **ALL)),
    "predict": (samples, lambda it: rw.predict(it, device="orin-nano", method="nn", keep_outliers=True)),
    "llm.tune": (lambda: "zoo:llama-3.1-8b",
                 lambda it: rw.llm.tune(it, device="agx-orin", quantization=["q4_k_m", "q8_0"], modes="all")),
    "schedule.plan": (sweeps, lambda it: rw.schedule.plan(training=it[0], inference=it[1], arrival_rate_hz=60,
                                                          max_latency_s=0.2, max_power_w=30)),
}


def measure(needs, call):
    it = needs()
    before = time.process_time()
    call(it)
    whole_s = time.process_time() - before
    state = {}

    def interrupt():
        begun = time.process_time()
        while time.process_time() - begun < 0.2 * whole_s:
            time.sleep(0.001)
        state["used"], state["clock"] = time.process_time(), time.monotonic()
        os.kill(os.getpid(), signal.SIGINT)

    # One thread sends one signal, also if it runs so late that the first call has ended.
    threading.Thread(target=interrupt, daemon=True).start()
    ended = "without a signal"
    try:
        for _ in range(5):
            call(it)
    except KeyboardInterrupt:
        ended = "interrupted"
    return {"ended": ended, "whole_s": whole_s, "after_s": time.process_time() - state["used"],
            "after_clock_s": time.monotonic() - state["clock"]}


if __name__ == "__main__":
    print(json.dumps(measure(*CALLS[sys.argv[1]]) if sys.argv[1:] else list(CALLS)))
