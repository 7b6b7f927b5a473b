#include "ridgewatt/evaluate/workload_groups.h"

#include <fmt/format.h>

#include <algorithm>

#include "ridgewatt/base/parallel.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/twin/twin_fit.h"
#include "ridgewatt/twin/twin_model.h"
#include "ridgewatt/workload/zoo.h"

namespace ridgewatt::evaluate {
namespace {

constexpr std::size_t kModes = 200;
constexpr std::uint64_t kModeSeed = 1;

// A way to run each architecture.
struct RunForm {
  workload::DeployOptions deploy;
  twin::RunOptions run;
  std::vector<int> batches;
};
std::vector<RunForm> run_forms() {
  workload::DeployOptions training, engine;
  training.kind = WorkloadKind::kTraining;
  engine.runtime = Runtime::kTensorRt;
  twin::RunOptions without_workers, slow_loader;
  without_workers.loader_workers = 0;
  slow_loader.loader_s_per_sample = 0.03;
  std::vector<RunForm> forms;
  for (const auto& batches : {std::vector{16}, std::vector{4, 16, 64}}) {
    for (const auto& loader : {twin::RunOptions(), without_workers, slow_loader}) {
      forms.push_back({training, loader, batches});
    }
  }
  for (const auto& batches : {std::vector{1}, std::vector{16}, std::vector{1, 4, 16, 64}}) {
    forms.push_back({workload::DeployOptions(), twin::RunOptions(), batches});
    forms.push_back({engine, twin::RunOptions(), batches});
  }
  return forms;
}

twin::Twin twin_without(const GroupOptions& options) {
  const Board board = load_board(options.device);
  if (options.twin_sweeps.empty()) return twin::load_twin(board);
  auto runs = twin::load_calibration_runs(options.twin_sweeps);
  std::erase_if(runs, [&](const twin::CalibrationRun& run) {
    return std::any_of(options.without.begin(), options.without.end(), [&](const auto& name) {
      return run.workload.starts_with(name + " ") || run.workload == name;
    });
  });
  return twin::fit_twin(twin::prior_twin(board), runs).twin;
}

// Draws modes whose CPU clock is at least the lowest in the twin's data for this kind of workload.
std::vector<OperatingPoint> drawn_points(const std::vector<PowerMode>& modes, double least_cpu_hz,
                                         const std::vector<int>& batches) {
  std::vector<PowerMode> seen;
  for (const auto& mode : modes) {
    if (mode.cpu_clock_hz >= least_cpu_hz) seen.push_back(mode);
  }
  std::vector<PowerMode> drawn = {*std::max_element(seen.begin(), seen.end())};
  for (const auto i : Random(kModeSeed).sample(seen.size(), std::min(kModes, seen.size()))) {
    drawn.push_back(seen[i]);
  }
  std::vector<OperatingPoint> points;
  for (const int batch : batches) {
    for (const auto& mode : drawn) points.push_back({mode, batch});
  }
  return points;
}

}  // namespace

std::vector<predict::WorkloadGroup> zoo_workload_groups(const GroupOptions& options) {
  const twin::Twin twin = twin_without(options);
  const std::vector<PowerMode> modes = knob_space(load_board(options.device)).modes();
  std::vector<const workload::ZooEntry*> entries;
  for (const auto& entry : workload::zoo()) {
    const auto named = [&](const std::string& name) {
      return entry.name == name || entry.alias == name;
    };
    if (std::none_of(options.without.begin(), options.without.end(), named)) {
      entries.push_back(&entry);
    }
  }
  const std::vector<RunForm> forms = run_forms();
  std::vector<predict::ModelledWorkload> workloads(entries.size() * forms.size());
  parallel_for(entries.size(), [&](std::size_t i) {
    const workload::DeployedWorkload loaded("zoo:" + std::string(entries[i]->name));
    for (std::size_t f = 0; f < forms.size(); ++f) {
      const RunForm& form = forms[f];
      const twin::TwinModel model(twin,
                                  std::shared_ptr<workload::DeployedWorkload>(
                                      new workload::DeployedWorkload(loaded.with(form.deploy))),
                                  form.run);
      auto& workload = workloads[i * forms.size() + f];
      workload.kind = form.deploy.kind;
      for (const auto& point :
           drawn_points(modes, twin.home.least_cpu_hz(form.deploy.kind), form.batches)) {
        workload.rows.push_back(model.observe_as(Provenance::kReplayed, point));
      }
    }
  });
  return predict::group_workloads(workloads, static_cast<std::size_t>(options.groups));
}

report::Table workload_group_table(const std::vector<predict::WorkloadGroup>& groups) {
  report::Table table({{"kind"},
                       {"batches"},
                       {"group"},
                       {"members"},
                       {"quantity"},
                       {"parameter"},
                       {"mean"},
                       {"factor"}});
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const auto& group = groups[g];
    const auto add = [&](const char* quantity, const predict::JointPrior& prior,
                         std::span<const PriorRow> names) {
      for (Eigen::Index i = 0; i < prior.mean.size(); ++i) {
        std::string factor;
        for (Eigen::Index j = 0; j <= i; ++j) {
          factor += fmt::format("{}{:.3g}", j == 0 ? "" : " ", prior.factor(i, j));
        }
        table.add_row({std::string(name_of(group.kind)), std::string(name_of(group.batches)),
                       static_cast<std::int64_t>(g + 1), std::int64_t{group.members}, quantity,
                       std::string(names[static_cast<std::size_t>(i)].key),
                       std::stod(fmt::format("{:.4g}", prior.mean[i])), factor});
      }
    };
    add("time", group.time, predict::stage_time_priors());
    add("power", group.power, predict::work_power_priors());
  }
  return table;
}

}  // namespace ridgewatt::evaluate
