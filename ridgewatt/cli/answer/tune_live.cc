// tune on a real or fake board. Each point that the search requests is set, measured and stored.
// With --in-place, one program keeps running while the mode changes.
#include <fmt/format.h>

#include <algorithm>

#include "ridgewatt/answer/tune_in_place.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/interrupt_note.h"
#include "ridgewatt/base/progress.h"
#include "ridgewatt/cli/answer/tune_command.h"
#include "ridgewatt/cli/options/device_options.h"
#include "ridgewatt/cli/options/end_by_signal.h"
#include "ridgewatt/cli/options/option_rules.h"
#include "ridgewatt/cli/options/parameters.h"
#include "ridgewatt/cli/options/profile_options.h"
#include "ridgewatt/device/board_names.h"
#include "ridgewatt/measure/live_program.h"
#include "ridgewatt/measure/placeholders.h"
#include "ridgewatt/measure/profile.h"
#include "ridgewatt/platform/fake_board.h"
#include "ridgewatt/platform/local_device.h"
#include "ridgewatt/report/tune_report.h"

namespace ridgewatt::cli {
namespace {

// Returns the advice for a model that was given instead of a program.
std::string instead_of_model(const TuneOptions& options) {
  const std::string& model = options.live.command[0];
  const auto fake = fake_name(options.device);
  return fmt::format(
      "for the board's twin give --device {}; for a program give it after --, {}",
      fake ? platform::fake_board_spec(*fake).board : "BOARD",
      fake ? fmt::format("-- ridgewatt fake-run {} --device {}", model, options.device)
           : std::string("-- python3 infer.py"));
}

void check(const TuneOptions& options) {
  if (options.live.command.empty()) {
    throw UsageError("tune has no program to profile on --device " + options.device, "",
                     "give the program after --, for example -- python3 train.py");
  }
  const std::string& program = options.live.command[0];
  if (program.rfind("zoo:", 0) == 0 || program.ends_with(".onnx")) {
    throw UsageError("on a real or fake board tune needs a program, not a model", program,
                     instead_of_model(options));
  }
  if (options.question.batches.size() > 1 &&
      !measure::has_place(options.live.command, measure::kBatchPlace)) {
    throw UsageError("--batch has no effect, because COMMAND does not contain {batch}", "",
                     "write {batch} where COMMAND states its batch");
  }
}

void check_in_place(const TuneOptions& options) {
  const LiveOptions& live = options.live;
  if (live.process && !live.command.empty()) {
    throw UsageError("--pid and COMMAND both give a program", live.command[0], "give one of them");
  }
  if (!live.process && live.command.empty()) {
    throw UsageError("--in-place needs a program", "",
                     "give --pid N, or the program after --, for example -- python3 train.py");
  }
  if (live.process && live.end_program) {
    throw UsageError("--end-program has no effect with --pid", "", "omit it");
  }
  if (options.question.batches.size() > 1) {
    throw UsageError("--batch gives several batches, but a running program has one", "",
                     "give the batch of the program, or omit --batch");
  }
  if (options.question.batches.empty() && measure::has_place(live.command, measure::kBatchPlace)) {
    throw UsageError("COMMAND contains {batch}, but no batch is given", "", "give --batch N");
  }
}

// Adds the twin that --verify needs: the model that the program runs, and its board.
void add_twin(const TuneOptions& options, answer::LiveBoard& board) {
  if (options.question.verify == 0) return;
  if (options.workload.model.empty() || options.question.batches.empty()) {
    throw UsageError("--verify needs the model and the batch of the program", "",
                     "give --model MODEL and --batch N");
  }
  board.workload = options.workload.load();
  const auto fake = fake_name(options.device);
  board.twin_board = fake ? platform::fake_board_spec(*fake).board : board.profile.series.board;
}

std::string kept_windows(const std::string& store) {
  return "the original mode is restored; windows are kept in " + store +
         ": repeat the command to continue";
}

void tune_in_place(const Context& context, const TuneOptions& options, const CLI::App& command,
                   const answer::TuneQuestion& question, answer::LiveBoard& board) {
  const LiveOptions& live = options.live;
  const auto& window = board.profile.measure.window;
  answer::InPlaceQuestion in_place{
      .options = live.window, .process = live.process, .end_program = live.end_program};
  in_place.options.warm_up = std::max(window.warm_up, 1);
  if (option_given(command, "--window")) {
    in_place.options.most_minibatches =
        std::max(window.minibatches, in_place.options.least_minibatches);
  }
  InterruptNote note;
  note.set(kept_windows(live.store));
  answer::InPlaceAnswer found;
  try {
    found = answer::tune_in_place(question, board, in_place, [&](const auto& answer) {
      if (live.end_program) return;
      const auto& best = answer.outcome.best;
      remark(context, best
                          ? "the program continues in the best mode: " + describe(best->point.mode)
                          : "no mode meets the limits: the program continues in the original mode");
    });
  } catch (const measure::InterruptedError& error) {
    board.control.restore();
    remark(context, "interrupted: " + kept_windows(live.store));
    end_by_signal(error.signal());
  }
  found.answer.source.remark = "windows are kept in " + live.store;
  report::Result result = report::in_place_result(found, options.trace);
  if (found.signal != 0) result.none.reset();
  print(context, result);
  if (found.signal != 0) end_by_signal(found.signal);
}

}  // namespace

void add_live_options(CLI::App& command, LiveOptions& options) {
  const OptionAdder add(command, kLiveGroup);
  add.place("--store", options.store, "Store that keeps the profiled points")
      ->capture_default_str();
  add.repeated(
         "--governors", options.governors,
         "DVFS governors to compare the answer with; each is profiled at the batch of the answer")
      ->delimiter(',');
  add.sysroot(options.sysroot);
  add.state_folder(options.control.state_folder);
  add_profile_options(command, options.profile, options.control);
  const OptionAdder add_in_place(command, kInPlaceGroup);
  add_in_place.flag(
      "--in-place", options.in_place,
      "Start the program once and change modes while it runs, instead of one start per point; "
      "the best mode stays set");
  add_in_place.optional("--pid", options.process, count().within(1, 1 << 30),
                        "Process id of a running program that marks its minibatches in a file");
  add_rows(command, answer::window_rows(), &options.window, kInPlaceGroup);
  add_in_place.flag("--end-program", options.end_program, "End the program after the search");
}

void tune_live(const Context& context, TuneOptions& options, const CLI::App& command) {
  LiveOptions& live = options.live;
  if (live.in_place) {
    check_in_place(options);
    check_table_options(
        context,
        with_origin(context, options.trace ? report::windows_table({}) : report::tune_table({}),
                    {}));
  } else {
    check(options);
    check_answer_table(context, options);
  }
  const auto device = platform::open_local_device(options.device, live.sysroot, context.seed);
  platform::JetsonModeControl control(*device.sysfs, live.control);
  measure::ProfileOptions& profile = live.profile;
  profile.measure.command = live.command;
  if (live.process) profile.measure.command = {fmt::format("process {}", *live.process)};
  profile.series.workload = options.sweep_name;
  profile.series.kind = name_of(options.workload.kind);
  profile.quiet = context.quiet;
  measure::name_series(device, profile);
  store::Store store = store::Store::made_at_first_write(live.store);
  const answer::TuneQuestion question = options.asked();
  Progress progress("tune", static_cast<std::size_t>(question.budget.profiles), context.quiet);
  const auto on_point = [&](std::size_t done, const OperatingPoint& point) {
    progress.update(done, describe(point.mode));
  };
  answer::LiveBoard board{*device.sysfs, control, store, profile, live.governors, on_point};
  if (live.in_place) return tune_in_place(context, options, command, question, board);
  add_twin(options, board);
  InterruptNote note;
  note.set(kept_points(live.store));
  answer::TuneAnswer found = answer::tune_on_board(question, board);
  if (!found.source.remark) found.source.remark = "points are kept in " + live.store;
  answer::add_holds(found, options.heat);
  print(context, found.source.caveats, report::tune_result(found, options.trace));
}

}  // namespace ridgewatt::cli
