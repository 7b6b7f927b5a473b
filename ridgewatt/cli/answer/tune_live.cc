// tune on a real or fake board: every point that the search asks for is set, measured and stored.
#include <fmt/format.h>

#include <algorithm>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/progress.h"
#include "ridgewatt/cli/answer/tune_command.h"
#include "ridgewatt/cli/options/device_options.h"
#include "ridgewatt/cli/options/profile_options.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/cli/options/workload_options.h"
#include "ridgewatt/measure/profile.h"
#include "ridgewatt/platform/fake_board.h"
#include "ridgewatt/platform/local_device.h"

namespace ridgewatt::cli {
namespace {

// What to write where a model was given: the twin, or a program.
std::string instead_of_model(const TuneOptions& options) {
  const std::string& model = options.live.command[0];
  const bool fake = options.device.rfind("fake:", 0) == 0;
  return fmt::format(
      "for the board's twin give --device {}; for a program give it after --, {}",
      fake ? platform::fake_board_spec(options.device.substr(5)).board : "BOARD",
      fake ? fmt::format("-- ridgewatt fake-run {} --device {}", model, options.device)
           : std::string("-- python3 infer.py"));
}

void check(const TuneOptions& options) {
  if (options.live.command.empty()) {
    throw UsageError("nothing to profile", "tune --device " + options.device,
                     "give the program after --, for example -- python3 train.py");
  }
  const std::string& program = options.live.command[0];
  if (program.rfind("zoo:", 0) == 0 || program.ends_with(".onnx")) {
    throw UsageError("a real or fake board runs a program, not a model", program,
                     instead_of_model(options));
  }
  const bool placed =
      std::any_of(options.live.command.begin(), options.live.command.end(),
                  [](const auto& word) { return word.find("{batch}") != std::string::npos; });
  if (options.question.batches.size() > 1 && !placed) {
    throw UsageError("the command never receives the batch size", "--batch",
                     "write {batch} where its command names the batch");
  }
}

// What a verification asks a twin of: the model that the program runs, and its board.
void add_twin(const TuneOptions& options, answer::LiveBoard& board) {
  if (options.question.verify == 0) return;
  if (options.workload.model.empty() || options.question.batches.empty()) {
    throw UsageError("the twin is asked of a model at a batch", "--verify",
                     "give --model MODEL and --batch N: what the program runs");
  }
  board.workload = options.workload.load();
  board.twin_board = options.device.starts_with("fake:")
                         ? platform::fake_board_spec(options.device.substr(5)).board
                         : board.profile.series.board;
}

constexpr char kGroup[] = "Real or fake board (--device local or fake:BOARD)";

}  // namespace

void refuse_live_options(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    const bool live = option->get_group() == kGroup || option->get_group() == kMeasuringGroup;
    if (live && option->count() > 0) {
      throw UsageError("an option of a real or fake board", option->get_name(),
                       "it needs --device local or fake:BOARD");
    }
  }
}

void add_live_options(CLI::App& command, LiveOptions& options) {
  output_file(
      command.add_option("--store", options.store, "Store that profiled points are kept in"))
      ->capture_default_str()
      ->group(kGroup);
  command
      .add_option("--governors", options.governors,
                  "DVFS governors that the answer is compared with, each profiled at its batch")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->group(kGroup);
  command.add_option("--sysroot", options.sysroot, "Root of a recorded or fake board's tree")
      ->group(kGroup);
  command.add_option("--state-dir", options.control.state_folder, "Folder of the mode journal")
      ->group(kGroup);
  add_profile_options(command, options.profile, options.control);
}

void tune_live(const Context& context, TuneOptions options) {
  check(options);
  check_answer_table(context, options);
  LiveOptions& live = options.live;
  const auto device = platform::open_local_device(options.device, live.sysroot, context.seed);
  platform::JetsonModeControl control(*device.sysfs, live.control);
  measure::ProfileOptions& profile = live.profile;
  profile.measure.command = live.command;
  profile.series.workload = options.sweep_name;
  profile.series.kind = name_of(options.workload.kind);
  profile.quiet = context.quiet;
  measure::name_series(device, profile);
  store::Store store = store::Store::made_at_first_write(live.store);
  const answer::TuneQuestion question = options.asked(context);
  Progress progress("tune", static_cast<std::size_t>(question.budget.profiles), context.quiet);
  answer::LiveBoard board{*device.sysfs,
                          control,
                          store,
                          profile,
                          live.governors,
                          [&](std::size_t done, const OperatingPoint& point) {
                            progress.update(done, describe(point.mode));
                          }};
  add_twin(options, board);
  answer::TuneAnswer found = answer::tune_on_board(question, board);
  for (const auto& line : found.trace.left_out) remark(context, line);
  found.source.remark = "points are kept in " + live.store;
  answer::add_holds(found, options.heat);
  print_answer(context, found, options.trace);
}

}  // namespace ridgewatt::cli
