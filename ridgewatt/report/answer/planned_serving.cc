#include "ridgewatt/report/schedule_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "ridgewatt/base/error.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/report/columns.h"
#include "ridgewatt/report/mode_json.h"
#include "ridgewatt/report/page/json_fields.h"

namespace ridgewatt::report {
namespace {

constexpr std::size_t kMostPlanBytes = std::size_t{1} << 26;
constexpr int kDeepestPlan = 16;
constexpr double kMost = 1e9;  // chosen: limit for every number in a plan

Json minibatch_json(const schedule::Minibatch& minibatch) {
  Json json = json_object({{"batch", minibatch.batch},
                           {"time_ms", minibatch.time_s * 1e3},
                           {"power_w", minibatch.power_w}});
  if (minibatch.busy_share) json["busy_share"] = *minibatch.busy_share;
  if (minibatch.busy_cores > 0) json["busy_cores"] = minibatch.busy_cores;
  return json;
}

// The fields of one object. Errors name the file and the field.
class PlanFields {
 public:
  PlanFields(const Json& json, const std::string& source) : json_(json), source_(source) {
    if (!json.is_object()) throw fault("is not an object", "serving");
  }
  bool has(const char* name) const { return json_.contains(name); }
  const Json& at(const char* name) const {
    if (!has(name)) throw fault("is missing", name);
    return json_[name];
  }
  const Json& list(const char* name) const {
    if (!at(name).is_array()) throw fault("is not a list", name);
    return at(name);
  }
  double number(const char* name) const {
    const Json& value = at(name);
    if (!value.is_number() || !(value.get<double>() >= 0 && value.get<double>() <= kMost)) {
      throw fault("is not a number from 0 to 1e9", name);
    }
    return value.get<double>();
  }
  double number_or(const char* name, double other) const {
    return has(name) ? number(name) : other;
  }
  double positive(const char* name) const {
    if (!(number(name) > 0)) throw fault("must be positive", name);
    return number(name);
  }
  int count(const char* name) const {
    if (number(name) != std::floor(number(name))) throw fault("must be a whole number", name);
    return static_cast<int>(number(name));
  }
  InputError fault(std::string_view what, std::string_view name) const {
    return InputError(fmt::format("'{}' {}", name, what), source_,
                      "give a result of `schedule plan --format json`");
  }

 private:
  const Json& json_;
  const std::string& source_;
};

schedule::Minibatch minibatch_of(const Json& json, const std::string& source) {
  const PlanFields fields(json, source);
  schedule::Minibatch minibatch;
  minibatch.batch = fields.count("batch");
  minibatch.time_s = fields.positive("time_ms") / 1e3;
  minibatch.power_w = fields.positive("power_w");
  if (fields.has("busy_share")) minibatch.busy_share = std::min(fields.number("busy_share"), 1.0);
  minibatch.busy_cores = fields.number_or("busy_cores", 0);
  return minibatch;
}

Json round_json(const schedule::Round& round) {
  Json json = {
      {"energy_j", round.energy_j}, {"samples", round.samples}, {"required_hz", round.required_hz}};
  for (const auto& minibatch : round.minibatches) {
    json["minibatches"].push_back(minibatch_json(minibatch));
  }
  return json;
}

schedule::Round round_of(const PlanFields& fields, const std::string& source) {
  schedule::Round round;
  for (const Json& minibatch : fields.list("minibatches")) {
    round.add(minibatch_of(minibatch, source), 0, 0);
  }
  if (round.minibatches.empty()) throw fields.fault("is empty", "minibatches");
  round.energy_j = fields.positive("energy_j");
  round.samples = fields.positive("samples");
  round.required_hz = fields.number("required_hz");
  return round;
}

RowOrigin origin_at(const Json& json) {
  RowOrigin origin;
  origin.workload = text_at(json, "workload");
  origin.kind = text_at(json, "kind");
  origin.board = text_at(json, "board");
  origin.provenance =
      find_name<Provenance>(text_at(json, "provenance")).value_or(Provenance::kModelled);
  return origin;
}

schedule::PlanProblem problem_of(const PlanFields& fields) {
  schedule::PlanProblem problem;
  problem.arrival_rate_hz = fields.number("arrival_rate_hz");
  if (fields.has("max_latency_ms")) problem.max_latency_s = fields.positive("max_latency_ms") / 1e3;
  if (fields.has("max_power_w")) problem.max_power_w = fields.positive("max_power_w");
  const Json& bound = fields.at("bound");
  const auto named = find_name<schedule::Bound>(bound.is_string() ? bound.get<std::string>() : "");
  if (!named) throw fields.fault("is unknown", "bound");
  problem.bound = *named;
  return problem;
}

schedule::Candidate candidate_of(const PlanFields& fields, const std::string& source) {
  schedule::Candidate candidate;
  candidate.mode = mode_from_json(fields.at("mode"), source);
  candidate.idle_power_w = fields.number("idle_power_w");
  candidate.switch_s = fields.number("switch_ms") / 1e3;
  if (fields.has("inference")) candidate.inference = minibatch_of(fields.at("inference"), source);
  if (fields.has("training")) {
    candidate.background = round_of(PlanFields(fields.at("training"), source), source);
  }
  if (!candidate.inference && !candidate.background) throw fields.fault("is missing", "inference");
  if (candidate.inference && candidate.inference->batch < 1) throw fields.fault("is 0", "batch");
  return candidate;
}

}  // namespace

Json planned_to_json(const PlannedServing& planned) {
  const auto& [problem, serving] = std::tie(planned.problem, planned.serving);
  const schedule::Candidate& candidate = serving.candidate;
  Json json = json_object(
      {{"arrival_rate_hz", problem.arrival_rate_hz}, {"bound", name_of(problem.bound)}});
  if (std::isfinite(problem.max_latency_s)) json["max_latency_ms"] = problem.max_latency_s * 1e3;
  if (std::isfinite(problem.max_power_w)) json["max_power_w"] = problem.max_power_w;
  json["mode"] = mode_to_json(candidate.mode);
  json["idle_power_w"] = candidate.idle_power_w;
  json["switch_ms"] = candidate.switch_s * 1e3;
  if (candidate.inference) json["inference"] = minibatch_json(*candidate.inference);
  for (const auto& batch : serving.batches) json["batches"].push_back(minibatch_json(batch));
  if (candidate.background) json["training"] = round_json(*candidate.background);
  return json;
}

PlannedServing parse_planned(std::string_view text, const std::string& source) {
  const auto shallow = [](int depth, Json::parse_event_t, Json&) { return depth < kDeepestPlan; };
  const Json json = Json::parse(text, shallow, false);
  if (json.is_discarded()) throw InputError("is not valid JSON", source);
  const PlanFields whole(json, source);
  if (whole.at("feasible") != true) {
    throw NoSolutionError("the plan in the file does not meet its limits", source,
                          "the key nearest_miss of the file lists these limits");
  }
  const PlanFields fields(whole.at("serving"), source);
  PlannedServing planned{problem_of(fields), {}, origin_at(json), text_at(json, "idle_power")};
  const schedule::Candidate candidate = candidate_of(fields, source);
  planned.problem.check(candidate.inference.has_value());
  const schedule::Cycle cycle =
      schedule::make_cycle(candidate, planned.problem.arrival_rate_hz, planned.problem.bound);
  planned.serving = {candidate, {}, cycle.training_minibatches, cycle.period_s};
  if (!candidate.inference) return planned;
  for (const Json& batch : fields.list("batches")) {
    planned.serving.batches.push_back(minibatch_of(batch, source));
    if (planned.serving.batches.back().batch < 1)
      throw fields.fault("holds a batch of 0", "batches");
  }
  std::sort(planned.serving.batches.begin(), planned.serving.batches.end(),
            [](const auto& a, const auto& b) { return a.batch < b.batch; });
  return planned;
}

PlannedServing read_planned(const std::string& path) {
  return parse_planned(read_file(path, kMostPlanBytes), path);
}

}  // namespace ridgewatt::report
