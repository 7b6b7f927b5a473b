#!/usr/bin/env bash
# Builds and runs the benchmarks: bench/*_bench in process, and whole processes of the program. Its
# start is compared with /bin/true. Reading a model is compared with a script that only loads the
# model with the onnx package and infers its shapes (Debian's python3-onnx; skipped without it).
#
#   tools/bench.sh [MODEL.onnx]     MODEL: model for whole processes; default: ResNet-50 of the zoo
set -euo pipefail
cd "$(dirname "$0")/.."
cmake --preset bench > /dev/null
cmake --build build-bench
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
program=build-bench/ridgewatt/ridgewatt
model=${1:-$scratch/resnet50.onnx}
[ -e "$model" ] || "$program" zoo write resnet50 -o "$model"
python=/usr/bin/python3
json=(--format json)
python3 bench/time_process.py 101 /bin/true -- "$program" --version -- "$program" analyze "$model" --quiet
if "$python" -c 'import onnx' 2> /dev/null; then
  "$python" bench/time_process.py 21 "$program" analyze "$model" "${json[@]}" \
    -- "$python" bench/onnx_shapes.py "$model"
else
  python3 bench/time_process.py 21 "$program" analyze "$model" "${json[@]}"
fi
python3 bench/time_process.py 21 "$program" analyze zoo:bert_large "${json[@]}"
for bench in build-bench/bench/*_bench; do "$bench"; done
python3 bench/speed_budget.py "$program"
# The overhead of measuring in a Python program, if the package is built.
if compgen -G "build-bench/python/ridgewatt/_core*.so" > /dev/null; then
  PYTHONPATH=build-bench/python "$python" bench/measure_in_process.py
fi
# The predictor's network in PyTorch (Debian's python3-torch), to compare with train_both_networks
# of predict_bench.
if "$python" -c 'import torch' 2> /dev/null; then "$python" bench/torch_network.py; fi
