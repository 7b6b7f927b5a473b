#include "ridgewatt/schedule/measure_sharing.h"

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/error.h"

namespace ridgewatt::schedule {
namespace {

constexpr int kPhases = 4;
// The real time is unknown: a minibatch of minutes counts as late.
constexpr double kPlannedMinibatchS = 60;

}  // namespace

void SharingOptions::check() const {
  if (!(duration_s > 0) || !std::isfinite(duration_s) || !(start_within_s > 0) || rounds < 2 ||
      rounds > 1000) {
    throw UsageError("the duration must be positive, and the number of rounds at least 2");
  }
  if (names.size() != 2 || names[0] == names[1]) {
    throw UsageError("the two programs need different names");
  }
}

SharingPolicy::SharingPolicy(SharingOptions options) : options_(std::move(options)) {
  options_.check();
}

std::optional<std::size_t> SharingPolicy::program_of(const WorkerView& worker) const {
  for (std::size_t i = 0; i < 2; ++i) {
    if (here_[i] && workers_[i] == worker.name) return i;
  }
  return std::nullopt;
}

// A worker with one of the given names gets that place. Any other worker gets a free place.
std::string SharingPolicy::joining(const WorkerView& worker, double now_s) {
  if (program_of(worker)) return "a worker of this name is already connected";
  std::size_t place = 2;
  for (std::size_t i = 0; i < 2; ++i) {
    if (!here_[i] && worker.name == options_.names[i]) place = i;
  }
  for (std::size_t i = 0; i < 2 && place == 2; ++i) {
    if (!here_[i] && worker.name != options_.names[1 - i]) place = i;
  }
  if (place == 2) return "two workers are measured";
  here_[place] = true;
  workers_[place] = worker.name;
  if (here_[0] && here_[1] && begun_s_ < 0) begun_s_ = now_s;
  return "";
}

void SharingPolicy::left(const WorkerView& worker, double /*now_s*/) {
  const auto i = program_of(worker);
  if (!i) return;
  here_[*i] = false;
  if (begun_s_ >= 0) end();
}

void SharingPolicy::end() {
  if (ended_) return;
  ended_ = true;
  if (on_end) on_end();
}

SharingSpan SharingPolicy::span_at(double now_s) const {
  const double length_s = options_.duration_s / options_.rounds / kPhases;
  const double index = std::floor((now_s - begun_s_) / length_s);
  const auto phase = static_cast<SharingPhase>(static_cast<long>(index) % kPhases);
  return {phase, begun_s_ + index * length_s, begun_s_ + (index + 1) * length_s};
}

bool SharingPolicy::shares_device(double now_s) const {
  return begun_s_ >= 0 && !ended_ && span_at(now_s).phase == SharingPhase::kTogether;
}

// The worker that may use the device in a phase. Empty: either.
std::optional<std::size_t> SharingPolicy::wanted(const SharingSpan& span) const {
  switch (span.phase) {
    case SharingPhase::kFirst:
      return 0;
    case SharingPhase::kSecond:
      return 1;
    case SharingPhase::kTurns:
      return turn_ / 2 % 2;
    case SharingPhase::kTogether:
      break;
  }
  return std::nullopt;
}

GrantDecision SharingPolicy::next(double now_s, std::span<const WorkerView> workers) {
  GrantDecision decision;
  if (ended_) return decision;
  const bool begun = begun_s_ >= 0;
  const double end_s = begun ? begun_s_ + options_.duration_s : options_.start_within_s;
  if (now_s >= end_s) end();
  if (!begun || ended_) {
    decision.ask_again_s = end_s;
    return decision;
  }
  const SharingSpan span = span_at(now_s);
  const auto only = wanted(span);
  for (std::size_t w = 0; w < workers.size(); ++w) {
    const auto program = program_of(workers[w]);
    if (!workers[w].ready || !program || (only && *program != *only)) continue;
    if (span.phase == SharingPhase::kTurns) ++turn_;
    decision.grant = Grant{.worker = w, .planned_s = kPlannedMinibatchS};
    return decision;
  }
  decision.ask_again_s = span.to_s;
  return decision;
}

void SharingPolicy::released(const GrantRecord& record) {
  for (std::size_t i = 0; i < 2; ++i) {
    if (workers_[i] != record.worker) continue;
    grants_.push_back(record);
    grants_.back().requests = 0;
    return;
  }
}

SharingMeasurement SharingPolicy::result() const {
  if (begun_s_ < 0)
    throw NoSolutionError("the two workers did not both connect within --start-within", "",
                          "check that both programs call the worker API, or give more time");
  SharingMeasurement result;
  std::vector<double> factors, alone[2], together[2], speeds[2];
  std::vector<GrantRecord> in_turns;
  const double length_s = options_.duration_s / options_.rounds / kPhases;
  const auto within = [](const GrantRecord& grant, double from_s, double to_s) {
    return grant.granted_s >= from_s && grant.released_s <= to_s;
  };
  for (int round = 0; round < options_.rounds; ++round) {
    const double from_s = begun_s_ + round * kPhases * length_s;
    const double turns_s = from_s + 2 * length_s, together_s = from_s + 3 * length_s;
    std::vector<GrantRecord> grants;
    for (const auto& grant : grants_) {
      // Leave out the first minibatch of a phase, since it follows one of the other program.
      if (within(grant, from_s, turns_s)) grants.push_back(grant);
      if (within(grant, turns_s, together_s)) in_turns.push_back(grant);
      if (grant.granted_s >= together_s && grant.granted_s < together_s + length_s) {
        grants.push_back(grant);
      }
    }
    for (int phase = 0; phase < kPhases; ++phase) {
      result.spans.push_back({static_cast<SharingPhase>(phase), from_s + phase * length_s,
                              from_s + (phase + 1) * length_s});
    }
    // The last grant of the turns has no successor, so exclude it.
    if (!in_turns.empty()) in_turns.back().outcome = "last";
    const auto measured = measure_interference(grants, together_s);
    if (!measured) continue;
    factors.push_back(measured->factor);
    for (const auto& program : measured->programs) {
      const std::size_t i = program.name == workers_[0] ? 0 : 1;
      alone[i].push_back(program.alone_s);
      together[i].push_back(program.shared_s);
      speeds[i].push_back(program.speed);
    }
  }
  if (factors.size() < 2) {
    throw NoSolutionError(
        "the sharing could not be measured, because the programs ran too few minibatches", "",
        "run programs without pauses between minibatches, or give a longer --duration");
  }
  result.factor = student_interval(factors);
  for (std::size_t i = 0; i < 2; ++i) {
    const auto count = std::count_if(grants_.begin(), grants_.end(), [&](const auto& grant) {
      return grant.worker == workers_[i];
    });
    result.programs[i] = {workers_[i], student_interval(alone[i]), student_interval(together[i]),
                          student_interval(speeds[i]), static_cast<std::size_t>(count)};
  }
  result.switches = measure_switch_cost(in_turns);
  return result;
}

}  // namespace ridgewatt::schedule
