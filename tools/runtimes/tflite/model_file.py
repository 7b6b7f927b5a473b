"""Writes a TensorFlow Lite model: tensors, constants and operators."""
import numpy

from flatbuffer import Table, Vector, write

# Numbers of tensorflow/lite/schema/schema.fbs: operator, and type of its options.
OPERATORS = {
    "ADD": (0, 11), "AVERAGE_POOL_2D": (1, 5), "CONCATENATION": (2, 10), "CONV_2D": (3, 1),
    "DEPTHWISE_CONV_2D": (4, 2), "FULLY_CONNECTED": (9, 8), "LOGISTIC": (14, 0), "MAX_POOL_2D": (17, 5),
    "MUL": (18, 21), "RELU": (19, 0), "RELU6": (21, 0), "RESHAPE": (22, 17), "SOFTMAX": (25, 9), "TANH": (28, 0),
    "PAD": (34, 22), "TRANSPOSE": (39, 26), "MEAN": (40, 27), "SUB": (41, 28), "DIV": (42, 29), "PADV2": (60, 0),
    "LEAKY_RELU": (98, 75), "HARD_SWISH": (117, 91)}
FLOAT32, INT32 = 0, 2


class Writer:
    """The tensors, constants and operators of a TensorFlow Lite model."""

    def __init__(self):
        self.tensors, self.buffers, self.operators, self.codes = [], [Table({})], [], []
        self.known = {}

    def tensor(self, shape, name, kind=FLOAT32, data=None):
        buffer = 0
        if data is not None:
            buffer = len(self.buffers)
            self.buffers.append(Table({0: data}))
        self.tensors.append(Table({0: Vector("i", shape), 1: ("b", kind), 2: ("I", buffer), 3: name}))
        return len(self.tensors) - 1

    def constant(self, array):
        array = numpy.ascontiguousarray(array)
        kind = {"float32": FLOAT32, "int32": INT32}[str(array.dtype)]
        data = array.tobytes()
        key = (kind, array.shape, hash(data))
        if key not in self.known:
            self.known[key] = self.tensor(array.shape, f"constant{len(self.known)}", kind, data)
        return self.known[key]

    def operator(self, name, inputs, output, options=None):
        if name not in self.codes:
            self.codes.append(name)
        kind = OPERATORS[name][1]
        self.operators.append(Table({0: ("I", self.codes.index(name)), 1: Vector("i", inputs),
                                     2: Vector("i", [output]), 3: ("B", kind) if kind else None,
                                     4: Table(options or {}) if kind else None}))

    def save(self, path, inputs, outputs):
        most_short = 127  # operators up to this one are also stored in the deprecated field
        codes = [Table({0: ("b", min(OPERATORS[name][0], most_short)), 2: ("i", 1), 3: ("i", OPERATORS[name][0])})
                 for name in self.codes]
        graph = Table({0: self.tensors, 1: Vector("i", inputs), 2: Vector("i", outputs), 3: self.operators, 4: "main"})
        with open(path, "wb") as file:
            write(Table({0: ("I", 3), 1: codes, 2: [graph], 3: "ridgewatt to_tflite", 4: self.buffers}), "TFL3", file)
