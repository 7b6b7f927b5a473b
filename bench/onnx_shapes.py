"""Loads an ONNX file with the onnx package and infers its shapes, to compare with `analyze`."""
import sys

import onnx

model = onnx.shape_inference.infer_shapes(onnx.load(sys.argv[1], load_external_data=False))
print(len(model.graph.value_info))
