#include "ridgewatt/platform/example_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/suggest.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/platform/fake_load.h"
#include "ridgewatt/sweep/quality.h"
#include "ridgewatt/twin/twin_model.h"
#include "ridgewatt/workload/deployed_workload.h"

namespace ridgewatt::platform {
namespace {

std::size_t level_count(const KnobSpace& space, Knob knob) {
  return space.levels(knob).size();
}

// `count` evenly spaced levels, including the first and the last. One level: the highest.
std::vector<double> some_levels(const std::vector<double>& all, std::size_t count) {
  if (count >= all.size()) return all;
  if (count == 1) return {all.back()};
  std::vector<double> levels;
  for (std::size_t i = 0; i < count; ++i) levels.push_back(all[i * (all.size() - 1) / (count - 1)]);
  return levels;
}

Sweep example_sweep(const Board& board, const ExampleWorkload& workload,
                    const std::vector<PowerMode>& modes, std::uint64_t seed) {
  const twin::Twin twin = twin::load_twin(board);
  const auto model = std::make_shared<const workload::DeployedWorkload>(
      workload.model, workload::DeployOptions{.kind = workload.kind});
  const twin::TwinModel on_board(twin, model);
  const std::vector<int> usual =
      workload.kind == WorkloadKind::kTraining ? std::vector<int>{16} : std::vector<int>{1, 4, 16};
  Sweep sweep;
  sweep.source = "example";
  sweep.kind = name_of(workload.kind);
  sweep.board = board.name;
  sweep.provenance = Provenance::kFake;
  for (const int batch : workload.batches.empty() ? usual : workload.batches) {
    const workload::WorkloadCost& cost = *model->at(batch);
    sweep.workload = cost.name;
    if (!on_board.fits_memory(batch)) continue;
    const FakeLoad load(twin, cost, seed);
    for (const auto& mode : modes) {
      const twin::TimePower at = load.truth(mode);
      sweep.observations.push_back({{mode, batch}, at.time_s, at.power_w});
    }
  }
  if (sweep.observations.empty()) {
    throw UsageError("no batch fits into the memory of " + board.name, workload.model,
                     "give a smaller --batch");
  }
  return sweep;
}

// `suffix` follows the last ':' and is not a kind. "zoo:resnet18" has no kind, and the path of a
// file may contain a colon.
void refuse_unknown_kind(const std::string& text, const std::string& suffix) {
  const bool file = suffix.find('/') != std::string::npos || suffix.ends_with(".onnx");
  if (file || text == "zoo:" + suffix) return;
  throw UsageError(fmt::format("'{}' is not a kind of workload", escape_terminal(suffix)), text,
                   hint_for(suffix, name_set<WorkloadKind>()));
}

}  // namespace

ExampleWorkload parse_example_workload(const std::string& text) {
  ExampleWorkload workload;
  workload.model = text;
  const auto colon = text.rfind(':');
  const auto kind =
      find_word<WorkloadKind>(colon == std::string::npos ? "" : text.substr(colon + 1));
  if (kind) {
    workload.model = text.substr(0, colon);
    workload.kind = *kind;
  } else if (colon != std::string::npos) {
    refuse_unknown_kind(text, text.substr(colon + 1));
  }
  if (workload.model.empty()) {
    throw UsageError(fmt::format("--workload '{}' is not MODEL[:training|:inference]", text), "",
                     "write for example resnet18:training or model.onnx:inference");
  }
  const bool file =
      workload.model.find('/') != std::string::npos || workload.model.ends_with(".onnx");
  if (!file && !workload.model.starts_with("zoo:")) workload.model = "zoo:" + workload.model;
  return workload;
}

std::vector<PowerMode> example_modes(const KnobSpace& space, std::size_t count) {
  if (count == 0) throw UsageError("--mode-count must be at least 1", "");
  if (count >= space.size()) return space.modes();
  // Clocks of GPU and CPU have the strongest nonlinear effects, so they get levels first.
  constexpr std::array kOrder = {Knob::kGpuClock, Knob::kCpuClock, Knob::kMemClock,
                                 Knob::kCpuCores};
  KnobArray<std::size_t> counts{};
  for (const Knob knob : kKnobs) counts[knob] = std::min<std::size_t>(1, level_count(space, knob));
  const auto modes_of = [&] {
    std::size_t product = 1;
    for (const auto one : counts) product *= std::max<std::size_t>(one, 1);
    return product;
  };
  for (bool grown = true; grown;) {
    grown = false;
    for (const Knob knob : kOrder) {
      auto& own = counts[knob];
      // Add one level to each knob in turn. At most three levels for cores and memory clock.
      const bool clock = knob == Knob::kGpuClock || knob == Knob::kCpuClock;
      const std::size_t most =
          std::min<std::size_t>(level_count(space, knob), clock ? level_count(space, knob) : 3);
      if (own >= most) continue;
      ++own;
      if (modes_of() <= count)
        grown = true;
      else
        --own;
    }
  }
  KnobSpace::Levels levels;
  for (const Knob knob : kKnobs) {
    if (counts[knob] > 0) levels[knob] = some_levels(space.levels(knob), counts[knob]);
  }
  return KnobSpace(std::move(levels)).modes();
}

std::vector<Sweep> example_sweeps(const Board& board, const ExampleSweepOptions& options) {
  if (!board.has_gpu()) {
    throw NotSupportedError("sample data are made only for boards with a GPU", board.name,
                            "name another board");
  }
  const KnobSpace space = knob_space(board);
  std::vector<Sweep> sweeps;
  // If the quality check flags too many points, try a coarser grid: it has fewer apparent outliers,
  // and a grid of one mode has none.
  for (std::size_t count = options.modes;;) {
    const auto modes = example_modes(space, count);
    sweeps.clear();
    for (const auto& workload : options.workloads) {
      sweeps.push_back(example_sweep(board, workload, modes, options.seed));
    }
    const bool passed = std::all_of(sweeps.begin(), sweeps.end(), [](const Sweep& sweep) {
      return check_quality(sweep).flagged_share() <= kMostFlagged;
    });
    if (passed || modes.size() == 1) return sweeps;
    count = modes.size() - 1;
  }
}

}  // namespace ridgewatt::platform
