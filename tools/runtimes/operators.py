#!/usr/bin/env python3
"""Writes graphs of single operators. Their profiles gave the priors of a processor's twin.

    tools/runtimes/operators.py FOLDER
    node tools/runtimes/run_onnx.js --model FOLDER/conv.onnx --threads 1 --profile profile

Every operator reads an input of the graph, and its result is an output. The profile contains the
time and the shapes of every node. The script writes the bytes of ONNX files itself and needs no
package.
"""
import array
import os
import random
import struct
import sys

SIZES = (16, 64, 192)
UNARY = "Relu Sigmoid Tanh Erf Exp Log Sqrt Neg Abs HardSwish HardSigmoid LeakyRelu Elu Softplus Sin".split()
BINARY = "Add Sub Mul Div Pow Max".split()
# Input channels, height and width, output channels, kernel size, stride, groups.
CONVOLUTIONS = [
    (3, 224, 32, 3, 2, 1), (3, 640, 16, 3, 2, 1), (1, 224, 64, 5, 1, 1), (3, 416, 64, 7, 2, 1),
    (16, 160, 32, 3, 2, 1), (64, 80, 64, 3, 1, 1), (128, 40, 128, 3, 1, 1), (256, 20, 256, 3, 1, 1),
    (32, 160, 32, 1, 1, 1), (64, 80, 80, 1, 1, 1), (256, 40, 256, 1, 1, 1), (512, 20, 512, 1, 1, 1),
    (64, 224, 64, 3, 1, 1), (512, 7, 2048, 1, 1, 1), (64, 56, 3, 1, 1, 1), (256, 26, 255, 1, 1, 1),
    (24, 28, 24, 3, 1, 1), (12, 64, 12, 3, 1, 1), (32, 112, 32, 3, 1, 32), (64, 112, 64, 3, 2, 64),
    (128, 56, 128, 3, 1, 128), (512, 14, 512, 3, 1, 512), (1024, 7, 1024, 3, 1, 1024), (72, 28, 72, 5, 1, 72),
    (960, 7, 960, 5, 1, 960), (96, 56, 96, 7, 1, 96), (58, 28, 58, 3, 1, 58), (128, 56, 128, 3, 1, 32),
    (512, 14, 512, 3, 1, 32)]
PRODUCTS = [(1, 1024, 1024), (1, 4096, 4096), (4, 1024, 1024), (16, 1024, 1024), (49, 768, 768), (128, 768, 768),
            (128, 3072, 768), (197, 768, 2304), (512, 512, 512), (1024, 1024, 1024), (128, 64, 64), (512, 64, 128)]
BATCHED = [(12, 128, 64, 128), (12, 197, 64, 197), (8, 512, 64, 512), (12, 128, 128, 64)]
EIGHT_BIT = "QLinearSigmoid QLinearLeakyRelu QLinearGlobalAveragePool".split()  # of com.microsoft
RECURRENT = [(100, 64), (50, 256), (20, 512), (35, 650)]  # time steps, width


def varint(value):
    value &= (1 << 64) - 1
    out = b""
    while True:
        low, value = value & 127, value >> 7
        if not value:
            return out + bytes([low])
        out += bytes([low | 128])


def field(number, value):
    """Encodes a protobuf field: an integer, a float, a string, or bytes."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def attribute(name, value):
    if isinstance(value, int):
        return field(1, name) + field(3, value) + field(20, 2)
    return field(1, name) + b"".join(field(8, one) for one in value) + field(20, 7)


FLOAT, UINT8, INT8, INT32 = 1, 2, 3, 6
SIZE_OF = {FLOAT: 4, UINT8: 1, INT8: 1, INT32: 4}
MICROSOFT = "com.microsoft"


class Graph:
    def __init__(self):
        numbers = random.Random(1)
        self.bytes = bytes(numbers.randrange(256) for _ in range(1 << 14))
        self.block = array.array("f", [0.1 * numbers.random() - 0.05 for _ in range(1 << 14)]).tobytes()
        self.nodes, self.inputs, self.weights, self.outputs = [], [], [], []

    def input(self, dims, kind=FLOAT):
        name = f"input{len(self.inputs)}"
        shape = b"".join(field(1, field(1, extent)) for extent in dims)
        self.inputs.append(field(1, name) + field(2, field(1, field(1, kind) + field(2, shape))))
        return name

    def weight(self, dims, kind=FLOAT, data=None):
        size = SIZE_OF[kind]
        for extent in dims:
            size *= extent
        name = f"weight{len(self.weights)}"
        block = data or (self.block if kind == FLOAT else self.bytes)
        self.weights.append(b"".join(field(1, extent) for extent in dims) + field(2, kind) + field(8, name) +
                            field(9, (block * (size // len(block) + 1))[:size]))
        return name

    def scale(self, kind=UINT8):
        """A scale and a zero point."""
        return [self.weight([], FLOAT, struct.pack("<f", 0.01)), self.weight([], kind, bytes([128 if kind == UINT8 else 0]))]

    def add(self, op, inputs, domain="", **attributes):
        name = f"{op}_{len(self.nodes)}"
        self.nodes.append(b"".join(field(1, one) for one in inputs) + field(2, name) + field(3, name) +
                          field(4, op) + b"".join(field(5, attribute(*one)) for one in attributes.items()) +
                          (field(7, domain) if domain else b""))
        self.outputs.append(field(1, name))

    def write(self, path):
        graph = b"".join(field(1, node) for node in self.nodes) + field(2, "operators")
        for number, parts in ((5, self.weights), (11, self.inputs), (12, self.outputs)):
            graph += b"".join(field(number, part) for part in parts)
        with open(path, "wb") as out:
            sets = field(8, field(1, "") + field(2, 17)) + field(8, field(1, MICROSOFT) + field(2, 1))
            out.write(field(1, 8) + sets + field(7, graph))


def elementwise():
    graph = Graph()
    for side in SIZES:
        x, y = graph.input([1, 64, side, side]), graph.input([1, 64, side, side])
        for op in UNARY:
            graph.add(op, [x])
        for op in BINARY:
            graph.add(op, [x, y])
        for order in ([0, 2, 3, 1], [0, 2, 1, 3], [0, 1, 3, 2]):
            graph.add("Transpose", [x], perm=order)
        graph.add("Concat", [x, y], axis=1)
        graph.add("Softmax", [x], axis=3)
        graph.add("ReduceMean", [x], axes=[2, 3])
        graph.add("GlobalAveragePool", [x])
        for window in (2, 3, 5):
            graph.add("MaxPool", [x], kernel_shape=[window, window], strides=[2, 2])
        graph.add("LayerNormalization", [x, graph.weight([side]), graph.weight([side])])
        graph.add("DepthToSpace", [x], blocksize=2)
    return graph


def convolutions():
    graph = Graph()
    for channels, side, filters, window, stride, groups in CONVOLUTIONS:
        graph.add("Conv", [graph.input([1, channels, side, side]),
                           graph.weight([filters, channels // groups, window, window]), graph.weight([filters])],
                  kernel_shape=[window, window], strides=[stride, stride], pads=[window // 2] * 4, group=groups)
    return graph


def products():
    graph = Graph()
    for rows, inner, columns in PRODUCTS:
        graph.add("Gemm", [graph.input([rows, inner]), graph.weight([inner, columns]), graph.weight([columns])])
    for count, rows, inner, columns in BATCHED:
        graph.add("MatMul", [graph.input([1, count, rows, inner]), graph.input([1, count, inner, columns])])
    return graph


def eight_bit():
    graph = Graph()
    for channels, side, filters, window, stride, groups in CONVOLUTIONS:
        weights = graph.weight([filters, channels // groups, window, window], INT8)
        graph.add("QLinearConv", [graph.input([1, channels, side, side], UINT8), *graph.scale(), weights,
                                  *graph.scale(INT8), *graph.scale(), graph.weight([filters], INT32)],
                  kernel_shape=[window, window], strides=[stride, stride], pads=[window // 2] * 4, group=groups)
    for rows, inner, columns in PRODUCTS:
        graph.add("QLinearMatMul", [graph.input([rows, inner], UINT8), *graph.scale(),
                                    graph.weight([inner, columns], INT8), *graph.scale(INT8), *graph.scale()])
    for count, rows, inner, columns in BATCHED:
        graph.add("QLinearMatMul", [graph.input([1, count, rows, inner], UINT8), *graph.scale(),
                                    graph.input([1, count, inner, columns], UINT8), *graph.scale(), *graph.scale()])
    for side in SIZES:
        x, y = graph.input([1, 64, side, side], UINT8), graph.input([1, 64, side, side], UINT8)
        graph.add("QuantizeLinear", [graph.input([1, 64, side, side]), *graph.scale()])
        graph.add("DequantizeLinear", [x, *graph.scale()])
        graph.add("Transpose", [x], perm=[0, 2, 3, 1])
        graph.add("Transpose", [x], perm=[0, 3, 1, 2])
        for op in ("QLinearAdd", "QLinearMul"):
            graph.add(op, [x, *graph.scale(), y, *graph.scale(), *graph.scale()], MICROSOFT)
        for op in EIGHT_BIT:
            graph.add(op, [x, *graph.scale(), *graph.scale()], MICROSOFT)
        graph.add("QLinearConcat", [*graph.scale(), x, *graph.scale(), y, *graph.scale()], MICROSOFT, axis=1)
        for window in (2, 3, 5):
            graph.add("MaxPool", [x], kernel_shape=[window, window], strides=[2, 2])
    return graph


def recurrent():
    graph = Graph()
    for steps, width in RECURRENT:
        for op, gates in (("LSTM", 4), ("GRU", 3)):
            weights = [graph.weight([1, gates * width, width]) for _ in range(2)]
            graph.add(op, [graph.input([steps, 1, width])] + weights, hidden_size=width)
    return graph


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    os.makedirs(sys.argv[1], exist_ok=True)
    for name, make in (("elementwise", elementwise), ("conv", convolutions), ("product", products),
                       ("recurrent", recurrent), ("eight_bit", eight_bit)):
        make().write(os.path.join(sys.argv[1], name + ".onnx"))


if __name__ == "__main__":
    main()
