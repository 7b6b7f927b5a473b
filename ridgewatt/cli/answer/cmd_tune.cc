// ridgewatt tune: the best power mode and batch within limits.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/cli/answer/tune_command.h"
#include "ridgewatt/cli/options/option_rules.h"
#include "ridgewatt/cli/options/parameters.h"
#include "ridgewatt/cli/options/workload_options.h"
#include "ridgewatt/platform/local_device.h"
#include "ridgewatt/tune/strategy.h"

namespace ridgewatt::cli {
namespace {

using Ways = answer::TuneForms;

// Throws UsageError for options that the strategy does not use.
void check_strategy(const CLI::App& command, const std::string& name) {
  const tune::Strategy& strategy = tune::find_strategy(name);
  const std::string when = "with --strategy " + name;
  const auto refuse_unless = [&](bool tune::Strategy::*follows, const char* option) {
    if (strategy.*follows) return;
    refuse_without_effect(command, {option}, when,
                          "it goes with " + tune::names_where(tune::strategies(), follows));
  };
  refuse_unless(&tune::Strategy::remembers, "--observations");
  refuse_unless(&tune::Strategy::uses_prior, "--reference");
  refuse_unless(&tune::Strategy::stops_early, "--min-gain");
  refuse_unless(&tune::Strategy::stops_early, "--near-best");
  if (strategy.every_point) refuse_without_effect(command, {"--profiles", "--noise"}, when);
}

void check_measured(const CLI::App& command, const TuneOptions& options, const answer::Form& form) {
  check_form(command, form);
  if (!options.device.empty()) return;
  const std::string when = std::string(form.when) + " and no --device";
  answer::Form alone = Ways::kRowsAlone;
  alone.when = when;
  check_form(command, alone);
}

void check_sweep(const CLI::App& command, const TuneOptions& options) {
  refuse_without_effect(command, {"--samples"}, "with --sweep", "give one of them");
  check_measured(command, options, Ways::kSweep);
  if (options.question.verify > 0) return;
  check_strategy(command, options.question.strategy.value_or("auto"));
}

void check_samples(const CLI::App& command, const TuneOptions& options) {
  check_measured(command, options, Ways::kSamples);
  if (options.question.verify > 0 && (options.workload.model.empty() || options.device.empty())) {
    throw UsageError("--verify needs a model and a board", "", "give MODEL and --device BOARD");
  }
}

void check_twin(const CLI::App& command, const TuneOptions& options) {
  if (options.workload.model.empty()) {
    throw UsageError("nothing to tune", "",
                     "give MODEL --device BOARD, --sweep FILE.csv or --samples FILE.csv");
  }
  check_form(command, Ways::kTwin);
  if (options.question.verify > 0 && options.device == "all") {
    throw UsageError("only one board can be verified at a time", "--verify", "give --device BOARD");
  }
  if (options.question.verify > 0 && options.workload.all_runtimes) {
    throw UsageError("only one runtime can be verified at a time", "--verify",
                     "give --runtime NAME");
  }
  if (options.device == "all" && options.workload.all_runtimes) {
    throw UsageError("--device all and --runtime all cannot be combined", "",
                     "name one board or one runtime");
  }
  if (options.workload.all_runtimes && !options.heat.file.empty()) {
    throw UsageError("--thermal needs one runtime, not several", "", "name one with --runtime");
  }
  if (options.device == "all" || options.workload.all_runtimes) {
    refuse_without_effect(command, {"--trace"},
                          options.device == "all" ? "with --device all" : "with --runtime all",
                          "only the answers are ranked; name one");
  }
  if (options.question.strategy) {
    check_form(command, Ways::kTwinSearch);
    return check_strategy(command, *options.question.strategy);
  }
  check_form(command, Ways::kEveryPoint);
  if (options.device == "all" && !options.heat.file.empty()) {
    throw UsageError("--thermal applies to one board only", "", "name it with --device");
  }
}

// Rejects a misspelled prefix, as in "fke:agx-orin".
void check_device(const std::string& device) {
  const bool file = device.find('/') != std::string::npos;
  if (device.find(':') == std::string::npos || file || device.starts_with("replay:")) return;
  if (!platform::is_local_device(device)) platform::open_local_device(device);  // throws
}

// Runtimes can only be compared on a twin.
void check_all_runtimes(const TuneOptions& options) {
  if (!options.workload.all_runtimes) return;
  const bool twin = !platform::is_local_device(options.device) &&
                    !options.device.starts_with("replay:") && options.sweep.empty() &&
                    options.samples.empty() && options.campaign.plan.empty() &&
                    !options.job.asked();
  if (twin) return;
  throw UsageError("--runtime all needs a model and the twin of a board", "",
                   "give MODEL and --device BOARD, or name one runtime");
}

// Rejects "--batch 1 4", where 4 became an argument of the command.
void refuse_blank_list(const CLI::App& command, const char* option, const std::string& extra) {
  if (!option_given(command, option) || !parse_int(extra)) return;
  const auto given = command.get_option(option)->results();
  throw UsageError(std::string("the values of ") + option + " are separated by commas", extra,
                   fmt::format("give {} {},{}", option, fmt::join(given, ","), extra));
}

void run(const Context& context, TuneOptions& options, const CLI::App& command) {
  options.question.seed = context.seed;
  check_device(options.device);
  check_all_runtimes(options);
  const answer::TuneRequest& request = options;
  check_parameters(command, answer::tune_parameters(), &request);
  check_job_options(command, options);
  check_campaign_options(command, options.campaign);
  if (!options.campaign.plan.empty()) {
    check_strategy(command, options.question.strategy.value_or("auto"));
    refuse_live_options(command);
    refuse_in_place_options(command);
    return tune_on_boards(context, options);
  }
  if (options.question.verify > 0) check_form(command, Ways::kVerification);
  if (platform::is_local_device(options.device)) {
    check_form(command, Ways::kBoard);
    if (options.question.verify == 0) {
      check_form(command, Ways::kProgram);
      check_strategy(command, options.question.strategy.value_or("auto"));
    }
    if (!options.live.in_place) refuse_in_place_options(command);
    return tune_live(context, options, command);
  }
  refuse_in_place_options(command);
  refuse_live_options(command);
  if (options.live.command.size() > 1) {
    refuse_blank_list(command, "--batch", options.live.command[1]);
    throw UsageError("tune takes one model, but got another", options.live.command[1],
                     "a program after -- needs --device local or fake:BOARD");
  }
  if (!options.live.command.empty()) {
    refuse_without_effect(command, {"--model"}, "with MODEL", "give one of them");
    options.workload.model = options.live.command[0];
  }
  if (options.job.asked()) return tune_job(context, options);
  if (options.device.rfind("replay:", 0) == 0) {
    if (!options.sweep.empty()) {
      throw UsageError("--sweep and --device replay:FILE both give a sweep", "",
                       "give one of them");
    }
    options.sweep = options.device.substr(7);
    options.device.clear();
  }
  if (!options.sweep.empty()) {
    check_sweep(command, options);
  } else if (!options.samples.empty()) {
    check_samples(command, options);
  } else {
    check_twin(command, options);
    options.device = board_or_local(context, options.device);
  }
  const answer::TuneReply reply =
      answer::answer_request(options, [&](const auto& line) { remark(context, line); });
  print_reply(context, options, reply);
}

}  // namespace

void add_tune(CLI::App& app, Context& context) {
  const auto [command, options, add] = define<TuneOptions>(
      app, context, "tune", std::string(answer::tune_parameters().description),
      "ridgewatt tune zoo:resnet50 --device agx-orin --max-power 30 --minimize time\n"
      "  ridgewatt tune zoo:resnet50 --device agx-orin --max-power 30 --runtime all\n"
      "  ridgewatt tune --sweep sweep.csv --max-power 30 --profiles 15 --trace\n"
      "  ridgewatt tune zoo:resnet50 --batch 16 --device agx-orin --minimize energy "
      "--max-slowdown 5% --verify 4\n"
      "  ridgewatt tune zoo:resnet50 --training --batch 16 --device agx-orin "
      "--dataset-size 50000 --deadline 1h\n"
      "  ridgewatt tune --device local --max-power 30 -- python3 train.py\n"
      "  ridgewatt tune --device local --in-place --max-power 30 -- python3 train.py",
      run);
  add.model("MODEL", options.live.command,
            "ONNX file or zoo:NAME; on a real or fake board the program, after --");
  add.model("--model", options.workload.model, "The same as MODEL");
  // MODEL is declared above, because a program may be given instead.
  answer::TuneRequest& request = options;
  add_parameters(command, answer::tune_parameters(), &request, "MODEL");
  command.get_option("--batch")->allow_extra_args(false);  // a program may follow
  add.output("--observations", options.observations,
             "Sweep file of known points: strategies als and auto read it first and add what they "
             "profile");
  add.flag("--trace", options.trace, "Print every profiled point, in order");
  add_strict(command, context);
  add_live_options(command, options.live);
  add_in_place_options(command, options.live);
  add_campaign_options(command, options.campaign);
  add_rows(command, answer::job_rows(), &options.job, "Jobs and days");
  add_output_option(command, context);
  add_tune_llm(command, context);
}

}  // namespace ridgewatt::cli
