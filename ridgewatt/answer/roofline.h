// The question why: what do the roofs of power modes allow, and where does a model lie below them?
//
//   const auto model = std::make_shared<const DeployedWorkload>("zoo:resnet50");
//   const RooflineAnswer found = roofline_on_board({.modes = "maxn", .batches = {16}}, model,
//                                                  "agx-orin");
//   twin::place_layers(found.board, *found.estimator(), found.modes.front());
//
// report/twin_report.h makes the roofs of each mode and the layers' places from it. Throws what
// reading boards, modes and twins throws; UsageError for a mode under a governor, whose clocks
// follow the load, and for a cap that time alone passes in the first mode.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/answer/workload_question.h"
#include "ridgewatt/base/enum_names.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/measure/local_roofs.h"
#include "ridgewatt/sweep/provenance.h"
#include "ridgewatt/twin/twin_model.h"
#include "ridgewatt/workload/deployed_workload.h"

namespace ridgewatt::answer {

// A cache whose bandwidth is known: a slope of the time roofline.
struct CacheLevel {
  std::string name;  // "L2"
  double bandwidth_bytes_per_s = 0;
  std::string source;
};

// What is measured for the roofs of this machine.
enum class LocalTarget { kAuto, kCpu, kCuda };
constexpr auto enum_names(LocalTarget) {
  return named<LocalTarget>(
      {{LocalTarget::kAuto, "auto"}, {LocalTarget::kCpu, "cpu"}, {LocalTarget::kCuda, "cuda"}});
}
struct LocalRoofsQuestion {
  LocalTarget target = LocalTarget::kAuto;
  int gpu = 0;      // its number
  int threads = 0;  // 0: all
  double seconds_per_point = 1;
  double footprint_mib = 512;
  bool caches = false;
};
struct RooflineQuestion {
  std::string modes = "presets";           // see select_modes; layers are shown in the first
  std::vector<int> batches = {};           // one at most; empty: usual_batch
  twin::RunOptions run = {};               // how the workload is fed
  std::optional<double> power_cap_w = {};  // below the board's own limit
  std::vector<CacheLevel> levels = {};     // in addition to those of the board file
  std::uint64_t seed = 1;                  // of the intervals of race-to-halt
  // For who asks roofline_on_board(), which is given a workload and a board.
  WorkloadQuestion workload = {};
  std::string device = {};

  // Where layers are shown; 0: usual_batch. UsageError where several are given.
  int batch() const;
};

struct RooflineAnswer {
  std::string device;  // as it was asked
  Board board;
  twin::Twin twin;  // on the runtime that runs the model
  std::vector<PowerMode> modes;
  std::shared_ptr<const twin::TwinModel> model;  // none: roofs alone
  int batch = 1;
  std::optional<double> power_cap_w;
  std::vector<CacheLevel> levels;
  std::uint64_t seed = 1;
  RowOrigin origin;

  // Of the model at the batch; null without one.
  const twin::Estimator* estimator() const;
  // What the model's contractions compute in; FP32 without one.
  workload::Precision precision() const;
  // The lesser of the asked cap and the board's limit; kNoCap where there is neither.
  double cap_w() const;
};

// `workload` may be null: the roofs alone.
RooflineAnswer roofline_on_board(const RooflineQuestion& question,
                                 const std::shared_ptr<const workload::DeployedWorkload>& workload,
                                 const std::string& device);

// Errors as of the microbenchmarks; `point_begins` is called at each point.
measure::LocalRoofs measure_roofs(const LocalRoofsQuestion& asked,
                                  const std::function<void()>& point_begins);
// The processor's caches; a GPU's are not measured.
std::vector<CacheLevel> measure_cache_levels(const LocalRoofsQuestion& asked);
// A model as `analyze` counts it: operators that are usually fused are. NotSupportedError for a
// precision that no microbenchmark measures.
workload::WorkloadCost counted_cost(const RooflineQuestion& question);

}  // namespace ridgewatt::answer
