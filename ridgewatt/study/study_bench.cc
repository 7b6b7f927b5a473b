#include "ridgewatt/study/study_bench.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <set>
#include <thread>

#include "ridgewatt/base/contains.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/process.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/measure/measure_command.h"
#include "ridgewatt/study/study_analysis.h"
#include "ridgewatt/sweep/neighbors.h"

namespace ridgewatt::study {
namespace {

std::optional<Knob> knob_named(std::string_view name) {
  for (const Knob knob : kKnobs) {
    if (knob_field(knob) == name) return knob;
  }
  return std::nullopt;
}

// Converts the value of a knob to the unit of its field: MHz, or number of cores.
double in_field_unit(Knob knob, double value) {
  PowerMode mode;
  mode.set(knob, value);
  return knob_in_field_unit(mode, knob);
}

bool on_path(const std::string& program) {
  if (program.find('/') != std::string::npos) return ::access(program.c_str(), X_OK) == 0;
  const char* path = std::getenv("PATH");
  for (const auto& folder : split(path != nullptr ? path : "/usr/bin:/bin", ':')) {
    if (::access((folder + "/" + program).c_str(), X_OK) == 0) return true;
  }
  return false;
}

// Runs a shell command with redirected output. Unlike std::system(), it lets Ctrl+C end this
// process too.
bool succeeds(const std::string& command, const char* outputs = ">/dev/null 2>&1") {
  const std::string line = "{ " + command + "\n} " + outputs;
  return ChildProcess({.words = {"/bin/sh", "-c", line}, .input = STDIN_FILENO}).wait() == 0;
}

std::vector<std::string> knob_levels(const StudyFactor& factor, Knob knob,
                                     const std::vector<double>& table) {
  std::vector<std::string> levels;
  const auto add = [&](double value) {
    const std::string text = fmt::format("{}", in_field_unit(knob, value));
    if (!contains(levels, text)) levels.push_back(text);
  };
  for (int i = 0; i < factor.level_count; ++i) {
    const double at = static_cast<double>(table.size() - 1) * i / (factor.level_count - 1);
    add(table[static_cast<std::size_t>(std::lround(at))]);
  }
  for (const auto& level : factor.levels) {
    if (level == "min") {
      add(table.front());
    } else if (level == "mid") {
      add(table[table.size() / 2]);
    } else if (level == "max") {
      add(table.back());
    } else {
      const auto number = parse_double(level);
      const auto fits = [&](double value) {
        return number && std::abs(in_field_unit(knob, value) - *number) <= 0.01 * *number;
      };
      const auto found = std::find_if(table.begin(), table.end(), fits);
      if (found == table.end()) {
        throw UsageError(
            fmt::format("factor '{}' cannot be set to {}", factor.name, level), "",
            fmt::format("the board has {:g} to {:g}", in_field_unit(knob, table.front()),
                        in_field_unit(knob, table.back())));
      }
      add(*found);
    }
  }
  return levels;
}

// Mean frequency over time and over all clocks whose name begins with `name` (cpu0, cpu4 ..), or
// nullopt if there is no such clock.
std::optional<double> mean_clock(const std::vector<measure::ClockResidency>& residency,
                                 std::string_view name) {
  double sum = 0;
  int clocks = 0;
  for (const auto& clock : residency) {
    if (!clock.clock.starts_with(name)) continue;
    for (const auto& [hz, share] : clock.shares) sum += hz * share;
    ++clocks;
  }
  return clocks > 0 ? std::optional(sum / clocks) : std::nullopt;
}

// Adds responses of the whole machine. They include other programs, so a study must request them.
void add_of_machine(const Study& study, const measure::Measurement& measured,
                    Responses& responses) {
  const auto add = [&](const char* response, std::optional<double> value) {
    const auto& asked = study.responses;
    if (!value || !contains(asked, response)) return;
    responses[response] = *value;
  };
  for (const auto& series : measured.series_summary) {
    if (series.channel == "load:cpu") add("cpu_load", series.mean);
    if (series.channel == "load:gpu") add("gpu_load", series.mean);
    if (series.channel == "memory:used") add("memory_used_bytes", series.mean);
  }
  add("cpu_clock_hz", mean_clock(measured.residency, "cpu"));
  add("gpu_clock_hz", mean_clock(measured.residency, "gpu"));
}

}  // namespace

CommandBench::CommandBench(const platform::LocalDevice& device, const Options& options)
    : device_(device), meter_(*device.sysfs), options_(options), cache_(options.cache) {
  remarks_ = measure::condition_words(options.full_fan, options.cache);
  try {
    control_ = std::make_unique<platform::JetsonModeControl>(
        *device.sysfs, platform::JetsonModeControl::Options{.state_folder = options.state_folder,
                                                            .full_fan = options.full_fan});
    control_->levels();
  } catch (const Error& error) {
    if (options.full_fan) throw;
    control_.reset();
    no_control_ = error.what();
  }
}

CommandBench::~CommandBench() = default;

Provenance CommandBench::provenance() const {
  return device_.provenance();
}

void CommandBench::resolve_governors(const StudyFactor& factor) const {
  const bool of_gpu = factor.name == "gpu_governor";
  auto governors = of_gpu ? control_->gpu_governors() : control_->governors();
  if (!of_gpu) governors.insert(governors.begin(), "fixed");
  for (const auto& level : factor.levels) {
    if (contains(governors, level)) continue;
    throw NotSupportedError(fmt::format("factor '{}' cannot be set to {}", factor.name, level), "",
                            governors.size() < 2
                                ? "the machine does not list its governors"
                                : fmt::format("the board has {}", fmt::join(governors, ", ")));
  }
}

void CommandBench::resolve(StudyFactor& factor) const {
  if (!control_) {
    throw NotSupportedError(fmt::format("factor '{}' cannot be set here", factor.name), no_control_,
                            "use a Jetson, --device fake:BOARD, or --sweep FILE");
  }
  const auto knob = knob_named(factor.name);
  if (!knob) return resolve_governors(factor);
  std::vector<double> table = control_->levels()[*knob];
  std::erase(table, 0.0);                 // some kernels list a clock of 0 for "off"
  std::sort(table.begin(), table.end());  // core counts are in the order of the board's modes
  if (table.empty()) {
    throw NotSupportedError(fmt::format("factor '{}' cannot be set", factor.name), "",
                            "the board does not have this knob, or does not report it");
  }
  factor.levels = knob_levels(factor, *knob, table);
}

void CommandBench::resolve_factors(Study& study) {
  // All texts that may name a factor: the command, and the texts of levels that are inserted into
  // it.
  std::string command = study.command + study.before;
  for (const auto& factor : study.factors) {
    for (const auto& [level, text] : factor.texts) command += text;
  }
  std::vector<StudyFactor> kept;
  for (auto& factor : study.factors) {
    if (!is_board_factor(factor.name)) {
      if (command.find('{' + factor.name + '}') == std::string::npos) {
        throw UsageError(
            fmt::format(
                "factor '{}' cannot be set: it is not a knob and the command does not use it",
                factor.name),
            study.name);
      }
    } else {
      try {
        resolve(factor);
      } catch (const NotSupportedError& error) {
        if (!factor.optional || (control_ && factor.given)) throw;
        remarks_.push_back(fmt::format("{}; the factor is left out", error.what()));
        continue;
      }
    }
    kept.push_back(factor);
  }
  study.factors = std::move(kept);
}

void CommandBench::leave_out_levels(Study& study) {
  for (auto& factor : study.factors) {
    for (const auto& [level, check] : factor.needs) {
      const auto found = std::find(factor.levels.begin(), factor.levels.end(), level);
      if (found == factor.levels.end() || succeeds(fill_command(check, study, {}))) continue;
      factor.levels.erase(found);
      remarks_.push_back(
          fmt::format("{} {} is left out: it does not run here", factor.name, level));
    }
    if (factor.levels.empty()) {
      throw NotSupportedError(fmt::format("no level of factor '{}' runs here", factor.name),
                              study.name);
    }
  }
}

// Chooses the command: on a fake board its own command, else the fallback if the check fails.
void CommandBench::choose_command(Study& study) {
  if (device_.fake && !study.fake_command.empty()) {
    study.command = study.fake_command;
    study.setup = study.check = study.before = "";
    study.needs.clear();
    for (auto& factor : study.factors) factor.needs.clear();
  }
  for (const auto& program : study.needs) {
    if (!on_path(program)) {
      throw NotSupportedError(
          fmt::format("study '{}' needs {}, which is not installed", study.name, program), "",
          "install it and run the study again");
    }
  }
  if (study.check.empty()) return;
  const std::string check = fill_command(study.check, study, {});
  if (succeeds(check)) return;
  if (study.fallback.empty()) {
    throw NotSupportedError(fmt::format("study '{}' cannot run here: this fails", study.name),
                            check);
  }
  study.command = study.fallback;
  remarks_.push_back(
      fmt::format("'{}' fails here: the study's fallback ran in place of its program", check));
}

void CommandBench::prepare(Study& study) {
  choose_command(study);
  resolve_factors(study);
  leave_out_levels(study);
  Study once = study;
  once.repeats = 1;
  for (const auto& run : plan_study(once, 0)) {  // throws if a cell has no command
    fill_command(study.before, study, run.cell);
    fill_command(study.command, study, run.cell);
  }
  if (study.setup.empty()) return;
  const std::string setup = fill_command(study.setup, study, {});
  if (!succeeds(setup, ">&2")) {
    throw Error(fmt::format("the setup of study '{}' failed", study.name), "",
                "see its output above");
  }
}

void CommandBench::set_mode(const Study& study, const StudyCell& cell) {
  PowerMode mode;
  std::string gpu_governor;
  bool governed = false;
  for (std::size_t i = 0; i < study.factors.size(); ++i) {
    const std::string& name = study.factors[i].name;
    if (const auto knob = knob_named(name)) {
      set_in_field_unit(mode, *knob, *parse_double(cell[i]));
    } else if (name == "governor") {
      governed = true;
      if (cell[i] != "fixed") mode.governor = cell[i];
    } else if (name == "gpu_governor") {
      gpu_governor = cell[i];
    }
  }
  if (governed && mode == PowerMode{}) mode = control_->space().top();
  if (mode == PowerMode{} && gpu_governor.empty() && !options_.full_fan) return;
  control_->apply(mode, gpu_governor);
  std::this_thread::sleep_for(std::chrono::duration<double>(options_.settle_s));
}

Responses CommandBench::responses_of(const Study& study, const measure::Measurement& measured) {
  Responses responses = {{"time_s", measured.end_s - measured.begin_s},
                         {"cpu_s", measured.user_s + measured.system_s},
                         {"peak_memory_bytes", measured.peak_memory_bytes}};
  if (measured.total) {
    responses["energy_j"] = measured.total->energy_j;
    responses["power_w"] = measured.total->mean_w;
  }
  if (measured.summary.count > 0) {
    responses["minibatch_s"] = measured.summary.time_s;
    if (measured.summary.fetch_s > 0) {
      responses["stall_s"] = measured.summary.fetch_s;
      responses["compute_s"] = measured.summary.time_s - measured.summary.fetch_s;
    }
    if (measured.summary.energy_j > 0) responses["minibatch_energy_j"] = measured.summary.energy_j;
  }
  for (const auto& phase : measured.phases) {
    responses["phase " + phase.span.name + " (s)"] += phase.span.end_s - phase.span.begin_s;
  }
  for (const auto& [name, value] : measured.words.values) responses["value " + name] = value;
  add_of_machine(study, measured, responses);
  return responses;
}

Responses CommandBench::run(const Study& study, const StudyCell& cell) {
  set_mode(study, cell);
  const std::string before = fill_command(study.before, study, cell);
  if (!before.empty() && !succeeds(before, ">&2")) {
    throw Error("the command that runs before each run failed", before);
  }
  cache_.prepare();
  const std::string command = fill_command(study.command, study, cell);
  measure::MeasureOptions measure;
  measure.command = {"/bin/sh", "-c", command};
  measure.rate_hz = options_.rate_hz;
  measure.idle_s = 0;
  const measure::Measurement measured = measure::measure_command(*device_.sysfs, measure, meter_);
  if (measured.status != 0) {
    throw Error(fmt::format("the command ended with status {}", measured.status), command);
  }
  if (control_) control_->check_safety();
  malformed_marks_ += measured.malformed_marks;
  for (const auto& note : measured.words.notes) {
    if (!contains(notes_, note)) notes_.push_back(note);
  }
  return responses_of(study, measured);
}

void CommandBench::restore() {
  if (control_) control_->restore();
}

std::vector<StudyResult> replay_study(Study& study, const Sweep& sweep,
                                      std::vector<std::string>& left_out) {
  const auto level_of = [](const OperatingPoint& point, const std::string& name) {
    const auto knob = knob_named(name);
    return fmt::format("{:g}", knob ? knob_in_field_unit(point.mode, *knob) : point.batch);
  };
  std::vector<std::string> names = {"batch"};
  for (const Knob knob : kKnobs) names.emplace_back(knob_field(knob));
  std::set<std::string> factors;
  for (auto& factor : study.factors) {
    std::set<double> levels;
    if (contains(names, factor.name)) {
      for (const auto& row : sweep.observations) {
        levels.insert(*parse_double(level_of(row.point, factor.name)));
      }
    }
    if (levels.size() < 2) {
      left_out.push_back(factor.name);
      continue;
    }
    factors.insert(factor.name);
    factor.level_count = 0;
    factor.levels.clear();
    for (const double level : levels) factor.levels.push_back(fmt::format("{:g}", level));
  }
  if (factors.empty()) {
    throw NotSupportedError(
        fmt::format("factor{} '{}' cannot be replayed: the sweep does not vary {}",
                    left_out.size() == 1 ? "" : "s", fmt::join(left_out, "', '"),
                    left_out.size() == 1 ? "it" : "them"),
        sweep.source);
  }
  std::erase_if(study.factors, [&](const auto& f) { return !factors.contains(f.name); });
  std::vector<StudyResult> results;
  std::vector<double> batches;
  for (const auto& row : sweep.observations) {
    batches.push_back(row.point.batch);
    StudyResult result;
    for (const auto& factor : study.factors) {
      result.cell.push_back(level_of(row.point, factor.name));
    }
    for (const auto& name : names) {
      if (!factors.contains(name) && level_of(row.point, name) != "0") {
        result.block += fmt::format("{}{} {}", result.block.empty() ? "" : ", ", name,
                                    level_of(row.point, name));
      }
    }
    result.responses = {{"minibatch_s", row.time_s},
                        {"minibatch_energy_j", row.energy_j()},
                        {"power_w", row.power_w}};
    results.push_back(std::move(result));
  }
  const bool known = std::all_of(batches.begin(), batches.end(), [](double b) { return b >= 1; });
  if (known) use_samples(study, results, batches);
  return results;
}

}  // namespace ridgewatt::study
