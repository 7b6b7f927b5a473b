#include "ridgewatt/workload/infer/bind_symbols.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "ridgewatt/base/contains.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/workload/infer/extent_names.h"
#include "ridgewatt/workload/infer/infer_context.h"

namespace ridgewatt::workload {
namespace {

// Name of an extent of an input: its symbol, or "INPUT.AXIS".
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
  bool counts_samples;  // may be the batch
  bool is_batch = false;
};

// True for the bytes of a file that a node decodes, such as a JPEG image.
bool is_encoded(const Model& model, TensorId input) {
  const auto& declared = model.tensors[static_cast<std::size_t>(input)].declared;
  if (!declared || !declared->shape || declared->shape->size() != 1) return false;
  if (data_type_bits(declared->dtype) != 8) return false;
  return std::any_of(model.graph.nodes.begin(), model.graph.nodes.end(), [&](const Node& node) {
    return contains(node.inputs, input) && lower_case(node.op).find("decode") != std::string::npos;
  });
}

// Whether the file allows that the first axis of an output grows with `extent`, which may be open.
bool reaches_output(const Model& model, std::int64_t extent) {
  return std::any_of(model.graph.outputs.begin(), model.graph.outputs.end(), [&](TensorId id) {
    const auto& declared = model.tensors[static_cast<std::size_t>(id)].declared;
    if (!declared || !declared->shape) return true;
    if (declared->shape->empty()) return false;
    const std::int64_t first = declared->shape->front();
    return first == kUnknownDim || (extent > 0 && first % extent == 0);
  });
}

// Returns the open extents of the inputs that are not given. The batch is an extent with a name for
// a batch, otherwise the first open extent on a first axis that may reach an output. If that extent
// is unnamed, the first open axis of each input is the batch, unless the input starts with a fixed
// extent of 1.
std::vector<OpenExtent> open_extents(const Model& model, const InferOptions& options) {
  std::vector<OpenExtent> open;
  for (std::size_t i = options.inputs.size(); i < model.graph.inputs.size(); ++i) {
    const Tensor& input = model.tensors[static_cast<std::size_t>(model.graph.inputs[i])];
    if (!input.declared || !input.declared->shape) continue;
    const Shape& shape = *input.declared->shape;
    const bool encoded = is_encoded(model, model.graph.inputs[i]);
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      if (shape[axis] != kUnknownDim) continue;
      const bool is_named = axis < input.symbols.size() && !input.symbols[axis].empty();
      const std::string name = extent_name(input, axis);
      open.push_back({i, axis, name, is_named, !encoded && !(is_named && names_side(name))});
    }
  }
  std::set<std::string> batch_names;
  for (const OpenExtent& extent : open) {
    if (extent.is_named && extent.counts_samples && names_batch(extent.name)) {
      batch_names.insert(extent.name);
    }
  }
  if (batch_names.empty()) {
    if (!reaches_output(model, kUnknownDim)) return open;
    const auto first = std::find_if(open.begin(), open.end(), [](const OpenExtent& extent) {
      return extent.axis == 0 && extent.counts_samples;
    });
    if (first != open.end() && first->is_named) batch_names.insert(first->name);
  }
  std::size_t previous = model.graph.inputs.size();  // input of the previous extent
  for (OpenExtent& extent : open) {
    const Tensor& input = model.tensors[static_cast<std::size_t>(model.graph.inputs[extent.input])];
    const bool is_first =
        extent.input != previous && extent.counts_samples && input.declared->shape->front() != 1;
    extent.is_batch =
        batch_names.empty() ? is_first && !extent.is_named : batch_names.count(extent.name) > 0;
    previous = extent.input;
  }
  return open;
}

// Returns the number of channels that a convolution of the input needs; 0 if none reads it.
std::int64_t channels_of_input(const Model& model, TensorId input) {
  for (const Node& node : model.graph.nodes) {
    const bool quantized = node.op == "QLinearConv";
    const std::size_t at = quantized ? 3 : 1;  // operand of the weights
    if (!quantized && node.op != "Conv" && node.op != "ConvInteger") continue;
    if (node.inputs.size() <= at || node.inputs.front() != input) continue;
    if (node.inputs[at] == kNoTensor) continue;
    const Tensor& weights = model.tensors[static_cast<std::size_t>(node.inputs[at])];
    if (weights.role != TensorRole::kInitializer || !weights.shape) continue;
    const std::int64_t groups = node.integer("group", 1);
    if (weights.shape->size() < 3 || (*weights.shape)[1] < 1 || groups < 1) continue;
    return multiply_extents((*weights.shape)[1], groups);
  }
  return 0;
}

// Returns the extents that the user gave or that weights determine: the channels of an image.
ExtentValues given_extents(const Model& model, const std::vector<OpenExtent>& open,
                           const InferOptions& options) {
  ExtentValues values = options.dims;
  for (const OpenExtent& extent : open) {
    if (extent.axis != 1 || extent.is_batch || values.contains(extent.name)) continue;
    const std::int64_t channels = channels_of_input(model, model.graph.inputs[extent.input]);
    if (channels > 0) values[extent.name] = channels;
  }
  return values;
}

// True for extents that follow from others: sums, and the total of past and new tokens.
bool is_derived(const std::string& name, const TokenLengths& lengths) {
  return is_expression(name) || (lengths.related() && name == lengths.total);
}

// If no name denotes the new tokens, their number is the axis after the batch of the first input
// with token numbers or embeddings.
TokenLengths token_lengths(const Model& model, const std::vector<OpenExtent>& open) {
  TokenLengths lengths;
  for (const OpenExtent& extent : open) {
    if (!extent.is_named) continue;
    if (lengths.past.empty() && names_past(extent.name)) lengths.past = extent.name;
    if (lengths.total.empty() && names_total(extent.name)) lengths.total = extent.name;
    if (lengths.tokens.empty() && names_tokens(extent.name)) lengths.tokens = extent.name;
  }
  if (!lengths.tokens.empty()) return lengths;
  for (const TensorId id : model.graph.inputs) {
    const Tensor& input = model.tensors[static_cast<std::size_t>(id)];
    if (!input.name.starts_with("input") || !input.declared || !input.declared->shape) continue;
    const Shape& shape = *input.declared->shape;
    if (shape.size() < 2 || shape[1] == kUnknownDim) continue;
    lengths.fixed_tokens = shape[1];
    break;
  }
  return lengths;
}

void check_names(const Model& model, const std::vector<OpenExtent>& open,
                 const InferOptions& options) {
  for (const auto& [name, value] : options.dims) {
    const auto used =
        std::find_if(open.begin(), open.end(),
                     [&wanted = name](const OpenExtent& extent) { return extent.name == wanted; });
    const bool is_batch = used != open.end() && used->is_batch;
    if (value < 0 || (value == 0 && is_batch)) {
      throw UsageError("dimension " + escape_terminal(name) + " must be at least " +
                       (is_batch ? "1" : "0"));
    }
    if (is_batch && options.batch && *options.batch != value) {
      throw UsageError(fmt::format("dimension {} is the batch, which is {}, not {}",
                                   escape_terminal(name), *options.batch, value),
                       "", fmt::format("set it with --batch {}", value));
    }
    const auto multiple = model.dim_multiples.find(name);
    if (multiple != model.dim_multiples.end() && (value == 0 || value % multiple->second != 0)) {
      throw UsageError(fmt::format("dimension {} must be a positive multiple of {}, but is {}",
                                   escape_terminal(name), multiple->second, value));
    }
    if (used != open.end()) continue;
    const auto of_bodies = symbols_of_bodies(model);
    if (contains(of_bodies, name)) continue;
    std::set<std::string> names(of_bodies.begin(), of_bodies.end());
    for (const OpenExtent& extent : open) names.insert(extent.name);
    std::string list;
    for (const std::string& known : names) {
      list += (list.empty() ? "" : ", ") + escape_terminal(known);
    }
    throw UsageError("the model has no symbolic dimension '" + escape_terminal(name) + "'", "",
                     list.empty() ? "all its dimensions are fixed" : "it has " + list);
  }
}

// Axis of the batch in a model that was exported with a fixed batch. It is the first axis, except
// in the [sequence, batch, features] input of a recurrent layer.
std::size_t fixed_batch_axis(const Model& model, TensorId input) {
  for (const Node& node : model.graph.nodes) {
    const bool recurrent = node.op == "LSTM" || node.op == "GRU" || node.op == "RNN";
    if (recurrent && !node.inputs.empty() && node.inputs[0] == input) {
      return node.integer("layout", 0) == 0 ? 1 : 0;
    }
  }
  return 0;
}

// Returns the batch with which the file was exported; 0 if no axis of the inputs is the batch. The
// batch is the first axis of the first input, if an output or another input can share it.
std::int64_t exported_batch(const Model& model, std::size_t first) {
  std::int64_t exported = 0;
  int inputs = 0;  // that share the extent
  for (std::size_t i = first; i < model.graph.inputs.size(); ++i) {
    const TensorId id = model.graph.inputs[i];
    const auto& declared = model.tensors[static_cast<std::size_t>(id)].declared;
    const std::size_t axis = fixed_batch_axis(model, id);
    if (!declared || !declared->shape || axis >= declared->shape->size()) continue;
    const std::int64_t extent = (*declared->shape)[axis];
    if (extent < 1 || is_encoded(model, id)) continue;
    if (exported == 0 && (axis > 0 || extent == 1)) return extent;
    if (exported == 0) exported = extent;
    inputs += extent == exported ? 1 : 0;
  }
  return inputs > 1 || reaches_output(model, exported) ? exported : 0;
}

// Replaces the batch with which the file was exported.
void rebatch(Model& model, std::size_t first, std::int64_t exported, std::int64_t batch) {
  for (std::size_t i = first; i < model.graph.inputs.size(); ++i) {
    const TensorId id = model.graph.inputs[i];
    Tensor& input = model.tensors[static_cast<std::size_t>(id)];
    const std::size_t axis = fixed_batch_axis(model, id);
    if (!input.shape || axis >= input.shape->size() || is_encoded(model, id)) continue;
    std::int64_t& extent = (*input.shape)[axis];
    if (extent == exported) extent = batch;
  }
}

void collect_body_symbols(const Model& model, const Graph& graph, std::set<std::string>& names) {
  for (const Node& node : graph.nodes) {
    for (const Graph& body : node.subgraphs) {
      for (const TensorId id : body.inputs) {
        for (const auto& symbol : model.tensors[static_cast<std::size_t>(id)].symbols) {
          if (!symbol.empty()) names.insert(symbol);
        }
      }
      collect_body_symbols(model, body, names);
    }
  }
}

// Chooses the values of open extents. Extents that stay open are missing. `assumed`: receives the
// names of the extents that were not given.
ExtentValues choose_values(const Model& model, const std::vector<OpenExtent>& open,
                           const InferOptions& options, const Assumptions& assumptions,
                           std::set<std::string>& assumed) {
  ExtentValues values;
  const ExtentValues known = given_extents(model, open, options);
  std::optional<std::int64_t> batch = options.batch;
  for (const OpenExtent& extent : open) {
    const auto given = known.find(extent.name);
    if (given != known.end()) {
      values[extent.name] = given->second;
      if (extent.is_batch) batch = given->second;
    } else if (extent.is_batch && !extent.is_named && assumptions.leading > 0) {
      values[extent.name] = assumptions.leading;
      assumed.insert(extent.name);
    } else if (extent.is_batch && batch) {
      values[extent.name] = *batch;
    } else {
      const auto proposed = model.default_dims.find(extent.name);
      const auto size = assumptions.sizes.find(extent.name);
      std::int64_t value = size != assumptions.sizes.end() ? size->second : assumptions.otherwise;
      if (extent.is_batch && assumptions.otherwise != kUnknownDim) value = 1;
      if (proposed != model.default_dims.end()) value = proposed->second;
      if (value == kUnknownDim) continue;
      values[extent.name] = value;
      assumed.insert(extent.name);
    }
  }
  if (!assumptions.relate_lengths) return values;
  const TokenLengths lengths = token_lengths(model, open);
  const auto has = [&](const std::string& name) { return name.empty() || values.contains(name); };
  if (lengths.related() && has(lengths.past) && has(lengths.total) && has(lengths.tokens)) {
    relate_lengths(lengths, options.dims, values);
    if (options.dims.contains(lengths.total)) {
      assumed.erase(options.dims.contains(lengths.past) ? lengths.tokens : lengths.past);
    }
  }
  for (const OpenExtent& extent : open) {
    if (options.dims.contains(extent.name) || !is_derived(extent.name, lengths)) continue;
    const auto sum = evaluate_extent(extent.name, values);
    if (sum) values[extent.name] = *sum;
    if (sum || !is_expression(extent.name)) assumed.erase(extent.name);
  }
  return values;
}

}  // namespace

bool leaves_batch_open(const Model& model) {
  const std::vector<OpenExtent> open = open_extents(model, {});
  return std::any_of(open.begin(), open.end(),
                     [](const OpenExtent& extent) { return extent.is_batch; });
}

std::optional<std::int64_t> fixed_batch(const Model& model) {
  const std::int64_t exported = leaves_batch_open(model) ? 0 : exported_batch(model, 0);
  return exported > 0 ? std::optional(exported) : std::nullopt;
}

void bind_known_symbols(const std::vector<std::string>& symbols,
                        const std::map<std::string, std::int64_t>& bound, Shape& shape) {
  for (std::size_t axis = 0; axis < std::min(shape.size(), symbols.size()); ++axis) {
    if (shape[axis] != kUnknownDim) continue;
    const auto found = bound.find(symbols[axis]);
    if (found != bound.end()) {
      shape[axis] = found->second;
    } else if (const auto sum = evaluate_extent(symbols[axis], bound)) {
      shape[axis] = *sum;
    }
  }
}

bool has_unnamed_batch(const Model& model, const InferOptions& options) {
  const std::vector<OpenExtent> open = open_extents(model, options);
  return std::any_of(open.begin(), open.end(), [&](const OpenExtent& extent) {
    return extent.is_batch && !extent.is_named && !options.dims.contains(extent.name);
  });
}

std::vector<std::string> symbols_of_bodies(const Model& model) {
  std::set<std::string> names;
  collect_body_symbols(model, model.graph, names);
  return {names.begin(), names.end()};
}

std::vector<std::string> extents_not_given(const Model& model, const InferOptions& options) {
  std::vector<std::string> names;
  const std::vector<OpenExtent> open = open_extents(model, options);
  const TokenLengths lengths = token_lengths(model, open);
  const ExtentValues known = given_extents(model, open, options);
  for (const OpenExtent& extent : open) {
    const bool given = known.contains(extent.name) || (extent.is_batch && options.batch);
    if (given || is_derived(extent.name, lengths)) continue;
    if (!contains(names, extent.name)) {
      names.push_back(extent.name);
    }
  }
  return names;
}

std::vector<std::string> extents_to_assume(const Model& model, const InferOptions& options) {
  std::vector<std::string> names = extents_not_given(model, options);
  const std::vector<OpenExtent> open = open_extents(model, options);
  std::erase_if(names, [&](const std::string& name) {
    return model.default_dims.contains(name) ||
           std::any_of(open.begin(), open.end(), [&](const OpenExtent& extent) {
             return extent.is_batch && extent.name == name;
           });
  });
  return names;
}

std::int64_t bind_inputs(Model& model, const InferOptions& options, const Assumptions& assumptions,
                         InferSummary& summary) {
  if (options.inputs.size() > model.graph.inputs.size()) {
    throw UsageError("the model has " + std::to_string(model.graph.inputs.size()) +
                     " inputs, but " + std::to_string(options.inputs.size()) + " are given");
  }
  if (options.batch && *options.batch < 1) throw UsageError("the batch must be at least 1");
  const std::vector<OpenExtent> open = open_extents(model, options);
  check_names(model, open, options);
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
  summary.bound_by_user = options.dims;
  summary.bound = options.dims;  // includes extents of bodies
  std::set<std::string> assumed;
  const ExtentValues values = choose_values(model, open, options, assumptions, assumed);
  for (const OpenExtent& extent : open) {
    has_open_batch = has_open_batch || extent.is_batch;
    const auto value = values.find(extent.name);
    if (value == values.end()) {
      if (!contains(summary.open, extent.name)) {
        summary.open.push_back(extent.name);
      }
      continue;
    }
    if (extent.is_batch && options.dims.contains(extent.name)) summary.batch = value->second;
    if (assumed.contains(extent.name)) {
      summary.assumed[extent.name] = value->second;
      if (!extent.is_batch && !model.default_dims.contains(extent.name)) {
        summary.guessed.insert(extent.name);
      }
    }
    summary.bound[extent.name] = value->second;
    Tensor& input = model.tensors[static_cast<std::size_t>(model.graph.inputs[extent.input])];
    (*input.shape)[extent.axis] = value->second;
  }
  if (has_open_batch) return summary.batch;
  const std::int64_t exported = exported_batch(model, options.inputs.size());
  if (exported > 0) {
    if (!options.batch) summary.batch = exported;
    rebatch(model, options.inputs.size(), exported, summary.batch);
    return exported;
  }
  if (summary.batch > 1 && options.inputs.empty()) {
    throw UsageError("the model has no batch: each run takes one sample", "",
                     "omit the batch, or export the model with a batch axis");
  }
  return summary.batch;
}

}  // namespace ridgewatt::workload
