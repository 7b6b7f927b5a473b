#!/usr/bin/env python3
"""A worker that trains a small convolutional network, or serves it, with PyTorch on the CPU.

    pytorch_worker.py SOCKET inference RATE
    pytorch_worker.py SOCKET training
    pytorch_worker.py - inference|training      print the time of a minibatch in ms and leave
"""
import pathlib
import sys
import time

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))
import ridgewatt  # noqa: E402


def network():
    return torch.nn.Sequential(
        torch.nn.Conv2d(3, 16, 3, stride=2, padding=1), torch.nn.ReLU(),
        torch.nn.Conv2d(16, 32, 3, stride=2, padding=1), torch.nn.ReLU(),
        torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(32, 10))


def main():
    path, kind = sys.argv[1:3]
    torch.set_num_threads(1)
    model = network()
    if kind == "inference":
        model.eval()

        @torch.no_grad()
        def step(batch):
            model(torch.rand(batch, 3, 64, 64))
    else:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

        def step(_):
            optimizer.zero_grad()
            loss = torch.nn.functional.cross_entropy(
                model(torch.rand(16, 3, 64, 64)), torch.randint(10, (16,)))
            loss.backward()
            optimizer.step()

    for _ in range(5):
        step(16)  # the first minibatches are slow
    if path == "-":
        times = []
        for _ in range(20):
            start = time.monotonic()
            step(16)
            times.append(time.monotonic() - start)
        print(f"{sorted(times)[10] * 1e3:.2f}")
        return
    rate = float(sys.argv[3]) if len(sys.argv) > 3 else 50.0
    with ridgewatt.Worker(kind, f"torch-{kind[:5]}", path) as worker:
        start, served = time.monotonic(), 0
        try:
            while True:
                if kind == "inference":  # wait until the batch is gathered
                    due = start + (served + worker.batch) / rate
                    time.sleep(max(0.0, due - time.monotonic()))
                with worker.minibatch():
                    step(worker.batch)
                served += worker.batch
        except ridgewatt.ControllerGone:
            pass


if __name__ == "__main__":
    main()
