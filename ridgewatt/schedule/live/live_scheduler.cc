#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <map>
#include <numeric>

#include "ridgewatt/base/clock.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/schedule/live.h"
#include "ridgewatt/schedule/live/dispatcher.h"
#include "ridgewatt/schedule/live/measured_times.h"
#include "ridgewatt/schedule/live/planner.h"

namespace ridgewatt::schedule {
namespace {

using live::Move;
using live::Presence;

constexpr double kWatchEveryS = 1;       // clock time
constexpr double kAnswersWithinS = 0.1;  // clock time; a worker that is not ready for longer than
                                         // this counts as absent
// Relative difference from which planned times follow measured ones.
constexpr double kCorrectFrom = 0.05;
constexpr double kHistoryS = 60;  // length of the arrival history for rate estimates
constexpr double kNotServed = std::numeric_limits<double>::infinity();

double nearest_rank(std::vector<double>& values, double q) {
  const auto rank = static_cast<std::size_t>(std::ceil(q * static_cast<double>(values.size())));
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(std::max<std::size_t>(rank, 1) - 1);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

live::DispatchSettings settings_of(const std::vector<LiveProgram>& programs,
                                   const LiveOptions& options) {
  live::DispatchSettings settings;
  for (const auto& program : programs) settings.max_latency_s.push_back(program.max_latency_s);
  settings.late_last = options.dynamic.late_last;
  settings.switch_s = options.switch_s;
  settings.reserve_s = options.reserve_s;
  return settings;
}

}  // namespace

void LiveOptions::check() const {
  dynamic.check();
  if (!(speed > 0) || !(speed <= 1e4)) throw UsageError("--speed must be positive");
  if (!(switch_s >= 0) || !(reserve_s >= 0) || !(window_s > 0)) {
    throw UsageError("the times of a live schedule must be 0 or more");
  }
}

// Times are those of the schedule, unless the name contains `clock`.
class LiveScheduler::State {
 public:
  State(std::vector<LiveMode> modes, std::vector<LiveProgram> programs, LiveOptions options)
      : options_(std::move(options)),
        planned_(modes),
        modes_(modes),
        programs_(programs),
        dispatcher_(settings_of(programs, options_)),
        book_(std::move(modes), std::move(programs), settings_of(programs_, options_),
              options_.seed),
        planner_(book_, options_.dynamic, options_.plan_aside),
        plan_(planner_.first_plan()),
        measured_(programs_.size()),
        used_(measured_.in_modes(planned_.size())),
        people_(programs_.size()) {
    mode_change_clock_s_ = options_.dynamic.mode_change_s;
  }

  double time_of(double clock_s) const { return clock_s * options_.speed; }

  std::optional<std::size_t> program_of(const WorkerView& worker) const {
    if (worker.kind != WorkloadKind::kInference) return std::nullopt;
    for (std::size_t p = 0; p < programs_.size(); ++p) {
      if (programs_[p].name.empty() || programs_[p].name == worker.name) return p;
    }
    return std::nullopt;
  }

  std::string join(const WorkerView& worker) {
    if (worker.kind != WorkloadKind::kInference) {
      take_place(worker.name);
      return "";
    }
    const auto p = program_of(worker);
    if (!p) return "no program of this name is planned";
    if (people_[*p].present) return "this program has a worker";
    people_[*p].present = true;
    people_[*p].worker = worker.name;
    ++people_[*p].joined;
    return "";
  }

  void leave(const WorkerView& worker, double now_s) {
    const auto p = program_of(worker);
    if (!p || people_[*p].worker != worker.name) return;
    people_[*p].present = false;
    people_[*p].left_s = now_s;
    for (const double arrival_s : dispatcher_.waiting(*p)) lose(*p, arrival_s);
    dispatcher_.forget(*p);
  }

  // The index of a training worker's minibatch in the round: that of the program with its name,
  // else the next free index.
  void take_place(const std::string& trainer) {
    if (places_.contains(trainer)) return;
    const auto& names = options_.training;
    const auto named = std::find(names.begin(), names.end(), trainer);
    places_[trainer] = named != names.end() ? static_cast<std::size_t>(named - names.begin())
                                            : unnamed_trainers_++;
  }

  void lose(std::size_t p, double arrival_s) { people_[p].lost.push_back(arrival_s); }

  void arrive(std::size_t p, int count, double time_s) {
    auto& person = people_[p];
    for (int i = 0; i < count; ++i) {
      dispatcher_.arrive(p, time_s);
      // Skip requests that were lost with a worker and are reported again by its successor.
      if (time_s < person.left_s && !person.lost.empty()) {
        person.lost.pop_front();
        continue;
      }
      const double last_s = person.history.empty() ? time_s : person.history.back();
      person.history.push_back(std::max(time_s, last_s));
    }
    while (!person.history.empty() && person.history.front() < time_s - kHistoryS) {
      person.history.pop_front();
    }
  }

  // If a worker does not report its requests, assume that it has collected a batch. If it states
  // how many requests wait, correct the known number.
  void ask(const WorkerView& worker, std::optional<int> waiting, double clock_s) {
    const auto p = program_of(worker);
    if (!p) return;
    const double now_s = time_of(clock_s);
    const std::size_t known = dispatcher_.waiting(*p).size();
    std::size_t there = known;
    if (waiting) there = static_cast<std::size_t>(*waiting);
    if (!waiting && !worker.counting) {
      const int planned = planner_.first_plan().batches[*p];
      there = std::max(known, static_cast<std::size_t>(planned));
    }
    if (there < known) {
      dispatcher_.take(*p, known - there, there);  // the youngest do not exist
    }
    // Assume that new requests arrived evenly since the last known one.
    const double since_s = people_[*p].history.empty() ? now_s : people_[*p].history.back();
    for (std::size_t i = known; i < there; ++i) {
      const double share = static_cast<double>(i - known + 1) / static_cast<double>(there - known);
      arrive(*p, 1, since_s + (now_s - since_s) * share);
    }
  }

  double estimate_hz(std::size_t p, double now_s) {
    auto& person = people_[p];
    if (person.history.empty()) return programs_[p].rate_hz;
    if (!person.present) return person.rate_hz;
    const std::vector<double> times(person.history.begin(), person.history.end());
    // The time before the first report contains no information about the rate.
    if (now_s - first_report_s(p) < options_.dynamic.estimator.short_s) {
      return std::max(programs_[p].rate_hz, person.rate_hz);
    }
    const double origin_s = first_report_s(p);
    std::vector<double> shifted(times);
    for (double& time_s : shifted) time_s -= origin_s;
    person.rate_hz = options_.dynamic.estimator.estimate(now_s - origin_s, shifted);
    return person.rate_hz;
  }
  double first_report_s(std::size_t p) {
    auto& first_s = people_[p].first_report_s;
    if (first_s < 0) first_s = people_[p].history.front();
    return first_s;
  }

  void say(double clock_s, const std::string& text) const {
    if (options_.on_event) options_.on_event(clock_s, text);
  }

  // Takes a finished plan and changes to it, or asks for a new one. `clock_s` advances by the time
  // that this takes.
  void replan(double& clock_s) {
    if (const auto reply = planner_.take()) {
      if (reply->modes) modes_ = *reply->modes;
      if (reply->plan) change_to(*reply->plan, clock_s);
    }
    const double now_s = time_of(clock_s);
    if (now_s < next_epoch_s_ || !planner_.idle()) return;
    next_epoch_s_ = now_s + options_.dynamic.epoch_s;
    live::PlanRequest request;
    request.now_s = now_s;
    for (std::size_t p = 0; p < programs_.size(); ++p) {
      request.rates_hz.push_back(estimate_hz(p, now_s));
    }
    request.mode_change_s = mode_change_clock_s_ * options_.speed;
    auto measured = measured_.in_modes(planned_.size());
    if (options_.correct_times && differ(measured, used_, kCorrectFrom)) {
      request.correction = used_ = std::move(measured);
      ++summary_.corrections;
    }
    planner_.ask(std::move(request));
  }

  void change_to(const LivePlan& plan, double& clock_s) {
    ++summary_.plan_changes;
    if (plan.mode != plan_.mode) set_mode(plan.mode, clock_s);
    plan_ = plan;
    std::string text = fmt::format("plan: {}, batches", describe(modes_[plan_.mode].mode));
    for (const int batch : plan_.batches) text += fmt::format(" {}", batch);
    text += plan_.trains ? ", training" : ", no training";
    for (std::size_t p = 0; p < programs_.size(); ++p) {
      text += fmt::format(", {} {:.1f}/s", people_[p].worker, people_[p].rate_hz);
    }
    say(clock_s, text);
  }

  void set_mode(std::size_t mode, double& clock_s) {
    const Stopwatch watch;
    if (options_.set_mode) options_.set_mode(planned_[mode].mode);
    const double took_s = watch.s();
    clock_s += took_s;
    ++summary_.mode_changes;
    mode_changes_clock_s_ += took_s;
    summary_.longest_mode_change_s = std::max(summary_.longest_mode_change_s, took_s);
    if (options_.set_mode) {
      mode_change_clock_s_ = mode_changes_clock_s_ / static_cast<double>(summary_.mode_changes);
    }
  }

  GrantDecision next(double clock_s, std::span<const WorkerView> workers) {
    if (!mode_set_) {
      mode_set_ = true;
      if (options_.set_mode) options_.set_mode(planned_[plan_.mode].mode);
    }
    if (options_.watch && clock_s >= next_watch_clock_s_) {
      next_watch_clock_s_ = clock_s + kWatchEveryS;
      options_.watch();
    }
    replan(clock_s);
    const double now_s = time_of(clock_s);
    std::vector<Presence> presence(programs_.size(), Presence::kAbsent);
    std::vector<std::size_t> at(programs_.size(), 0);
    std::optional<std::size_t> trainer;
    for (std::size_t w = 0; w < workers.size(); ++w) {
      const WorkerView& worker = workers[w];
      if (worker.kind == WorkloadKind::kTraining) {
        const bool first = !trainer || worker.since_s < workers[*trainer].since_s;
        if (worker.ready && first) trainer = w;
        continue;
      }
      const auto p = program_of(worker);
      if (!p) continue;
      at[*p] = w;
      const bool soon = clock_s < worker.since_s + kAnswersWithinS;
      presence[*p] = worker.ready ? Presence::kReady : soon ? Presence::kBusy : Presence::kAbsent;
    }
    const std::size_t place = trainer ? places_[workers[*trainer].name] : 0;
    const Move move = dispatcher_.next(now_s, modes_[plan_.mode], plan_, presence,
                                       trainer.has_value(), place, last_);
    GrantDecision decision;
    if (move.kind == Move::Kind::kWait) {
      const double busy_until_s = clock_s + kAnswersWithinS;  // then check again
      decision.ask_again_s =
          std::min({move.until_s / options_.speed, next_epoch_s_ / options_.speed, busy_until_s});
      // Wait at least a moment: a wait of zero after rounding would loop forever.
      decision.ask_again_s = std::max(decision.ask_again_s, clock_s + 1e-5);
      return decision;
    }
    grant_ = move;
    granted_mode_ = plan_.mode;
    const bool training = move.kind == Move::Kind::kTrain;
    granted_place_ = place;
    decision.grant =
        Grant{training ? *trainer : at[move.program], move.minibatch.time_s / options_.speed,
              static_cast<int>(move.count), static_cast<int>(move.aside)};
    in_flight_.clear();
    if (!training) in_flight_ = dispatcher_.take(move.program, move.count, move.aside);
    return decision;
  }

  void released(const GrantRecord& record) {
    const bool training = grant_.kind == Move::Kind::kTrain;
    const std::size_t who = training ? programs_.size() : grant_.program;
    const bool ended = record.outcome == "done" || record.outcome == "late";
    const double end_s = time_of(record.released_s);
    summary_.duration_s = end_s;
    for (const double arrival_s : in_flight_) {
      if (ended) {
        people_[who].served.push_back({arrival_s, end_s - arrival_s});
      } else {
        lose(who, arrival_s);
      }
    }
    in_flight_.clear();
    if (!ended) return;
    const double took_s = end_s - time_of(record.granted_s);
    if (training) ++training_minibatches_;
    const double switch_s = who == last_ ? 0 : options_.switch_s;
    measured_.add(granted_mode_, who, first_planned_s(), std::max(took_s - switch_s, 0.0));
    last_ = who;
  }
  // Time of the granted minibatch in the original plan, without corrections.
  double first_planned_s() const {
    const LiveMode& mode = planned_[granted_mode_];
    if (grant_.kind == Move::Kind::kServe) {
      return mode.padded(grant_.program, static_cast<std::size_t>(grant_.minibatch.batch)).time_s;
    }
    const auto& minibatches = mode.training->minibatches;
    return minibatches[granted_place_ % minibatches.size()].time_s;
  }

  LiveProgramSummary summary_of(std::size_t p) const {
    LiveProgramSummary result;
    const Person& person = people_[p];
    result.name = programs_[p].name.empty() ? person.worker : programs_[p].name;
    result.joined = person.joined;
    result.rate_hz = person.rate_hz;
    std::vector<Served> served = person.served;
    for (const double arrival_s : person.lost) served.push_back({arrival_s, kNotServed});
    for (const double arrival_s : dispatcher_.waiting(p)) served.push_back({arrival_s, kNotServed});
    // Exclude unserved requests whose latency bound has not passed yet.
    std::erase_if(served, [&](const Served& one) {
      return one.latency_s == kNotServed &&
             one.arrival_s > summary_.duration_s - programs_[p].max_latency_s;
    });
    result.requests = served.size();
    if (served.empty()) return result;
    std::vector<double> all;
    std::vector<std::vector<double>> windows;
    for (const auto& one : served) {
      const auto w = static_cast<std::size_t>(one.arrival_s / options_.window_s);
      if (w >= windows.size()) windows.resize(w + 1);
      windows[w].push_back(one.latency_s);
      all.push_back(one.latency_s);
      if (one.latency_s > programs_[p].max_latency_s) ++result.late;
      if (one.latency_s == kNotServed) ++result.lost;
    }
    result.p50_s = nearest_rank(all, 0.5);
    result.p99_s = nearest_rank(all, 0.99);
    for (auto& latencies : windows) {
      LiveWindow window;
      window.requests = latencies.size();
      if (!latencies.empty()) {
        window.late = static_cast<std::size_t>(
            std::count_if(latencies.begin(), latencies.end(),
                          [&](double s) { return s > programs_[p].max_latency_s; }));
        window.p99_s = nearest_rank(latencies, 0.99);
        ++result.windows_used;
        if (window.p99_s <= programs_[p].max_latency_s) ++result.windows_met;
      }
      result.windows.push_back(window);
    }
    return result;
  }

  LiveSummary summary() const {
    LiveSummary result = summary_;
    result.training_minibatches = static_cast<double>(training_minibatches_);
    if (result.mode_changes > 0) {
      result.mode_change_s = mode_changes_clock_s_ / static_cast<double>(result.mode_changes);
    }
    for (std::size_t p = 0; p < programs_.size(); ++p) result.programs.push_back(summary_of(p));
    return result;
  }

  const LivePlan& plan() const { return plan_; }

 private:
  struct Served {
    double arrival_s = 0, latency_s = 0;
  };
  struct Person {
    bool present = false;
    std::string worker;
    std::size_t joined = 0;
    double left_s = -kNotServed;  // when its last worker left
    std::deque<double> lost;      // arrivals lost with a worker
    std::deque<double> history;   // arrivals of the last kHistoryS
    double first_report_s = -1;
    double rate_hz = 0;
    std::vector<Served> served;
  };

  LiveOptions options_;
  std::vector<LiveMode> planned_, modes_;  // original, and with corrected times
  std::vector<LiveProgram> programs_;
  live::Dispatcher dispatcher_;
  live::LiveBook book_;
  live::Planner planner_;
  LivePlan plan_;
  live::MeasuredTimes measured_;
  std::vector<live::TimeFactors> used_;  // factors of each mode that the plans use
  std::vector<Person> people_;
  LiveSummary summary_;
  Move grant_;
  std::size_t granted_mode_ = 0;
  std::size_t granted_place_ = 0;  // position of the training minibatch in the round
  // Position in the round by name of the training worker.
  std::map<std::string, std::size_t> places_;
  std::size_t unnamed_trainers_ = 0;
  std::vector<double> in_flight_;
  std::size_t last_ = static_cast<std::size_t>(-1);
  std::size_t training_minibatches_ = 0;
  bool mode_set_ = false;
  double next_epoch_s_ = 0, next_watch_clock_s_ = 0;
  double mode_change_clock_s_ = 0, mode_changes_clock_s_ = 0;
};

LiveScheduler::LiveScheduler(std::vector<LiveMode> modes, std::vector<LiveProgram> programs,
                             LiveOptions options) {
  options.check();
  state_ = std::make_unique<State>(std::move(modes), std::move(programs), std::move(options));
}
LiveScheduler::~LiveScheduler() = default;

std::string LiveScheduler::joining(const WorkerView& worker, double /*now_s*/) {
  return state_->join(worker);
}
void LiveScheduler::left(const WorkerView& worker, double now_s) {
  state_->leave(worker, state_->time_of(now_s));
}
void LiveScheduler::arrived(const WorkerView& worker, int count, double time_s) {
  if (const auto p = state_->program_of(worker)) state_->arrive(*p, count, state_->time_of(time_s));
}
void LiveScheduler::asked(const WorkerView& worker, std::optional<int> waiting, double now_s) {
  state_->ask(worker, waiting, now_s);
}
GrantDecision LiveScheduler::next(double now_s, std::span<const WorkerView> workers) {
  return state_->next(now_s, workers);
}
void LiveScheduler::released(const GrantRecord& record) {
  state_->released(record);
}
const LivePlan& LiveScheduler::plan() const {
  return state_->plan();
}
LiveSummary LiveScheduler::summary() const {
  return state_->summary();
}

}  // namespace ridgewatt::schedule
