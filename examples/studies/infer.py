#!/usr/bin/env python3
"""Inference of a small network with random weights, for studies of graphs, runtimes and precision.

    infer.py --net lenet|alexnet|resnet18 --mode eager|script|trace --batch 32 --batches 10
             --precision fp32|bf16|int8 [--save FILE] [--load FILE]

Marks phases (load, infer) and minibatches for `ridgewatt measure`. --save writes a traced network
that --load and the C++ program (infer.cc) read.
"""
import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))
import ridgewatt  # noqa: E402


def lenet(nn):
    return nn.Sequential(
        nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
        nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10)), (1, 28, 28)


def alexnet(nn):
    return nn.Sequential(
        nn.Conv2d(3, 64, 11, stride=4, padding=2), nn.ReLU(), nn.MaxPool2d(3, 2),
        nn.Conv2d(64, 192, 5, padding=2), nn.ReLU(), nn.MaxPool2d(3, 2),
        nn.Conv2d(192, 384, 3, padding=1), nn.ReLU(), nn.Conv2d(384, 256, 3, padding=1), nn.ReLU(),
        nn.Conv2d(256, 256, 3, padding=1), nn.ReLU(), nn.MaxPool2d(3, 2), nn.Flatten(),
        nn.Linear(256 * 36, 4096), nn.ReLU(), nn.Linear(4096, 4096), nn.ReLU(),
        nn.Linear(4096, 1000)), (3, 224, 224)


def resnet18(nn):
    class Block(nn.Module):
        def __init__(self, inputs, outputs, stride):
            super().__init__()
            self.body = nn.Sequential(
                nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU(),
                nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False), nn.BatchNorm2d(outputs))
            self.short = nn.Identity() if stride == 1 and inputs == outputs else nn.Sequential(
                nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))
            self.relu = nn.ReLU()

        def forward(self, x):
            return self.relu(self.body(x) + self.short(x))

    stem = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1)]
    blocks = [Block(64, 64, 1), Block(64, 64, 1)]
    for width in (128, 256, 512):
        blocks += [Block(width // 2, width, 2), Block(width, width, 1)]
    return nn.Sequential(*stem, *blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                         nn.Linear(512, 1000)), (3, 224, 224)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--net", choices=["lenet", "alexnet", "resnet18"], default="resnet18")
    parser.add_argument("--mode", choices=["eager", "script", "trace"], default="eager")
    parser.add_argument("--precision", choices=["fp32", "bf16", "int8"], default="fp32")
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--batches", type=int, default=10)
    parser.add_argument("--save")
    parser.add_argument("--load")
    options = parser.parse_args()
    with ridgewatt.phase("import"):
        import torch
    torch.manual_seed(1)
    torch.set_grad_enabled(False)
    with ridgewatt.phase("load"):
        network, shape = {"lenet": lenet, "alexnet": alexnet, "resnet18": resnet18}[options.net](torch.nn)
        network.eval()
        inputs = torch.rand(options.batch, *shape)
        if options.load:
            network = torch.jit.load(options.load)
        if options.precision == "bf16":
            network, inputs = network.bfloat16(), inputs.bfloat16()
        elif options.precision == "int8":
            torch.backends.quantized.engine = "qnnpack"
            network = torch.ao.quantization.quantize_dynamic(network, {torch.nn.Linear})
        if options.mode == "script":
            network = torch.jit.script(network)
        elif options.mode == "trace":
            network = torch.jit.trace(network, inputs)
        if options.save:
            network.save(options.save)
            return
    with ridgewatt.phase("infer"):
        for _ in range(options.batches):
            network(inputs)
            ridgewatt.mark()


if __name__ == "__main__":
    main()
