#!/usr/bin/env python3
"""Inference of a small network with random weights, for the studies:

    infer.py --net lenet|alexnet|mobilenet_v2|resnet18 --mode eager|script|trace|compile
             --device auto|cuda|cpu --batch 32 --batches 10 --precision fp32|bf16|int8
             --garbage-collection on|off [--save FILE] [--load FILE] [--weights FILE]

Marks phases (import, load, infer) and minibatches for `ridgewatt measure`. --save writes a traced
network that --load and the C++ program (infer.cc) read. --weights reads the weights from a file,
which is created if it does not exist. --accuracy also reports how often the most probable class is
the same as with 32-bit floats.
"""
import argparse
import contextlib
import copy
import gc
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "workloads"))
from devices import add_device_option, choose_device, ridgewatt, synchronize  # noqa: E402


def positive(text):
    value = int(text)
    if value < 1:
        raise ValueError
    return value


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--net", choices=["lenet", "alexnet", "mobilenet_v2", "resnet18"],
                        default="resnet18")
    parser.add_argument("--mode", choices=["eager", "script", "trace", "compile"], default="eager")
    parser.add_argument("--precision", choices=["fp32", "bf16", "int8"], default="fp32")
    parser.add_argument("--garbage-collection", choices=["on", "off"], default="on",
                        help="of Python, while minibatches run")
    parser.add_argument("--batch", type=positive, default=32)
    parser.add_argument("--batches", type=positive, default=10)
    parser.add_argument("--accuracy", action="store_true")
    parser.add_argument("--weights", help="file of weights")
    parser.add_argument("--save")
    parser.add_argument("--load")
    add_device_option(parser)
    return parser.parse_args()


def refuse(torch, options, device):
    """Exits with an error if this PyTorch does not support the options."""
    if options.mode == "compile" and not hasattr(torch, "compile"):
        sys.exit(f"infer.py: --mode compile needs PyTorch 2, this is {torch.__version__}")
    if options.precision == "int8" and device.type == "cuda":
        sys.exit("infer.py: --precision int8: PyTorch's 8-bit engines run on the CPU; --device cpu")


def with_weights(torch, network, path):
    if not os.path.exists(path):
        torch.save(network.state_dict(), path + ".new")
        os.replace(path + ".new", path)
    network.load_state_dict(torch.load(path, map_location="cpu"))


def prepared(torch, options, network, inputs):
    """Returns the network in the selected precision and mode, and inputs that fit it."""
    if options.precision == "bf16":
        network, inputs = network.bfloat16(), inputs.bfloat16()
    elif options.precision == "int8":
        torch.backends.quantized.engine = "qnnpack"
        network = torch.ao.quantization.quantize_dynamic(network, {torch.nn.Linear})
    if options.mode == "script":
        network = torch.jit.script(network)
    elif options.mode == "trace":
        network = torch.jit.trace(network, inputs)
    elif options.mode == "compile":
        network = torch.compile(network)
        network(inputs)  # the first call compiles
    return network, inputs


@contextlib.contextmanager
def garbage_collection(state):
    if state == "off":
        gc.disable()
    yield
    gc.enable()


def main():
    options = arguments()
    with ridgewatt.phase("import"):
        try:
            import torch
            from networks import NETWORKS
        except ModuleNotFoundError as missing:
            sys.exit(f"infer.py: {sys.executable} has no PyTorch ({missing}); "
                     "Debian: apt install python3-torch")
    torch.manual_seed(1)
    torch.set_grad_enabled(False)
    device = choose_device(torch, options.device)
    refuse(torch, options, device)
    with ridgewatt.phase("load"):
        make, shape = NETWORKS[options.net][:2]
        if options.load:
            network = torch.jit.load(options.load, map_location=device)
        else:
            network = make().eval()
            if options.weights:
                with_weights(torch, network, options.weights)
            network = network.to(device)
        reference = copy.deepcopy(network) if options.accuracy else None
        samples = torch.rand(options.batch, *shape, device=device)
        network, inputs = prepared(torch, options, network, samples)
        synchronize(torch, device)
        if options.save:
            network.save(options.save)
            return
    with ridgewatt.phase("infer"), garbage_collection(options.garbage_collection):
        for _ in range(options.batches):
            outputs = network(inputs)
            synchronize(torch, device)
            ridgewatt.mark()
    if options.accuracy:
        same = outputs.float().argmax(1) == reference(samples).argmax(1)
        ridgewatt.value("agreement", same.float().mean().item())


if __name__ == "__main__":
    main()
