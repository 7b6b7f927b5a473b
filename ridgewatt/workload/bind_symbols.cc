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

// An extent that the file leaves open.
struct OpenExtent {
  std::size_t input;  // index into Graph::inputs
  std::size_t axis;
  std::string name;
  bool is_named;
  bool is_batch = false;
};

// The open extents of the inputs that are not given. The batch is what is named like one; else the
// first axis where it is open; where that is unnamed, the first open axis of every input that does
// not begin with a fixed extent of 1.
std::vector<OpenExtent> open_extents(const Model& model, const InferOptions& options) {
  std::vector<OpenExtent> open;
  for (std::size_t i = options.inputs.size(); i < model.graph.inputs.size(); ++i) {
    const Tensor& input = model.tensors[static_cast<std::size_t>(model.graph.inputs[i])];
    if (!input.declared || !input.declared->shape) continue;
    const Shape& shape = *input.declared->shape;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      if (shape[axis] != kUnknownDim) continue;
      const bool is_named = axis < input.symbols.size() && !input.symbols[axis].empty();
      open.push_back({i, axis, extent_name(input, axis), is_named});
    }
  }
  std::set<std::string> batch_names;
  for (const OpenExtent& extent : open) {
    if (extent.is_named && names_batch(extent.name)) batch_names.insert(extent.name);
  }
  if (batch_names.empty()) {
    const auto first = std::find_if(open.begin(), open.end(),
                                    [](const OpenExtent& extent) { return extent.axis == 0; });
    if (first != open.end() && first->is_named) batch_names.insert(first->name);
  }
  std::size_t previous = model.graph.inputs.size();  // input of the extent before
  for (OpenExtent& extent : open) {
    const Tensor& input = model.tensors[static_cast<std::size_t>(model.graph.inputs[extent.input])];
    const bool is_first = extent.input != previous && input.declared->shape->front() != 1;
    extent.is_batch =
        batch_names.empty() ? is_first && !extent.is_named : batch_names.count(extent.name) > 0;
    previous = extent.input;
  }
  return open;
}

void check_names(const std::vector<OpenExtent>& open, const InferOptions& options) {
  for (const auto& given : options.dims) {
    const std::string& name = given.first;
    if (given.second < 1)
      throw UsageError("extent " + escape_terminal(name) + " must be at least 1");
    const bool used = std::any_of(open.begin(), open.end(),
                                  [&](const OpenExtent& extent) { return extent.name == name; });
    if (used) continue;
    std::set<std::string> names;
    for (const OpenExtent& extent : open) names.insert(escape_terminal(extent.name));
    std::string list;
    for (const std::string& known : names) list += (list.empty() ? "" : ", ") + known;
    throw UsageError("the model has no open extent '" + escape_terminal(name) + "'", "",
                     list.empty() ? "all its extents are fixed" : "it has " + list);
  }
}

// Axis that holds the batch of a model that was exported with a fixed one: the first, but for what
// a recurrent layer takes as [sequence, batch, features].
std::size_t fixed_batch_axis(const Model& model, TensorId input) {
  for (const Node& node : model.graph.nodes) {
    const bool recurrent = node.op == "LSTM" || node.op == "GRU" || node.op == "RNN";
    if (recurrent && !node.inputs.empty() && node.inputs[0] == input) {
      return node.integer("layout", 0) == 0 ? 1 : 0;
    }
  }
  return 0;
}

// Returns the batch that the file was exported with and, if asked, puts `batch` in its place.
std::int64_t rebatch(Model& model, std::size_t first, std::optional<std::int64_t> batch) {
  std::int64_t exported = 0;
  for (std::size_t i = first; i < model.graph.inputs.size(); ++i) {
    Tensor& input = model.tensors[static_cast<std::size_t>(model.graph.inputs[i])];
    const std::size_t axis = fixed_batch_axis(model, model.graph.inputs[i]);
    if (!input.shape || axis >= input.shape->size()) continue;
    std::int64_t& extent = (*input.shape)[axis];
    if (exported == 0 && extent > 0) exported = extent;
    if (extent == exported && batch) extent = *batch;
  }
  return exported == 0 ? batch.value_or(1) : exported;
}

}  // namespace

void bind_known_symbols(const std::vector<std::string>& symbols,
                        const std::map<std::string, std::int64_t>& bound, Shape& shape) {
  for (std::size_t axis = 0; axis < std::min(shape.size(), symbols.size()); ++axis) {
    if (shape[axis] != kUnknownDim) continue;
    const auto found = bound.find(symbols[axis]);
    if (found != bound.end()) shape[axis] = found->second;
  }
}

std::vector<std::string> extents_to_assume(const Model& model, const InferOptions& options) {
  std::vector<std::string> names;
  for (const OpenExtent& extent : open_extents(model, options)) {
    const bool given = options.dims.count(extent.name) > 0 || (extent.is_batch && options.batch);
    if (given || std::find(names.begin(), names.end(), extent.name) != names.end()) continue;
    if (!extent.is_batch && model.default_dims.count(extent.name) == 0) {
      names.push_back(extent.name);
    }
  }
  return names;
}

std::int64_t bind_inputs(Model& model, const InferOptions& options, const Assumptions& assumptions,
                         InferSummary& summary) {
  if (options.inputs.size() > model.graph.inputs.size()) {
    throw UsageError("the model has " + std::to_string(model.graph.inputs.size()) +
                     " inputs, not " + std::to_string(options.inputs.size()));
  }
  if (options.batch && *options.batch < 1) throw UsageError("the batch must be at least 1");
  const std::vector<OpenExtent> open = open_extents(model, options);
  check_names(open, options);
  for (std::size_t i = 0; i < model.graph.inputs.size(); ++i) {
    Tensor& input = model.tensors[static_cast<std::size_t>(model.graph.inputs[i])];
    if (i < options.inputs.size()) {
      static_cast<ValueInfo&>(input) = options.inputs[i];
      if (input.declared && !input.element) input.element = input.declared->element;
    } else if (input.declared) {
      static_cast<ValueInfo&>(input) = *input.declared;
    }
  }
  bool has_open_batch = false;
  summary.batch = options.batch.value_or(1);
  for (const OpenExtent& extent : open) {
    const auto given = options.dims.find(extent.name);
    has_open_batch = has_open_batch || extent.is_batch;
    std::int64_t value = summary.batch;
    if (given != options.dims.end()) {
      value = given->second;
      if (extent.is_batch) summary.batch = value;
    } else if (!extent.is_batch || !options.batch) {
      const auto proposed = model.default_dims.find(extent.name);
      const auto size = assumptions.sizes.find(extent.name);
      const bool fixed = extent.is_batch && assumptions.otherwise != kUnknownDim;
      if (!fixed) value = size != assumptions.sizes.end() ? size->second : assumptions.otherwise;
      if (proposed != model.default_dims.end()) value = proposed->second;
      if (value == kUnknownDim) continue;
      summary.assumed[extent.name] = value;
    }
    summary.bound[extent.name] = value;
    Tensor& input = model.tensors[static_cast<std::size_t>(model.graph.inputs[extent.input])];
    (*input.shape)[extent.axis] = value;
  }
  if (has_open_batch) return summary.batch;
  const std::int64_t exported = rebatch(model, options.inputs.size(), options.batch);
  if (!options.batch) summary.batch = exported;
  return exported;
}

}  // namespace ridgewatt
