// What a user may say with `explain`.
#include "ridgewatt/answer/explain.h"

#include "ridgewatt/answer/parameters/access.h"
#include "ridgewatt/answer/parameters/shared_rows.h"

namespace ridgewatt::answer {
namespace {

using X = ExplainQuestion;

constexpr Parameter kExplainRows[] = {
    {.name = "measured",
     .help = "Measured time of one minibatch",
     .access = access<&X::measured_s>,
     .quantity = units::milliseconds().positive()},
    {.name = "samples-per-second",
     .help = "Measured rate of samples, in place of --measured",
     .access = access<&X::samples_per_s>,
     .quantity = units::number().positive(),
     .python = "samples_per_s"},
    {.name = "power",
     .help = "Measured power, the mean of the run",
     .access = access<&X::power_w>,
     .quantity = units::watts().positive()},
    {.name = "claimed",
     .help = "Published time of one minibatch in this mode; estimates are scaled to it",
     .access = access<&X::claimed_s>,
     .quantity = units::milliseconds().positive()},
    {.name = "batch",
     .help = "Minibatch size (default 1; 16 for training)",
     .access = access<&X::batch>,
     .quantity = units::count().within(1, 1 << 20)},
    {.name = "device",
     .help = "Board or board file (default: this machine)",
     .access = access_as<&X::device>(Input::kBoard),
     .presence = Presence::kLocal},
    {.name = "mode",
     .help = "Power mode that was meant to be set",
     .access = access_as<&X::mode>(Input::kModes)},
};

}  // namespace

const ParameterTable& explain_parameters() {
  static const Part parts[] = {{model_rows(), &member_part<&X::workload>},
                               {workload_rows(), &member_part<&X::workload>},
                               {runtime_rows(), &member_part<&X::workload>},
                               {loader_rows(), &member_part<&X::run>},
                               {kEngineCallRows<X>, &whole},
                               {kExplainRows, &whole}};
  static const ParameterTable table{"explain", parts, &make_question<X>};
  return table;
}

}  // namespace ridgewatt::answer
