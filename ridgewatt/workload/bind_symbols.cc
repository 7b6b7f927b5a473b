#include "ridgewatt/workload/bind_symbols.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"

namespace ridgewatt {
namespace {

// Names that exporters give to the batch extent.
bool names_batch(std::string_view symbol) {
  std::string lower;
  for (const char c : symbol) {
    lower.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
  }
  constexpr std::array<std::string_view, 5> kExact = {"n", "b", "bs", "bsz", "num_samples"};
  return lower.find("batch") != std::string::npos ||
         std::find(kExact.begin(), kExact.end(), lower) != kExact.end();
}

// The name of an extent of an input: its symbol, or "INPUT.AXIS".
std::string extent_name(const Tensor& input, std::size_t axis) {
  if (axis < input.symbols.size() && !input.symbols[axis].empty()) return input.symbols[axis];
  return input.name + "." + std::to_string(axis);
}

class Binder {
 public:
  Binder(Model& model, const InferOptions& options, InferSummary& summary)
      : model_(model), options_(options), summary_(summary) {}

  std::int64_t bind();

 private:
  struct OpenExtent {
    Tensor* input;
    std::size_t axis;
    std::string name;
  };
  void take_concrete_inputs();
  void check_names() const;
  // Axis that holds the batch of a fixed export, or none.
  std::optional<std::size_t> fixed_batch_axis(const Tensor& input) const;
  std::int64_t rebatch_fixed(std::int64_t batch);

  Model& model_;
  const InferOptions& options_;
  InferSummary& summary_;
  std::vector<Tensor*> inputs_;
  std::vector<OpenExtent> open_;
};

void Binder::take_concrete_inputs() {
  if (options_.inputs.size() > model_.graph.inputs.size()) {
    throw UsageError("the model has " + std::to_string(model_.graph.inputs.size()) +
                     " inputs, not " + std::to_string(options_.inputs.size()));
  }
  for (std::size_t i = 0; i < model_.graph.inputs.size(); ++i) {
    Tensor& input = model_.tensors[static_cast<std::size_t>(model_.graph.inputs[i])];
    if (i < options_.inputs.size()) {
      const ValueInfo& given = options_.inputs[i];
      static_cast<ValueInfo&>(input) = given;
      if (input.declared && !input.element) input.element = input.declared->element;
      continue;
    }
    if (input.declared) static_cast<ValueInfo&>(input) = *input.declared;
    inputs_.push_back(&input);
    for (std::size_t axis = 0; input.shape && axis < input.shape->size(); ++axis) {
      if ((*input.shape)[axis] == kUnknownDim) {
        open_.push_back({&input, axis, extent_name(input, axis)});
      }
    }
  }
}

void Binder::check_names() const {
  for (const auto& [name, value] : options_.dims) {
    if (value < 1) throw UsageError("extent " + name + " must be at least 1");
    const bool used = std::any_of(open_.begin(), open_.end(),
                                  [&](const OpenExtent& extent) { return extent.name == name; });
    if (used) continue;
    std::set<std::string> names;
    for (const OpenExtent& extent : open_) names.insert(escape_terminal(extent.name));
    std::string list;
    for (const std::string& known : names) list += (list.empty() ? "" : ", ") + known;
    throw UsageError("the model has no open extent '" + escape_terminal(name) + "'", "",
                     list.empty() ? "all its extents are fixed" : "it has " + list);
  }
}

std::optional<std::size_t> Binder::fixed_batch_axis(const Tensor& input) const {
  if (!input.shape || input.shape->empty()) return std::nullopt;
  // Recurrent layers take [sequence, batch, features] unless their layout says otherwise.
  for (const Node& node : model_.graph.nodes) {
    const bool recurrent = node.op == "LSTM" || node.op == "GRU" || node.op == "RNN";
    if (!recurrent || node.inputs.empty() || node.inputs[0] == kNoTensor) continue;
    if (&model_.tensors[static_cast<std::size_t>(node.inputs[0])] == &input) {
      return node.integer("layout", 0) == 0 ? 1 : 0;
    }
  }
  return 0;
}

// A model exported with a fixed batch: returns that batch and sets the extents to `batch`.
std::int64_t Binder::rebatch_fixed(std::int64_t batch) {
  std::int64_t exported = 0;
  for (Tensor* input : inputs_) {
    const auto axis = fixed_batch_axis(*input);
    if (!axis || *axis >= input->shape->size()) continue;
    const std::int64_t extent = (*input->shape)[*axis];
    if (exported == 0) exported = extent;
    if (extent == exported && extent > 0) (*input->shape)[*axis] = batch;
  }
  return exported == 0 ? batch : exported;
}

std::int64_t Binder::bind() {
  take_concrete_inputs();
  check_names();
  if (options_.batch && *options_.batch < 1) throw UsageError("the batch must be at least 1");
  summary_.batch = options_.batch.value_or(1);

  // The batch: extents named like one, else the first axis of every input where it is open.
  std::set<std::string> batch_names;
  for (const OpenExtent& extent : open_) {
    if (names_batch(extent.name)) batch_names.insert(extent.name);
  }
  for (const OpenExtent& extent : open_) {
    if (batch_names.empty() && extent.axis == 0) batch_names.insert(extent.name);
  }
  if (batch_names.size() == 1 && batch_names.begin()->find('.') != std::string::npos) {
    for (const OpenExtent& extent : open_) {  // unnamed: the first axis of each input
      if (extent.axis == 0) batch_names.insert(extent.name);
    }
  }
  for (const OpenExtent& extent : open_) {
    const bool is_batch = batch_names.count(extent.name) > 0;
    const auto given = options_.dims.find(extent.name);
    std::int64_t value = is_batch ? summary_.batch : 1;
    if (given != options_.dims.end()) {
      value = given->second;
    } else if (!(is_batch && options_.batch)) {
      summary_.assumed[extent.name] = value;
    }
    if (is_batch) summary_.batch = value;
    summary_.bound[extent.name] = value;
    (*extent.input->shape)[extent.axis] = value;
  }
  if (!batch_names.empty()) return summary_.batch;
  if (options_.batch) return rebatch_fixed(*options_.batch);
  for (Tensor* input : inputs_) {
    const auto axis = fixed_batch_axis(*input);
    if (axis && *axis < input->shape->size()) {
      summary_.batch = (*input->shape)[*axis];
      break;
    }
  }
  return summary_.batch;
}

}  // namespace

void bind_known_symbols(Tensor& tensor, const std::map<std::string, std::int64_t>& bound) {
  for (std::size_t axis = 0; tensor.shape && axis < tensor.shape->size(); ++axis) {
    if ((*tensor.shape)[axis] != kUnknownDim || axis >= tensor.symbols.size()) continue;
    const auto found = bound.find(tensor.symbols[axis]);
    if (found != bound.end()) (*tensor.shape)[axis] = found->second;
  }
}

std::int64_t bind_inputs(Model& model, const InferOptions& options, InferSummary& summary) {
  return Binder(model, options, summary).bind();
}

}  // namespace ridgewatt
