#!/usr/bin/python3
"""Checks that networks have the same outputs in TensorFlow Lite as in ONNX Runtime.

    same_values.py MODEL.onnx[,NAME=SIZE] ... [--batch B]

Converts each model with to_tflite.py and runs both files with the same two random inputs. The
weights are first scaled so that activations keep their variance and outputs depend on inputs.
Prints for each model the largest difference between the runtimes, and between the two inputs, both
divided by the largest output. The exit status is 1 if a model is not converted, or if the former
difference exceeds a hundredth of the latter.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

import numpy
import onnx
import onnx.helper
import onnx.numpy_helper

import to_tflite

HERE = os.path.dirname(os.path.abspath(__file__))
SHARE = 0.01  # chosen: a wrong operator changes outputs as much as another input


def scaled(model, folder, numbers):
    """Gives a model weights with which all activations have about the variance 1."""
    constants = {one.name: one for one in model.graph.initializer}

    def change(name, array):
        constants[name].CopyFrom(onnx.numpy_helper.from_array(array.astype("float32"), name))

    for tensor in model.graph.initializer:
        change(tensor.name, to_tflite.array_of(tensor, folder))
    for node in model.graph.node:
        if node.op_type == "BatchNormalization":
            count = constants[node.input[1]].dims[0]
            for name, low, high in zip(node.input[1:5], (0.5, -0.1, -0.1, 0.5), (1.5, 0.1, 0.1, 1.5)):
                change(name, numbers.uniform(low, high, count))
        elif node.op_type in ("Conv", "Gemm") and node.input[1] in constants:
            weight = onnx.numpy_helper.to_array(constants[node.input[1]])
            change(node.input[1], weight * numpy.sqrt(2 * len(weight) / numpy.square(weight).sum()))  # He et al., 2015


def image_of(shape, numbers):
    """Noise with another mean and contrast in each channel, because averages over noise are equal."""
    channels = shape[:2] + [1] * (len(shape) - 2)
    return (numbers.normal(size=channels) + numbers.normal(size=channels) * numbers.normal(size=shape)).astype("float32")


def output_of(command, shape, folder):
    path = os.path.join(folder, "output")
    done = subprocess.run(command + ["--output", path, "--runs", "1", "--seconds", "0.001", "--shapes"],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    first = next(iter(json.loads(done.stdout)["outputs"].values()))
    found = numpy.fromfile(path, "float32").reshape(first["shape"])
    return found.transpose(0, 3, 1, 2) if found.ndim == 4 and list(found.shape) != shape else found


def compare(file, dims, batch):
    """The largest differences between the runtimes and between two inputs."""
    numbers = numpy.random.default_rng(1)
    source = os.path.dirname(os.path.abspath(file))
    with tempfile.TemporaryDirectory() as folder:
        model = onnx.load(file, load_external_data=False)
        scaled(model, source, numbers)
        graph, lite = os.path.join(folder, "model.onnx"), os.path.join(folder, "model.tflite")
        with open(graph, "wb") as out:
            out.write(model.SerializeToString())
        to_tflite.convert(graph, lite, 1, dims)  # a batch of 1, which the run changes
        shape = to_tflite.shape_of(model.graph.input[0], batch, dims)
        onnx_run = ["node", os.path.join(HERE, "..", "run_onnx.js"), "--model", graph, "--batch", str(batch)]
        for name, size in dims.items():
            onnx_run += ["--dim", f"{name}={size}"]
        lite_run = [os.path.join(HERE, "run_tflite.py"), "--model", lite, "--batch", str(batch)]
        found = []
        for _ in range(2):
            image = image_of(shape, numbers)
            first, last = os.path.join(folder, "first"), os.path.join(folder, "last")
            image.tofile(first)
            (image.transpose(to_tflite.TO_LAST) if image.ndim == 4 else image).tofile(last)
            right = output_of(onnx_run + ["--input", first], None, folder)
            found.append((right, output_of(lite_run + ["--input", last], list(right.shape), folder)))
    largest = max(numpy.abs(right).max() for right, _ in found)
    return (max(numpy.abs(right - ours).max() for right, ours in found) / largest,
            numpy.abs(found[0][0] - found[1][0]).max() / largest)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+")
    parser.add_argument("--batch", type=int, default=1)
    asked = parser.parse_args()
    failed = False
    for word in asked.models:
        file, *extents = word.split(",")
        try:
            between, inputs = compare(file, dict(map(to_tflite.named_size, extents)), asked.batch)
        except (to_tflite.Unsupported, RuntimeError) as error:
            print(f"{os.path.basename(file)}: {error}")
            failed = True
            continue
        same = between <= SHARE * inputs
        failed = failed or not same
        print(f"{os.path.basename(file)}: {'same' if same else 'DIFFERENT'}: runtimes differ by {between:.1e}, "
              f"inputs by {inputs:.1e}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
