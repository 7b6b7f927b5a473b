// The parameters of `roofline`.
#include "ridgewatt/answer/roofline.h"

#include "ridgewatt/answer/parameters/access.h"
#include "ridgewatt/answer/parameters/shared_rows.h"

namespace ridgewatt::answer {
namespace {

using R = RooflineQuestion;

// Chosen: no cache is as fast as the maximum. A bare number is in GB/s.
constexpr UnitName kBandwidths[] = {{"B/s", 1}, {"GB/s", 1e9}, {"TB/s", 1e12}};
constexpr Quantity kCacheBandwidth = {"bandwidth", "GB/s", kBandwidths, 0, 1e9, true};

void add_levels(void* part, const Parameter&, const Given& given) {
  for (const auto& [name, bandwidth] : given.pairs) {
    static_cast<R*>(part)->levels.push_back({name, bandwidth, "given with --level"});
  }
}

constexpr Parameter kRooflineRows[] = {
    {.name = "batch",
     .help = "Minibatch size at which layers are shown (default 1; 16 for training)",
     .access = access<&R::batches>,
     .quantity = units::count().within(1, 1 << 20),
     .of_model = true},
    {.name = "device",
     .help = "Board or board file; default: this machine",
     .access = access_as<&R::device>(Input::kBoard),
     .presence = Presence::kLocal,
     .words = {boards, local_board}},
    {.name = "modes",
     .help = "Power modes; layers are shown in the first; default presets, or maxn if the presets "
             "are power limits",
     .access = access_as<&R::modes>(Input::kModes)},
    {.name = "power-cap",
     .help = "Power limit of each kernel [the board's limit]",
     .access = access<&R::power_cap_w>,
     .quantity = units::watts().positive()},
    {.name = "level",
     .help = "Cache that adds a roof, with its bandwidth: NAME=GB/s",
     .access = {.input = Input::kPair, .repeated = true, .set = &add_levels},
     .quantity = kCacheBandwidth,
     .python = "levels",
     .example = "L2=1000"},
    seed_row(access<&R::seed>, "Seed of the intervals of race-to-halt"),
};

}  // namespace

const ParameterTable& roofline_parameters() {
  static const ParameterTable table =
      table_of<R>("roofline",
                  {{optional_model_rows(), &member_part<&R::workload>},
                   {workload_rows(), &member_part<&R::workload>},
                   {runtime_rows(), &member_part<&R::workload>},
                   {loader_rows(), &member_part<&R::run>},
                   {kEngineCallRows<R>, &whole},
                   {kRooflineRows, &whole}},
                  "Roofs and balance points of power modes, and the place of each layer",
                  "ridgewatt roofline zoo:resnet50 --device agx-orin --modes maxn --batch 16");
  return table;
}

}  // namespace ridgewatt::answer
