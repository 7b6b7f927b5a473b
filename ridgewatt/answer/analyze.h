// Operations, bytes, parameters and memory of a model, independent of any board.
//
//   const AnalyzeAnswer found({.model = "zoo:resnet50", .cost = {.batch = 16}});
//   found.analysis.macs;
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/workload/cost_model.h"

namespace ridgewatt::answer {

struct AnalyzeQuestion {
  std::string model = {};           // ONNX file or zoo:NAME
  workload::CostOptions cost = {};  // `inputs` must be empty: see the next member
  // TensorProto files of concrete inputs, in the order of the model.
  std::vector<std::string> inputs = {};
  bool per_layer = false;    // also list every node
  std::string explain = {};  // name of a node whose cost is derived step by step
};

struct AnalyzeAnswer {
  // Reads the model and counts its cost. Throws the errors of reading the files, and UsageError if
  // there are more input files than model inputs.
  explicit AnalyzeAnswer(const AnalyzeQuestion& question);
  AnalyzeAnswer(const AnalyzeAnswer&) = delete;
  AnalyzeAnswer& operator=(const AnalyzeAnswer&) = delete;

  workload::Model model;
  // The options of the question, with the contents of the input files.
  workload::CostOptions options;
  workload::Analysis analysis;  // refers to `model`
};

// Parameters of `zoo list` and `device show`, which list built-in models and boards.
struct ZooQuestion {
  bool language = false;  // language models instead of ONNX models
};
struct DeviceQuestion {
  std::string device = {};  // name, NAME@BSP or board file
  bool list_modes = false;
};

}  // namespace ridgewatt::answer
