// What a Python program may say when a program on a real board is tuned, the search aside.
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
     .help = "Root of a recorded tree in place of /",
     .access = access_as<&P::sysroot>(Input::kFile)},
    {.name = "store",
     .help = "Store that keeps the points",
     .access = access_as<&P::store>(Input::kFile)},
    {.name = "workload",
     .help = "Name in the store",
     .access = access_as<&P::workload>(Input::kText)},
    {.name = "training", .help = "The program trains", .access = access<&P::training>},
    {.name = "state-folder",
     .help = "Folder of the journal of old values",
     .access = access_as<&P::control, &Control::state_folder>(Input::kFile)},
    {.name = "max-celsius",
     .help = "Temperature above which the first mode is restored",
     .access = access<&P::control, &Control::max_celsius>,
     .quantity = units::celsius().within(-50, 200),
     .python = "max_celsius"},
    {.name = "full-fan",
     .help = "Set the fan to full; taken back in the end",
     .access = access<&P::control, &Control::full_fan>},
    {.name = "no-idle-states",
     .help = "Switch the CPU's idle states off; taken back in the end",
     .access = access<&P::control, &Control::no_idle_states>},
};

constexpr Parameter kPointRows[] = {
    {.name = "command",
     .help = "Words of the command, or a text that is split as a shell splits words; {batch} "
             "stands for the batch",
     .access = access<&P::profile, &ProfileOptions::measure, &measure::MeasureOptions::command>,
     .presence = Presence::kRequired,
     .leads = true},
    {.name = "governors",
     .help = "Governors to compare the answer with",
     .access = access_as<&P::governors>(Input::kText)},
    {.name = "settle",
     .help = "Longest wait for steady power under load",
     .access = access<&P::profile, &ProfileOptions::measure, &measure::MeasureOptions::settle,
                      &measure::SettleOptions::at_most_s>,
     .quantity = kWait},
    {.name = "settle-window",
     .help = "Power is steady when two windows of this length agree",
     .access = access<&P::profile, &ProfileOptions::measure, &measure::MeasureOptions::settle,
                      &measure::SettleOptions::window_s>,
     .quantity = units::seconds().within(0.01, 60)},
    {.name = "window",
     .help = "Minibatches per point",
     .access = access<&P::profile, &ProfileOptions::measure, &measure::MeasureOptions::window,
                      &measure::WindowOptions::minibatches>,
     .quantity = units::count().within(1, 1e6)},
    {.name = "warm-up",
     .help = "Minibatches of a point that do not count",
     .access = access<&P::profile, &ProfileOptions::measure, &measure::MeasureOptions::window,
                      &measure::WindowOptions::warm_up>,
     .quantity = units::count().within(1, 1e6)},
    {.name = "idle",
     .help = "Idle baseline per mode",
     .access = access<&P::profile, &ProfileOptions::measure, &measure::MeasureOptions::idle_s>,
     .quantity = kWait},
    {.name = "rate",
     .help = "Power samples per second",
     .access = access<&P::profile, &ProfileOptions::measure, &measure::MeasureOptions::rate_hz>,
     .quantity = units::hertz().within(1, 1000)},
};

constexpr Parameter kWindowRows[] = {
    {.name = "window",
     .help = "Minibatches of a window at most",
     .access = access<&P::in_place, &InPlaceQuestion::options, &InPlaceOptions::most_minibatches>,
     .quantity = units::count().within(8, 1e6)},
    {.name = "warm-up",
     .help = "Minibatches before the first window",
     .access = access<&P::in_place, &InPlaceQuestion::options, &InPlaceOptions::warm_up>,
     .quantity = units::count().within(1, 1e6)},
    {.name = "window-precision",
     .help = "A window ends when the 95 % intervals of time and energy are this narrow",
     .access = access<&P::in_place, &InPlaceQuestion::options, &InPlaceOptions::precision>,
     .quantity = units::share().within(0.001, 0.5)},
    {.name = "longest-window",
     .help = "Longest window of two minibatches or more",
     .access = access<&P::in_place, &InPlaceQuestion::options, &InPlaceOptions::longest_s>,
     .quantity = units::seconds().within(0.05, 3600)},
    {.name = "guard",
     .help = "A mode that draws more than the power limit for this long is left",
     .access = access<&P::in_place, &InPlaceQuestion::options, &InPlaceOptions::guard_s>,
     .quantity = units::seconds().within(0.01, 60)},
    {.name = "reference-every",
     .help = "Windows between two of the reference mode, which shows drift; 0: no such windows",
     .access = access<&P::in_place, &InPlaceQuestion::options, &InPlaceOptions::drift,
                      &measure::DriftOptions::reference_every>,
     .quantity = units::count().within(0, 1e6)},
};

}  // namespace

const ParameterTable& program_parameters() {
  static const Part parts[] = {{kPointRows, &whole}, {kBoardRows, &whole}};
  static const ParameterTable table{"", parts, &make_question<P>};
  return table;
}

const ParameterTable& in_place_parameters() {
  static const Part parts[] = {{kBoardRows, &whole}, {kWindowRows, &whole}};
  static const ParameterTable table{"", parts, &make_question<P>};
  return table;
}

}  // namespace ridgewatt::answer
