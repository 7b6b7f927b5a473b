"""Measures the rows per second of the predictor's network in PyTorch, to compare with
bench/predict_bench: the same layers, dropout, loss, optimizer, batch size and epochs on 4,368 rows,
one target.

    torch_network.py [EPOCHS]
"""
import sys
import time

import torch

ROWS, BATCH = 4368, 64


def main():
    epochs = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    torch.manual_seed(1)
    inputs, targets = torch.rand(ROWS, 4), torch.rand(ROWS, 1)
    network = torch.nn.Sequential(
        torch.nn.Linear(4, 256), torch.nn.ReLU(), torch.nn.Dropout(0.5),
        torch.nn.Linear(256, 128), torch.nn.ReLU(), torch.nn.Dropout(0.5),
        torch.nn.Linear(128, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1))
    held = ROWS // 10
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
    loss_of = torch.nn.MSELoss()
    begin, begin_cpu = time.perf_counter(), time.process_time()
    for _ in range(epochs):
        network.train()
        order = torch.randperm(ROWS - held) + held
        for rows in order.split(BATCH):
            optimizer.zero_grad()
            loss_of(network(inputs[rows]), targets[rows]).backward()
            optimizer.step()
        network.eval()
        with torch.no_grad():
            loss_of(network(inputs[:held]), targets[:held])
    seconds, cpu = time.perf_counter() - begin, time.process_time() - begin_cpu
    print(f"PyTorch {torch.__version__}, {torch.get_num_threads()} threads: {epochs} epochs of {ROWS} "
          f"rows in {seconds:.1f} s, {ROWS * epochs / seconds / 1e3:.1f} k rows/s; "
          f"{cpu:.1f} s of CPU, {ROWS * epochs / cpu / 1e3:.1f} k rows a CPU second")


if __name__ == "__main__":
    main()
