// The rooflines of a board in given power modes, and the position of a model's layers below them.
//
//   const auto model = std::make_shared<const DeployedWorkload>("zoo:resnet50");
//   const RooflineAnswer found = roofline_on_board({.modes = "maxn", .batches = {16}}, model,
//                                                  "agx-orin");
//   twin::place_layers(found.board, *found.estimator(), found.modes.front());
//
// report/twin_report.h draws the rooflines and the layers from the answer. Throws the errors of
// reading boards, modes and twins. Throws UsageError for a mode with a governor, whose clocks
// depend on the load, and for a power cap that is not above the static power of the first mode.
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

// A cache with known bandwidth; shown as an additional slope of the time roofline.
struct CacheLevel {
  std::string name;  // "L2"
  double bandwidth_bytes_per_s = 0;
  std::string source;
};

// Processor of this machine whose roofline is measured.
enum class LocalTarget { kAuto, kCpu, kCuda };
constexpr auto enum_names(LocalTarget) {
  return named<LocalTarget>(
      {{LocalTarget::kAuto, "auto"}, {LocalTarget::kCpu, "cpu"}, {LocalTarget::kCuda, "cuda"}});
}
struct LocalRoofsQuestion {
  LocalTarget target = LocalTarget::kAuto;
  int gpu = 0;      // index of the GPU
  int threads = 0;  // 0: all hardware threads
  double seconds_per_point = 1;
  double footprint_bytes = 512.0 * (1 << 20);
  bool caches = false;  // also measure caches
};
struct RooflineQuestion {
  // See select_modes(); layers are shown in the first mode. Empty: the presets, or MAXN if they are
  // power limits.
  std::string modes = {};
  std::vector<int> batches = {};           // at most one; empty: usual_batch()
  twin::RunOptions run = {};               // how the workload is fed and called
  std::optional<double> power_cap_w = {};  // absent: only the limit of the board
  std::vector<CacheLevel> levels = {};     // in addition to the caches in the board file
  std::uint64_t seed = 1;                  // for the intervals of the race-to-halt ratio
  // roofline_on_board() ignores this member: it has arguments for workload and board.
  WorkloadQuestion workload = {};
  std::string device = {};

  // Returns the batch at which layers are shown; 0: usual_batch(). Throws UsageError for more than
  // one batch.
  int batch() const;
};

struct RooflineAnswer {
  std::string device;  // name or board file, as in the question
  Board board;
  twin::Twin twin;  // for the runtime of the model
  std::vector<PowerMode> modes;
  std::size_t left_out = 0;  // number of modes without a roof, because their clocks vary
  std::shared_ptr<const twin::TwinModel> model;  // null without a model
  int batch = 1;
  std::optional<double> power_cap_w;
  std::vector<CacheLevel> levels;
  std::uint64_t seed = 1;
  RowOrigin origin;

  // Returns the estimator of the model at `batch`; null without a model. Points into this object.
  const twin::Estimator* estimator() const;
  // Returns the precision in which most contractions of the model are computed; FP32 without a
  // model.
  workload::Precision precision() const;
  // Returns the lower of the requested cap and the limit of the board; twin::kNoCap if there is
  // neither.
  double cap_w() const;
};

// Computes the answer. If `workload` is null, the answer has only rooflines.
RooflineAnswer roofline_on_board(const RooflineQuestion& question,
                                 const std::shared_ptr<const workload::DeployedWorkload>& workload,
                                 const std::string& device);

// Measures rooflines of this machine by microbenchmarks. Calls `point_begins` before each point.
// Throws the errors of the microbenchmarks.
measure::LocalRoofs measure_roofs(const LocalRoofsQuestion& asked,
                                  const std::function<void()>& point_begins);
// Measures the caches of the CPU. Caches of GPUs cannot be measured.
std::vector<CacheLevel> measure_cache_levels(const LocalRoofsQuestion& asked);
// Returns the cost of a model as the command `analyze` counts it, with the usual operator fusion.
// Throws NotSupportedError for a precision that no microbenchmark measures.
workload::WorkloadCost counted_cost(const RooflineQuestion& question);

}  // namespace ridgewatt::answer
