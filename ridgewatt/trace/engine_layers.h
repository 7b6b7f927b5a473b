// Reads the layer information of a TensorRT engine, written by `trtexec --exportLayerInfo`. Without
// --profilingVerbosity=detailed it has only names.
//
//   const EngineLayers engine = read_engine_layers("engine.layers.json");
//   engine.layers[0].name;    // "Conv_0 + Relu_1": the names in the rows of --exportProfile
//   engine.layers[0].kernel;  // {7, 7}
//
// The file is read one element at a time, with limits on the size and depth of an element. Names
// with characters that trtexec did not escape (quotes, backslashes, control characters) are read as
// intended.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ridgewatt::trace {

struct EngineTensor {
  std::string name;
  std::vector<std::int64_t> dims;  // -1: not known
  std::string format;              // "Channel major FP16 format where channel % 8 == 0"
};

struct EngineLayer {
  std::string name;
  std::string layer_type = {};      // "CaskConvolution", "Reformat", "NoOp". Empty: not known.
  std::string parameter_type = {};  // "Convolution", "Pooling"
  std::vector<EngineTensor> inputs = {}, outputs = {};
  // Sizes of a convolution's kernel, and of a pooling window, by dimension.
  std::vector<std::int64_t> kernel = {}, window = {};
  std::int64_t groups = 1;
  std::int64_t out_maps = 0;
  double weight_count = 0, bias_count = 0;
  std::string weight_type = {}, bias_type = {};  // "Half"
  std::string tactic = {};
  std::string metadata = {};  // "[ONNX Layer: Conv_0]\x1e[ONNX Layer: Relu_1]"
};

struct EngineLayers {
  std::vector<EngineLayer> layers;
  bool detailed = false;  // false: only the names are known
};

// Throws NotFoundError, PermissionError, IoError or InputError.
EngineLayers read_engine_layers(const std::string& path);
// Like read_engine_layers(), for text. `name` is used in messages.
EngineLayers parse_engine_layers(std::string_view text, const std::string& name);

}  // namespace ridgewatt::trace
