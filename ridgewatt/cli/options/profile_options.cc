#include "ridgewatt/cli/options/profile_options.h"

#include "ridgewatt/answer/parameter.h"
#include "ridgewatt/base/workload_kind.h"
#include "ridgewatt/cli/options/parameters.h"

namespace ridgewatt::cli {
namespace {

void add_cache_options(CLI::App& command, measure::CacheOptions& cache) {
  using enum measure::CacheOptions::Start;
  const auto add = [&](const char* name, measure::CacheOptions::Start start, const char* meaning) {
    const auto set = [&cache, start](const std::string& path) { cache = {start, path}; };
    return command.add_option_function<std::string>(name, set, meaning)
        ->type_name("PATH")
        ->group(kMeasuringGroup);
  };
  add("--fill-cache", kFilled, "Before each run, read this file or folder into the page cache")
      ->excludes(add("--drop-cache", kDropped,
                     "Before each run, drop this file or folder from the page cache"));
}

}  // namespace

void add_profile_options(CLI::App& command, measure::ProfileOptions& options,
                         platform::JetsonModeControl::Options& control) {
  const auto rows = answer::control_rows();
  add_rows(command, answer::measuring_rows(), &options, kMeasuringGroup);
  add_rows(command, rows.first(2), &control, kMeasuringGroup);
  add_cache_options(command, options.cache);
  add_rows(command, rows.subspan(2), &control, kMeasuringGroup);
}

void add_series(const OptionAdder& add, store::Series& series) {
  series.kind = name_of(WorkloadKind::kInference);
  add.text("--workload", series.workload, "Name of the workload");
  add.words("--kind", series.kind, {answer::names_of<WorkloadKind>},
            "Kind of the workload: training, inference, ..")
      ->capture_default_str();
}

void add_mode_wish(CLI::App& command, answer::ModeWish& wish, const std::string& whose) {
  const OptionAdder add(command);
  add.input("--modes", wish.file, "CSV of the modes to profile: knob columns, or governor");
  add.optional("--sample", wish.sample, count().within(1, 1e6),
               "Number of modes to draw at random (--seed) from " + whose + " grid");
  add.optional("--suggest", wish.suggest, count().within(1, 1e5),
               "Number of modes that the predictor proposes");
}

void add_condition_options(CLI::App& command, platform::JetsonModeControl::Options& control,
                           measure::CacheOptions& cache) {
  add_rows(command, answer::control_rows().subspan(1, 1), &control, kMeasuringGroup);
  add_cache_options(command, cache);
}

}  // namespace ridgewatt::cli
