#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "ridgewatt/base/plural.h"
#include "ridgewatt/base/sentence.h"
#include "ridgewatt/report/job_report.h"
#include "ridgewatt/report/measure_report.h"
#include "ridgewatt/report/rows.h"

namespace ridgewatt::report {
namespace {

Json goal_json(const govern::Goal& goal) {
  const auto limit = [](double value) {
    return value < govern::Goal::kNone ? Json(value) : Json();
  };
  return json_object({{"kind", name_of(goal.kind())},
                      {"end_s", limit(goal.end_s)},
                      {"minibatches", goal.minibatches > 0 ? Json(goal.minibatches) : Json()},
                      {"energy_j", limit(goal.energy_j)},
                      {"power_w", limit(goal.power_w)},
                      {"latency_s", limit(goal.latency_s)},
                      {"batch", goal.batch}});
}

// The time span of `energy_j`: a simulation runs until the end of the goal, a program until its job
// ends.
double energy_time_s(const answer::GovernAnswer& found) {
  const bool simulated = found.provenance == Provenance::kModelled;
  const bool rests = simulated && found.goal.end_s < govern::Goal::kNone;
  return rests ? std::max(found.end_s, found.goal.end_s) : found.end_s;
}

Json govern_json(const answer::GovernAnswer& found) {
  Json json = json_object(
      {{"goal", goal_json(found.goal)}, {"held", found.held()}, {"device", found.device}});
  if (!found.workload.empty()) json["workload"] = found.workload;
  set_members(json, {{"end_s", found.end_s},
                     {"minibatches", found.minibatches},
                     {"energy_j", found.energy_j},
                     {"energy_wh", found.energy_j / kJoulesPerWh},
                     {"energy_time_s", energy_time_s(found)},
                     {"over_share", found.over_share},
                     {"late_share", found.late_share},
                     {"switches", found.switches},
                     {"trials", found.trials},
                     {"modes", found.modes},
                     {"malformed_marks", found.malformed_marks},
                     {"how", found.how},
                     {"provenance", name_of(found.provenance)}});
  return json;
}

// A number; 0 means unknown.
Cell positive(double value) {
  return value > 0 ? Cell(value) : Cell();
}

}  // namespace

std::string goal_text(const govern::Goal& goal) {
  const auto capped = [&](const std::string& text) {
    if (goal.power_w == govern::Goal::kNone) return text;
    return text + sentence(", under {:g} W", goal.power_w);
  };
  switch (goal.kind()) {
    case govern::GoalKind::kDeadline:
      return capped(fmt::format("{} within {} at the least energy",
                                counted(std::llround(goal.minibatches), "minibatch"),
                                duration_text(goal.end_s)));
    case govern::GoalKind::kEnergy:
      return capped(fmt::format("the most work with {} in {}", energy_text(goal.energy_j),
                                duration_text(goal.end_s)));
    case govern::GoalKind::kLatency:
      return capped(sentence("requests within {:g} ms at the least power", 1e3 * goal.latency_s));
    case govern::GoalKind::kPower:
      return sentence("the most work under {:g} W", goal.power_w);
  }
  return "";
}

Result govern_result(const answer::GovernAnswer& found) {
  using A = answer::GovernAnswer;
  Result result{table_of<A>(
      {{{.name = "goal", .wrap = true}, [](const A& row) -> Cell { return goal_text(row.goal); }},
       {{"held"}, [](const A& row) { return plain_cell(row.held()); }},
       {{"end_s", "end (s)"}, at<&A::end_s>},
       {{"minibatches"}, at<&A::minibatches>},
       {{"energy_wh", "energy (Wh)"},
        [](const A& row) -> Cell { return row.energy_j / kJoulesPerWh; }},
       {{"power_w", "mean power (W)"},
        [](const A& row) {
          const double time_s = energy_time_s(row);
          return time_s > 0 ? Cell(row.energy_j / time_s) : Cell();
        }},
       {{.name = "switches", .rank = 1}, at<&A::switches>},
       {{.name = "trials", .rank = 2}, at<&A::trials>},
       {{.name = "how", .heading = "how it ended", .rank = 1, .wrap = true}, at<&A::how>},
       {{.name = "provenance", .rank = 1}, at<&A::provenance>}},
      std::vector{found})};
  result.json = govern_json(found);
  result.remarks = measure::skipped_marks_remarks(found.malformed_marks);
  if (auto remark = pace_remark(found); !remark.empty()) {
    result.remarks.push_back(std::move(remark));
  }
  if (energy_time_s(found) > found.end_s) {
    result.remarks.push_back(
        sentence("energy and mean power cover {:.4g} s, including idle time from the end of the "
                 "job to the end of the goal",
                 energy_time_s(found)));
  }
  return result;
}

std::string unreachable_text(const govern::Goal& goal, const govern::Decision& plan) {
  if (plan.reachable) return "";
  const double most = 1 + govern::tolerance(goal.kind());
  switch (goal.kind()) {
    case govern::GoalKind::kDeadline:
      if (plan.end_s <= most * goal.end_s) return "";
      return fmt::format(
          "the deadline cannot be met: the fastest mode is expected to end the job after {}, not "
          "{}; the job continues after the deadline",
          duration_text(plan.end_s), duration_text(goal.end_s));
    case govern::GoalKind::kEnergy:
      if (plan.energy_j <= most * goal.energy_j) return "";
      return fmt::format(
          "the energy budget of {} cannot be met: even an idle board is expected to use {} by the "
          "end",
          energy_text(goal.energy_j), energy_text(plan.energy_j));
    case govern::GoalKind::kPower:
      return sentence(
          "the power cap of {:.4g} W cannot be met: every mode is expected to draw more; the mode "
          "with the least power is used",
          goal.power_w);
    case govern::GoalKind::kLatency:
      return sentence(
          "the latency limit of {:.4g} ms cannot be met: no mode is expected to be fast enough; "
          "the fastest mode is used",
          1e3 * goal.latency_s);
  }
  return "";
}

std::string pace_remark(const answer::GovernAnswer& found) {
  static constexpr double kKeepsUp = 0.7;  // chosen: pauses and changes of mode take less
  // A program that waits for requests is not late.
  if (found.provenance != Provenance::kFake || found.goal.kind() == govern::GoalKind::kLatency) {
    return "";
  }
  double done = 0, expected = 0, before = 0;
  for (std::size_t i = 0; i < found.steps.size(); ++i) {
    const auto& step = found.steps[i];
    const double end_s = i + 1 < found.steps.size() ? found.steps[i + 1].begin_s : found.end_s;
    const double minibatches = step.minibatches - std::exchange(before, step.minibatches);
    const double working_s = step.seen.duration_s - step.seen.paused_s;
    if (step.resting || !(step.seen.minibatches > 0) || !(working_s > 0)) continue;
    done += minibatches;
    expected += (end_s - step.begin_s - step.seen.paused_s) * step.seen.minibatches / working_s;
  }
  if (done >= kKeepsUp * expected) return "";
  return sentence(
      "the program completed {:.0f} of the {:.0f} minibatches that the times of its marks imply: "
      "this machine is too busy for the simulated speed, so the program ends late; use a smaller "
      "--speed and --time-scale",
      done, expected);
}

Table govern_steps_table(const std::vector<answer::GovernStep>& steps) {
  using S = answer::GovernStep;
  using govern::Decision;
  return table_of<S>(
      {{{"begin_s", "from (s)"}, at<&S::begin_s>},
       {{"mode"}, [](const S& step) { return step.resting ? PowerMode() : step.mode; }},
       {{"reason"}, at<&S::decision, &Decision::reason>},
       {{"time_ms", "minibatch (ms)"},
        [](const S& step) {
          const double working_s = step.seen.duration_s - step.seen.paused_s;
          return step.seen.minibatches > 0 ? Cell(1e3 * working_s / step.seen.minibatches) : Cell();
        }},
       {{"power_w"},
        [](const S& step) {
          const auto& seen = step.seen;
          return seen.energy_j > 0 && seen.duration_s > 0 ? Cell(seen.energy_j / seen.duration_s)
                                                          : Cell();
        }},
       {{"minibatches", "minibatches so far"}, at<&S::minibatches>},
       {{"energy_j", "energy so far (J)"}, at<&S::energy_j>},
       {{.name = "expected_end_s", .heading = "expected end (s)", .rank = 1},
        [](const S& step) { return positive(step.decision.end_s); }},
       {{.name = "expected_energy_j", .heading = "expected energy (J)", .rank = 1},
        [](const S& step) { return positive(step.decision.energy_j); }}},
      steps);
}

Result phases_result(const govern::PhaseOutcome& outcome, const std::string& device,
                     Provenance provenance) {
  using P = govern::PhaseUse;
  Result result{table_of<P>(
      {{{"phase"}, at<&P::phase>},
       {{.name = "mode", .rank = 1}, [](const P& phase) { return phase.mode; }},
       {{"times"}, at<&P::times>},
       {{"switches"}, at<&P::switches>},
       {{"too_short", "too short to switch"}, at<&P::too_short>},
       {{"time_s", "in all (s)"}, at<&P::time_s>},
       {{"median_ms", "one (ms)"},
        [](const P& phase) { return phase.times > 0 ? Cell(1e3 * phase.median_s) : Cell(); }},
       {{"minibatches"}, at<&P::minibatches>},
       {{"energy_j"}, at<&P::energy_j>},
       {{"power_w", "mean power (W)"},
        [](const P& phase) {
          return phase.time_s > 0 ? Cell(phase.energy_j / phase.time_s) : Cell();
        }}},
      outcome.phases)};
  result.json = json_object({{"device", device},
                             {"provenance", name_of(provenance)},
                             {"end_s", outcome.time_s},
                             {"minibatches", outcome.minibatches},
                             {"energy_j", outcome.energy_j},
                             {"switches", outcome.switches},
                             {"median_switch_ms", 1e3 * outcome.median_switch_s},
                             {"longest_switch_ms", 1e3 * outcome.longest_switch_s},
                             {"median_write_ms", 1e3 * outcome.median_write_s},
                             {"switching_s", outcome.switching_s},
                             {"malformed_marks", outcome.malformed_marks},
                             {"phases", result.table.to_json()}});
  result.remarks = measure::skipped_marks_remarks(outcome.malformed_marks);
  result.notes.push_back(fmt::format("{:.1f} s, {:.1f} J, {} ({})", outcome.time_s,
                                     outcome.energy_j, counted(outcome.minibatches, "minibatch"),
                                     name_of(provenance)));
  if (outcome.switches > 0) {
    result.notes.push_back(
        fmt::format("{} took {:.1f} ms (median) and {:.1f} ms at most, from the mark until the new "
                    "mode is read back; writing the mode took {:.1f} ms of this time",
                    counted(static_cast<std::int64_t>(outcome.switches), "mode switch"),
                    1e3 * outcome.median_switch_s, 1e3 * outcome.longest_switch_s,
                    1e3 * outcome.median_write_s));
  }
  return result;
}

}  // namespace ridgewatt::report
