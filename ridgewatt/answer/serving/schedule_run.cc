#include "ridgewatt/answer/schedule_run.h"
#include "ridgewatt/answer/estimate.h"
#include "ridgewatt/answer/serve.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "ridgewatt/base/clock.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/measure/energy.h"
#include "ridgewatt/schedule/program_keeper.h"
#include "ridgewatt/schedule/stop_on_signal.h"
#include "ridgewatt/schedule/worker_socket.h"
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

namespace {

// Samples the power of the board while programs share it.
class SharingPower {
 public:
  // `sysfs` must outlive this object. Sampling lasts at most `longest_s`.
  SharingPower(const platform::Sysfs& sysfs, double rate_hz, double longest_s);
  void stop();
  // Returns the mean and interval of the power in a phase, from one value per round; its `count` is
  // 0 if the power is unknown. `origin_s`: time on the sampler's clock at which the spans' time
  // starts.
  MeanInterval of(schedule::SharingPhase phase, const std::vector<schedule::SharingSpan>& spans,
                  double origin_s) const;

 private:
  platform::PowerMeter meter_;
  std::optional<measure::Sampler> sampler_;
  std::vector<double> times_s_, powers_w_;
};

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
    } catch (const NotSupportedError&) {  // no sample has a power
      return {};
    }
  }
  return student_interval(means_w);
}

// Adds the power of each phase.
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

}  // namespace

MeasuredSharing measure_sharing(const platform::Sysfs& sysfs, const SharingQuestion& question,
                                const std::function<void(const std::string&)>& say) {
  schedule::SharingPolicy policy(question.sharing);
  schedule::ExecutorOptions options;
  options.socket_path =
      question.socket.empty() ? schedule::default_worker_socket() : question.socket;
  options.duration_s = question.sharing.duration_s + question.sharing.start_within_s;
  options.policy = &policy;
  options.on_event = [&](double time_s, const std::string& text) {
    say(fmt::format("{:.3f} s: {}", time_s, text));
  };
  schedule::KeeperOptions keeper_options;
  keeper_options.socket_path = options.socket_path;
  keeper_options.restart = false;
  keeper_options.on_event = say;
  schedule::Executor executor(options);
  policy.on_end = [&executor] { executor.stop(); };
  const schedule::StopOnSignal stop(executor);
  SharingPower power(sysfs, question.rate_hz, options.duration_s);
  const auto program = [](const char* name, const std::string& command) {
    return schedule::KeptProgram{name, WorkloadKind::kTraining, {"/bin/sh", "-c", command}};
  };
  schedule::ProgramKeeper keeper({program("A", question.a), program("B", question.b)},
                                 keeper_options);
  const double origin_s = monotonic_s();
  executor.run();
  power.stop();
  keeper.stop();
  return with_power(policy.result(), power, origin_s);
}

namespace {

// The models of a file of programs, by entry. They must fit the memory of the board together.
std::map<const schedule::LiveProgramEntry*, ScheduledModel> models_in(
    const schedule::LivePrograms& file) {
  std::vector<const schedule::LiveProgramEntry*> entries;
  std::vector<ScheduledModel> models;
  for (const auto* list : {&file.inference, &file.training}) {
    for (const auto& entry : *list) {
      if (entry.model.empty()) continue;
      workload::DeployOptions deploy;
      deploy.kind = entry.kind;
      entries.push_back(&entry);
      models.push_back(
          scheduled_model(std::make_shared<const workload::DeployedWorkload>(entry.model, deploy),
                          "all", entry.batches, file.board));
    }
  }
  fit_together(models, file.board);
  share_cores(models, file.board);
  std::map<const schedule::LiveProgramEntry*, ScheduledModel> found;
  for (std::size_t i = 0; i < models.size(); ++i) found[entries[i]] = std::move(models[i]);
  return found;
}

}  // namespace

LiveQuestion live_programs(const std::string& path, bool keep_outliers) {
  LiveQuestion question;
  const auto file = schedule::read_live_programs(path);
  const auto models = models_in(file);
  const auto sweep_of = [&](const schedule::LiveProgramEntry& entry) {
    const auto model = models.find(&entry);
    if (model != models.end()) return model->second.sweep(file.board);
    TrustedSweep read = read_program(entry.sweep, entry.kind, keep_outliers);
    if (auto text = read.remark(); !text.empty()) question.remarks.push_back(std::move(text));
    return std::move(read.sweep);
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

LiveQuestion live_programs(schedule::ScheduleWorkloads workloads,
                           const schedule::PlanProblem& problem) {
  if (!workloads.inference) {
    throw UsageError("no inference workload is given for the requests", "",
                     "give --inference-sweep");
  }
  if (std::isinf(problem.max_latency_s))
    throw UsageError("an inference needs a latency limit", "", "give --max-latency");
  LiveQuestion question;
  question.inference.push_back(std::move(*workloads.inference));
  for (auto& background : workloads.background) {
    question.training.push_back(std::move(background.sweep));
  }
  question.programs.push_back({"", problem.max_latency_s, problem.arrival_rate_hz});
  return question;
}

}  // namespace ridgewatt::answer
