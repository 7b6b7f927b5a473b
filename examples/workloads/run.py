#!/usr/bin/env python3
"""Trains a network, or runs its inference, on synthetic data and marks its minibatches:

    ridgewatt measure -- examples/workloads/run.py resnet18 --batch 16
    ridgewatt profile points.db --suggest 20 --batch 16 -- examples/workloads/run.py resnet18 --batch 16
    ridgewatt tune --device local --batch 1,8,32 -- examples/workloads/run.py lenet --infer --batch {batch}

Data come through a DataLoader, so that the fetch stall is real; the device is the GPU where there is
one. `yolo` needs the package `ultralytics`, and infers only.
"""
import argparse
import pathlib
import sys

try:
    import torch
    from torch import nn
    from torch.utils.data import DataLoader, Dataset
except ModuleNotFoundError as missing:
    sys.exit(f"run.py: {sys.executable} has no PyTorch ({missing}); Debian: apt install python3-torch")

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))
import ridgewatt  # noqa: E402
from networks import NETWORKS  # noqa: E402


def network(name):
    if name == "yolo":
        try:
            from ultralytics import YOLO
        except ModuleNotFoundError as missing:
            sys.exit(f"run.py: yolo needs the package ultralytics ({missing}); pip install ultralytics")
        return YOLO("yolov8n.yaml").model, (3, 640, 640), 1, "image"
    make, shape, classes, kind = NETWORKS[name]
    return make(), shape, classes, kind


class Synthetic(Dataset):
    """Random samples, the same in every run: images are bytes, as a decoder gives them."""
    def __init__(self, length, shape, classes, kind):
        self.length, self.shape, self.classes, self.kind = length, shape, classes, kind

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        chance = torch.Generator().manual_seed(index)
        label = torch.randint(self.classes, (), generator=chance)
        if self.kind == "image":
            pixels = torch.randint(256, self.shape, generator=chance, dtype=torch.uint8)
            return pixels.float() / 255, label
        return torch.randint(self.kind, self.shape, generator=chance), label


def positive(text):
    value = int(text)
    if value < 1:
        raise ValueError
    return value


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("network", choices=[*NETWORKS, "yolo"])
    parser.add_argument("--infer", action="store_true", help="inference instead of training")
    parser.add_argument("--batch", type=positive, default=16)
    parser.add_argument("--minibatches", type=positive, default=45)
    parser.add_argument("--workers", type=int, default=0, help="processes that load data")
    parser.add_argument("--threads", type=int, default=0, help="of the CPU; 0: PyTorch's choice")
    options = parser.parse_args()
    if options.network == "yolo":
        options.infer = True
    if options.threads:
        torch.set_num_threads(options.threads)
    torch.manual_seed(1)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

    with ridgewatt.phase("load"):
        model, shape, classes, kind = network(options.network)
        model.to(device).train(not options.infer)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
        criterion = nn.CrossEntropyLoss()
    data = DataLoader(Synthetic(options.batch * options.minibatches, shape, classes, kind),
                      options.batch, num_workers=options.workers, pin_memory=device.type == "cuda")
    with ridgewatt.phase("infer" if options.infer else "train"), torch.set_grad_enabled(not options.infer):
        for inputs, labels in data:
            inputs, labels = inputs.to(device), labels.to(device)
            ridgewatt.fetched()
            outputs = model(inputs)
            if not options.infer:
                optimizer.zero_grad()
                criterion(outputs, labels).backward()
                optimizer.step()
            if device.type == "cuda":
                torch.cuda.synchronize()
            ridgewatt.mark()


main()
