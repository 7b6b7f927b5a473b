#include "ridgewatt/cli/options/profile_options.h"

#include "ridgewatt/cli/options/option_adder.h"

namespace ridgewatt::cli {

void add_profile_options(CLI::App& command, measure::ProfileOptions& options,
                         platform::JetsonModeControl::Options& control) {
  quantity(command.add_option("--settle", options.measure.settle.at_most_s,
                              "Longest wait for steady power under load (0: none)"),
           seconds().within(0, 3600))
      ->capture_default_str()
      ->group(kMeasuringGroup);
  quantity(command.add_option("--settle-window", options.measure.settle.window_s,
                              "Power is steady when two windows of this length agree"),
           seconds().within(0.01, 60))
      ->capture_default_str()
      ->group(kMeasuringGroup);
  quantity(command.add_option("--window", options.measure.window.minibatches,
                              "Minibatches per point; the command is ended after them (0: never)"),
           count().within(0, 1e6))
      ->capture_default_str()
      ->group(kMeasuringGroup);
  quantity(command.add_option("--warm-up", options.measure.window.warm_up, "Minibatches left out"),
           count().within(1, 1e6))
      ->capture_default_str()
      ->group(kMeasuringGroup);
  quantity(
      command.add_option("--idle", options.measure.idle_s, "Seconds of idle baseline per mode"),
      seconds().within(0, 3600))
      ->capture_default_str()
      ->group(kMeasuringGroup);
  quantity(command.add_option("--max-celsius", control.max_celsius, "Abort above this temperature"),
           celsius())
      ->capture_default_str()
      ->group(kMeasuringGroup);
  add_condition_options(command, control.full_fan, options.cache);
  command
      .add_flag("--no-idle-states", control.no_idle_states,
                "Switch the CPU's idle states off; taken back in the end")
      ->group(kMeasuringGroup);
}

void add_mode_wish(CLI::App& command, answer::ModeWish& wish, const std::string& whose) {
  const OptionAdder add(command);
  add.input("--modes", wish.file, "Modes to profile: a CSV with knob columns, and governor");
  add.optional("--sample", wish.sample, count().within(1, 1e6),
               "Modes drawn from " + whose + " grid, by --seed");
  add.optional("--suggest", wish.suggest, count().within(1, 1e5),
               "Modes that the predictor proposes");
}

void add_condition_options(CLI::App& command, bool& full_fan, measure::CacheOptions& cache) {
  command.add_flag("--full-fan", full_fan, "Set the fan to full; taken back in the end")
      ->group(kMeasuringGroup);
  const auto add = [&](const char* name, measure::CacheOptions::Start start, const char* meaning) {
    return command
        .add_option_function<std::string>(
            name,
            [&cache, start](const std::string& path) {
              cache = {start, path};
            },
            meaning)
        ->type_name("PATH")
        ->group(kMeasuringGroup);
  };
  add("--fill-cache", measure::CacheOptions::Start::kFilled,
      "Read this file, or all of this folder, into the page cache before each run")
      ->excludes(add("--drop-cache", measure::CacheOptions::Start::kDropped,
                     "Drop this file, or all of this folder, from it before each run"));
}

}  // namespace ridgewatt::cli
