#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "ridgewatt/base/plural.h"
#include "ridgewatt/base/sentence.h"
#include "ridgewatt/report/calibrate_report.h"
#include "ridgewatt/report/estimate_report.h"
#include "ridgewatt/report/measure_report.h"
#include "ridgewatt/report/table.h"

namespace ridgewatt::report {
namespace {

using thermal::ThermalParam;

constexpr std::array kFittedConstants = {ThermalParam::kResistance, ThermalParam::kJunction,
                                         ThermalParam::kSink,       ThermalParam::kCooling,
                                         ThermalParam::kStill,      ThermalParam::kAmbient};

const char* meaning_of(ThermalParam param, bool fan_varied) {
  switch (param) {
    case ThermalParam::kResistance:
      return "from the junction to the heat sink";
    case ThermalParam::kJunction:
      return "heat capacity of chip and package";
    case ThermalParam::kSink:
      return "heat capacity of the heat sink";
    case ThermalParam::kCooling:
      return "from the heat sink to the air, at the trace's fan";
    case ThermalParam::kStill:
      return fan_varied ? "share without fan"
                        : "share without fan (assumed: the fan speed did not change)";
    case ThermalParam::kAmbient:
      return "around the board, during the trace";
  }
  return "";
}

Json interval_json(const Interval& interval) {
  return {known_json(interval.lo), known_json(interval.hi)};
}

Json pace_json(const measure::SoakPace& pace) {
  return json_object({{"minibatches_per_s", known_json(pace.minibatches_per_s)},
                      {"gpu_mhz", known_json(pace.gpu_hz, mhz_of_hz(1))},
                      {"cpu_mhz", known_json(pace.cpu_hz, mhz_of_hz(1))},
                      {"power_w", pace.power_w}});
}

std::string middle_note(const Interval& interval) {
  return sentence("90 % within {:.4g} to {:.4g}", interval.lo, interval.hi);
}

// The ratio of last to first value. Empty if one of them is unknown.
std::optional<double> kept_share(const std::optional<double>& first,
                                 const std::optional<double>& last) {
  if (!first || !last || *first <= 0) return std::nullopt;
  return *last / *first;
}

void add_pace_rows(const measure::SoakSummary& summary, Table& table) {
  const auto row = [&](const char* name, const std::optional<double>& first,
                       const std::optional<double>& last, double scale, const char* unit) {
    const auto share = kept_share(first, last);
    if (!share) return;
    table.add_row(
        {std::string(name), *last * scale, std::string(unit),
         sentence("{:.1f} % of the first two minutes ({:.4g})", 100 * *share, *first * scale)});
  };
  row("speed, last two minutes", summary.first.minibatches_per_s, summary.last.minibatches_per_s, 1,
      "minibatches/s");
  row("GPU clock, last two minutes", summary.first.gpu_hz, summary.last.gpu_hz, mhz_of_hz(1),
      "MHz");
  row("power, last two minutes", summary.first.power_w, summary.last.power_w, 1, "W");
}

}  // namespace

Json hold_json(const thermal::HoldAnswer& hold) {
  return json_object({{"answer", thermal::hold_text(hold)},
                      {"holds", hold.holds},
                      {"probability", hold.probability},
                      {"holds_s", known_json(hold.holds_s)},
                      {"holds_interval_s", interval_json(hold.holds_interval_s)},
                      {"steady_c", known_json(hold.steady_celsius)},
                      {"steady_interval_c", interval_json(hold.steady_interval)},
                      {"margin_k", known_json(hold.margin_k)},
                      {"sustained_w", hold.sustained_w},
                      {"sustained_interval_w", interval_json(hold.sustained_interval_w)},
                      {"ambient_c", hold.ambient_celsius},
                      {"fan", hold.fan},
                      {"trip_c", hold.trip_celsius},
                      {"provenance", name_of(hold.provenance)}});
}

Table thermal_fit_table(const thermal::ThermalFit& fit) {
  Table table(
      {{"constant"}, {"value"}, {"lo", "from"}, {"hi", "to"}, {.name = "meaning", .wrap = true}});
  for (const auto param : kFittedConstants) {
    const Interval interval = fit.interval(param);
    table.add_row({std::string(thermal::thermal_param_name(param)), fit.value(param), interval.lo,
                   interval.hi, std::string(meaning_of(param, fit.fan_varied))});
  }
  const double half = kNormal95 * fit.leakage_sd;
  const bool seen = fit.leakage_sd > 0;
  table.add_row({"leakage_per_k", fit.model.leakage_per_k,
                 seen ? Cell(std::max(0.0, fit.model.leakage_per_k - half)) : Cell(),
                 seen ? Cell(fit.model.leakage_per_k + half) : Cell(),
                 seen ? "relative increase of power per kelvin"
                      : "typical value: not measurable in this trace"});
  return table;
}

Table hold_table(const std::vector<thermal::HoldAnswer>& answers) {
  Table table(
      {{.name = "power_w"},
       {"answer"},
       {"holds_s", "holds for (s)"},
       {.name = "holds_lo_s", .heading = "from (s)", .rank = 1},
       {.name = "holds_hi_s", .heading = "to (s)", .rank = 1},
       {"steady_c", "ends at (°C)"},
       {.name = "steady_lo_c", .heading = "from (°C)", .rank = 2},
       {.name = "steady_hi_c", .heading = "to (°C)", .rank = 2},
       {"margin_k", "below trip temperature (K)", 3},
       {"sustained_w", "sustained power (W)"},
       {.name = "sustained_lo_w", .heading = "from (W)", .rank = 3},
       {.name = "sustained_hi_w", .heading = "to (W)", .rank = 3},
       {.name = "probability", .heading = "probability that it holds", .digits = 3, .rank = 4},
       {.name = "ambient_c", .heading = "around (°C)", .digits = 3, .rank = 5},
       {.name = "fan", .digits = 3, .rank = 5},
       {.name = "trip_c", .heading = "trip (°C)", .digits = 3, .rank = 5},
       {.name = "provenance", .rank = 6}});
  const auto cell = [](double value) { return std::isfinite(value) ? Cell(value) : Cell(); };
  for (const auto& answer : answers) {
    table.add_row({answer.power_w, thermal::hold_text(answer), known_cell(answer.holds_s),
                   cell(answer.holds_interval_s.lo), cell(answer.holds_interval_s.hi),
                   known_cell(answer.steady_celsius), cell(answer.steady_interval.lo),
                   cell(answer.steady_interval.hi), cell(answer.margin_k), answer.sustained_w,
                   cell(answer.sustained_interval_w.lo), cell(answer.sustained_interval_w.hi),
                   answer.probability, answer.ambient_celsius, answer.fan, answer.trip_celsius,
                   std::string(name_of(answer.provenance))});
  }
  return table;
}

std::string soak_sentence(const measure::SoakSummary& summary) {
  const auto& hold = summary.hold;
  std::string text(name_of(summary.verdict));
  if (summary.throttled_after_s) {
    text += fmt::format(" after {} of load", thermal::hold_time_text(*summary.throttled_after_s));
  } else if (summary.verdict == measure::SoakVerdict::kThrottles && hold && hold->holds_s) {
    text = fmt::format("will throttle after {} from idle (90 %: {} to {})",
                       thermal::hold_time_text(*hold->holds_s),
                       thermal::hold_time_text(hold->holds_interval_s.lo),
                       std::isfinite(hold->holds_interval_s.hi)
                           ? thermal::hold_time_text(hold->holds_interval_s.hi)
                           : "never");
  } else if (summary.verdict == measure::SoakVerdict::kHolds && hold && hold->steady_celsius) {
    text += fmt::format(
        ": it ends at {:.1f} °C (90 %: {:.1f} to {:.1f}), {:.1f} K below the trip temperature",
        *hold->steady_celsius, hold->steady_interval.lo, hold->steady_interval.hi, hold->margin_k);
  }
  if (!summary.reason.empty()) text += ": " + summary.reason;
  return text;
}

namespace {

Table soak_table(const measure::SoakSummary& summary, Provenance provenance) {
  Table table({{"quantity"}, {"value"}, {"unit"}, {.name = "note", .wrap = true}});
  table.add_row({"verdict", std::string(name_of(summary.verdict)), "", soak_sentence(summary)});
  table.add_row(
      {"load", summary.duration_s / 60, "min",
       fmt::format(
           "{}{}", name_of(provenance),
           summary.ended_early ? "; the program was ended because the answer was known" : "")});
  if (summary.time_scale != 1) {
    table.add_row({"times", summary.time_scale, "", "speed of heating relative to a real board"});
  }
  table.add_row({"hottest", summary.hottest_celsius, "°C", summary.zone});
  table.add_row({"trip", known_cell(summary.trip_celsius), "°C",
                 summary.trip_celsius ? "" : "the board names none: --trip"});
  if (summary.hold) {
    const auto& hold = *summary.hold;
    table.add_row({"ends at", known_cell(hold.steady_celsius), "°C",
                   "modelled; " + middle_note(hold.steady_interval)});
    table.add_row({"margin below the trip temperature", hold.margin_k, "K", "modelled"});
    table.add_row({"power of the load", summary.load_w, "W", "at 50 °C"});
    table.add_row({"sustained power", hold.sustained_w, "W",
                   "modelled, at 50 °C; " + middle_note(hold.sustained_interval_w)});
  }
  add_pace_rows(summary, table);
  if (summary.over_current_events > 0) {
    table.add_row({"over-current events", summary.over_current_events, "", ""});
  }
  for (const auto& signal : summary.throttled) table.add_row({"throttled", Cell(), "", signal});
  return table;
}

Json soak_to_json(const measure::SoakSummary& summary, const std::vector<std::string>& command,
                  Provenance provenance) {
  Json json = json_object({{"command", command},
                           {"provenance", name_of(provenance)},
                           {"verdict", name_of(summary.verdict)},
                           {"seen", summary.seen},
                           {"reason", summary.reason},
                           {"load_s", summary.duration_s},
                           {"time_scale", summary.time_scale},
                           {"ended_early", summary.ended_early},
                           {"status", summary.status},
                           {"zone", summary.zone},
                           {"hottest_c", summary.hottest_celsius},
                           {"trip_c", known_json(summary.trip_celsius)},
                           {"load_w", summary.load_w},
                           {"throttled_after_s", known_json(summary.throttled_after_s)},
                           {"throttled", summary.throttled},
                           {"over_current_events", summary.over_current_events},
                           {"first", pace_json(summary.first)},
                           {"last", pace_json(summary.last)},
                           {"kept_speed", known_json(kept_share(summary.first.minibatches_per_s,
                                                                summary.last.minibatches_per_s))},
                           {"modelled", Json()},
                           {"fit", Json()}});
  if (summary.hold) json["modelled"] = hold_json(*summary.hold);
  if (summary.fit) json["fit"] = thermal_fit_table(*summary.fit).to_json();
  return json;
}

}  // namespace

Result thermal_fit_result(const answer::FittedTrace& found) {
  const thermal::ThermalFit& fit = found.file.fit;
  Result result{thermal_fit_table(fit)};
  result.json = json_object({{"constants", result.table.to_json()},
                             {"rows", found.rows},
                             {"duration_s", fit.duration_s},
                             {"rmse_k", fit.rmse_k},
                             {"rounding_k", fit.step_k},
                             {"zone", found.zone},
                             {"converged", fit.converged}});
  result.after.push_back(
      {fmt::format("\n{} over {:.1f} min; modelled against recorded temperatures {:.2f} K (rms)\n",
                   counted(found.rows, "row"), fit.duration_s / 60, fit.rmse_k)});
  return result;
}

Result soak_result(const measure::SoakSummary& summary, const std::vector<std::string>& command,
                   Provenance provenance) {
  Result result{soak_table(summary, provenance)};
  result.json = soak_to_json(summary, command, provenance);
  return result;
}

}  // namespace ridgewatt::report
