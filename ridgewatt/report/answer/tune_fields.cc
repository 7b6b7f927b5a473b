// The fields of points and remedies in the answer of `tune`, each quantity once.
#include <algorithm>

#include "ridgewatt/predict/interval.h"
#include "ridgewatt/report/columns.h"
#include "ridgewatt/report/keys/key_tables.h"
#include "ridgewatt/report/tune_report.h"

namespace ridgewatt::report {
namespace {

template <class Row>
bool is_batched(const Row& row) {
  return row.point.batch > 0;
}

template <predict::Estimate predict::Prediction::*kCost, class Row>
bool has_bounds(const Row& row) {
  const predict::Estimate& cost = row.cost.*kCost;
  return cost.lo != cost.hi && predict::has_interval(cost);
}

// The cost `key` of a minibatch, with its bounds if it is an estimate.
template <predict::Estimate predict::Prediction::*kCost, class Row>
Fields<Row> interval_fields(std::string_view key, std::string_view lo, std::string_view hi) {
  return {{column(key), [](const Row& r) { return (r.cost.*kCost).mean; }},
          {column(lo), [](const Row& r) { return (r.cost.*kCost).lo; }, kEverywhere,
           has_bounds<kCost, Row>},
          {column(hi), [](const Row& r) { return (r.cost.*kCost).hi; }, kEverywhere,
           has_bounds<kCost, Row>}};
}

// `Row` is a ComparedPoint or a ProfiledPoint.
template <class Row>
Fields<Row> cost_fields_of_point() {
  using predict::Prediction;
  Fields<Row> fields =
      interval_fields<&Prediction::time_s, Row>("time_ms", "time_lo_ms", "time_hi_ms");
  append(fields, interval_fields<&Prediction::power_w, Row>("power_w", "power_lo_w", "power_hi_w"));
  append(fields,
         interval_fields<&Prediction::energy_j, Row>("energy_j", "energy_lo_j", "energy_hi_j"));
  return fields;
}

template <class Row>
Fields<Row> fields_of_point() {
  Fields<Row> fields = {
      {column("mode"), [](const Row& r) { return r.point.mode; }},
      {column("batch"), [](const Row& r) { return r.point.batch; }, kEverywhere, is_batched<Row>}};
  append(fields, cost_fields_of_point<Row>());
  append(
      fields,
      {{column("preset"), [](const Row& r) { return r.preset; }, kEverywhere,
        [](const Row& r) { return !r.preset.empty(); }},
       {column("latency_ms"),
        [](const Row& r) { return r.serving ? std::optional(r.serving->latency_s) : std::nullopt; },
        kEverywhere, [](const Row& r) { return r.serving.has_value(); }},
       {column("energy_per_request_j"),
        [](const Row& r) { return r.serving ? r.serving->energy_j : std::nullopt; }, kEverywhere,
        [](const Row& r) { return r.serving && r.serving->energy_j; }}});
  return fields;
}

}  // namespace

const Fields<tune::ComparedPoint>& point_fields() {
  using P = tune::ComparedPoint;
  static const Fields<P> fields = [] {
    Fields<P> made = {{{.name = "name",
                        .meaning = "what the point is: answer, nearest miss, MAXN or highest "
                                   "mode, a preset, a governor, optimum of the sweep"},
                       [](const P& p) { return p.name; },
                       kInPython}};
    append(made, fields_of_point<P>());
    append(made, {{{.name = "objective", .meaning = "what is minimized, per sample, in SI"},
                   [](const P& p) { return p.objective; },
                   kInPython},
                  {column("feasible"), [](const P& p) { return p.feasible(); }, kInPython}});
    return made;
  }();
  return fields;
}

const Fields<ProfiledPoint>& profiled_fields() {
  static const Fields<ProfiledPoint> fields = [] {
    Fields<ProfiledPoint> made = fields_of_point<ProfiledPoint>();
    append(made, {{column("feasible"), [](const ProfiledPoint& p) { return p.feasible(); }},
                  {column("reason"), [](const ProfiledPoint& p) { return p.reason; }}});
    return made;
  }();
  return fields;
}

const Fields<answer::Relaxation>& relaxation_fields() {
  using M = answer::Relaxation;
  static const Fields<M> fields = {
      {{.name = "limit", .meaning = "limit to relax"},
       [](const M& m) { return std::string(name_of(m.kind)); },
       kEverywhere,
       nullptr,
       "kind"},
      {{.name = "option", .meaning = "option with the value that would be sufficient"},
       [](const M& m) { return limit_option(m.kind, m.value); },
       kInJson},
      {{.name = "value",
        .meaning =
            "new value of the limit, in SI units, requests per second, or as a share (slowdown)"},
       [](const M& m) { return m.value; },
       kInPython},
      {{.name = "mode", .meaning = "power mode that then meets every limit"},
       [](const M& m) { return m.at.mode; }},
      {{.name = "batch", .meaning = "batch that then meets every limit"},
       [](const M& m) { return m.at.batch; },
       kEverywhere,
       [](const M& m) { return m.at.batch > 0; }}};
  return fields;
}

const Fields<answer::NextProfile>& next_fields() {
  using N = answer::NextProfile;
  static const Fields<N> fields = {
      {{.name = "mode", .meaning = "power mode to profile"},
       [](const N& n) { return n.point.mode; }},
      {{.name = "reason", .meaning = "why to profile it"}, [](const N& n) { return n.reason; }},
      {{.name = "batch", .meaning = "batch to profile"},
       [](const N& n) { return n.point.batch; },
       kEverywhere,
       is_batched<N>}};
  return fields;
}

const Fields<answer::BoardWithAnswer>& other_board_fields() {
  using B = answer::BoardWithAnswer;
  static const Fields<B> fields = {{{.name = "board", .meaning = "a board that meets all limits"},
                                    [](const B& b) { return b.name; },
                                    kEverywhere,
                                    nullptr,
                                    "name"},
                                   {column("twin"), [](const B& b) { return b.twin; }},
                                   {{.name = "power_w", .meaning = "power that the board draws"},
                                    [](const B& b) { return b.power_w; }}};
  return fields;
}

namespace {

std::vector<ProfiledPoint> points_of(const answer::TuneAnswer& report,
                                     const std::vector<tune::SearchStep>& steps) {
  std::vector<ProfiledPoint> points;
  for (const auto& step : steps) {
    points.push_back({tune::compared(report.outcome.goal, "", step.seen), step.reason});
    points.back().verdict = step.verdict;
  }
  return points;
}

}  // namespace

std::vector<ProfiledPoint> profiled_points(const answer::TuneAnswer& report) {
  return points_of(report, report.trace.profiled);
}

std::vector<tune::SearchStep> stored_steps(const answer::TuneAnswer& report) {
  const auto& profiled = report.trace.profiled;
  std::vector<tune::SearchStep> steps;
  for (const Observation& seen : report.trace.stored) {
    const bool listed = std::any_of(profiled.begin(), profiled.end(), [&](const auto& step) {
      return step.seen.point == seen.point && step.seen.time_s == seen.time_s;
    });
    if (listed) continue;
    steps.push_back({seen, tune::judge(report.outcome.goal, seen), "earlier run, from the store"});
  }
  return steps;
}

std::vector<ProfiledPoint> stored_points(const answer::TuneAnswer& report) {
  return points_of(report, stored_steps(report));
}

const DeclaredKeys kRelaxationKeys([] { return keys_of(relaxation_fields(), "relaxations"); });
const DeclaredKeys kMendsKeys([] { return keys_of(relaxation_fields(), "mends"); });
const DeclaredKeys kNextKeys([] { return keys_of(next_fields(), "next"); });
const DeclaredKeys kOtherBoardKeys([] { return keys_of(other_board_fields(), "other_boards"); });

}  // namespace ridgewatt::report
