// The forms of a request to tune, and the members that exclude each other.
#include "ridgewatt/answer/tune_request.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/platform/local_device.h"
#include "ridgewatt/tune/strategy.h"

namespace ridgewatt::answer {
namespace {

using Ways = TuneForms;

constexpr std::string_view kReplay = "replay:";

// Rejects a misspelled prefix, as in "fke:agx-orin".
void check_device(const std::string& device) {
  const bool prefixed = device.find(':') != std::string::npos;
  if (!prefixed || device.find('/') != std::string::npos || device.starts_with(kReplay)) return;
  if (!platform::is_local_device(device)) platform::open_local_device(device);  // throws
}

// The form of strategies that lack a trait.
struct StrategyForm {
  const Form& form;
  bool tune::Strategy::*trait;
};
constexpr StrategyForm kStrategyForms[] = {{Ways::kForgets, &tune::Strategy::remembers},
                                           {Ways::kWithoutPrior, &tune::Strategy::uses_prior},
                                           {Ways::kNeverStops, &tune::Strategy::stops_early}};

void add_strategy(const std::string& name, Surface surface, std::vector<AskedForm>& forms) {
  const tune::Strategy& strategy = tune::find_strategy(name);
  const auto add = [&](const Form& form, const std::string& advice) {
    AskedForm& added = forms.emplace_back(form, surface);
    added.when = (surface == Surface::kPython ? "with strategy " : "with --strategy ") + name;
    added.advice = advice;
  };
  for (const auto& [form, trait] : kStrategyForms) {
    if (!(strategy.*trait)) add(form, "it goes with " + names_where(tune::strategies(), trait));
  }
  if (strategy.every_point) add(Ways::kExhaustive, "");
}

void check_job(const TuneRequest& request, const Form& way) {
  if (way == Ways::kJob && !request.dataset_size) {
    throw UsageError("a goal of a job needs the size of the job", "",
                     "give --dataset-size, and --epochs if more than 1");
  }
  if (request.device == "all" || way_of(request) == Ways::kBoard || !request.sweep.empty()) {
    throw UsageError("a goal of a job, a period or a day needs the twin of one board", "",
                     "give --device BOARD; on a real board use `ridgewatt govern`");
  }
  if (request.question.batches.size() > 1) {
    throw UsageError("a goal of a job, a period or a day needs one batch", "", "give one --batch");
  }
  if (request.workload.model.empty()) {
    throw UsageError("tune needs a model, a sweep or samples", "", "give MODEL --device BOARD");
  }
}

void check_twin(const TuneRequest& request) {
  const bool verifies = request.question.verify > 0, heats = !request.heat.file.empty();
  const bool every_board = request.device == "all";
  const bool every_runtime = request.workload.all_runtimes;
  if (request.workload.model.empty()) {
    throw UsageError("nothing to tune", "",
                     "give MODEL --device BOARD, --sweep FILE.csv or --samples FILE.csv");
  }
  if (verifies && every_board) {
    throw UsageError("only one board can be verified at a time", "--verify", "give --device BOARD");
  }
  if (verifies && every_runtime) {
    throw UsageError("only one runtime can be verified at a time", "--verify",
                     "give --runtime NAME");
  }
  if (every_board && every_runtime) {
    throw UsageError("--device all and --runtime all cannot be combined", "",
                     "name one board or one runtime");
  }
  if (heats && every_runtime) {
    throw UsageError("--thermal needs one runtime, not several", "", "name one with --runtime");
  }
  if (heats && every_board) {
    throw UsageError("--thermal applies to one board only", "", "name one board with --device");
  }
}

}  // namespace

void TuneRequest::use_replay() {
  if (!device.starts_with(kReplay)) return;
  if (!sweep.empty()) {
    throw UsageError("--sweep and --device replay:FILE both give a sweep", "", "give one of them");
  }
  sweep = device.substr(kReplay.size());
  device.clear();
}

const Form& way_of(const TuneRequest& request) {
  check_device(request.device);
  if (platform::is_local_device(request.device)) return Ways::kBoard;
  if (!request.sweep.empty()) return Ways::kSweep;
  return request.samples.empty() ? Ways::kTwin : Ways::kSamples;
}

std::vector<AskedForm> forms_of(const TuneRequest& request, const Form& way, Surface surface) {
  const bool twin = way == Ways::kTwin, rows = way == Ways::kSweep || way == Ways::kSamples;
  const bool board = way == Ways::kBoard || way == Ways::kInPlace;
  const bool verifies = request.question.verify > 0;
  const auto& strategy = request.question.strategy;
  std::vector<AskedForm> forms;
  const auto add_if = [&](bool asked, const Form& form) {
    if (asked) forms.emplace_back(form, surface);
  };
  add_if(verifies, Ways::kVerification);
  add_if(board, Ways::kBoard);
  if (way == Ways::kBoard) {
    forms.emplace_back(Ways::kWindows, surface).advice =
        surface == Surface::kPython ? "give window" : "give --window";
  }
  add_if(way != Ways::kBoard, way);
  add_if(board && !verifies, Ways::kProgram);
  add_if(twin && request.device == "all", Ways::kEveryBoard);
  add_if(twin && request.workload.all_runtimes, Ways::kEveryRuntime);
  add_if(twin && strategy, Ways::kTwinSearch);
  add_if(twin && !strategy, Ways::kEveryPoint);
  if (rows && request.device.empty()) {
    AskedForm& alone = forms.emplace_back(Ways::kRowsAlone, surface);
    if (surface == Surface::kCommandLine) alone.when = std::string(way.when) + " and no --device";
  }
  const bool searches = !verifies && way != Ways::kSamples && !Ways::kJobs.has(way);
  if (searches && (strategy || !twin)) add_strategy(strategy.value_or("auto"), surface, forms);
  return forms;
}

void check_members(const TuneRequest& request, const Form& way) {
  const bool verifies = request.question.verify > 0, twin = way == Ways::kTwin;
  if (request.workload.all_runtimes && !twin) {
    throw UsageError("--runtime all needs a model and the twin of a board", "",
                     "give MODEL and --device BOARD, or name one runtime");
  }
  if (way == Ways::kSweep && !request.samples.empty()) {
    throw UsageError("--samples has no effect with --sweep", "", "give one of them");
  }
  if (way == Ways::kSamples && verifies &&
      (request.workload.model.empty() || request.device.empty())) {
    throw UsageError("--verify needs a model and a board", "", "give MODEL and --device BOARD");
  }
  if (Ways::kJobs.has(way)) check_job(request, way);
  if (twin) check_twin(request);
}

}  // namespace ridgewatt::answer
