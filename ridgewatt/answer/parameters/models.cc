// The parameters of questions about models or boards alone: `analyze`, `zoo list`, `device show`.
#include "ridgewatt/answer/analyze.h"
#include "ridgewatt/answer/parameters/access.h"
#include "ridgewatt/answer/parameters/shared_rows.h"

namespace ridgewatt::answer {
namespace {

using Counted = AnalyzeQuestion;
using Costs = workload::CostOptions;

constexpr Parameter kAnalyzeRows[] = {
    model_row(access_as<&Counted::model>(Input::kModel), Presence::kRequired),
    {.name = "batch",
     .help = "Samples per minibatch [as exported, or 1]",
     .access = access<&Counted::cost, &Costs::batch>,
     .quantity = units::count().within(1, 1 << 24)},
    dims_row(access<&Counted::cost, &Costs::dims>),
    {.name = "inputs",
     .help = "Values of the inputs: TensorProto files in input order",
     .access = access_as<&Counted::inputs>(Input::kFile),
     .only = Surface::kCommandLine},
    training_row([](void* part, const Parameter&, const Given&) {
      static_cast<Counted*>(part)->cost.kind = WorkloadKind::kTraining;
    }),
    optimizer_row(access<&Counted::cost, &Costs::optimizer>),
    {.name = "precision",
     .help = "Number format in which MODEL computes (formats other than fp32 are modelled by "
             "ratios of peak rates and are not validated)",
     .access = access<&Counted::cost, &Costs::precision>},
    {.name = "runtime",
     .help = "Count kernels as this runtime launches them",
     .access = access<&Counted::cost, &Costs::runtime>},
    {.name = "convention",
     .help = "Counting convention",
     .access = access<&Counted::cost, &Costs::convention>},
    {.name = "traffic",
     .help = "Traffic model: which bytes count",
     .access = access<&Counted::cost, &Costs::traffic>},
    {.name = "cache-size",
     .help = "Last-level cache of the device",
     .access = access<&Counted::cost, &Costs::cache_bytes>,
     .quantity = units::bytes(),
     .python = "cache_bytes"},
    {.name = "per-layer",
     .help = "List every node; with --runtime every kernel",
     .access = access<&Counted::per_layer>,
     .only = Surface::kCommandLine},
    {.name = "explain",
     .help = "Explain the cost of the node NAME",
     .access = access_as<&Counted::explain>(Input::kText),
     .only = Surface::kCommandLine},
};

constexpr Parameter kZooRows[] = {{.name = "language",
                                   .help = "List the built-in language models",
                                   .access = access<&ZooQuestion::language>}};

constexpr Parameter kDeviceRows[] = {
    {.name = "device",
     .help = "Name, NAME@BSP, or path of a board file",
     .access = access_as<&DeviceQuestion::device>(Input::kBoard),
     .presence = Presence::kRequired,
     .positional = "BOARD"},
    {.name = "list-modes",
     .help = "List every power mode",
     .access = access<&DeviceQuestion::list_modes>},
};

}  // namespace

const ParameterTable& analyze_parameters() {
  static const ParameterTable table = table_of<Counted>(
      "analyze", {{kAnalyzeRows, &whole}}, "Operations, bytes, parameters and memory of a model",
      "ridgewatt analyze zoo:resnet50 --batch 16 --per-layer\n"
      "  ridgewatt analyze zoo:yolo11m --dim image=320");
  return table;
}

const ParameterTable& zoo_parameters() {
  static const ParameterTable table = table_of<ZooQuestion>(
      "zoo list", {{kZooRows, &whole}}, "Names and sources of the architectures",
      "ridgewatt zoo list\n  ridgewatt zoo list --language", "zoo");
  return table;
}

const ParameterTable& device_parameters() {
  static const ParameterTable table = table_of<DeviceQuestion>(
      "device show", {{kDeviceRows, &whole}}, "Every number of one board, with its source",
      "ridgewatt device show agx-orin@jp5.1 --list-modes --format csv", "device");
  return table;
}

}  // namespace ridgewatt::answer
