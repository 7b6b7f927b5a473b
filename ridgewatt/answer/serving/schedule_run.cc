#include "ridgewatt/answer/schedule_run.h"
#include "ridgewatt/answer/estimate.h"
#include "ridgewatt/answer/serve.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "ridgewatt/base/error.h"
#include "ridgewatt/measure/energy.h"
#include "ridgewatt/workload/deployed_workload.h"

namespace ridgewatt::answer {
namespace {

constexpr std::size_t kMostGrants = 20'000;

}  // namespace

void LastGrants::add(const schedule::GrantRecord& record) {
  if (grants_.size() == kMostGrants) {
    grants_.erase(grants_.begin(), grants_.begin() + kMostGrants / 2);
  }
  grants_.push_back(record);
}

std::vector<schedule::SwitchCost> LastGrants::switch_costs(double until_s) const {
  std::vector<schedule::GrantRecord> alone = grants_;
  if (until_s > 0) {
    std::erase_if(alone, [&](const auto& record) { return record.released_s > until_s; });
  }
  return schedule::measure_switch_cost(alone);
}

SharingPower::SharingPower(const platform::Sysfs& sysfs, double rate_hz, double longest_s)
    : meter_(sysfs) {
  if (meter_.source() == nullptr) return;
  rate_hz = meter_.usable_rate_hz(rate_hz);
  const double samples = 1.5 * rate_hz * longest_s + 1000;
  sampler_.emplace(*meter_.source(),
                   measure::Sampler::Options{rate_hz, static_cast<std::size_t>(samples)});
}

void SharingPower::stop() {
  if (!sampler_) return;
  sampler_->stop();
  std::vector<measure::PowerSample> samples;
  sampler_->drain(samples);
  for (const auto& sample : samples) {
    const auto total_w = platform::total_power_w(meter_.source()->channels(),
                                                 [&](std::size_t i) { return sample.power_w[i]; });
    times_s_.push_back(sample.time_s);
    powers_w_.push_back(total_w.value_or(std::numeric_limits<double>::quiet_NaN()));
  }
}

MeanInterval SharingPower::of(schedule::SharingPhase phase,
                              const std::vector<schedule::SharingSpan>& spans,
                              double origin_s) const {
  std::vector<double> means_w;
  for (const auto& span : spans) {
    if (span.phase != phase || times_s_.empty()) continue;
    try {
      means_w.push_back(measure::integrate_power(times_s_, powers_w_, origin_s + span.from_s,
                                                 origin_s + span.to_s)
                            .mean_w);
    } catch (const NotSupportedError&) {  // no sample has a value
      return {};
    }
  }
  return student_interval(means_w);
}

MeasuredSharing with_power(schedule::SharingMeasurement measured, const SharingPower& power,
                           double origin_s) {
  MeasuredSharing found{std::move(measured), {}};
  using enum schedule::SharingPhase;
  for (const auto phase : {kFirst, kSecond, kTurns, kTogether}) {
    found.power_w[static_cast<std::size_t>(phase)] =
        power.of(phase, found.measured.spans, origin_s);
  }
  return found;
}

namespace {

Sweep sweep_of_program(const schedule::LiveProgramEntry& entry, const std::string& board,
                       bool keep_outliers, std::vector<std::string>& remarks) {
  if (!entry.model.empty()) {
    workload::DeployOptions deploy;
    deploy.kind = entry.kind;
    const auto model = std::make_shared<const workload::DeployedWorkload>(entry.model, deploy);
    std::vector<int> batches = entry.batches;
    if (batches.empty()) batches = batches_to_schedule(*model);
    return estimate_sweep({.modes = "all", .batches = batches}, model, board);
  }
  TrustedSweep read = read_program(entry.sweep, entry.kind, keep_outliers);
  if (read.dropped > 0) remarks.push_back(read.remark());
  return std::move(read.sweep);
}

}  // namespace

LiveQuestion live_programs(const std::string& path, bool keep_outliers) {
  LiveQuestion question;
  const auto file = schedule::read_live_programs(path);
  const auto sweep_of = [&](const schedule::LiveProgramEntry& entry) {
    return sweep_of_program(entry, file.board, keep_outliers, question.remarks);
  };
  for (const auto& entry : file.inference) {
    question.inference.push_back(sweep_of(entry));
    question.programs.push_back({entry.name, entry.max_latency_s, entry.rate_hz});
  }
  for (const auto& entry : file.training) {
    question.training.push_back(sweep_of(entry));
    question.training_names.push_back(entry.name);
  }
  for (const auto* list : {&file.inference, &file.training}) {
    for (const auto& entry : *list) {
      if (!entry.command.empty()) question.commands.push_back(entry);
    }
  }
  return question;
}

}  // namespace ridgewatt::answer
