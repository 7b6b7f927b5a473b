// The answer of `tune` in sentences.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/plural.h"
#include "ridgewatt/base/sentence.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/device/preset_sms.h"
#include "ridgewatt/platform/fake_load.h"
#include "ridgewatt/report/columns.h"
#include "ridgewatt/report/estimate_report.h"
#include "ridgewatt/report/tune_report.h"
#include "ridgewatt/sweep/unit.h"
#include "ridgewatt/twin/twin.h"

namespace ridgewatt::report {
namespace {

std::string with_interval(const predict::Estimate& value, double scale, const char* unit) {
  std::string text = sentence("{:.3g} {}", value.mean * scale, unit);
  if (value.lo < value.hi) {
    text += sentence(" ({:.3g} to {:.3g})", value.lo * scale, value.hi * scale);
  }
  return text;
}

// For example, "17.4 ms, 25.6 W, 0.44 J". Unknown costs are omitted.
std::string cost_text(const predict::Prediction& cost) {
  std::vector<std::string> parts = {with_interval(cost.time_s, 1e3, "ms")};
  if (std::isfinite(cost.power_w.mean)) {
    parts.push_back(with_interval(cost.power_w, 1, "W"));
    parts.push_back(with_interval(cost.energy_j, 1, "J"));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

std::string describe_goal(const tune::Goal& goal, const std::string& kind) {
  const std::string sample = sample_word(kind), minibatch = minibatch_word(kind, 1);
  std::string text = "least ";
  switch (goal.objective) {
    case tune::Objective::kTime:
    case tune::Objective::kThroughput:
      text += "time per " + sample;
      break;
    case tune::Objective::kEnergy:
      text += "energy per " + sample;
      break;
    case tune::Objective::kPower:
      text += "power";
      break;
    case tune::Objective::kEdp:
      text += "energy-delay product per " + sample;
      break;
    case tune::Objective::kCost:
      text += fmt::format("cost per {} ({} x J + {} x s)", sample, goal.energy_weight,
                          goal.time_weight);
      break;
    case tune::Objective::kLatency:
      text += "latency";
      break;
  }
  std::vector<std::string> limits;
  const tune::Limits& limit = goal.limits;
  if (limit.power_w < tune::Limits::kNone) limits.push_back(sentence("{:.4g} W", limit.power_w));
  if (limit.time_s < tune::Limits::kNone) {
    limits.push_back(sentence("{:.4g} ms per {}", limit.time_s * 1e3, minibatch));
  }
  if (limit.energy_j < tune::Limits::kNone) {
    limits.push_back(sentence("{:.4g} J per {}", limit.energy_j, minibatch));
  }
  if (limit.latency_s < tune::Limits::kNone) {
    limits.push_back(sentence("{:.4g} ms latency", limit.latency_s * 1e3));
  }
  if (limit.slowdown < tune::Limits::kNone) {
    limits.push_back(sentence("{:.4g} % slower than the highest mode", limit.slowdown * 100));
  }
  for (std::size_t i = 0; i < limits.size(); ++i) {
    text += (i == 0 ? " within " : i + 1 == limits.size() ? " and " : ", ") + limits[i];
  }
  if (goal.rate_hz > 0) text += sentence(" at {:.4g} requests per second", goal.rate_hz);
  if (goal.counts_idle() && tune::needs_energy(goal)) text += ", idle power included";
  return text;
}

std::vector<std::string> tune_question(const answer::TuneAnswer& report) {
  std::string question = describe_goal(report.outcome.goal, report.source.origin.kind);
  question[0] = 'L';
  std::string of = fmt::format("{}: {}, {}", report.source.workload,
                               counted(report.trace.considered, "operating point"),
                               name_of(report.source.provenance));
  if (report.source.origin.runtime)
    of += fmt::format(", {}", name_of(*report.source.origin.runtime));
  if (!report.source.origin.twin.empty())
    of += fmt::format(" (twin {})", report.source.origin.twin);
  std::vector<std::string> lines = {question, of};
  if (!report.trace.batches_asked && !report.trace.batches.empty()) {
    lines.push_back(fmt::format("batches tried: {} (--batch tries others)",
                                fmt::join(report.trace.batches, ", ")));
  }
  return lines;
}

namespace {

void tell_miss(const answer::TuneAnswer& report, std::vector<std::string>& lines) {
  const bool all = report.trace.profiled.empty();
  const std::size_t points = all ? report.trace.considered : report.trace.profiled.size();
  const std::string noun = all ? "point" : "profiled point";
  lines.push_back(
      !report.trace.next.empty() ? "No answer: no point that was profiled so far meets the limits."
      : points == 1
          ? fmt::format("No answer: the only {} does not meet the limits.", noun)
          : fmt::format("No answer: none of the {} meets the limits.", counted(points, noun)));
  if (report.outcome.miss) {
    std::string batch;
    if (report.outcome.miss->point.batch > 0)
      batch = fmt::format(", batch {}", report.outcome.miss->point.batch);
    lines.push_back(fmt::format("Nearest: {}{}: {}.", describe(report.outcome.miss->point.mode),
                                batch, report.outcome.miss->misses));
  }
  for (const auto& relaxation : report.outcome.relaxations) {
    lines.push_back(fmt::format("{} has an answer: {}, batch {}",
                                limit_option(relaxation.kind, relaxation.value),
                                describe(relaxation.at.mode), std::max(relaxation.at.batch, 1)));
  }
  if (report.outcome.advice) lines.push_back(*report.outcome.advice);
  if (!report.outcome.boards.empty()) lines.push_back(relaxation_text({}, report.outcome.boards));
}

void add_serving(const tune::ComparedPoint& best, std::vector<std::string>& lines) {
  if (!best.serving) return;
  lines.push_back(sentence("serves up to {:.3g} requests per second; worst latency {:.3g} ms",
                           best.serving->most_hz, 1e3 * best.serving->latency_s));
  if (const auto& energy_j = best.serving->energy_j) {
    lines.back() += sentence("; {:.3g} J per request with idle power", *energy_j);
  }
}

// States how long the board can hold a mode and where its temperature ends or, if it cannot hold
// the mode permanently, which power it can.
std::string held_text(const thermal::HoldAnswer& hold) {
  std::string text =
      sentence("{} in air of {:.3g} °C", thermal::hold_text(hold), hold.ambient_celsius);
  if (hold.steady_celsius && hold.holds) {
    text += fmt::format(": final temperature {:.1f} °C, {:.1f} K below the trip temperature",
                        *hold.steady_celsius, hold.margin_k);
  }
  if (!hold.holds) {
    text += sentence("; {:.3g} W can be sustained (--max-power {:.3g})", hold.sustained_w,
                     hold.sustained_interval_w.lo);
  }
  return text + ", modelled";
}

}  // namespace

std::vector<std::string> tune_headline(const answer::TuneAnswer& report) {
  std::vector<std::string> lines;
  const auto& memory = report.outcome.memory;
  if (memory && !report.outcome.fits_memory) {
    lines.push_back(
        fmt::format("No answer: the minibatch needs {} of the {} that the system leaves",
                    format_si(memory->needed_bytes(), "B"), format_si(memory->free_bytes(), "B")));
    if (!report.outcome.boards.empty()) lines.push_back(relaxation_text({}, report.outcome.boards));
    return lines;
  }
  if (!report.outcome.best) {
    tell_miss(report, lines);
    return lines;
  }
  const tune::ComparedPoint& answer = *report.outcome.best;
  lines.push_back(describe(answer.point.mode));
  if (answer.point.batch > 0) lines.back() += fmt::format(", batch {}", answer.point.batch);
  if (!answer.preset.empty()) lines.back() += fmt::format(" (preset {})", answer.preset);
  lines.push_back(fmt::format("{} per {}", cost_text(answer.cost),
                              minibatch_word(report.source.origin.kind, answer.point.batch)));
  add_serving(answer, lines);
  if (!answer.confidence.empty()) {
    lines.push_back("Probability of meeting the limits, given the error of the estimates: " +
                    confidence_text(answer.confidence));
  }
  if (memory) {
    lines.push_back(fmt::format("fits: needs {} of the {} that the system leaves",
                                format_si(memory->needed_bytes(), "B"),
                                format_si(memory->free_bytes(), "B")));
  }
  if (report.outcome.job) lines.push_back("the job takes " + job_text(*report.outcome.job));
  if (answer.hold) lines.push_back(held_text(*answer.hold));
  return lines;
}

namespace {

// For a manual verification: lists what to profile next and how to pass the results to `tune`.
void tell_next(const answer::TuneAnswer& report, std::vector<std::string>& lines) {
  if (report.trace.next.empty()) return;
  for (const auto& [point, reason] : report.trace.next) {
    lines.push_back(fmt::format("to profile: {}{} ({})", describe(point.mode),
                                point.batch > 0 ? fmt::format(", batch {}", point.batch) : "",
                                reason));
  }
  lines.push_back(
      "add the measurements to a sweep file "
      "(workload,kind,batch,cpu_cores,cpu_mhz,gpu_mhz,mem_mhz,time_ms,power_w) and repeat the "
      "command with --samples FILE.csv");
}

// Rows of a model state what a board would need.
std::string search_cost_origin(Provenance rows) {
  const bool estimated = rows == Provenance::kModelled || rows == Provenance::kPredicted;
  return estimated ? fmt::format("according to rows that are {}", name_of(rows)) : "on the board";
}

// Profiles last a few minibatches, and the means of longer runs differ from theirs.
std::string near_limit_note(const answer::TuneAnswer& report) {
  static constexpr double kNear = 0.02;  // chosen: the usual difference between two runs
  const auto& best = report.outcome.best;
  if (!best || best->cost.power_w.lo < best->cost.power_w.hi) return "";  // has an interval
  const auto& source = report.source;
  if (!source.device || source.provenance == Provenance::kModelled) return "";
  const Observation seen{best->point, best->cost.time_s.mean, best->cost.power_w.mean,
                         best->cost.energy_j.mean};
  std::vector<std::string> near;
  for (const auto& stand : tune::limits_at(report.outcome.goal, seen)) {
    if (stand.excess() > 0 || stand.excess() < -kNear) continue;
    near.push_back(sentence("{:.2g} % below {}", -100 * stand.excess(),
                            limit_option(stand.kind, stand.bound)));
  }
  if (near.empty()) return "";
  return fmt::format(
      "the answer is only {}, and was profiled over a short window: a longer run may exceed the "
      "limit; give a lower limit for a margin",
      fmt::join(near, " and "));
}

}  // namespace

std::vector<std::string> tune_cautions(const answer::TuneAnswer& report) {
  std::vector<std::string> lines;
  if (!report.source.idle_power.empty()) {
    lines.push_back("idle power: " + report.source.idle_power);
  }
  lines.push_back(wide_note(report.source.widened_by));
  lines.push_back(preset_note(report));
  lines.push_back(waits_note(report.outcome.waits_in_power));
  if (const auto& limit_w = report.outcome.envelope_w) {
    lines.push_back(
        sentence("the answer is above the {:g} W that the module can sustain: the board would "
                 "lower its clocks (--max-power {:g})",
                 *limit_w, *limit_w));
  }
  lines.push_back(near_limit_note(report));
  std::erase(lines, "");
  return lines;
}

std::vector<std::string> tune_remarks(const answer::TuneAnswer& report) {
  std::vector<std::string> lines;
  if (report.source.remark) lines.push_back(*report.source.remark);
  for (auto& sentence : tune_sentences(report)) lines.push_back(std::move(sentence));
  for (auto& caution : tune_cautions(report)) lines.push_back(std::move(caution));
  const answer::TuneTrace& trace = report.trace;
  if (!trace.stored.empty()) {
    lines.push_back(fmt::format("{} of earlier runs {} from the store",
                                counted(trace.stored.size(), "point"),
                                trace.stored.size() == 1 ? "comes" : "come"));
  }
  if (!trace.profiled.empty()) {
    lines.push_back(fmt::format(
        "{} profiled {}{}: {} {}; {}", trace.strategy,
        counted(trace.profiled.size() - trace.again - trace.taken, "point"),
        trace.again == 0 ? "" : fmt::format(", and {} again for the answer", trace.again),
        job_text({trace.board_time_s, trace.board_energy_j}),
        search_cost_origin(report.source.origin.provenance), trace.stopped_because.value_or("")));
  }
  if (const auto& near_best = report.trace.near_best; near_best && report.trace.considered > 1) {
    lines.push_back(
        fmt::format("no other point is better by more than 1 % with a probability of {:.0f} %{}",
                    100 * *near_best, *near_best < 0.9 ? " (for more profiles: --profiles)" : ""));
  }
  tell_next(report, lines);
  return lines;
}

namespace {

// For example, "22 % less energy and 24 % less power for 3 % more time than MAXN", per sample.
// `batches`: names the batches.
std::string against_text(const tune::ComparedPoint& answer, const tune::ComparedPoint& other,
                         bool batches) {
  static constexpr double kSame = 0.005;  // chosen: smaller changes are not mentioned
  const double samples = static_cast<double>(std::max(answer.point.batch, 1)) /
                         static_cast<double>(std::max(other.point.batch, 1));
  const auto per_request = [](const tune::ComparedPoint& one) {
    return one.serving ? one.serving->energy_j : std::nullopt;
  };
  std::vector<std::tuple<const char*, double, double>> costs = {
      {"time", answer.cost.time_s.mean / samples, other.cost.time_s.mean}};
  if (per_request(answer) && per_request(other)) {
    costs.emplace_back("energy per request (with idle power)", *per_request(answer),
                       *per_request(other));
  } else {
    costs.emplace_back("energy", answer.cost.energy_j.mean / samples, other.cost.energy_j.mean);
    costs.emplace_back("power", answer.cost.power_w.mean, other.cost.power_w.mean);
  }
  std::vector<std::string> less, more;
  for (const auto& [name, ours, theirs] : costs) {
    const double change = ours / theirs - 1;
    if (!(std::abs(change) >= kSame)) continue;
    (change < 0 ? less : more)
        .push_back(fmt::format("{:.{}f} % {} {}", 100 * std::abs(change),
                               std::abs(change) < 0.1 ? 1 : 0, change < 0 ? "less" : "more", name));
  }
  if (less.empty() && more.empty()) return {};
  return fmt::format("{}{}{}{} than {}{}", fmt::join(less, " and "),
                     less.empty() || more.empty() ? "" : " for ", fmt::join(more, " and "),
                     samples == 1 ? "" : fmt::format(" per sample at batch {}", answer.point.batch),
                     other.name == "highest mode" ? "the highest mode" : other.name,
                     batches || samples != 1 ? fmt::format(" at batch {}", other.point.batch) : "");
}

// Compares the answer with the highest mode at the same batch, if that is known. If the batch was
// chosen, too, names the batch that is best for the highest mode.
std::string saving_text(const answer::TuneOutcome& outcome) {
  if (!outcome.best || outcome.compared.empty()) return {};
  const tune::ComparedPoint& usual = outcome.compared.front();
  const bool other_batch = usual.point.batch != outcome.best->point.batch;
  std::string text = against_text(*outcome.best, outcome.highest.value_or(usual), other_batch);
  if (text.empty() || !outcome.highest || !other_batch) return text;
  const bool within = usual.feasible() && !outcome.highest->feasible();
  return text + fmt::format("{} best batch{} is {}",
                            within ? ", which is outside the limits; its" : "; its",
                            within ? " within them" : "", usual.point.batch);
}

// The rule by which the answer is another point than that with the least objective.
std::string tie_text(const answer::TuneOutcome& outcome) {
  if (!outcome.best || !outcome.least) return {};
  const tune::ComparedPoint& least = *outcome.least;
  std::string value;
  if (outcome.goal.objective == tune::Objective::kEnergy && !outcome.goal.counts_idle()) {
    value = sentence("{:.4g} J", least.cost.energy_j.mean);
  } else if (outcome.goal.objective == tune::Objective::kPower) {
    value = sentence("{:.4g} W", least.cost.power_w.mean);
  }
  const bool same_batch = least.point.batch == outcome.best->point.batch;
  return fmt::format("of the points within {:.0f} % of the least {} ({}{}{}), the answer {}",
                     100 * outcome.tie, name_of(outcome.goal.objective),
                     value.empty() ? "" : value + ": ", describe(least.point.mode),
                     same_batch ? "" : fmt::format(", batch {}", least.point.batch),
                     outcome.surest ? "most probably meets the limits" : "is the fastest");
}

constexpr double kMuchWaiting = 0.1;  // chosen: shorter waits are not mentioned

std::string waiting_text(const answer::TuneOutcome& outcome) {
  if (!(outcome.wait_share > kMuchWaiting)) return {};
  return fmt::format(
      "the answer waits for data {:.0f} % of the time: more loader workers may help (--workers); "
      "'ridgewatt pipeline' lists other remedies",
      100 * outcome.wait_share);
}

// Names the boards whose GPUs wait for data: a faster GPU does not make them faster.
std::string waiting_text(const answer::TuneRanking& ranking) {
  std::vector<std::string> waiting;
  for (const auto& found : ranking.answers) {
    if (!(found.outcome.wait_share > kMuchWaiting)) continue;
    waiting.push_back(fmt::format("{} {:.0f} %", found.source.device.value_or(""),
                                  100 * found.outcome.wait_share));
  }
  if (waiting.empty()) return {};
  return fmt::format(
      "share of the time spent waiting for data: {}; there, the loader and not the "
      "GPU limits the speed (--workers; see 'ridgewatt pipeline')",
      fmt::join(waiting, ", "));
}

// Rows are measured in the cores and clocks of a preset, which leave all SMs on.
std::string measured_sms_note(const Board& board, const std::vector<PowerMode>& modes) {
  const auto texts = sms_off_texts(board, modes);
  if (texts.empty()) return "";
  return fmt::format("{}; the figures are with all SMs on, and may be too fast",
                     fmt::join(texts, ", "));
}

std::string slower_text(const answer::SlowerPreset& one) {
  static constexpr KnobArray<const char*> kReasons{
      {"leaves {:g} of the CPU cores on", "caps the CPU at {:g} MHz", "caps the GPU at {:g} MHz",
       "caps the memory at {:g} MHz"}};
  return fmt::format("{} is slower than {} here because it {}", one.slower, one.faster,
                     fmt::format(fmt::runtime(kReasons[one.knob]), one.value));
}

}  // namespace

std::vector<std::string> tune_sentences(const answer::TuneAnswer& report) {
  const answer::TuneOutcome& outcome = report.outcome;
  std::vector<std::string> sentences;
  std::string text = tie_text(outcome);
  if (!text.empty()) sentences.push_back(std::move(text));
  text = saving_text(outcome);
  if (!text.empty()) sentences.push_back(std::move(text));
  text = waiting_text(outcome);
  if (!text.empty()) sentences.push_back(std::move(text));
  for (const auto& one : outcome.slower_presets) sentences.push_back(slower_text(one));
  return sentences;
}

std::string preset_note(const answer::TuneAnswer& report) {
  std::vector<std::string> names;
  std::vector<double> drawn_w;
  std::vector<PowerMode> modes;
  const auto add = [&](const tune::ComparedPoint& point) {
    names.push_back(name_without_cap(point.preset, point.point.mode));
    modes.push_back(point.point.mode);
    drawn_w.push_back(point.cost.power_w.mean);
  };
  if (report.outcome.best) add(*report.outcome.best);
  if (report.outcome.miss) add(*report.outcome.miss);
  for (const auto& other : report.outcome.compared) add(other);
  const std::string note = preset_note(names, drawn_w);
  const answer::TuneSource& source = report.source;
  const auto board = platform::find_board_of_device(source.device.value_or(source.origin.board));
  if (!board) return note;
  const std::string sms = source.provenance == Provenance::kModelled
                              ? sms_note(*board, modes)
                              : measured_sms_note(*board, modes);
  return note + (note.empty() || sms.empty() ? "" : "; ") + sms;
}

std::string how_to_relax(const answer::TuneAnswer& report) {
  const answer::TuneOutcome& outcome = report.outcome;
  if (!outcome.fits_memory && !outcome.advice) {
    const std::string text = outcome.fitting_batch > 0
                                 ? fmt::format("--batch {} fits", outcome.fitting_batch)
                                 : "choose a board with more memory";
    const std::string boards = relaxation_text({}, outcome.boards);
    return boards.empty() ? text : text + "; " + boards;
  }
  const std::string text = relaxation_text(outcome.relaxations, outcome.boards);
  if (text.empty()) return outcome.advice.value_or("no single limit is enough: relax several");
  return outcome.advice ? text + "; " + *outcome.advice : text;
}

namespace {

// Adds the question and the headline of the answer.
void head_answer(const answer::TuneAnswer& report, Result& result) {
  result.lines_before(tune_question(report));
  result.lines_before({""});
  result.lines_before(tune_headline(report), "  ");
  result.lines_before({""});
}

Result::NoSolution no_answer(const answer::TuneAnswer& report, const std::string& kind) {
  return {"no answer within the limits", describe_goal(report.outcome.goal, kind),
          how_to_relax(report)};
}

Result ranking_result(const answer::TuneRanking& ranking) {
  const auto& answers = ranking.answers;
  const bool boards = ranking.over == answer::TuneRanking::Over::kBoards;
  Result result{ranking_table(ranking)};
  if (!answers.empty() && answers.front().outcome.best) {
    const answer::TuneAnswer& best = answers.front();
    result.lines_before(
        {fmt::format("{}, modelled, {}", describe_goal(best.outcome.goal),
                     boards ? std::string(name_of(best.source.origin.runtime.value()))
                            : "on " + best.source.device.value()),
         ""});
  } else {
    result.none = {std::string(boards ? "no board" : "no runtime") +
                   " has an answer within the limits"};
  }
  std::vector<RowOrigin> origins;
  for (const auto& found : answers) origins.push_back(found.source.origin);
  result.data = with_origin(result.table, origins);
  result.json = ranking_to_json(ranking);
  for (const auto& line : ranking.left_out) result.notes.push_back("left out: " + line);
  result.remarks = ranking_remarks(ranking);
  return result;
}

}  // namespace

std::vector<std::string> ranking_remarks(const answer::TuneRanking& ranking) {
  std::vector<std::string> names;
  for (const auto& found : ranking.answers) {
    if (found.source.device) names.push_back(*found.source.device);
  }
  std::vector<std::string> remarks{waiting_text(ranking), mixed_power_note(names)};
  std::erase(remarks, "");
  return remarks;
}

Result tune_result(const answer::TuneAnswer& report, bool trace) {
  Result result;
  const bool steps = trace && !(report.trace.profiled.empty() && report.trace.stored.empty());
  std::string remarks;
  for (const auto& line : tune_remarks(report)) remarks += '\n' + escape_terminal(line);
  remarks += '\n';
  head_answer(report, result);
  result.table = tune_table(report);
  result.data = with_origin(trace ? trace_table(report) : result.table, {report.source.origin});
  result.json = tune_to_json(report);
  result.remarks = report.trace.left_out;
  if (steps) {
    result.before.back().table = std::exchange(result.table, trace_table(report));
    result.before.push_back({remarks + '\n'});
  } else {
    result.text_after(remarks);
  }
  if (!report.outcome.best) result.none = no_answer(report, report.source.origin.kind);
  return result;
}

Result in_place_result(const answer::InPlaceAnswer& report, bool trace) {
  const answer::TuneAnswer& answer = report.answer;
  Result result;
  head_answer(answer, result);
  result.lines_before(in_place_remarks(report));
  result.lines_before(tune_remarks(answer));
  if (trace) {
    result.table = windows_table(report);
    result.lines_before({""});
  }
  result.data = with_origin(trace ? result.table : tune_table(answer), {answer.source.origin});
  result.json = in_place_to_json(report);
  if (!answer.outcome.best) result.none = no_answer(answer, {});
  return result;
}

Result reply_result(const answer::TuneReply& reply, bool trace) {
  return reply.ranking ? ranking_result(*reply.ranking) : tune_result(reply.answer, trace);
}

}  // namespace ridgewatt::report
