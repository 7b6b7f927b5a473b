// Parameters that several questions share.
#include "ridgewatt/answer/parameters/shared_rows.h"
#include "ridgewatt/answer/held.h"
#include "ridgewatt/answer/parameters/access.h"
#include "ridgewatt/answer/workload_question.h"
#include "ridgewatt/twin/minibatch_cost.h"

namespace ridgewatt::answer {
namespace {

using W = WorkloadQuestion;

constexpr std::string_view kAll = "all";

constexpr Parameter model_of(Presence presence) {
  return model_row(access_as<&W::model>(Input::kModel), presence);
}
constexpr Parameter kModelRows[] = {model_of(Presence::kRequired)};
constexpr Parameter kOptionalModelRows[] = {model_of(Presence::kOptional)};

constexpr Parameter optimizer_of_training() {
  Parameter row = of_model(optimizer_row(access<&W::optimizer>));
  row.needs = {.name = "training"};
  return row;
}

constexpr Parameter kWorkloadRows[] = {
    training_row([](void* part, const Parameter&, const Given&) {
      static_cast<W*>(part)->kind = WorkloadKind::kTraining;
    }),
    {.name = "precision",
     .help = "Number format in which MODEL computes; default fp32 (formats other than fp32 are "
             "modelled by ratios of peak rates and are not validated)",
     .access = access<&W::precision>,
     .of_model = true},
    optimizer_of_training(),
    of_model(dims_row(access<&W::dims>)),
};

constexpr Parameter kRuntimeRows[] = {runtime_row(access<&W::runtime>)};

void set_runtimes(void* part, const Parameter& row, const Given& given) {
  W& workload = *static_cast<W*>(part);
  workload.all_runtimes = same_word(given.words.front(), kAll);
  if (!workload.all_runtimes) workload.runtime = value_of<Runtime>(row, given, 0);
}

std::vector<std::string> runtimes_or_all() {
  std::vector<std::string> all = names<Runtime>();
  all.emplace_back(kAll);
  return all;
}

constexpr Parameter kAllRuntimesRows[] = {
    {.name = "runtime",
     .help = "Runtime of MODEL (all: compare the runtimes)",
     .access = {.set = &set_runtimes, .get = access<&W::runtime>.get, .choices = &runtimes_or_all},
     .of_model = true}};

constexpr Parameter kLoaderRows[] = {
    {.name = "workers",
     .help = "Number of loader workers; 0: loading does not overlap with computation",
     .access = access<&twin::RunOptions::loader_workers>,
     .quantity = units::count().within(0, 1024),
     .of_model = true},
    {.name = "loader-time",
     .help = "Time that one loader worker needs for one sample at the highest CPU clock",
     .access = access<&twin::RunOptions::loader_s_per_sample>,
     .quantity = units::milliseconds(),
     .of_model = true,
     .python = "loader_s_per_sample"},
};

constexpr Parameter kHeatRows[] = {
    {.name = "thermal",
     .help = "File of the board's thermal constants (from soak or thermal fit): also print for how "
             "long the board holds each mode",
     .access = access_as<&HeatQuestion::file>(Input::kFile)},
    {.name = "ambient",
     .help = "Ambient temperature [as in the trace]",
     .access = access<&HeatQuestion::ambient_celsius>,
     .quantity = units::celsius().within(-60, 100),
     .needs = {.name = "thermal"}},
    {.name = "fan",
     .help = "Fan speed as a share of full speed [as in the trace]",
     .access = access<&HeatQuestion::fan>,
     .quantity = units::share(),
     .needs = {.name = "thermal"}},
    {.name = "trip",
     .help = "Temperature at which the board throttles [as in the file]",
     .access = access<&HeatQuestion::trip_celsius>,
     .quantity = units::celsius(),
     .needs = {.name = "thermal"}},
};

}  // namespace

std::span<const Parameter> model_rows() {
  return kModelRows;
}
std::span<const Parameter> optional_model_rows() {
  return kOptionalModelRows;
}
std::span<const Parameter> workload_rows() {
  return kWorkloadRows;
}
std::span<const Parameter> runtime_rows() {
  return kRuntimeRows;
}
std::span<const Parameter> all_runtimes_rows() {
  return kAllRuntimesRows;
}
std::span<const Parameter> loader_rows() {
  return kLoaderRows;
}
std::span<const Parameter> heat_rows() {
  return kHeatRows;
}

bool runs_engine(const WorkloadQuestion& workload) {
  return workload.all_runtimes || (is_engine(workload.runtime) && !is_on_cpu(workload.runtime));
}
bool runs_pytorch(const WorkloadQuestion& workload) {
  return !workload.all_runtimes && !is_engine(workload.runtime);
}

}  // namespace ridgewatt::answer
