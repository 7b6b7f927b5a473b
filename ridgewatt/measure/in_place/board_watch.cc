#include "ridgewatt/measure/in_place/board_watch.h"

#include <fmt/format.h>

#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/measure/machine_series.h"

namespace ridgewatt::measure {
namespace {

// True if `process` is the program or one of its descendants.
bool belongs_to(int process, pid_t program) {
  for (int depth = 0; depth < 100 && process > 1; ++depth) {
    if (process == program) return true;
    std::string text;
    try {
      text = read_file(fmt::format("/proc/{}/stat", process));
    } catch (const Error&) {
      return false;
    }
    const auto end = text.rfind(')');  // the name before it may contain any character
    const auto words = split(trim(text.substr(end == std::string::npos ? 0 : end + 1)), ' ');
    process = words.size() > 1 ? static_cast<int>(parse_int(words[1]).value_or(0)) : 0;
  }
  return false;
}

std::string name_of_process(int process) {
  try {
    return fmt::format("{} {}", process, trim(read_file(fmt::format("/proc/{}/comm", process))));
  } catch (const Error&) {
    return std::to_string(process);
  }
}

}  // namespace

BoardWatch::BoardWatch(const platform::Sysfs& sysfs, pid_t program)
    : sysfs_(sysfs), program_(program), meter_(sysfs), reader_(sysfs) {
  source_ = meter_.source();
  if (source_ == nullptr) {
    throw IoError("tuning a running program needs a power sensor", meter_.description(),
                  "check with `ridgewatt sensors` that the board measures power");
  }
  Sampler::Options options;
  options.rate_hz = meter_.usable_rate_hz(options.rate_hz);
  sampler_ = std::make_unique<Sampler>(*source_, options);
  first_throttling_ = platform::read_throttling(sysfs);
}

void BoardWatch::drain(std::vector<TimedPower>& power) {
  samples_.clear();
  sampler_->drain(samples_);
  const auto& channels = source_->channels();
  for (const auto& sample : samples_) {
    const auto total =
        platform::total_power_w(channels, [&](std::size_t c) { return sample.power_w[c]; });
    if (total && std::isfinite(*total)) power.push_back({sample.time_s, *total});
  }
}

TunedProgram::Surroundings BoardWatch::surroundings() {
  TunedProgram::Surroundings found;
  const auto sensors = reader_.read();
  for (const auto& zone : sensors.temperatures) {
    if (zone.celsius) found.celsius[zone.name] = *zone.celsius;
  }
  for (const int process : gpu_processes(sysfs_)) {
    if (!belongs_to(process, program_)) found.processes.push_back(name_of_process(process));
  }
  found.throttled = platform::throttled(first_throttling_, platform::read_throttling(sysfs_));
  return found;
}

}  // namespace ridgewatt::measure
