#!/usr/bin/env python3
"""Runs a .tflite file in TensorFlow Lite on the processor and prints how long a run takes, as JSON.

    run_tflite.py --model FILE.tflite [--threads N] [--batch B] [--runs N] [--seconds S]
                  [--input FILE] [--output FILE] [--shapes]

Operators run in XNNPACK where it supports them. --batch sets the first dimension of all inputs.
Under `ridgewatt measure`, `tune` and others, each run is a minibatch. Inputs are random, or the
bytes of a file. Runs the model N times and for S seconds, but at most 200 N times. The library is
in the npm package of this folder; $RIDGEWATT_TFLITE names another libtensorflowlite_c.so. This
library exports no profile by operator. The exit status is 77 if there is no library.
"""
import argparse
import array
import ctypes
import json
import os
import platform
import random
import sys
import time

MARK_FD = int(os.environ.get("RIDGEWATT_MARK_FD") or 0)
FOLDERS = {"x86_64": "linux_amd64", "aarch64": "linux_arm64"}  # of the package, by machine
NOT_INSTALLED = 77
# Names and array codes of TfLiteType (tensorflow/lite/c/c_api_types.h).
TYPES = {1: ("float32", "f"), 2: ("int32", "i"), 3: ("uint8", "B"), 4: ("int64", "q"), 6: ("bool", "B"),
         7: ("int16", "h"), 9: ("int8", "b"), 10: ("float16", "H"), 11: ("float64", "d")}
POINTER, INT, SIZE, TEXT = ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t, ctypes.c_char_p


class XnnpackOptions(ctypes.Structure):
    """TfLiteXNNPackDelegateOptions of TensorFlow Lite 2.9."""
    _fields_ = [("threads", ctypes.c_int32), ("flags", ctypes.c_uint32), ("weights_cache", POINTER)]


# Results and arguments of the functions in tensorflow/lite/c/c_api.h, c_api_experimental.h and
# tensorflow/lite/delegates/xnnpack/xnnpack_delegate.h.
FUNCTIONS = {
    "Version": (TEXT,), "ModelCreateFromFile": (POINTER, TEXT), "InterpreterOptionsCreate": (POINTER,),
    "InterpreterOptionsSetNumThreads": (None, POINTER, INT), "InterpreterCreate": (POINTER, POINTER, POINTER),
    "InterpreterGetInputTensorCount": (INT, POINTER), "InterpreterGetInputTensor": (POINTER, POINTER, INT),
    "InterpreterGetOutputTensorCount": (INT, POINTER), "InterpreterGetOutputTensor": (POINTER, POINTER, INT),
    "InterpreterResizeInputTensor": (INT, POINTER, INT, ctypes.POINTER(INT), INT),
    "InterpreterModifyGraphWithDelegate": (INT, POINTER, POINTER), "InterpreterAllocateTensors": (INT, POINTER),
    "InterpreterInvoke": (INT, POINTER), "TensorType": (INT, POINTER), "TensorNumDims": (INT, POINTER), "TensorDim": (INT, POINTER, INT), "TensorByteSize": (SIZE, POINTER),
    "TensorData": (POINTER, POINTER), "TensorName": (TEXT, POINTER),
    "XNNPackDelegateOptionsDefault": (XnnpackOptions,),
    "XNNPackDelegateCreate": (POINTER, ctypes.POINTER(XnnpackOptions))}


def fail(text, status=1):
    print(f"run_tflite: {text}", file=sys.stderr)
    sys.exit(status)


def library_path():
    here = os.path.dirname(os.path.abspath(__file__))
    folder = FOLDERS.get(platform.machine(), "none")
    usual = os.path.join(here, "node_modules", "tfjs-tflite-node", "cc_deps", folder, "libtensorflowlite_c.so")
    return os.environ.get("RIDGEWATT_TFLITE") or usual


def load_library():
    try:
        library = ctypes.CDLL(library_path())
    except OSError:
        fail("no TensorFlow Lite: run npm ci --ignore-scripts in tools/runtimes/tflite", NOT_INSTALLED)
    for name, (result, *arguments) in FUNCTIONS.items():
        function = getattr(library, "TfLite" + name)
        function.restype, function.argtypes = result, arguments
    return library


class Tensor:
    def __init__(self, library, handle):
        self.library, self.handle = library, handle
        kind = library.TfLiteTensorType(handle)
        if kind not in TYPES:
            fail(f"tensor {self.name()} has type {kind}, which this program cannot make")
        self.type, self.code = TYPES[kind]

    def name(self):
        return self.library.TfLiteTensorName(self.handle).decode()

    def dims(self):
        return [self.library.TfLiteTensorDim(self.handle, i) for i in range(self.library.TfLiteTensorNumDims(self.handle))]

    def memory(self):
        size = self.library.TfLiteTensorByteSize(self.handle)
        return (ctypes.c_char * size).from_address(self.library.TfLiteTensorData(self.handle))

    def fill(self, numbers):
        count = self.library.TfLiteTensorByteSize(self.handle) // array.array(self.code).itemsize
        real = self.code in "fd"
        if self.type == "float16":
            values = array.array(self.code, (numbers.randrange(0x3C00) for _ in range(count)))  # bits of [0, 1)
        else:
            values = array.array(self.code, (numbers.random() if real else numbers.randrange(2) for _ in range(count)))
        self.memory()[:] = values.tobytes()


class Session:
    """A model that is ready to run. Fails if the model does not load or the batch is refused."""

    def __init__(self, model, threads, batch):
        self.library = load_library()
        lib = self.library
        loaded = lib.TfLiteModelCreateFromFile(os.fsencode(model))
        if not loaded:
            fail(f"not a TensorFlow Lite model: {model}")
        options = lib.TfLiteInterpreterOptionsCreate()
        lib.TfLiteInterpreterOptionsSetNumThreads(options, threads)
        self.interpreter = lib.TfLiteInterpreterCreate(loaded, options)
        if not self.interpreter:
            fail(f"an operator is not supported: {model}")
        for i in range(lib.TfLiteInterpreterGetInputTensorCount(self.interpreter) if batch else 0):
            dims = Tensor(lib, lib.TfLiteInterpreterGetInputTensor(self.interpreter, i)).dims()
            if dims:
                dims[0] = batch
            if lib.TfLiteInterpreterResizeInputTensor(self.interpreter, i, (INT * len(dims))(*dims), len(dims)):
                fail("the batch of the model is fixed")
        xnnpack = lib.TfLiteXNNPackDelegateOptionsDefault()
        xnnpack.threads = threads
        # After resizing: XNNPACK keeps the shapes that it sees first.
        if lib.TfLiteInterpreterModifyGraphWithDelegate(self.interpreter, lib.TfLiteXNNPackDelegateCreate(xnnpack)):
            fail("XNNPACK cannot be used")
        if lib.TfLiteInterpreterAllocateTensors(self.interpreter):
            fail(f"the tensors cannot be allocated at batch {batch or 'of the file'}")

    def tensors(self, kind):
        count = getattr(self.library, f"TfLiteInterpreterGet{kind}TensorCount")(self.interpreter)
        get = getattr(self.library, f"TfLiteInterpreterGet{kind}Tensor")
        return [Tensor(self.library, get(self.interpreter, i)) for i in range(count)]

    def run(self):
        if self.library.TfLiteInterpreterInvoke(self.interpreter):
            fail("a run failed")


def mark():
    """Reports to `ridgewatt measure` and others that a run has ended."""
    if MARK_FD > 2:
        os.write(MARK_FD, b"minibatch %.9f\n" % time.monotonic())


def quantile(ordered, share):
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def timed(session, runs, seconds):
    """Times of runs in ms, in increasing order."""
    times = []
    begin = time.monotonic()
    while len(times) < runs or (time.monotonic() - begin < seconds and len(times) < 200 * runs):
        start = time.perf_counter()
        session.run()
        times.append(1e3 * (time.perf_counter() - start))
        mark()
    return sorted(times)


def positive(kind):
    def parse(text):
        value = kind(text)
        if not value > 0:
            raise ValueError
        return value
    parse.__name__ = "positive number"
    return parse


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True)
    parser.add_argument("--threads", type=positive(int), default=1)
    parser.add_argument("--batch", type=positive(int))
    parser.add_argument("--runs", type=positive(int), default=10)
    parser.add_argument("--seconds", type=positive(float), default=1)
    parser.add_argument("--input", help="bytes of the first input")
    parser.add_argument("--output", help="file for the bytes of the first output")
    parser.add_argument("--shapes", action="store_true", help="also print types and shapes of the outputs")
    asked = parser.parse_args()
    if not os.path.isfile(asked.model):
        fail(f"no such file: {asked.model}")
    session = Session(asked.model, asked.threads, asked.batch)
    inputs = session.tensors("Input")
    numbers = random.Random(1)
    for tensor in inputs:
        tensor.fill(numbers)
    if asked.input:
        with open(asked.input, "rb") as file:
            given = file.read()
        if not inputs or len(given) != len(inputs[0].memory()):
            fail(f"{asked.input} must have the size of the first input")
        inputs[0].memory()[:] = given
    for _ in range(2):  # warm up
        session.run()
    times = timed(session, asked.runs, asked.seconds)
    outputs = session.tensors("Output")
    found = {"model": asked.model, "threads": asked.threads, "batch": asked.batch or (inputs[0].dims() or [1])[0],
             "runs": len(times), "min_ms": times[0], "p10_ms": quantile(times, 0.1),
             "median_ms": quantile(times, 0.5), "p90_ms": quantile(times, 0.9),
             "runtime": f"tflite {session.library.TfLiteVersion().decode()}"}
    if asked.shapes:
        found["outputs"] = {one.name(): {"type": one.type, "shape": one.dims()} for one in outputs}
    if asked.output:
        with open(asked.output, "wb") as file:
            file.write(bytes(outputs[0].memory()))
    print(json.dumps(found))


if __name__ == "__main__":
    main()
