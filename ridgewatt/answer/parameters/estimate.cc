// The parameters of `estimate`.
#include "ridgewatt/answer/estimate.h"
#include "ridgewatt/answer/parameters/access.h"
#include "ridgewatt/answer/parameters/shared_rows.h"

namespace ridgewatt::answer {
namespace {

using E = EstimateQuestion;

constexpr Parameter kEstimateRows[] = {
    {.name = "batch",
     .help = "Minibatch sizes (default 1; 16 for training)",
     .access = access<&E::batches>,
     .quantity = units::count().within(1, 1 << 20)},
    {.name = "device",
     .help = "Board, board file, or all (ranks the boards); default: this machine",
     .access = access_as<&E::device>(Input::kBoard),
     .presence = Presence::kLocal,
     .words = {boards, all_boards}},
    {.name = "modes",
     .help = "Power modes; default presets",
     .access = access_as<&E::modes>(Input::kModes)},
    {.name = "per-layer",
     .help = "Also print the layers of the first mode and batch",
     .access = access<&E::per_layer>,
     .only = Surface::kCommandLine},
    {.name = "dataset-size",
     .help = "Samples per epoch, to estimate the time of the whole job",
     .access = access<&E::dataset_size>,
     .quantity = units::count().within(1, 1e12)},
    epochs_row(access<&E::epochs>),
};

}  // namespace

const ParameterTable& estimate_parameters() {
  static const ParameterTable table =
      table_of<E>("estimate",
                  {{model_rows(), &member_part<&E::workload>},
                   {workload_rows(), &member_part<&E::workload>},
                   {all_runtimes_rows(), &member_part<&E::workload>},
                   {loader_rows(), &member_part<&E::run>},
                   {kEngineCallRows<E>, &whole},
                   {kEstimateRows, &whole},
                   {heat_rows(), &member_part<&E::heat>}},
                  "Time, power and energy in any power mode, without profiling",
                  "ridgewatt estimate zoo:resnet50 --device agx-orin --modes presets --batch 1,16");
  return table;
}

}  // namespace ridgewatt::answer
