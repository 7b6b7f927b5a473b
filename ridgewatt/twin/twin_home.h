// Measures the distance of a workload from the workloads to which a twin was fitted ("home"), and
// how the error of the twin grows with this distance (docs/methods/estimate_error.md).
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

// Classes of operations that reach different rates.
inline constexpr std::array<std::string_view, 5> kWorkClasses = {
    "convolution", "depthwise convolution", "product", "recurrent", "vector"};
std::size_t work_class(workload::OpClass op_class);  // index in kWorkClasses

// Features that are compared between workloads, in addition to the kind and the class mix. They are
// logarithms to base 10.
inline constexpr std::array<std::string_view, 3> kExtents = {"FLOP per byte", "FLOP per sample",
                                                             "samples per minibatch"};

struct WorkloadFeatures {
  WorkloadKind kind = WorkloadKind::kInference;
  std::array<double, kWorkClasses.size()> shares{};  // share of all operations, by class
  std::array<double, kExtents.size()> extents{};     // log10 of the kExtents
};
WorkloadFeatures features_of(const workload::WorkloadCost& cost);

// Distance of a workload from the fitted workloads. All 0 for a fitted workload.
struct HomeDistance {
  // Hellinger distance of the class mix from the nearest fitted workload. 0: equal, 1: no common
  // class.
  double mix = 0;
  double kind = 0;   // 1 if no workload of the same kind (training, inference) was fitted, else 0
  double range = 0;  // number of decades by which extents are outside the fitted range
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
    double beyond(double value) const;  // 0 inside the range, or if the range is not known
  };
  std::vector<Workload> workloads;
  // Lowest CPU clock in the fitted rows, by kind. 0: not known.
  EnumArray<WorkloadKind, double, count_of<WorkloadKind>()> cpu_hz{};
  std::array<Range, kExtents.size()> ranges;  // log10

  void add(const std::string& name, const WorkloadFeatures& features);
  void add_cpu_clock(WorkloadKind kind, double clock_hz);  // 0: not known
  double least_cpu_hz(WorkloadKind kind) const { return cpu_hz[kind]; }
  HomeDistance distance(const WorkloadFeatures& features) const;
  // Reasons why a workload is far, such as "class mix: product 97 % of the work, but at most 1 % in
  // fitted workloads".
  std::vector<std::string> reasons(const WorkloadFeatures& features) const;
};

// Standard deviations of ln(measured / modelled) that the parameters do not explain. The defaults
// are the assumed values before calibration.
struct ErrorScale {
  double home = 0.1;   // for a workload like the fitted ones
  double mix = 0.3;    // additional, if no fitted workload has a class in common
  double kind = 0.1;   // additional, for a kind that was not fitted
  double range = 0.1;  // additional per decade outside the fitted range
  // On another board: factor on the deviations due to the parameters' priors.
  double board = 1;
  double board_degrees = 1;  // degrees of freedom: number of compared boards, plus 1 for the prior
  double variance(const HomeDistance& distance) const;  // on the board of the fit
};

struct TwinErrors {
  std::array<ErrorScale, kQuantities.size()> scales;
  // Degrees of freedom of Student's t: the number of workloads that were left out to find the
  // scales, minus 1 for the scale, plus 1 for the prior.
  double degrees = 4;
};

// Convert to and from the [twin] table of a board file. A table without these entries means that
// nothing was fitted; the priors are then used. `source` names the file in error messages.
void write_home(const TwinHome& home, const TwinErrors& errors, TwinTable& table);
TwinHome read_home(const TwinTable& table);
TwinErrors read_errors(const TwinTable& table, const std::string& source);

}  // namespace ridgewatt::twin
