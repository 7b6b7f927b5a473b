#!/usr/bin/env python3
"""Writes the same stack of matrix products in FP32 and in INT8 (dynamic quantization) as ONNX files.

    products.py FOLDER [--rows 128] [--width 768] [--layers 6]

A layer is a product to four times the width, ReLU, and a product back to the width. The files are
products_fp32.onnx and products_int8.onnx. The weights are arbitrary.
"""
import argparse
import array
import os
import random

from operators import attribute, field

FLOAT, UINT8 = 1, 2


def tensor(name, kind, dims, data):
    return b"".join(field(1, extent) for extent in dims) + field(2, kind) + field(8, name) + field(9, data)


def value(name, dims):
    shape = b"".join(field(1, field(1, extent)) for extent in dims)
    return field(1, name) + field(2, field(1, field(1, FLOAT) + field(2, shape)))


class Stack:
    def __init__(self, integer):
        numbers = random.Random(1)
        self.floats = array.array("f", [0.1 * numbers.random() - 0.05 for _ in range(1 << 14)]).tobytes()
        self.bytes = bytes(numbers.randrange(256) for _ in range(1 << 14))
        self.integer = integer
        self.nodes, self.weights = [], []

    def add(self, op, inputs, outputs, **attributes):
        name = f"{op}_{len(self.nodes)}"
        self.nodes.append(b"".join(field(1, one) for one in inputs) + b"".join(field(2, one) for one in outputs) +
                          field(3, name) + field(4, op) +
                          b"".join(field(5, attribute(*one)) for one in attributes.items()))
        return outputs[0]

    def weight(self, kind, dims, data):
        name = f"weight{len(self.weights)}"
        self.weights.append(tensor(name, kind, dims, data))
        return name

    def product(self, x, inner, columns):
        at = len(self.nodes)
        size = inner * columns
        if not self.integer:
            data = (self.floats * (4 * size // len(self.floats) + 1))[:4 * size]
            return self.add("MatMul", [x, self.weight(FLOAT, [inner, columns], data)], [f"y{at}"])
        weight = self.weight(UINT8, [inner, columns], (self.bytes * (size // len(self.bytes) + 1))[:size])
        scale = self.weight(FLOAT, [], array.array("f", [0.001]).tobytes())
        zero = self.weight(UINT8, [], bytes([128]))
        self.add("DynamicQuantizeLinear", [x], [f"q{at}", f"scale{at}", f"zero{at}"])
        self.add("MatMulInteger", [f"q{at}", weight, f"zero{at}", zero], [f"sum{at}"])
        self.add("Cast", [f"sum{at}"], [f"real{at}"], to=FLOAT)
        self.add("Mul", [f"scale{at}", scale], [f"both{at}"])
        return self.add("Mul", [f"real{at}", f"both{at}"], [f"y{at}"])

    def write(self, path, rows, width, layers):
        y = "x"
        for _ in range(layers):
            y = self.product(y, width, 4 * width)
            y = self.add("Relu", [y], [y + "r"])
            y = self.product(y, 4 * width, width)
        graph = b"".join(field(1, node) for node in self.nodes) + field(2, "products")
        graph += b"".join(field(5, weight) for weight in self.weights)
        graph += field(11, value("x", [1, rows, width])) + field(12, value(y, [1, rows, width]))
        with open(path, "wb") as out:
            out.write(field(1, 8) + field(8, field(1, "") + field(2, 17)) + field(7, graph))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    for name, usual in (("rows", 128), ("width", 768), ("layers", 6)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    asked = parser.parse_args()
    os.makedirs(asked.folder, exist_ok=True)
    for name, integer in (("fp32", False), ("int8", True)):
        Stack(integer).write(os.path.join(asked.folder, f"products_{name}.onnx"), asked.rows, asked.width, asked.layers)


if __name__ == "__main__":
    main()
