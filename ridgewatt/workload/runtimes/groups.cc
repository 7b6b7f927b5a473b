#include "ridgewatt/workload/runtimes/groups.h"

#include <algorithm>

#include "ridgewatt/base/contains.h"
#include "ridgewatt/workload/runtimes/siblings.h"

namespace ridgewatt::workload {
namespace {

constexpr std::size_t kImageRank = 4;       // batch, channels, height, width
constexpr std::int64_t kImageChannels = 4;  // red, green, blue and one channel of padding

bool matches_unit(const Unit& unit, std::string_view ops) {
  if (unit.fusion == Fusion::kPointwise && is_among("@pointwise", ops)) return true;
  if (unit.fusion == Fusion::kRowwise && is_among("@rows", ops)) return true;
  return is_among(unit.op, ops);
}

class Grouper {
 public:
  Grouper(const ValueGraph& graph, const RuntimeRules& rules, unsigned width,
          const Siblings& siblings)
      : graph_(graph), plan_(graph.plan()), rules_(rules), width_(width), siblings_(siblings) {
    group_of_.assign(plan_.steps.size(), -1);
  }

  std::vector<Group> run(std::vector<Unit> units) {
    unit_of_.assign(plan_.steps.size(), -1);
    for (std::size_t u = 0; u < units.size(); ++u) {
      for (const int step : units[u].steps) unit_of_[at(step)] = static_cast<int>(u);
    }
    all_ = &units;
    for (const Unit& unit : units) place(unit);
    return std::move(groups_);
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  const Step& step(int i) const { return plan_.steps[at(i)]; }

  void place(const Unit& unit) {
    int group = latest_producer(unit);
    if (group < 0 || !join(groups_[at(group)], group, unit)) {
      group = static_cast<int>(groups_.size());
      groups_.push_back(start(unit));
    }
    for (const int s : unit.steps) group_of_[at(s)] = group;
  }

  template <typename Visit>
  void for_inputs(const Unit& unit, Visit visit) const {
    for (const int s : unit.steps) {
      for (const TensorId in : step(s).node->inputs) {
        if (in == kNoTensor) continue;
        const TensorId value = graph_.value(step(s), in);
        const int producer = graph_.producer(value);
        const bool inside = producer >= 0 && contains(unit.steps, producer);
        if (!inside && !plan_.is_constant(in)) visit(value, producer);
      }
    }
  }

  int latest_producer(const Unit& unit) const {
    int latest = -1;
    for_inputs(unit, [&](TensorId, int producer) {
      if (producer >= 0) latest = std::max(latest, group_of_[at(producer)]);
    });
    return latest;
  }

  Group start(const Unit& unit) const {
    const int first = unit.steps.front();
    Group group{.units = {unit}, .scope = step(first).scope};
    for (const Chain& chain : rules_.chains) {
      if ((chain.widths & width_) == 0 || !matches_unit(unit, chain.head)) continue;
      if (!applies(chain.when, unit) || (chain.reals && step(first).quantized)) continue;
      group.chain = &chain;
      break;
    }
    const bool rows = unit.fusion == Fusion::kRowwise;
    const TensorId grid = rows ? step(first).node->inputs[0] : result(unit);
    if (grid != kNoTensor) group.elements = graph_.elements(grid);
    if (rows) group.row_length = last_extent(grid);
    return group;
  }

  bool applies(When when, const Unit& unit) const {
    const Step& head = step(unit.steps.front());
    const auto& inputs = head.node->inputs;
    switch (when) {
      case When::kAlways:
        return true;
      case When::kFewChannels:
        return reads_image(plan_, head);
      case When::kDepthwise:
        return is_depthwise(plan_, head);
      case When::kSibling:
        return siblings_.has(unit.steps.front());
      case When::kWeights:
      case When::kActivations: {
        const auto is_weight = [&](std::size_t i) {
          return inputs[i] != kNoTensor && plan_.is_constant(inputs[i]);
        };
        const bool weights = inputs.size() > 1 && (is_weight(0) || is_weight(1));
        return weights == (when == When::kWeights);
      }
      case When::kTokens: {
        const auto& shape = plan_.tensor(head.node->outputs[0]).shape;
        return shape && shape->size() < kImageRank;
      }
    }
    return false;
  }

  TensorId result(const Unit& unit) const {
    const auto& outputs = step(unit.steps.back()).node->outputs;
    return outputs.empty() ? kNoTensor : outputs[0];
  }

  double last_extent(TensorId id) const {
    const auto& shape = plan_.tensor(id).shape;
    return shape && !shape->empty() ? static_cast<double>(shape->back()) : 1;
  }

  bool join(Group& group, int index, const Unit& unit) const {
    if (group.chain == nullptr || group.scope != step(unit.steps.front()).scope) return false;
    if (group.elements == 0 || result(unit) == kNoTensor) return false;
    if (!group.chain->shares && !leads_only_to(group, unit)) return false;
    const auto& links = group.chain->links;
    for (std::size_t l = group.link; l < links.size(); ++l) {
      const bool again = l == group.link && group.units.size() > 1 && !links[l].repeats;
      if (again || !matches_unit(unit, links[l].ops)) continue;
      if (links[l].no_wide_residual && group.has_wide_residual) continue;
      Residual residual = Residual::kNone;
      if (!reads_fit(index, unit, links[l].reads, residual)) continue;
      if (!size_fits(group, index, unit)) return false;
      if (links[l].leads_on && !leads_on(unit, links, l)) continue;
      take(group, unit, l, residual);
      return true;
    }
    return false;
  }

  enum class Residual : std::uint8_t { kNone, kNarrow, kWide };

  void take(Group& group, const Unit& unit, std::size_t link, Residual residual) const {
    group.link = link;
    group.has_residual = group.has_residual || residual != Residual::kNone;
    group.has_wide_residual = group.has_wide_residual || residual == Residual::kWide;
    if (unit.fusion == Fusion::kRowwise) {
      group.row_length = last_extent(step(unit.steps.front()).node->inputs[0]);
    }
    group.units.push_back(unit);
  }

  // True if the unit is the only reader of the kernel's result so far.
  bool leads_only_to(const Group& group, const Unit& unit) const {
    const TensorId value = graph_.result(step(group.units.back().steps.back()));
    if (value == kNoTensor || graph_.is_result(value)) return false;
    const auto& users = graph_.users(value);
    return !users.empty() && std::all_of(users.begin(), users.end(),
                                         [&](int user) { return contains(unit.steps, user); });
  }

  bool leads_on(const Unit& unit, std::span<const Link> links, std::size_t link) const {
    const TensorId value = graph_.result(step(unit.steps.back()));
    const auto& users = graph_.users(value);
    if (graph_.is_result(value) || users.size() != 1 || link + 1 >= links.size()) return false;
    const int next = unit_of_[at(users[0])];
    return next >= 0 && matches_unit((*all_)[at(next)], links[link + 1].ops);
  }

  bool reads_fit(int group, const Unit& unit, Reads reads, Residual& residual) const {
    bool fits = true;
    const double size = graph_.elements(result(unit));
    for_inputs(unit, [&](TensorId value, int producer) {
      if (producer >= 0 && group_of_[at(producer)] == group) return;
      if (reads == Reads::kConstants) fits = false;
      if (reads == Reads::kTensor) {
        if (graph_.elements(value) < size) fits = false;
        const bool wide = is_floating(plan_.tensor(value).dtype);
        residual = wide ? Residual::kWide : Residual::kNarrow;
      }
    });
    // A residual is a tensor. An addition of constants only is a scale.
    return fits && (reads != Reads::kTensor || residual != Residual::kNone);
  }

  bool size_fits(const Group& group, int index, const Unit& unit) const {
    const double outputs = graph_.elements(result(unit));
    if (unit.fusion == Fusion::kRowwise) {
      const TensorId x = step(unit.steps.front()).node->inputs[0];
      const double row = last_extent(x);
      return graph_.elements(x) == group.elements &&
             (group.row_length == 0 || group.row_length == row);
    }
    if (group.row_length > 0 && outputs * group.row_length == group.elements) return true;
    if (outputs != group.elements) return false;
    if (group.row_length > 0) return true;
    bool same = false;
    for_inputs(unit, [&](TensorId value, int producer) {
      same = same || (producer >= 0 && group_of_[at(producer)] == index &&
                      graph_.elements(value) >= outputs);
    });
    return same;
  }

  const ValueGraph& graph_;
  const ExecutionPlan& plan_;
  const RuntimeRules& rules_;
  unsigned width_;
  const Siblings& siblings_;
  std::vector<int> group_of_;  // by step
  std::vector<int> unit_of_;   // by step
  const std::vector<Unit>* all_ = nullptr;
  std::vector<Group> groups_;
};

}  // namespace

bool reads_image(const ExecutionPlan& plan, const Step& step) {
  if (step.node->inputs.empty() || step.node->inputs[0] == kNoTensor) return false;
  const auto& shape = plan.tensor(step.node->inputs[0]).shape;
  return shape && shape->size() > 2 && (*shape)[1] <= kImageChannels;
}

bool is_depthwise(const ExecutionPlan& plan, const Step& step) {
  if (step.node->inputs.size() < 2 || step.node->inputs[1] == kNoTensor) return false;
  const auto& shape = plan.tensor(step.node->inputs[1]).shape;
  return step.node->integer("group", 1) > 1 && shape && shape->size() > 1 &&
         (*shape)[1] <= kImageChannels;
}

std::vector<Group> group_units(const ValueGraph& graph, std::vector<Unit> units,
                               const RuntimeRules& rules, unsigned width) {
  const Siblings siblings(graph, units, rules.joins_siblings);
  return siblings.merge(Grouper(graph, rules, width, siblings).run(std::move(units)));
}

}  // namespace ridgewatt::workload
