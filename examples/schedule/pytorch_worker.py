#!/usr/bin/env python3
"""A worker that trains a small convolutional network, or serves it, with PyTorch.

    pytorch_worker.py SOCKET inference RATE [--device cuda]
    pytorch_worker.py SOCKET training [--device cuda]
    pytorch_worker.py - inference|training      print the time of a minibatch in ms and exit

SOCKET "" is $RIDGEWATT_SOCKET. With --count, the controller counts the requests, which it needs if
it adapts its plan. With --device cuda but without a CUDA device, exits with an error.
"""
import argparse
import os
import pathlib
import sys
import threading
import time

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))
import ridgewatt  # noqa: E402


def network():
    return torch.nn.Sequential(
        torch.nn.Conv2d(3, 16, 3, stride=2, padding=1), torch.nn.ReLU(),
        torch.nn.Conv2d(16, 32, 3, stride=2, padding=1), torch.nn.ReLU(),
        torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(32, 10))


def report(worker, start, rate):
    """Reports requests as they arrive, one every 1 / rate seconds."""
    reported = 0
    try:
        while True:
            reported += 1
            time.sleep(max(0.0, start + reported / rate - time.monotonic()))
            worker.arrived(1, time.monotonic() - (start + reported / rate))
    except OSError:
        pass  # the controller has ended


def serve(worker, step, rate, count):
    start, served = time.monotonic(), 0
    if count:
        threading.Thread(target=report, args=(worker, start, rate), daemon=True).start()
    while True:
        if not count:  # wait until the batch is complete
            time.sleep(max(0.0, start + (served + worker.batch) / rate - time.monotonic()))
        with worker.minibatch():
            batch = worker.requests if count else worker.batch
            step(batch)
        served += batch


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("socket")
    parser.add_argument("kind", choices=["inference", "training"])
    parser.add_argument("rate", nargs="?", type=float, default=50.0)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--count", action="store_true")
    options = parser.parse_args()
    kind = options.kind
    if options.device.startswith("cuda") and not torch.cuda.is_available():
        sys.exit("pytorch_worker.py: there is no CUDA device")
    device = torch.device(options.device)
    torch.set_num_threads(1)
    model = network().to(device)

    def wait():  # the device must be idle when a minibatch ends
        if device.type == "cuda":
            torch.cuda.synchronize(device)

    if kind == "inference":
        model.eval()

        @torch.no_grad()
        def step(batch):
            model(torch.rand(batch, 3, 64, 64, device=device))
            wait()
    else:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

        def step(_):
            optimizer.zero_grad()
            loss = torch.nn.functional.cross_entropy(
                model(torch.rand(16, 3, 64, 64, device=device)),
                torch.randint(10, (16,), device=device))
            loss.backward()
            optimizer.step()
            wait()

    for _ in range(5):
        step(16)  # the first minibatches are slow
    if options.socket == "-":
        times = []
        for _ in range(20):
            start = time.monotonic()
            step(16)
            times.append(time.monotonic() - start)
        print(f"{sorted(times)[10] * 1e3:.2f}")
        return
    name = os.environ.get("RIDGEWATT_NAME", f"torch-{kind[:5]}")
    with ridgewatt.Worker(kind, name, options.socket or None) as worker:
        try:
            if kind == "inference":
                count = options.count and worker.count()
                serve(worker, step, options.rate, count)
            while True:
                with worker.minibatch():
                    step(16)
        except ridgewatt.ControllerGone:
            pass


if __name__ == "__main__":
    main()
