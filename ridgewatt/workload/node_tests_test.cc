// Runs the ONNX project's node tests. From the inputs of a test, the inferred type and shape of
// each output must equal those of the stored output. They may be unknown if they depend on values
// that a cost model does not evaluate, but never wrong.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>
#include <set>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/workload/cost_model.h"
#include "ridgewatt/workload/infer.h"
#include "ridgewatt/workload/infer/bind_symbols.h"
#include "ridgewatt/workload/onnx_reader.h"

namespace ridgewatt::workload {
namespace {

namespace fs = std::filesystem;

enum class Verdict { kPass, kUnknown, kWrong };

Verdict worse(Verdict a, Verdict b) {
  return std::max(a, b);
}

Verdict compare(const ValueInfo& inferred, const ValueInfo& stored) {
  if (stored.kind == ValueKind::kTensor) {
    if (inferred.kind != ValueKind::kTensor) return Verdict::kWrong;
    if (inferred.dtype != DataType::kUndefined && inferred.dtype != stored.dtype) {
      return Verdict::kWrong;
    }
    if (!inferred.shape) return Verdict::kUnknown;
    if (inferred.shape->size() != stored.shape->size()) return Verdict::kWrong;
    Verdict verdict = inferred.dtype == DataType::kUndefined ? Verdict::kUnknown : Verdict::kPass;
    for (std::size_t i = 0; i < stored.shape->size(); ++i) {
      const std::int64_t extent = (*inferred.shape)[i];
      if (extent == (*stored.shape)[i]) continue;
      verdict = worse(verdict, extent == kUnknownDim ? Verdict::kUnknown : Verdict::kWrong);
    }
    return verdict;
  }
  if (inferred.kind != stored.kind) return Verdict::kWrong;
  if (!inferred.items) return Verdict::kUnknown;
  if (inferred.items->size() != stored.items->size()) return Verdict::kWrong;
  Verdict verdict = Verdict::kPass;
  for (std::size_t i = 0; i < stored.items->size(); ++i) {
    verdict = worse(verdict, compare((*inferred.items)[i], (*stored.items)[i]));
  }
  return verdict;
}

ValueInfo declared_type(const Model& model, TensorId id) {
  const auto& declared = model.tensors[static_cast<std::size_t>(id)].declared;
  return declared ? *declared : ValueInfo{};
}

// The tested operator: the only node's, or "(expanded functions)" if the test replaces an operator
// by several nodes.
std::string tested_operator(const Model& model) {
  return model.graph.nodes.size() == 1 ? model.graph.nodes.front().op : "(expanded functions)";
}

struct Outcome {
  Verdict verdict = Verdict::kPass;
  std::string op;
  std::string note;
};

Outcome run_test(const fs::path& folder) {
  Outcome outcome;
  Model model = load_model((folder / "model.onnx").string());
  outcome.op = tested_operator(model);
  const fs::path data = folder / "test_data_set_0";
  InferOptions options;
  for (std::size_t i = 0; i < model.graph.inputs.size(); ++i) {
    const fs::path file = data / ("input_" + std::to_string(i) + ".pb");
    if (!fs::exists(file)) break;
    options.inputs.push_back(
        load_value(file.string(), declared_type(model, model.graph.inputs[i])));
  }
  const std::vector<ValueInfo> declared = [&] {
    std::vector<ValueInfo> types;
    for (const TensorId output : model.graph.outputs) types.push_back(declared_type(model, output));
    return types;
  }();
  const InferSummary summary = infer(model, options);
  for (std::size_t i = 0; i < model.graph.outputs.size(); ++i) {
    const fs::path file = data / ("output_" + std::to_string(i) + ".pb");
    if (!fs::exists(file)) continue;
    const ValueInfo stored = load_value(file.string(), declared[i]);
    const Tensor& tensor = model.tensors[static_cast<std::size_t>(model.graph.outputs[i])];
    const Verdict verdict = compare(tensor, stored);
    outcome.verdict = worse(outcome.verdict, verdict);
    if (verdict != Verdict::kPass) {
      outcome.note += " " + tensor.name + ": inferred " + format_type(tensor) + ", stored " +
                      format_type(stored);
    }
  }
  // The type of an output of an unsupported operator is only declared, not inferred.
  if (!summary.unsupported.empty()) outcome.verdict = worse(outcome.verdict, Verdict::kUnknown);
  for (const auto& [op, count] : summary.unsupported) outcome.note += " no rule for " + op;
  return outcome;
}

std::vector<fs::path> test_folders() {
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(testing::shared_folder() / "onnx" / "node")) {
    folders.push_back(entry.path());
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

// label: slow
TEST(NodeTests, EveryOutputHasTheStoredTypeAndShape) {
  RIDGEWATT_REQUIRE_SHARED();
  const std::vector<fs::path> folders = test_folders();
  ASSERT_GE(folders.size(), 876U);
  std::map<std::string, std::array<int, 3>> by_op;
  std::array<int, 3> total{};
  for (const fs::path& folder : folders) {
    Outcome outcome;
    try {
      outcome = run_test(folder);
    } catch (const std::exception& error) {
      outcome = {Verdict::kWrong, "(error)", error.what()};
    }
    const auto verdict = static_cast<std::size_t>(outcome.verdict);
    ++by_op[outcome.op][verdict];
    ++total[verdict];
    if (outcome.verdict == Verdict::kUnknown) {
      std::cout << "unknown " << folder.filename().string() << outcome.note << "\n";
    }
    EXPECT_NE(outcome.verdict, Verdict::kWrong) << folder.filename() << outcome.note;
  }
  std::cout << "operator                          pass unknown wrong\n";
  for (const auto& [op, counts] : by_op) {
    std::printf("%-32s %5d %7d %5d\n", op.c_str(), counts[0], counts[1], counts[2]);
  }
  std::printf("%-32s %5d %7d %5d\n", "total", total[0], total[1], total[2]);
  EXPECT_GE(total[0], 0.97 * static_cast<double>(folders.size()));
}

// Sets the version of ai.onnx that the file imports.
void set_opset(Graph& graph, int opset) {
  for (Node& node : graph.nodes) {
    if (node.domain.empty()) node.opset = opset;
    for (Graph& body : node.subgraphs) set_opset(body, opset);
  }
}

// Options that vary with the opset number, so that each model is analyzed with all of them.
CostOptions pricing(std::size_t which) {
  CostOptions options;
  if (which % 4 == 1) options.kind = WorkloadKind::kTraining;
  if (which % 4 == 2) options.runtime = Runtime::kTensorRt;
  if (which % 4 == 3) options.runtime = Runtime::kOnnxRuntime;
  if (which % 3 == 1) options.batch = 2;
  return options;
}

bool is_priced(Model& model, CostOptions options) {
  if (!fixed_batch(model) && !leaves_batch_open(model)) options.batch.reset();
  try {
    const WorkloadCost cost = workload_cost(model, options);
    EXPECT_TRUE(std::isfinite(cost.work_flop()) && cost.work_flop() >= 0);
    EXPECT_TRUE(std::isfinite(cost.traffic_bytes()) && cost.traffic_bytes() >= 0);
    EXPECT_TRUE(std::isfinite(cost.peak_memory_bytes) && cost.peak_memory_bytes >= 0);
    return true;
  } catch (const InputError&) {
    return false;  // rules of another opset may contradict the model
  }
}

// Run this test also under the address sanitizer: ./dev sanitize parsers.
// label: slow
TEST(NodeTests, AnyOpsetNumberIsPricedOrRefused) {
  RIDGEWATT_REQUIRE_SHARED();
  constexpr int kLastOpset = 24;
  int priced = 0;
  int refused = 0;
  std::size_t which = 0;
  for (const fs::path& folder : test_folders()) {
    SCOPED_TRACE(folder.filename());
    Model model = load_model((folder / "model.onnx").string());
    for (int opset = 1; opset <= kLastOpset; ++opset) {
      SCOPED_TRACE(opset);
      set_opset(model.graph, opset);
      (is_priced(model, pricing(which++)) ? priced : refused) += 1;
    }
  }
  std::printf("%d priced, %d refused\n", priced, refused);
  EXPECT_GT(priced, 10 * refused);
}

}  // namespace
}  // namespace ridgewatt::workload
