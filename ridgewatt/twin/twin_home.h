// Where a twin is at home: the workloads that it was fitted on, how far another one is from them,
// and how the twin's error grows with that distance (docs/methods/estimate_error.md).
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/base/enum_array.h"
#include "ridgewatt/base/workload_kind.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/twin/minibatch_cost.h"
#include "ridgewatt/workload/workload_cost.h"

namespace ridgewatt::twin {

inline double squared(double x) {
  return x * x;
}

// Kinds of work that reach different rates.
inline constexpr std::array<std::string_view, 5> kWorkClasses = {
    "convolution", "depthwise convolution", "product", "recurrent", "vector"};
std::size_t work_class(workload::OpClass op_class);  // index in kWorkClasses

// What is compared between workloads in addition to kind and class mix, as logarithms to base 10.
inline constexpr std::array<std::string_view, 3> kExtents = {"FLOP per byte", "FLOP per sample",
                                                             "samples per minibatch"};

struct WorkloadFeatures {
  WorkloadKind kind = WorkloadKind::kInference;
  std::array<double, kWorkClasses.size()> shares{};  // of all operations, by class
  std::array<double, kExtents.size()> extents{};     // log10
};
WorkloadFeatures features_of(const workload::WorkloadCost& cost);

// From a workload to those that were fitted; all 0 for one of them.
struct HomeDistance {
  // Hellinger distance of the class mix from the nearest fitted one: 0 the same, 1 no class shared.
  double mix = 0;
  double kind = 0;   // 1: none of its kind (training, inference) was fitted
  double range = 0;  // decades by which extents lie outside the fitted range
};

struct TwinHome {
  struct Workload {
    std::string name;
    WorkloadKind kind = WorkloadKind::kInference;
    std::array<double, kWorkClasses.size()> shares{};
  };
  struct Range {
    double lo = std::numeric_limits<double>::infinity();
    double hi = -std::numeric_limits<double>::infinity();
    double beyond(double value) const;  // 0 inside, and where nothing is known
  };
  std::vector<Workload> workloads;
  // The lowest CPU clock of each kind's rows; 0: not known.
  EnumArray<WorkloadKind, double, count_of<WorkloadKind>()> cpu_hz{};
  std::array<Range, kExtents.size()> ranges;  // log10

  void add(const std::string& name, const WorkloadFeatures& features);
  void add_cpu_clock(WorkloadKind kind, double clock_hz);  // 0: not known
  double least_cpu_hz(WorkloadKind kind) const { return cpu_hz[kind]; }
  HomeDistance distance(const WorkloadFeatures& features) const;
  // Why a workload is far: "class mix: product 97 % of the work, at most 1 % where fitted", ...
  std::vector<std::string> reasons(const WorkloadFeatures& features) const;
};

// Deviations of ln(measured / modelled) that the parameters do not explain. Until they are
// calibrated: what is expected of a model like this one before any data.
struct ErrorScale {
  double home = 0.1;   // of a workload like the fitted ones
  double mix = 0.3;    // more at a class mix without a fitted class
  double kind = 0.1;   // more for a kind that was not fitted
  double range = 0.1;  // more per decade outside the fitted range
  // On another board: the deviations of the parameters, over those of their priors.
  double board = 1;
  double board_degrees = 1;  // of freedom: boards that were compared, and the priors as one
  double variance(const HomeDistance& distance) const;  // on the board itself
};

struct TwinErrors {
  std::array<ErrorScale, kQuantities.size()> scales;
  // Of Student's t: workloads that were left out to find the scales, less one for the scale, and
  // one for what was expected before.
  double degrees = 4;
};

// To and from the [twin] table of a board file. A file without them: nothing was fitted, priors.
void write_home(const TwinHome& home, const TwinErrors& errors, TwinTable& table);
TwinHome read_home(const TwinTable& table);
TwinErrors read_errors(const TwinTable& table, const std::string& source);

}  // namespace ridgewatt::twin
