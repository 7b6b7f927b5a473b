#!/usr/bin/env python3
"""Trains a network, or runs its inference, on synthetic data and marks its minibatches:

    ridgewatt measure -- examples/workloads/run.py resnet18 --batch 16
    ridgewatt profile points.db --suggest 20 --batch 16 -- examples/workloads/run.py resnet18 --batch 16
    ridgewatt tune --device local --batch 1,8,32 -- examples/workloads/run.py lenet --infer --batch {batch}

A DataLoader provides the data, so that there is a real fetch stall. The data are random or, with
--data, the files of a folder (`ridgewatt loadbench DIR --generate 2000` writes some), whose bytes
are the pixels of images of 64 x 64. `yolo` needs the package `ultralytics` and supports only
inference.
"""
import argparse
import os
import pathlib
import sys

try:
    import torch
    from torch import nn
    from torch.utils.data import DataLoader, Dataset
except ModuleNotFoundError as missing:
    sys.exit(f"run.py: {sys.executable} has no PyTorch ({missing}); Debian: apt install python3-torch")

from devices import add_device_option, choose_device, ridgewatt, synchronize  # noqa: E402
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
    """Random samples, the same in every run. Images are generated as bytes, like decoded images."""
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


class Files(Dataset):
    """The files in a folder as images, which are decoded, resized and normalized on access."""
    side = 64  # width and height of an image, in three channels

    def __init__(self, folder, length, shape, classes):
        self.paths = sorted(str(path) for path in pathlib.Path(folder).rglob("*")
                            if path.is_file() and path.suffix != ".txt")
        if not self.paths:
            sys.exit(f"run.py: --data {folder} holds no samples; "
                     f"'ridgewatt loadbench {folder} --generate 2000' writes some")
        self.length, self.shape, self.classes = length, shape, classes

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        with open(self.paths[index % len(self.paths)], "rb") as file:
            data = file.read()
        size = 3 * self.side * self.side
        data = bytearray((data * (size // max(1, len(data)) + 1))[:size].ljust(size, b"\0"))
        image = torch.frombuffer(data, dtype=torch.uint8).view(1, 3, self.side, self.side) / 255
        if self.shape[0] == 1:
            image = image.mean(1, keepdim=True)
        image = nn.functional.interpolate(image, self.shape[1:], mode="bilinear", align_corners=False)
        return (image[0] - 0.5) / 0.25, torch.tensor(index % self.classes)

    def cache(self, state):
        """Drops the files from the page cache (cold) or reads them into it (warm)."""
        for path in self.paths:
            with open(path, "rb") as file:
                if state == "warm":
                    file.read()
                else:
                    os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


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
    parser.add_argument("--data", help="folder of samples instead of made-up ones (images only)")
    parser.add_argument("--cache", choices=["cold", "warm"], help="what the page cache holds of them")
    add_device_option(parser)
    options = parser.parse_args()
    if options.cache and not options.data:
        parser.error("--cache needs --data")
    if options.network == "yolo":
        options.infer = True
    if options.threads:
        torch.set_num_threads(options.threads)
    torch.manual_seed(1)
    device = choose_device(torch, options.device)

    with ridgewatt.phase("load"):
        model, shape, classes, kind = network(options.network)
        model.to(device).train(not options.infer)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
        criterion = nn.CrossEntropyLoss()
    samples = options.batch * options.minibatches
    if options.data:
        if kind != "image":
            sys.exit(f"run.py: --data holds images, which {options.network} does not take")
        dataset = Files(options.data, samples, shape, classes)
        with ridgewatt.phase("cache"):
            if options.cache:
                dataset.cache(options.cache)
    else:
        dataset = Synthetic(samples, shape, classes, kind)
    data = DataLoader(dataset, options.batch, shuffle=bool(options.data), num_workers=options.workers,
                      pin_memory=device.type == "cuda")
    with ridgewatt.phase("infer" if options.infer else "train"), torch.set_grad_enabled(not options.infer):
        for inputs, labels in data:
            inputs, labels = inputs.to(device), labels.to(device)
            ridgewatt.fetched()
            outputs = model(inputs)
            if not options.infer:
                optimizer.zero_grad()
                criterion(outputs, labels).backward()
                optimizer.step()
            synchronize(torch, device)
            ridgewatt.mark()


main()
