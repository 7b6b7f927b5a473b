#!/usr/bin/python3
"""Converts a convolutional network from ONNX to TensorFlow Lite, in FP32.

    to_tflite.py MODEL.onnx -o MODEL.tflite [--batch B] [--dim NAME=SIZE]

As in TensorFlow's converter, images have the order batch, height, width, channels, normalizations
are folded into convolutions, and convolutions, sums and dense layers absorb ReLU and ReLU6. The
order of the first output's elements is that of ONNX only if the output is no image. Needs Debian's
python3-onnx and python3-numpy. The operators are the methods of Converter.
"""
import argparse
import collections
import os
import sys

import numpy
import onnx
import onnx.numpy_helper

from flatbuffer import Vector
from model_file import Writer

SAME, VALID = 0, 1
NONE, RELU, RELU6 = 0, 1, 3  # fused activations
TO_LAST = (0, 2, 3, 1)       # the order of an image's axes
AXES = {0: 0, 1: 3, 2: 1, 3: 2}  # of an image, from ONNX to TensorFlow Lite


class Unsupported(Exception):
    pass


# A tensor of the graph. `shape` has ONNX's order, and an `image` is stored with its channels last.
# `flat` is the shape of the image of which a matrix has the elements, in the order of the image.
Value = collections.namedtuple("Value", "index shape image flat", defaults=(False, None))


def same_padding(size, kernel, stride):
    total = max((-(-size // stride) - 1) * stride + kernel - size, 0)
    return [total // 2, total - total // 2]


def array_of(tensor, folder):
    """The numbers of a TensorProto. If they are in a file, its length need not be stated."""
    if tensor.data_location != onnx.TensorProto.EXTERNAL:
        return onnx.numpy_helper.to_array(tensor)
    where = {one.key: one.value for one in tensor.external_data}
    kind = onnx.mapping.TENSOR_TYPE_TO_NP_TYPE[tensor.data_type]
    found = numpy.fromfile(os.path.join(folder, where["location"]), kind, int(numpy.prod(tensor.dims)),
                           offset=int(where.get("offset", 0)))
    return found.reshape(tensor.dims)


def shape_of(given, batch, dims):
    """The shape of an input. Symbolic dimensions have the size in `dims`; the first one is the batch."""
    return [one.dim_value or dims.get(one.dim_param) or (batch if i == 0 else 0)
            for i, one in enumerate(given.type.tensor_type.shape.dim)]


class Converter:
    def __init__(self, model, folder, batch, dims):
        self.graph, self.folder = model.graph, folder
        self.writer = Writer()
        self.constants = {one.name: one for one in self.graph.initializer}
        self.values, self.done = {}, set()
        self.readers = collections.defaultdict(list)
        for node in self.graph.node:
            for name in node.input:
                self.readers[name].append(node)
        self.inputs = []
        for given in self.graph.input:
            if given.name in self.constants:
                continue
            shape = shape_of(given, batch, dims)
            if 0 in shape or given.type.tensor_type.elem_type != onnx.TensorProto.FLOAT:
                raise Unsupported(f"input {given.name} must have FP32 and known dimensions: give --dim NAME=SIZE")
            self.inputs.append(self.add(given.name, shape, len(shape) == 4).index)

    def add(self, name, shape, image=False, flat=None):
        stored = [shape[axis] for axis in TO_LAST] if image else shape
        self.values[name] = Value(self.writer.tensor(stored, name), list(shape), image, flat)
        return self.values[name]

    def number(self, name):
        """The array of a constant."""
        if name not in self.constants:
            raise Unsupported(f"{name} is not constant")
        return array_of(self.constants[name], self.folder)

    def attributes(self, node):
        return {one.name: onnx.helper.get_attribute_value(one) for one in node.attribute}

    def only_reader(self, name):
        readers = self.readers[name]
        if len(readers) == 1 and all(one.name != name for one in self.graph.output):
            return readers[0]
        return None

    def is_relu6(self, node):
        return (node.op_type == "Clip" and len(node.input) == 3 and
                [float(self.number(one)) for one in node.input[1:]] == [0, 6])

    def absorbed(self, name):
        """The activation that the operator with this output absorbs, and the activation's output."""
        node = self.only_reader(name)
        kind = NONE if node is None else RELU if node.op_type == "Relu" else RELU6 if self.is_relu6(node) else NONE
        if kind == NONE:
            return NONE, name
        self.done.add(node.output[0])
        return kind, node.output[0]

    def scale_and_shift(self, node):
        scale, bias, mean, variance = (self.number(one).astype("float64") for one in node.input[1:5])
        scale = scale / numpy.sqrt(variance + self.attributes(node).get("epsilon", 1e-5))
        return scale, bias - mean * scale

    def convert(self):
        for node in self.graph.node:
            if node.op_type == "Constant":
                self.constants[node.output[0]] = self.attributes(node)["value"]
        for node in self.graph.node:
            if node.op_type == "Constant" or node.output[0] in self.done:
                continue
            method = getattr(self, node.op_type, None)
            if method is None:
                raise Unsupported(f"operator {node.op_type} is not supported")
            method(node, self.attributes(node))

    # Operators of ONNX.

    def padded(self, value, node, attributes, fill):
        """The value, padded with a number if SAME does not express the padding; and the padding."""
        kernel, stride = attributes["kernel_shape"], attributes.get("strides", [1, 1])
        dilation = attributes.get("dilations", [1, 1])
        pads = list(attributes.get("pads", [0, 0, 0, 0]))
        if attributes.get("auto_pad", b"NOTSET") != b"NOTSET":
            raise Unsupported(f"{node.op_type} with auto_pad")
        extents = [dilation[i] * (kernel[i] - 1) + 1 for i in (0, 1)]
        ceil = attributes.get("ceil_mode", 0)
        out = []
        for i in (0, 1):
            room = value.shape[2 + i] + pads[i] + pads[2 + i] - extents[i]
            if ceil:  # the last window is partial
                pads[2 + i] += -room % stride[i]
                room += -room % stride[i]
            out.append(room // stride[i] + 1)
        same = [same_padding(value.shape[2 + i], extents[i], stride[i]) for i in (0, 1)]
        if [pads[0], pads[2]] == same[0] and [pads[1], pads[3]] == same[1]:
            return value, SAME, out
        if not any(pads):
            return value, VALID, out
        sizes = self.writer.constant(numpy.array([[0, 0], [pads[0], pads[2]], [pads[1], pads[3]], [0, 0]], "int32"))
        n, c, h, w = value.shape
        wide = self.add(node.output[0] + "/padded", [n, c, h + pads[0] + pads[2], w + pads[1] + pads[3]], True)
        if fill == 0:
            self.writer.operator("PAD", [value.index, sizes], wide.index)
        else:
            lowest = self.writer.constant(numpy.array([fill], "float32"))
            self.writer.operator("PADV2", [value.index, sizes, lowest], wide.index)
        return wide, VALID, out

    def Conv(self, node, attributes):
        value = self.values[node.input[0]]
        if not value.image:
            raise Unsupported("convolution of other than images")
        weight = self.number(node.input[1]).astype("float64")
        bias = self.number(node.input[2]) if len(node.input) > 2 else numpy.zeros(len(weight))
        last = node.output[0]
        follower = self.only_reader(last)
        if follower is not None and follower.op_type == "BatchNormalization":
            scale, shift = self.scale_and_shift(follower)
            weight, bias = weight * scale[:, None, None, None], bias * scale + shift
            last = follower.output[0]
            self.done.add(last)
        kind, last = self.absorbed(last)
        channels, groups = value.shape[1], attributes.get("group", 1)
        stride, dilation = attributes.get("strides", [1, 1]), attributes.get("dilations", [1, 1])
        source, padding, size = self.padded(value, node, attributes | {"kernel_shape": weight.shape[2:]}, 0)
        output = self.add(last, [value.shape[0], len(weight), *size], True)
        shared = [("b", padding), ("i", stride[1]), ("i", stride[0])]
        ends = [("b", kind), ("i", dilation[1]), ("i", dilation[0])]
        if groups == channels and groups > 1:
            name, stored = "DEPTHWISE_CONV_2D", weight.transpose(1, 2, 3, 0)
            options = shared + [("i", len(weight) // channels)] + ends
        elif groups > 1:
            raise Unsupported("convolution in groups")
        else:
            name, stored, options = "CONV_2D", weight.transpose(0, 2, 3, 1), shared + ends
        constants = [self.writer.constant(one.astype("float32")) for one in (stored, bias)]
        self.writer.operator(name, [source.index, *constants], output.index, dict(enumerate(options)))

    def BatchNormalization(self, node, _):
        value = self.values[node.input[0]]
        scale, shift = self.scale_and_shift(node)
        scaled = self.add(node.output[0] + "/scaled", value.shape, value.image)
        self.writer.operator("MUL", [value.index, self.writer.constant(scale.astype("float32"))], scaled.index)
        kind, last = self.absorbed(node.output[0])
        output = self.add(last, value.shape, value.image)
        self.writer.operator("ADD", [scaled.index, self.writer.constant(shift.astype("float32"))], output.index,
                             {0: ("b", kind)})

    def pool(self, node, attributes, name, fill):
        value = self.values[node.input[0]]
        source, padding, size = self.padded(value, node, attributes, fill)
        kernel, stride = attributes["kernel_shape"], attributes.get("strides", [1, 1])
        output = self.add(node.output[0], [*value.shape[:2], *size], True)
        options = [("b", padding), ("i", stride[1]), ("i", stride[0]), ("i", kernel[1]), ("i", kernel[0])]
        self.writer.operator(name, [source.index], output.index, dict(enumerate(options)))

    def MaxPool(self, node, attributes):
        maker = [one for one in self.graph.node if node.input[0] in one.output]
        positive = maker and (maker[0].op_type in ("Relu", "Sigmoid") or self.is_relu6(maker[0]))
        self.pool(node, attributes, "MAX_POOL_2D", 0 if positive else numpy.finfo("float32").min)

    def AveragePool(self, node, attributes):
        value, pads = self.values[node.input[0]], attributes.get("pads", [0, 0, 0, 0])
        if not attributes.get("count_include_pad", 0) or not any(pads):
            source, padding, _ = self.padded(value, node, attributes, 0)
            if source is value:
                self.pool(node, attributes, "AVERAGE_POOL_2D", 0)
                return
            raise Unsupported("average of an asymmetric window")
        # The padding counts, so that it is not SAME.
        n, c, h, w = value.shape
        wide = self.add(node.output[0] + "/padded", [n, c, h + pads[0] + pads[2], w + pads[1] + pads[3]], True)
        sizes = numpy.array([[0, 0], [pads[0], pads[2]], [pads[1], pads[3]], [0, 0]], "int32")
        self.writer.operator("PAD", [value.index, self.writer.constant(sizes)], wide.index)
        self.values[node.input[0]] = wide
        self.pool(node, attributes | {"pads": [0, 0, 0, 0]}, "AVERAGE_POOL_2D", 0)
        self.values[node.input[0]] = value

    def GlobalAveragePool(self, node, _):
        value = self.values[node.input[0]]
        output = self.add(node.output[0], [*value.shape[:2], 1, 1], True)
        axes = self.writer.constant(numpy.array([1, 2], "int32"))
        self.writer.operator("MEAN", [value.index, axes], output.index, {0: ("B", 1)})

    def unary(self, node, name, options=None):
        value = self.values[node.input[0]]
        output = self.add(node.output[0], value.shape, value.image, value.flat)
        self.writer.operator(name, [value.index], output.index, options)

    def Relu(self, node, _):
        self.unary(node, "RELU")

    def Clip(self, node, _):
        if not self.is_relu6(node):
            raise Unsupported("Clip to other limits than 0 and 6")
        self.unary(node, "RELU6")

    def Sigmoid(self, node, _):
        self.unary(node, "LOGISTIC")

    def Tanh(self, node, _):
        self.unary(node, "TANH")

    def HardSwish(self, node, _):
        self.unary(node, "HARD_SWISH")

    def LeakyRelu(self, node, attributes):
        self.unary(node, "LEAKY_RELU", {0: ("f", attributes.get("alpha", 0.01))})

    def HardSigmoid(self, node, attributes):
        """As in Keras: relu6(x + 3) / 6."""
        alpha, beta = attributes.get("alpha", 0.2), attributes.get("beta", 0.5)
        if abs(6 * alpha - 1) > 1e-6 or beta != 0.5:
            raise Unsupported("HardSigmoid with other slopes than 1/6")
        value = self.values[node.input[0]]
        shifted = self.add(node.output[0] + "/shifted", value.shape, value.image)
        output = self.add(node.output[0], value.shape, value.image)
        three, sixth = (self.writer.constant(numpy.array([one], "float32")) for one in (3, 1 / 6))
        self.writer.operator("ADD", [value.index, three], shifted.index, {0: ("b", RELU6)})
        self.writer.operator("MUL", [shifted.index, sixth], output.index)

    def operand(self, name, image):
        """A tensor's number, and its shape in ONNX's order."""
        if name in self.values:
            value = self.values[name]
            return value.index, value.shape
        array = self.number(name).astype("float32")
        shape = list(array.shape)
        if array.size == 1:
            array = array.reshape(1)
        elif image:
            array = array.reshape([1] * (4 - array.ndim) + shape).transpose(TO_LAST)
        return self.writer.constant(array), shape

    def binary(self, node, name):
        values = [self.values[one] for one in node.input if one in self.values]
        if len(values) == 2 and values[0].image != values[1].image:
            raise Unsupported(f"{name} of an image and another tensor")
        image = values[0].image
        operands = [self.operand(one, image) for one in node.input]
        kind, last = self.absorbed(node.output[0])
        output = self.add(last, numpy.broadcast_shapes(*(shape for _, shape in operands)), image, values[0].flat)
        self.writer.operator(name, [index for index, _ in operands], output.index, {0: ("b", kind)})

    def Add(self, node, _):
        self.binary(node, "ADD")

    def Mul(self, node, _):
        self.binary(node, "MUL")

    def Sub(self, node, _):
        self.binary(node, "SUB")

    def Div(self, node, _):
        self.binary(node, "DIV")

    def Concat(self, node, attributes):
        values = [self.values[one] for one in node.input]
        axis = attributes["axis"] % len(values[0].shape)
        shape = list(values[0].shape)
        shape[axis] = sum(one.shape[axis] for one in values)
        image = values[0].image
        output = self.add(node.output[0], shape, image)
        self.writer.operator("CONCATENATION", [one.index for one in values], output.index,
                             {0: ("i", AXES[axis] if image else axis)})

    def reshape(self, name, value, shape, image=False, flat=None):
        output = self.add(name, shape, image, flat)
        stored = [shape[axis] for axis in TO_LAST] if image else shape
        new = numpy.array([-1, *stored[1:]], "int32")  # so that the batch can change
        self.writer.operator("RESHAPE", [value.index, self.writer.constant(new)], output.index, {0: Vector("i", new)})

    def Flatten(self, node, attributes):
        value = self.values[node.input[0]]
        if attributes.get("axis", 1) != 1:
            raise Unsupported("Flatten along another axis than 1")
        flat = value.shape[1:] if value.image and value.shape[2:] != [1, 1] else None
        self.reshape(node.output[0], value, [value.shape[0], int(numpy.prod(value.shape[1:]))], flat=flat)

    def Reshape(self, node, _):
        value = self.values[node.input[0]]
        asked = [int(one) for one in self.number(node.input[1])]
        shape = [value.shape[i] if one == 0 else one for i, one in enumerate(asked)]
        count = int(numpy.prod(value.shape))
        shape = [-count // int(numpy.prod(shape)) if one == -1 else one for one in shape]
        image = len(shape) == 4
        ordered = not value.image or value.shape[2:] == [1, 1]
        if shape[0] != value.shape[0] or not ordered or value.flat or (image and shape[2:] != [1, 1]):
            raise Unsupported("Reshape of an image")
        self.reshape(node.output[0], value, shape, image)

    def Transpose(self, node, attributes):
        value = self.values[node.input[0]]
        order = tuple(attributes["perm"])
        if not value.image or order != TO_LAST:
            raise Unsupported("Transpose to another order")
        self.values[node.output[0]] = Value(value.index, [value.shape[axis] for axis in TO_LAST])

    def Softmax(self, node, attributes):
        value = self.values[node.input[0]]
        if value.image or attributes.get("axis", -1) % len(value.shape) != len(value.shape) - 1:
            raise Unsupported("Softmax along another axis than the last")
        self.unary(node, "SOFTMAX", {0: ("f", 1.0)})

    def Gemm(self, node, attributes):
        value = self.values[node.input[0]]
        if attributes.get("alpha", 1) != 1 or attributes.get("beta", 1) != 1 or attributes.get("transA", 0):
            raise Unsupported("Gemm with factors")
        weight = self.number(node.input[1])
        if not attributes.get("transB", 0):
            weight = weight.T
        if value.flat:
            weight = weight.reshape(len(weight), *value.flat).transpose(TO_LAST).reshape(len(weight), -1)
        bias = self.number(node.input[2]) if len(node.input) > 2 else numpy.zeros(len(weight))
        kind, last = self.absorbed(node.output[0])
        output = self.add(last, [value.shape[0], len(weight)])
        constants = [self.writer.constant(one.astype("float32")) for one in (weight, bias)]
        self.writer.operator("FULLY_CONNECTED", [value.index, *constants], output.index, {0: ("b", kind)})


def convert(source, target, batch, dims):
    """Writes the ONNX file `source` to the TensorFlow Lite file `target`."""
    model = onnx.load(source, load_external_data=False)
    converter = Converter(model, os.path.dirname(os.path.abspath(source)), batch, dims)
    converter.convert()
    outputs = [converter.values[one.name].index for one in model.graph.output]
    converter.writer.save(target, converter.inputs, outputs)


def named_size(text):
    name, _, size = text.rpartition("=")
    if not name or not size.isdigit() or int(size) < 1:
        raise argparse.ArgumentTypeError("must be NAME=SIZE")
    return name, int(size)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--dim", type=named_size, action="append", default=[])
    asked = parser.parse_args()
    try:
        convert(asked.model, asked.output, asked.batch, dict(asked.dim))
    except (Unsupported, OSError) as error:
        sys.exit(f"to_tflite: {asked.model}: {error}")


if __name__ == "__main__":
    main()
