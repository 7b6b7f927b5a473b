#!/usr/bin/env python3
"""Checks that zoo models with zero and with random weights run in ONNX Runtime. The exit status is
77 if ONNX Runtime is not installed."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

RUNTIMES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "runtimes")
# For each model, its symbolic dimensions, and the published shape of the first output at batch 2.
MODELS = {"lenet5": ([], [2, 10]), "squeezenet1_1": ([], [2, 1000]), "mobilenet_v3_large": ([], [2, 1000]),
          "bert_tiny": (["sequence=64"], None), "lstm_lm": (["sequence=8"], None)}


def main():
    if shutil.which("node") is None or not os.path.isdir(os.path.join(RUNTIMES, "node_modules", "onnxruntime-node")):
        print("skipped: no node, or npm ci was not run in tools/runtimes")
        return 77
    program = os.path.join(sys.argv[1], "ridgewatt", "ridgewatt")
    for name, (dims, shape) in MODELS.items():
        for weights in ("zeros", "random"):
            with tempfile.TemporaryDirectory() as folder:
                model = os.path.join(folder, name + ".onnx")
                subprocess.run([program, "zoo", "write", name, "-o", model, "--weights", weights], check=True)
                command = ["node", os.path.join(RUNTIMES, "run_onnx.js"), "--model", model, "--batch", "2",
                           "--runs", "1", "--seconds", "0.01", "--shapes"]
                for dim in dims:
                    command += ["--dim", dim]
                done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
                if done.returncode:
                    sys.exit(f"{name} with {weights}: {done.stderr.strip()}")
                said = json.loads(done.stdout)
                first = next(iter(said["outputs"].values()))
                if not said["min_ms"] > 0 or first["shape"][0] not in (2, 8) or (shape and first["shape"] != shape):
                    sys.exit(f"{name} with {weights}: {done.stdout}")
    print(f"{len(MODELS)} models ran with zeros and with random weights")
    return 0


if __name__ == "__main__":
    sys.exit(main())
