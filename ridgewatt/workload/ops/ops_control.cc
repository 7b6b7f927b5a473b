// Control flow. The bodies are inferred, too.
#include <algorithm>

#include "ridgewatt/base/error.h"
#include "ridgewatt/workload/infer/infer_context.h"

namespace ridgewatt::workload {
namespace {

// Maximum number of iterations that are followed one by one. Longer loops are summarized.
constexpr std::int64_t kMaxIterations = 64;

std::vector<ValueInfo> results_of(InferContext& c, const Graph& body) {
  std::vector<ValueInfo> results;
  for (const TensorId output : body.outputs) results.push_back(c.value(output));
  return results;
}

// Branches can use the tensors of outer graphs. If a branch nevertheless has inputs, the node
// passes them after the condition; otherwise, the types that the branch declares apply.
void set_branch_inputs(InferContext& c, const Graph& body) {
  const bool passed = c.input_count() == body.inputs.size() + 1;
  for (std::size_t i = 0; i < body.inputs.size(); ++i) {
    const TensorId id = body.inputs[i];
    c.value(id) =
        passed && c.has_input(i + 1) ? c.with_declared(id, c.input(i + 1)) : c.declared_alone(id);
  }
}

// Runs the branch. Returns nothing if its shapes contradict the inputs, so it cannot be taken.
std::optional<std::vector<ValueInfo>> try_branch(InferContext& c, Graph& body) {
  try {
    set_branch_inputs(c, body);
    c.run(body);
  } catch (const InputError&) {
    if (!c.may_drop_branches()) throw;
    return std::nullopt;
  }
  return results_of(c, body);
}

void take(InferContext& c, Graph& body) {
  c.mutable_node().taken_branch = static_cast<int>(&body - c.mutable_node().subgraphs.data());
  set_branch_inputs(c, body);
  c.run(body);
  auto results = results_of(c, body);
  for (std::size_t i = 0; i < results.size(); ++i) c.set(i, std::move(results[i]));
}

void branch(InferContext& c) {
  Graph* then_branch = c.mutable_node().subgraph("then_branch");
  Graph* else_branch = c.mutable_node().subgraph("else_branch");
  if (then_branch == nullptr || else_branch == nullptr)
    c.fail("the attribute then_branch or else_branch is missing");
  if (const auto condition = c.known_int(0)) {
    return take(c, *condition != 0 ? *then_branch : *else_branch);
  }
  const auto first = try_branch(c, *then_branch);
  const auto second = try_branch(c, *else_branch);
  if (!first) return take(c, *else_branch);
  if (!second) return take(c, *then_branch);
  for (std::size_t i = 0; i < std::min(first->size(), second->size()); ++i) {
    c.set(i, join((*first)[i], (*second)[i]));
  }
}

ValueInfo scalar(DataType type, std::optional<std::int64_t> value) {
  ValueInfo info;
  info.dtype = type;
  info.shape = Shape{};
  if (value) info.constant = std::make_shared<const Constant>(Constant{{*value}, {}, {}});
  return info;
}

std::optional<std::int64_t> content_of(const ValueInfo& value) {
  if (!value.constant || value.constant->ints.size() != 1) return std::nullopt;
  if (value.constant->ints[0] == kUnknownInt) return std::nullopt;
  return value.constant->ints[0];
}

// Stacks the results of all iterations in one tensor along `axis`.
ValueInfo stacked(const InferContext& c, const ValueInfo& each, std::int64_t count,
                  std::int64_t axis) {
  ValueInfo result;
  result.dtype = each.dtype;
  if (each.shape) {
    result.shape = each.shape;
    const std::size_t at = c.axis(axis, each.shape->size() + 1);
    result.shape->insert(result.shape->begin() + static_cast<std::ptrdiff_t>(at), count);
  }
  return result;
}

// Loop(M, cond, carried...) -> carried..., scanned...; the body maps (iteration, cond, carried...)
// to (cond, carried..., scanned...).
class Loop {
 public:
  explicit Loop(InferContext& c) : c_(c), body_(*body_of(c)) {
    carried_count_ = c.input_count() > 2 ? c.input_count() - 2 : 0;
    if (body_.inputs.size() != carried_count_ + 2 || body_.outputs.size() < carried_count_ + 1) {
      c.fail("the subgraph 'body' does not have the right number of inputs or outputs");
    }
    for (std::size_t i = 0; i < carried_count_; ++i) {
      initial_.push_back(c.has_input(i + 2) ? static_cast<const ValueInfo&>(c.input(i + 2))
                                            : ValueInfo{});
    }
    trip_ = c.known_int(0);
    condition_ = c.has_input(1) ? c.known_int(1) : std::optional<std::int64_t>(1);
  }

  void infer() {
    if (!follow()) summarize();
  }

 private:
  static Graph* body_of(InferContext& c) {
    Graph* body = c.mutable_node().subgraph("body");
    if (body == nullptr) c.fail("the attribute 'body' is missing");
    return body;
  }

  // A scalar, or a vector of one element if the body declares a vector.
  ValueInfo one_value(TensorId input, DataType type, std::optional<std::int64_t> value) const {
    ValueInfo info = scalar(type, value);
    const auto& declared = c_.model().tensors[static_cast<std::size_t>(input)].declared;
    if (declared && declared->shape && declared->shape->size() == 1) info.shape = Shape{1};
    return info;
  }

  std::vector<ValueInfo> run_body(const std::vector<ValueInfo>& carried,
                                  std::optional<std::int64_t> iteration,
                                  std::optional<std::int64_t> condition) {
    c_.value(body_.inputs[0]) = one_value(body_.inputs[0], DataType::kInt64, iteration);
    c_.value(body_.inputs[1]) = one_value(body_.inputs[1], DataType::kBool, condition);
    for (std::size_t i = 0; i < carried_count_; ++i) {
      c_.value(body_.inputs[i + 2]) = c_.with_declared(body_.inputs[i + 2], carried[i]);
    }
    c_.run(body_);
    return results_of(c_, body_);
  }

  void finish(const std::vector<ValueInfo>& carried, const std::vector<ValueInfo>& scanned,
              std::optional<std::int64_t> count) {
    for (std::size_t i = 0; i < carried_count_; ++i) c_.set(i, carried[i]);
    for (std::size_t i = 0; i < scanned.size(); ++i) {
      c_.set(carried_count_ + i, stacked(c_, scanned[i], count.value_or(kUnknownDim), 0));
    }
    c_.mutable_node().trip_count = count;
  }

  // Follows the loop iteration by iteration. False if the end is unknown or there are too many.
  bool follow() {
    if (!condition_ || (c_.has_input(0) && !trip_)) return false;
    if (trip_ && *trip_ > kMaxIterations) return false;
    std::vector<ValueInfo> carried = initial_;
    std::vector<ValueInfo> scanned;
    std::int64_t iteration = 0;
    std::int64_t condition = *condition_;
    while (condition != 0 && (!trip_ || iteration < *trip_)) {
      if (iteration >= kMaxIterations || !c_.may_follow_loops()) return false;
      std::vector<ValueInfo> results = run_body(carried, iteration, condition);
      const auto next = content_of(results[0]);
      if (!next && !(trip_ && iteration + 1 == *trip_)) return false;
      condition = next.value_or(1);
      for (std::size_t i = 0; i < carried_count_; ++i) carried[i] = results[i + 1];
      const std::vector<ValueInfo> rows(
          results.begin() + static_cast<std::ptrdiff_t>(carried_count_) + 1, results.end());
      for (std::size_t i = 0; i < rows.size(); ++i) {
        if (iteration == 0) {
          scanned.push_back(rows[i]);
        } else {
          scanned[i] = join(scanned[i], rows[i]);
        }
      }
      ++iteration;
    }
    if (iteration == 0) scanned = shapes_without_iteration();
    finish(carried, scanned, iteration);
    return true;
  }

  std::vector<ValueInfo> shapes_without_iteration() {
    const std::vector<ValueInfo> results = run_body(initial_, std::nullopt, std::nullopt);
    return {results.begin() + static_cast<std::ptrdiff_t>(carried_count_) + 1, results.end()};
  }

  // Finds what holds in any iteration: joins the carried values until nothing changes.
  void summarize() {
    std::vector<ValueInfo> carried = initial_;
    std::vector<ValueInfo> results;
    for (int round = 0;; ++round) {
      results = run_body(carried, std::nullopt, round == 0 ? condition_ : std::nullopt);
      bool changed = false;
      for (std::size_t i = 0; i < carried_count_; ++i) {
        ValueInfo joined = join(carried[i], results[i + 1]);
        if (round >= 3) {  // changes in each iteration
          joined.shape.reset();
          joined.constant = nullptr;
        }
        if (!same_info(joined, carried[i])) changed = true;
        carried[i] = std::move(joined);
      }
      if (!changed || round >= 6) break;
    }
    results = run_body(carried, std::nullopt, std::nullopt);
    // The loop runs all its iterations if the body never changes a true condition.
    std::optional<std::int64_t> count;
    const TensorId condition = body_.outputs[0];
    const bool never_stops = content_of(results[0]).value_or(0) != 0 ||
                             condition == body_.inputs[1] || passes_condition(condition);
    if (trip_ && condition_.value_or(0) != 0 && never_stops) {
      count = std::max<std::int64_t>(*trip_, 0);
    }
    const std::vector<ValueInfo> scanned(
        results.begin() + static_cast<std::ptrdiff_t>(carried_count_) + 1, results.end());
    finish(carried, scanned, count);
  }

  bool passes_condition(TensorId condition) const {
    return std::any_of(body_.nodes.begin(), body_.nodes.end(), [&](const Node& node) {
      return node.op == "Identity" && !node.outputs.empty() && node.outputs[0] == condition &&
             !node.inputs.empty() && node.inputs[0] == body_.inputs[1];
    });
  }

  InferContext& c_;
  Graph& body_;
  std::size_t carried_count_ = 0;
  std::vector<ValueInfo> initial_;
  std::optional<std::int64_t> trip_;
  std::optional<std::int64_t> condition_;
};

void loop(InferContext& c) {
  Loop(c).infer();
}

// Scan(state..., sequences...) -> state..., sequences...: the body reads one element of each
// sequence. In opset 8, axes start with the batch, and inputs start with sequence_lens.
void scan(InferContext& c) {
  Graph* body = c.mutable_node().subgraph("body");
  if (body == nullptr) c.fail("the attribute 'body' is missing");
  const std::int64_t declared = c.node().integer("num_scan_inputs", 0);
  const bool batched = c.opset() < 9;
  const std::size_t first = batched ? 1 : 0;
  if (declared < 1 || c.input_count() < first + static_cast<std::size_t>(declared) ||
      body->inputs.size() != c.input_count() - first) {
    c.fail("the subgraph 'body' does not have the right number of inputs or outputs");
  }
  const std::size_t scans = static_cast<std::size_t>(declared);
  const std::size_t states = body->inputs.size() - scans;
  if (body->outputs.size() < states) c.fail("the subgraph 'body' has too few outputs");
  const auto list = [&](std::string_view name, std::size_t i) {
    const auto* values = c.node().integers(name);
    return values != nullptr && i < values->size() ? (*values)[i] : 0;
  };
  std::int64_t batch = kUnknownDim;
  const auto strip_batch = [&](ValueInfo value) {
    value.constant = nullptr;
    if (batched && value.shape && !value.shape->empty()) {
      batch = value.shape->front();
      value.shape->erase(value.shape->begin());
    }
    return value;
  };
  std::int64_t steps = kUnknownDim;
  std::vector<ValueInfo> elements;
  for (std::size_t i = 0; i < scans; ++i) {
    ValueInfo value = strip_batch(c.input(first + states + i));
    if (value.shape) {
      const std::size_t axis = c.axis(list("scan_input_axes", i), value.shape->size());
      steps = merge_extents(steps, (*value.shape)[axis]);
      value.shape->erase(value.shape->begin() + static_cast<std::ptrdiff_t>(axis));
    }
    elements.push_back(std::move(value));
  }
  std::vector<ValueInfo> state;
  for (std::size_t i = 0; i < states; ++i) state.push_back(strip_batch(c.input(first + i)));
  std::vector<ValueInfo> results;
  for (int round = 0; round < 4; ++round) {
    for (std::size_t i = 0; i < body->inputs.size(); ++i) {
      c.value(body->inputs[i]) =
          c.with_declared(body->inputs[i], i < states ? state[i] : elements[i - states]);
    }
    c.run(*body);
    results = results_of(c, *body);
    bool changed = false;
    for (std::size_t i = 0; i < states; ++i) {
      ValueInfo joined = join(state[i], results[i]);
      changed = changed || !same_info(joined, state[i]);
      state[i] = std::move(joined);
    }
    if (!changed) break;
  }
  if (steps != kUnknownDim) c.mutable_node().trip_count = steps;
  const auto add_batch = [&](ValueInfo value) {
    value.constant = nullptr;
    if (batched && value.shape) value.shape->insert(value.shape->begin(), batch);
    return value;
  };
  for (std::size_t i = 0; i < results.size(); ++i) {
    c.set(i, add_batch(i < states
                           ? state[i]
                           : stacked(c, results[i], steps, list("scan_output_axes", i - states))));
  }
}

constexpr OpEntry kControlOps[] = {
    {.name = "If", .shape = branch},
    {.name = "Loop", .shape = loop},
    {.name = "Scan", .shape = scan},
};

}  // namespace

std::span<const OpEntry> control_ops() {
  return kControlOps;
}

}  // namespace ridgewatt::workload
