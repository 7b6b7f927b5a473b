// The parameters of `layers`.
#include "ridgewatt/answer/layers.h"
#include "ridgewatt/answer/parameters/access.h"
#include "ridgewatt/answer/parameters/shared_rows.h"

namespace ridgewatt::answer {
namespace {

using Traced = LayersQuestion;

constexpr Parameter kLayersRows[] = {
    {.name = "profile",
     .help = "Profile written by trtexec --exportProfile, ONNX Runtime, nsys (SQLite) or PyTorch "
             "(JSON, "
             "JSON.gz)",
     .access = access_as<&Traced::profile>(Input::kFile),
     .presence = Presence::kRequired},
    layer_information_row(access_as<&Traced::layers>(Input::kFile)),
    {.name = "times",
     .help = "Times of the engine's runs (trtexec --exportTimes)",
     .access = access_as<&Traced::times>(Input::kFile)},
    {.name = "model",
     .help = "Model that was run: ONNX file or zoo:NAME",
     .access = access_as<&Traced::model>(Input::kModel)},
    {.name = "batch",
     .help = "Samples per run, if the layer information does not state it",
     .access = access<&Traced::batch>,
     .quantity = units::count().within(1, 1e6)},
    {.name = "dim",
     .help = "NAME=VALUE binds a symbolic dimension of --model",
     .access = access<&Traced::dims>,
     .quantity = units::count().within(0, 1e15),
     .needs = {.name = "model"},
     .python = "dims",
     .example = "sequence=128"},
    {.name = "runs",
     .help = "Number of runs in a trace of kernels, if the trace does not state it [1]",
     .access = access<&Traced::runs>,
     .quantity = units::count().within(1, 1e12)},
    {.name = "device",
     .help = "Board or board file whose roofs the layers are compared with",
     .access = access_as<&Traced::device>(Input::kBoard)},
    {.name = "mode",
     .help = "Power mode of the run",
     .access = access_as<&Traced::mode>(Input::kModes),
     .needs = {.name = "device"}},
    {.name = "power",
     .help = "Power during the run: the CSV of `measure --series-csv` or of a meter",
     .access = access_as<&Traced::power>(Input::kFile)},
    {.name = "power-channel",
     .help = "Channel of the power file [the only one, or VDD_IN]",
     .access = access_as<&Traced::power_channel>(Input::kText),
     .needs = {.name = "power"}},
};

}  // namespace

const ParameterTable& layers_parameters() {
  static const ParameterTable table = table_of<Traced>(
      "layers", {{kLayersRows, &whole}}, "Compare measured layers of a runtime with their roof",
      "ridgewatt layers --profile profile.json --layers layers.json --model "
      "resnet18.onnx --device agx-orin");
  return table;
}

}  // namespace ridgewatt::answer
