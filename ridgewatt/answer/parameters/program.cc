// How a program on a real or fake board is measured and tuned, without the search: keyword
// arguments of Python, and rows that the command line also uses.
#include "ridgewatt/answer/parameters/access.h"
#include "ridgewatt/answer/tune_request.h"

namespace ridgewatt::answer {
namespace {

using P = ProgramQuestion;
using Control = platform::JetsonModeControl::Options;
using measure::InPlaceOptions;
using measure::ProfileOptions;

constexpr Quantity kWait = units::seconds().within(0, 3600);

constexpr Parameter kBoardRows[] = {
    {.name = "device",
     .help = "local (this machine) or fake:BOARD",
     .access = access_as<&P::device>(Input::kText)},
    {.name = "sysroot",
     .help = "Root folder of the files of a recorded board, in place of /",
     .access = access_as<&P::sysroot>(Input::kFile)},
    {.name = "store",
     .help = "Store that keeps the points",
     .access = access_as<&P::store>(Input::kFile)},
    {.name = "workload",
     .help = "Name in the store",
     .access = access_as<&P::workload>(Input::kText)},
    {.name = "training",
     .help = "The program trains (otherwise it runs inference)",
     .access = access<&P::training>},
    {.name = "state-folder",
     .help = "Folder of the journal with the board's original settings",
     .access = access_as<&P::control, &Control::state_folder>(Input::kFile)},
};

constexpr Parameter kControlRows[] = {
    {.name = "max-celsius",
     .help = "Abort above this temperature",
     .access = access<&Control::max_celsius>,
     .quantity = units::celsius(),
     .python = "max_celsius"},
    {.name = "full-fan",
     .help = "Run the fan at full speed; restored at the end",
     .access = access<&Control::full_fan>},
    {.name = "no-idle-states",
     .help = "Disable the CPU's idle states; restored at the end",
     .access = access<&Control::no_idle_states>},
};

constexpr Parameter kCommandRows[] = {
    {.name = "command",
     .help = "Words of the command, or a text that is split as a shell splits words; {batch} "
             "stands for the batch",
     .access = access<&P::profile, &ProfileOptions::measure, &measure::MeasureOptions::command>,
     .presence = Presence::kRequired,
     .leads = true},
    {.name = "governors",
     .help = "Governors to compare the answer with",
     .access = access_as<&P::governors>(Input::kText)},
};

constexpr Parameter kMeasuringRows[] = {
    {.name = "settle",
     .help = "Longest wait for steady power under load (0: none)",
     .access = access<&ProfileOptions::measure, &measure::MeasureOptions::settle,
                      &measure::SettleOptions::at_most_s>,
     .quantity = kWait},
    {.name = "settle-window",
     .help = "Power is steady when two windows of this length agree",
     .access = access<&ProfileOptions::measure, &measure::MeasureOptions::settle,
                      &measure::SettleOptions::window_s>,
     .quantity = units::seconds().within(0.01, 60)},
    {.name = "window",
     .help = "Minibatches to measure per point; then the command is ended (0: run it to its end)",
     .access = access<&ProfileOptions::measure, &measure::MeasureOptions::window,
                      &measure::WindowOptions::minibatches>,
     .quantity = units::count().within(0, 1e6)},
    {.name = "warm-up",
     .help = "Minibatches at the start that are not counted",
     .access = access<&ProfileOptions::measure, &measure::MeasureOptions::window,
                      &measure::WindowOptions::warm_up>,
     .quantity = units::count().within(1, 1e6)},
    {.name = "idle",
     .help = "Seconds to measure idle power in each mode",
     .access = access<&ProfileOptions::measure, &measure::MeasureOptions::idle_s>,
     .quantity = kWait},
};

constexpr Parameter kRateRows[] = {
    {.name = "rate",
     .help = "Power samples per second",
     .access = access<&ProfileOptions::measure, &measure::MeasureOptions::rate_hz>,
     .quantity = units::hertz().within(1, 1000)},
};

// A running program has one window per point. The command line gives both kinds of window the same
// name.
constexpr Parameter kRunningRows[] = {
    {.name = "window",
     .help = "Maximum number of minibatches of a window",
     .access = access<&InPlaceOptions::most_minibatches>,
     .quantity = units::count().within(8, 1e6)},
    {.name = "warm-up",
     .help = "Minibatches before the first window",
     .access = access<&InPlaceOptions::warm_up>,
     .quantity = units::count().within(1, 1e6)},
};

constexpr Parameter kWindowRows[] = {
    {.name = "window-precision",
     .help = "A window ends when the 95 % intervals of its time and energy are within plus or "
             "minus this share",
     .access = access<&InPlaceOptions::precision>,
     .quantity = units::share().within(0.001, 0.5)},
    {.name = "longest-window",
     .help = "Maximum length of a window that has at least two minibatches",
     .access = access<&InPlaceOptions::longest_s>,
     .quantity = units::seconds().within(0.05, 3600)},
    {.name = "guard-time",
     .help = "A mode is abandoned if its power, averaged over this time, exceeds the limit",
     .access = access<&InPlaceOptions::guard_s>,
     .quantity = units::seconds().within(0.01, 60),
     .python = "guard_s"},
    {.name = "reference-every",
     .help = "Number of windows after which the reference mode is measured again, to detect drift "
             "(0: never)",
     .access = access<&InPlaceOptions::drift, &measure::DriftOptions::reference_every>,
     .quantity = units::count().within(0, 1e6)},
};

void* windows_of(void* question) {
  return &static_cast<P*>(question)->in_place.options;
}

}  // namespace

std::span<const Parameter> measuring_rows() {
  return kMeasuringRows;
}
std::span<const Parameter> control_rows() {
  return kControlRows;
}
std::span<const Parameter> window_rows() {
  return kWindowRows;
}

const ParameterTable& program_parameters() {
  static const ParameterTable table = table_of<P>("", {{kCommandRows, &whole},
                                                       {kMeasuringRows, &member_part<&P::profile>},
                                                       {kRateRows, &member_part<&P::profile>},
                                                       {kBoardRows, &whole},
                                                       {kControlRows, &member_part<&P::control>}});
  return table;
}

const ParameterTable& in_place_parameters() {
  static const ParameterTable table = table_of<P>("", {{kBoardRows, &whole},
                                                       {kControlRows, &member_part<&P::control>},
                                                       {kRunningRows, &windows_of},
                                                       {kWindowRows, &windows_of}});
  return table;
}

}  // namespace ridgewatt::answer
