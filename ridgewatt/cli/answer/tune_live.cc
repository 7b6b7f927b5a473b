// tune on a board at hand: every point that the search asks for is set, measured and stored.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/progress.h"
#include "ridgewatt/cli/answer/tune_command.h"
#include "ridgewatt/cli/options/device_options.h"
#include "ridgewatt/cli/options/profile_options.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/platform/fake_board.h"
#include "ridgewatt/platform/jetson_identity.h"

namespace ridgewatt::cli {
namespace {

// Tells how far the search is while the board works.
class ReportingProfiler : public Profiler {
 public:
  ReportingProfiler(LiveProfiler& profiler, int budget, bool quiet)
      : profiler_(profiler), progress_("tune", static_cast<std::size_t>(budget), quiet) {}
  Observation profile(const OperatingPoint& point) override {
    progress_.update(done_++, describe(point.mode));
    return profiler_.profile(point);
  }
  std::string provenance() const override { return profiler_.provenance(); }

 private:
  LiveProfiler& profiler_;
  Progress progress_;
  std::size_t done_ = 0;
};

std::vector<NamedMode> preset_modes(const JetsonModeControl& control, const KnobSpace& modes) {
  std::vector<NamedMode> names = {{"MAXN", modes.top()}};
  if (!control.presets()) return names;
  for (const auto& preset : control.presets()->modes) {
    names.push_back({preset.name, modes.nearest(limits_of(*control.presets(), preset))});
  }
  return names;
}

// What to write where a model was given: the twin, or a program.
std::string instead_of_model(const TuneOptions& options) {
  const std::string& model = options.live.command[0];
  const bool fake = options.device.rfind("fake:", 0) == 0;
  return fmt::format(
      "for the board's twin give --device {}; for a program give it after --, {}",
      fake ? fake_board_spec(options.device.substr(5)).board : "BOARD",
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
    throw UsageError("a board at hand runs a program, not a model", program,
                     instead_of_model(options));
  }
  const bool placed =
      std::any_of(options.live.command.begin(), options.live.command.end(),
                  [](const auto& word) { return word.find("{batch}") != std::string::npos; });
  if (options.batches.size() > 1 && !placed) {
    throw UsageError("the command never receives the batch size", "--batch",
                     "write {batch} where its command names the batch");
  }
}

// What could not be profiled; an error where nothing could.
void tell_failures(const Context& context, const LiveProfiler& profiler, bool nothing_seen) {
  const auto& failures = profiler.failures();
  if (failures.empty()) return;
  if (nothing_seen) throw Error("no point could be profiled", failures.front());
  remark(context, fmt::format("{} of the points could not be profiled, the first: {}",
                              failures.size(), failures.front()));
}

constexpr char kGroup[] = "Board at hand (--device local or fake:BOARD)";

}  // namespace

void refuse_live_options(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    const bool live = option->get_group() == kGroup || option->get_group() == kMeasuringGroup;
    if (live && option->count() > 0) {
      throw UsageError("an option of a board at hand", option->get_name(),
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
  LiveOptions& live = options.live;
  const auto device = open_local_device(options.device, live.sysroot, context.seed);
  JetsonModeControl control(*device.sysfs, live.control);
  ProfileOptions& profile = live.profile;
  profile.measure.command = live.command;
  profile.campaign.workload = options.workload;
  profile.campaign.kind = options.training ? "training" : "inference";
  profile.quiet = context.quiet;
  name_campaign(device, profile);
  Store store = Store::made_at_first_write(live.store);
  LiveProfiler profiler(*device.sysfs, control, store, profile);

  const auto known = control.governors();
  for (const auto& name : live.governors) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw UsageError("the board has no such governor", name,
                       fmt::format("there are {}", fmt::join(known, ", ")));
    }
  }
  const KnobSpace modes = control.space();
  const SearchSpace space(modes, options.batches.empty() ? std::vector<int>{0} : options.batches);
  const auto names = preset_modes(control, modes);
  StrategyOptions strategy = strategy_options(context, options);
  strategy.budget.minibatches = std::max(profile.measure.window.minibatches, 1);
  for (const auto& name : names) strategy.presets.push_back(name.mode);
  if (strategy.strategy == "auto" || strategy.strategy == "als") {
    strategy.known = profiler.take_known();
    std::erase_if(strategy.known,
                  [](const Observation& seen) { return !seen.point.mode.governor.empty(); });
  }
  ReportingProfiler reporting(profiler, options.profiles, context.quiet);
  const SearchSummary summary = tune(space, options.goal.goal(), reporting, strategy);
  std::vector<Observation> governed;
  for (const auto& name : live.governors) {
    OperatingPoint point;
    point.mode.governor = name;
    if (const auto& like = summary.answer ? summary.answer : summary.miss) {
      point.batch = like->point.batch;
    } else {
      break;  // nothing could be profiled
    }
    try {
      governed.push_back(profiler.profile(point));
    } catch (const PointFailedError& error) {
      remark(context, fmt::format("governor {} left out: {}", name, error.what()));
    }
  }
  control.restore();

  TuneReport report = search_report(context, options, space, summary);
  report.workload = profile.campaign.workload + " " + profile.campaign.kind;
  report.device = profile.campaign.board;
  report.provenance = profiler.provenance();
  report.origin = {profile.campaign.workload, profile.campaign.kind, profile.campaign.board,
                   parse_provenance(report.provenance).value_or(Provenance::kMeasured)};
  Sweep seen;
  seen.observations = strategy.known;
  for (const auto& step : summary.steps) seen.observations.push_back(step.seen);
  tell_failures(context, profiler, seen.observations.empty());
  report.others = compare_with_sweep(report.goal, seen, names);
  if (!report.others.empty() && report.others.back().name == "optimum of the sweep") {
    report.others.pop_back();  // of what was profiled: that is the answer
  }
  const auto governors = compare_with_governors(report.goal, governed);
  report.others.insert(report.others.end(), governors.begin(), governors.end());
  report.remark = "points are kept in " + live.store;
  print_report(context, report, options.trace);
}

}  // namespace ridgewatt::cli
