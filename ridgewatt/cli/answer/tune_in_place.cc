// tune --in-place: one program goes on running while modes are tried under it.
#include <fmt/format.h>

#include <algorithm>

#include "ridgewatt/answer/tune_in_place.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/progress.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/cli/answer/tune_command.h"
#include "ridgewatt/cli/options/end_by_signal.h"
#include "ridgewatt/cli/options/option_rules.h"
#include "ridgewatt/cli/options/profile_options.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/measure/live_program.h"
#include "ridgewatt/measure/profile.h"
#include "ridgewatt/platform/local_device.h"
#include "ridgewatt/report/tune_report.h"

namespace ridgewatt::cli {
namespace {

constexpr char kInPlaceGroup[] = "A running program (--in-place)";

bool takes_batch(const std::vector<std::string>& command) {
  return std::any_of(command.begin(), command.end(),
                     [](const auto& word) { return word.find("{batch}") != std::string::npos; });
}

void check_in_place(const CLI::App& command, const TuneOptions& options) {
  const LiveOptions& live = options.live;
  refuse_without_effect(command,
                        {"--settle", "--settle-window", "--idle", "--fill-cache", "--drop-cache",
                         "--governors", "--verify", "--model", "--min-gain", "--minibatches"},
                        "with --in-place", "the program is not started for every point");
  if (live.process && !live.command.empty()) {
    throw UsageError("--pid and a command say two programs", live.command[0], "give one of them");
  }
  if (!live.process && live.command.empty()) {
    throw UsageError("no program to tune", "--in-place",
                     "give --pid N, or the program after --, for example -- python3 train.py");
  }
  if (live.process && live.end_program) {
    throw UsageError("a process that was not started here is not ended", "--end-program");
  }
  if (options.question.batches.size() > 1) {
    throw UsageError("a running program has one batch", "--batch", "name that one, or none");
  }
  if (options.question.batches.empty() && takes_batch(live.command)) {
    throw UsageError("the command waits for a batch", "{batch}", "give --batch N");
  }
}

// What --sort and --columns are about.
report::Table in_place_table(const Context& context, const answer::InPlaceAnswer& found,
                             bool trace) {
  return with_origin(context,
                     trace ? report::windows_table(found) : report::tune_table(found.answer),
                     found.answer.source.origin);
}

void print_in_place(const Context& context, const answer::InPlaceAnswer& found, bool trace) {
  if (context.json()) return print(context, report::in_place_to_json(found));
  if (context.csv()) return print(context, in_place_table(context, found, trace));
  for (const auto& line : report::tune_question(found.answer)) {
    std::cout << escape_terminal(line) << '\n';
  }
  std::cout << '\n';
  for (const auto& line : report::tune_headline(found.answer)) {
    std::cout << "  " << escape_terminal(line) << '\n';
  }
  std::cout << '\n';
  for (const auto& line : report::in_place_remarks(found)) {
    std::cout << escape_terminal(line) << '\n';
  }
  for (const auto& line : report::tune_remarks(found.answer)) {
    std::cout << escape_terminal(line) << '\n';
  }
  if (!trace) return;
  std::cout << '\n';
  print(context, in_place_table(context, found, trace));
}

}  // namespace

void add_in_place_options(CLI::App& command, LiveOptions& options) {
  command
      .add_flag("--in-place", options.in_place,
                "Change modes under one program that goes on running, in place of a start for "
                "every point; it ends in the best mode")
      ->group(kInPlaceGroup);
  quantity(command.add_option("--pid", options.process,
                              "A process that runs already and marks into a file"),
           count().within(1, 1 << 30))
      ->group(kInPlaceGroup);
  quantity(command.add_option("--window-precision", options.window.precision,
                              "Half of the 95% interval of time and energy at which a window ends"),
           share().within(0.001, 0.5))
      ->capture_default_str()
      ->group(kInPlaceGroup);
  quantity(command.add_option("--longest-window", options.window.longest_s,
                              "A window of two minibatches or more ends after it all the same"),
           seconds().within(0.05, 3600))
      ->capture_default_str()
      ->group(kInPlaceGroup);
  quantity(command.add_option("--guard-time", options.window.guard_s,
                              "A mode is left whose power, averaged over this, is above the limit"),
           seconds().within(0.01, 60))
      ->capture_default_str()
      ->group(kInPlaceGroup);
  quantity(command.add_option("--reference-every", options.window.drift.reference_every,
                              "Windows between two looks at the mode that shows drift (0: never)"),
           count().within(0, 1e6))
      ->capture_default_str()
      ->group(kInPlaceGroup);
  command
      .add_flag("--end-program", options.end_program, "End the program once the search has ended")
      ->group(kInPlaceGroup);
}

void refuse_in_place_options(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group() == kInPlaceGroup && option->count() > 0) {
      throw UsageError("an option of a running program", option->get_name(),
                       "it needs --in-place and --device local or fake:BOARD");
    }
  }
}

void tune_in_place(const Context& context, TuneOptions options, const CLI::App& command) {
  check_in_place(command, options);
  check_table_options(context, in_place_table(context, {}, options.trace));
  LiveOptions& live = options.live;
  const auto device = platform::open_local_device(options.device, live.sysroot, context.seed);
  platform::JetsonModeControl control(*device.sysfs, live.control);
  measure::ProfileOptions& profile = live.profile;
  profile.measure.command = live.command;
  if (live.process) profile.measure.command = {fmt::format("process {}", *live.process)};
  profile.series.workload = options.sweep_name;
  profile.series.kind = name_of(options.workload.kind);
  measure::name_series(device, profile);
  store::Store store = store::Store::made_at_first_write(live.store);
  const answer::TuneQuestion question = options.asked(context);
  answer::InPlaceQuestion in_place;
  in_place.options = live.window;
  in_place.options.warm_up = std::max(profile.measure.window.warm_up, 1);
  if (option_given(command, "--window")) {
    in_place.options.most_minibatches =
        std::max(profile.measure.window.minibatches, in_place.options.least_minibatches);
  }
  in_place.process = live.process;
  in_place.end_program = live.end_program;
  Progress progress("tune", static_cast<std::size_t>(question.budget.profiles), context.quiet);
  answer::LiveBoard board{*device.sysfs,
                          control,
                          store,
                          profile,
                          {},
                          [&](std::size_t done, const OperatingPoint& point) {
                            progress.update(done, describe(point.mode));
                          }};
  answer::InPlaceAnswer found;
  try {
    found = answer::tune_in_place(question, board, in_place, [&](const auto& answer) {
      if (live.end_program) return;
      remark(context, answer.outcome.best ? "the program goes on in the best mode: " +
                                                describe(answer.outcome.best->point.mode)
                                          : "no mode keeps the limits: the program goes on in the "
                                            "first mode");
    });
  } catch (const measure::InterruptedError& error) {
    control.restore();
    end_by_signal(error.signal());
  }
  found.answer.source.remark = "windows are kept in " + live.store;
  print_in_place(context, found, options.trace);
  if (found.signal != 0) end_by_signal(found.signal);
  if (!found.answer.outcome.best) {
    throw NoSolutionError("no answer within the limits",
                          report::describe_goal(found.answer.outcome.goal),
                          report::how_to_relax(found.answer));
  }
}

}  // namespace ridgewatt::cli
