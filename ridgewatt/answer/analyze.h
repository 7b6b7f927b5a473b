// What a model costs: operations, bytes, parameters and memory, of no board.
//
//   const AnalyzeAnswer found({.model = "zoo:resnet50", .cost = {.batch = 16}});
//   found.analysis.macs;
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/workload/cost_model.h"

namespace ridgewatt::answer {

struct AnalyzeQuestion {
  std::string model = {};                // ONNX file or zoo:NAME
  workload::CostOptions cost = {};       // but for concrete inputs
  std::vector<std::string> inputs = {};  // their TensorProto files, in the order of the model
  bool per_layer = false;                // every node too
  std::string explain = {};              // how the cost of this node comes about
};

struct AnalyzeAnswer {
  // Throws what reading the files throws, and UsageError where there are more of them than inputs.
  explicit AnalyzeAnswer(const AnalyzeQuestion& question);
  AnalyzeAnswer(const AnalyzeAnswer&) = delete;
  AnalyzeAnswer& operator=(const AnalyzeAnswer&) = delete;

  workload::Model model;
  workload::CostOptions options;  // as it was counted
  workload::Analysis analysis;    // refers to the model
};

// Which lists of what is built in are asked for: `zoo list` and `device show`.
struct ZooQuestion {
  bool language = false;  // language models
};
struct DeviceQuestion {
  std::string device = {};  // name, NAME@BSP or board file
  bool list_modes = false;
};

}  // namespace ridgewatt::answer
