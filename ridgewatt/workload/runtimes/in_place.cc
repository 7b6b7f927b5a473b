#include "ridgewatt/workload/runtimes/in_place.h"
#include "ridgewatt/base/contains.h"

#include <algorithm>
#include <set>

namespace ridgewatt::workload {
namespace {

class Concatenator {
 public:
  Concatenator(ExecutionPlan& plan, const RuntimeRules& rules, std::vector<Group>& groups)
      : plan_(plan), rules_(rules), groups_(groups), graph_(plan) {
    writers_.resize(plan.steps.size());
    for (const Group& group : groups) {
      const bool convolves = group.head().op_class == OpClass::kConv;
      for (const Unit& unit : group.units) {
        for (const int step : unit.steps) {
          writers_[at(step)] = {group.chain, group.has_residual && convolves,
                                group.head().op_class};
        }
      }
    }
  }

  InPlace run() {
    std::vector<Group> left;
    for (Group& group : groups_) {
      const int step = group.head().steps.front();
      if (!is_candidate(group) || !dissolve(step, static_cast<int>(left.size()))) {
        left.push_back(std::move(group));
      }
    }
    groups_ = std::move(left);
    alias();
    return std::move(result_);
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  // Properties of the kernel of a step.
  struct Writer {
    const Chain* chain = nullptr;
    bool adds_residual = false;
    OpClass op_class = OpClass::kOther;
  };

  bool is_candidate(const Group& group) const {
    if (group.units.size() != 1 || group.head().op != "Concat") return false;
    const Step& step = plan_.steps[at(group.head().steps.front())];
    if (step.count != 1 || graph_.result(step) != step.node->outputs[0]) return false;
    if (rules_.concats == Concats::kFromPointwise) return true;
    const auto& shape = plan_.tensor(step.node->outputs[0]).shape;
    constexpr std::size_t kImageRank = 4;
    return shape && shape->size() == kImageRank && step.node->integer("axis", 0) == 1;
  }

  bool dissolve(int index, int before) {
    Step& step = plan_.steps[at(index)];
    const TensorId out = step.node->outputs[0];
    std::vector<TensorId> placed;
    std::vector<TensorId> copied;
    for (const TensorId in : step.node->inputs) {
      const bool fits = can_be_written(in, index) && !contains(placed, in);
      (fits ? placed : copied).push_back(in);
    }
    if (placed.empty() && rules_.concats == Concats::kFromPointwise) return false;
    for (const TensorId in : placed) targets_.emplace_back(in, out);
    taken_.insert(placed.begin(), placed.end());
    add_copies(index, before, copied);
    step.kind = StepKind::kView;
    result_.kept.push_back(out);
    return true;
  }

  void add_copies(int index, int before, const std::vector<TensorId>& copied) {
    const Node& node = *plan_.steps[at(index)].node;
    const bool together = rules_.concats == Concats::kFromPointwise;
    for (const TensorId in : copied) {
      if (!plan_.is_constant(in)) result_.kept.push_back(plan_.root(in));
      if (together && in != copied.front()) {
        result_.copies.back().elements += graph_.elements(in);
        continue;
      }
      const std::string& name = together ? node.name : plan_.tensor(in).name;
      result_.copies.push_back({.before = before,
                                .step = index,
                                .name = together ? name : name + " copy",
                                .source = in,
                                .target = node.outputs[0],
                                .elements = graph_.elements(in)});
    }
  }

  // True if the tensor's producer can write it as a part of the concatenation and all other readers
  // can read it there.
  bool can_be_written(TensorId in, int concat) const {
    if (plan_.root(in) != in || graph_.is_result(in) || taken_.contains(in)) return false;
    const int producer = graph_.producer(in);
    if (producer < 0 || plan_.steps[at(producer)].count != 1) return false;
    const Writer& writer = writers_[at(producer)];
    if (writer.chain == nullptr || !writer.chain->writes_parts) return false;
    if (rules_.concats == Concats::kFromPointwise) return true;
    if (writer.adds_residual) return false;  // a sum has the same strides as its residual
    const auto& users = graph_.users(in);
    return std::all_of(users.begin(), users.end(),
                       [&](int user) { return user == concat || reads_parts(user); });
  }

  // Convolutions and pointwise kernels read with strides. Pooling and resizing need whole tensors.
  bool reads_parts(int user) const {
    const OpClass op_class = writers_[at(user)].op_class;
    return op_class == OpClass::kConv || op_class == OpClass::kDepthwiseConv ||
           op_class == OpClass::kElementwise || op_class == OpClass::kNormalization;
  }

  void alias() {
    for (const auto& [part, whole] : targets_) {
      for (TensorId& root : plan_.storage) {
        if (root == part) root = whole;
      }
    }
  }

  ExecutionPlan& plan_;
  const RuntimeRules& rules_;
  std::vector<Group>& groups_;
  ValueGraph graph_;
  std::vector<Writer> writers_;                         // by step
  std::vector<std::pair<TensorId, TensorId>> targets_;  // (part, whole)
  std::set<TensorId> taken_;
  InPlace result_;
};

}  // namespace

InPlace write_in_place(ExecutionPlan& plan, const RuntimeRules& rules, std::vector<Group>& groups) {
  if (rules.concats == Concats::kKernels) return {};
  return Concatenator(plan, rules, groups).run();
}

}  // namespace ridgewatt::workload
