#!/usr/bin/python3
"""Writes an ONNX file quantized to 8 bits with QuantizeLinear and DequantizeLinear around operators.

    quantize.py FILE.onnx -o QUANTIZED.onnx [--per-channel] [--signed] [--keep-normalizations]

Batch normalizations after convolutions are folded. Activations have scales and zero points that do
not depend on the network's weights, so the results of the network are meaningless; the operators
and the time are those of a calibrated network. Activations are uint8. With --signed they are int8
around zero. With --keep-normalizations, batch normalizations are not folded, as in exports after
quantization-aware training. Needs python3-onnx and python3-numpy.
"""
import argparse

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper, shape_inference

WEIGHTED = ("Conv", "Gemm", "MatMul")
QUANTIZED = WEIGHTED + ("Add", "Mul", "MaxPool", "AveragePool", "GlobalAveragePool", "Concat", "Reshape", "Flatten",
                        "Transpose", "Sigmoid", "LeakyRelu", "Resize", "Split", "Softmax", "Squeeze", "Unsqueeze",
                        "Relu", "Clip")
CLAMPS = ("Relu", "Clip")
MOVES = ("MaxPool", "Reshape", "Flatten", "Transpose", "Resize", "Split", "Squeeze", "Unsqueeze")  # same zero point
ACTIVATION_SCALE, RELU6_SCALE, WEIGHT_SCALE = 0.05, 6 / 255, 0.01


class Quantizer:
    def __init__(self, model, asked):
        self.graph, self.asked = model.graph, asked
        self.random = numpy.random.default_rng(asked.seed)
        self.nodes, self.pairs, self.zeros, self.scales = [], {}, {}, {}
        self.constants = {one.name: one for one in self.graph.initializer}
        self.kinds = {one.name: one.type.tensor_type.elem_type
                      for one in [*self.graph.value_info, *self.graph.input, *self.graph.output]}
        self.results = {one.name for one in self.graph.output}
        self.added = 0

    def constant(self, array):
        self.added += 1
        name = f"quantize_{self.added}"
        self.graph.initializer.append(numpy_helper.from_array(numpy.asarray(array), name))
        return name

    def users(self, name):
        return [node for node in self.graph.node if name in node.input]

    def fold_normalizations(self):
        producers = {node.output[0]: node for node in self.graph.node}
        for node in [one for one in self.graph.node if one.op_type == "BatchNormalization"]:
            head = producers.get(node.input[0])
            if head is None or head.op_type != "Conv" or len(self.users(head.output[0])) != 1:
                continue
            if len(head.input) < 3:
                head.input.append(self.constant(numpy.zeros(self.constants[head.input[1]].dims[0], "float32")))
            head.output[0] = node.output[0]
            self.graph.node.remove(node)
        self.constants.update({one.name: one for one in self.graph.initializer})

    def dequantized(self, array, scale, zero, axis=None):
        inputs = [self.constant(array), self.constant(scale), self.constant(zero)]
        self.added += 1
        out = f"dequantized_{self.added}"
        extra = {} if axis is None else {"axis": axis}
        self.nodes.append(helper.make_node("DequantizeLinear", inputs, [out], f"dequantize_{self.added}", **extra))
        return out

    def weight(self, node, slot):
        dims = list(self.constants[node.input[slot]].dims)
        values = self.random.integers(-127, 128, dims, "int8")
        if not self.asked.per_channel or node.op_type != "Conv":
            return self.dequantized(values, numpy.float32(WEIGHT_SCALE), numpy.int8(0))
        scales = numpy.full(dims[0], WEIGHT_SCALE, "float32")
        return self.dequantized(values, scales, numpy.zeros(dims[0], "int8"), 0)

    def bias(self, node, read):
        """Its scale is the product of those of input and weight; if not, ONNX Runtime computes in FP32."""
        size = self.constants[node.input[2]].dims[0]
        scale = numpy.float32(self.scales[read]) * numpy.float32(WEIGHT_SCALE)
        values = self.random.integers(-1000, 1000, size, "int32")
        if not self.asked.per_channel or node.op_type != "Conv":
            return self.dequantized(values, numpy.float32(scale), numpy.int32(0))
        return self.dequantized(values, numpy.full(size, scale, "float32"), numpy.zeros(size, "int32"), 0)

    def zero_of(self, producer):
        """The zero point of a node's results: that of its input if it only moves numbers."""
        if self.asked.signed:
            return numpy.int8(0)
        if producer is not None and producer.op_type in MOVES:
            return self.zeros.get(producer.input[0], numpy.uint8(128))
        return numpy.uint8(0 if producer is not None and producer.op_type in CLAMPS else 128)

    def pair(self, name, producer):
        """Quantizes and dequantizes an activation."""
        clip = producer is not None and producer.op_type == "Clip"
        number = RELU6_SCALE if clip else ACTIVATION_SCALE
        scale, zero = self.constant(numpy.float32(number)), self.zero_of(producer)
        stored, real = name + "_quantized", name + "_dequantized"
        self.pairs[name], self.zeros[real], self.scales[real] = real, zero, number
        zero = self.constant(zero)
        self.nodes.append(helper.make_node("QuantizeLinear", [name, scale, zero], [stored], "q_" + name))
        self.nodes.append(helper.make_node("DequantizeLinear", [stored, scale, zero], [real], "dq_" + name))

    def is_paired(self, name, producer):
        if self.kinds.get(name) != TensorProto.FLOAT or name in self.results:
            return False
        users = self.users(name)
        if len(users) == 1 and users[0].op_type in CLAMPS + ("BatchNormalization",):
            return False
        near = users + ([producer] if producer is not None else [])
        return any(node.op_type in QUANTIZED for node in near)

    def quantize(self):
        if not self.asked.keep_normalizations:
            self.fold_normalizations()
        for one in self.graph.input:
            if one.name not in self.constants and self.is_paired(one.name, None):
                self.pair(one.name, None)
        for node in self.graph.node:
            weighted = node.op_type in WEIGHTED and node.input[1] in self.constants
            inputs = [self.pairs.get(name, name) for name in node.input]
            if weighted and inputs[0] != node.input[0]:
                inputs[1] = self.weight(node, 1)
                if len(inputs) > 2:
                    inputs[2] = self.bias(node, inputs[0])
            elif node.op_type in ("Add", "Mul") and node.op_type in QUANTIZED:
                for slot, name in enumerate(node.input):
                    one = self.constants.get(name)
                    if one is not None and one.data_type == TensorProto.FLOAT:
                        zero = numpy.uint8(128) if not self.asked.signed else numpy.int8(0)
                        values = numpy.full(list(one.dims), 130 if not self.asked.signed else 2, zero.dtype)
                        inputs[slot] = self.dequantized(values, numpy.float32(ACTIVATION_SCALE), zero)
            del node.input[:]
            node.input.extend(inputs)
            self.nodes.append(node)
            # The original names, because `users` reads the graph.
            for name in node.output:
                if self.is_paired(name, node):
                    self.pair(name, node)
        del self.graph.node[:]
        self.graph.node.extend(self.nodes)
        used = {name for node in self.graph.node for name in node.input}
        kept = [one for one in self.graph.initializer if one.name in used]
        del self.graph.initializer[:]
        self.graph.initializer.extend(kept)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("-o", "--output", required=True)
    for flag in ("per-channel", "signed", "keep-normalizations"):
        parser.add_argument("--" + flag, action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    model = onnx.load(asked.file, load_external_data=False)
    generator = numpy.random.default_rng(asked.seed)
    for one in model.graph.initializer:
        if one.data_location == TensorProto.EXTERNAL:  # values have no effect on the time
            values = (0.05 * generator.standard_normal(list(one.dims))).astype("float32")
            one.CopyFrom(numpy_helper.from_array(values, one.name))
    model = shape_inference.infer_shapes(model)
    Quantizer(model, asked).quantize()
    del model.graph.value_info[:]
    onnx.checker.check_model(model)
    onnx.save(model, asked.output)


if __name__ == "__main__":
    main()
