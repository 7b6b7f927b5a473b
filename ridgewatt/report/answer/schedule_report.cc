#include "ridgewatt/report/schedule_report.h"

#include <set>
#include <tuple>

#include "ridgewatt/report/columns.h"
#include "ridgewatt/report/mode_json.h"
#include "ridgewatt/report/tune_report.h"

namespace ridgewatt::report {
namespace {

// Null if the plan has no inference or no training.
Json milliseconds(double time_s, bool known) {
  return known ? Json(time_s * 1e3) : Json();
}
Cell milliseconds_cell(double time_s, bool known) {
  return known ? Cell(time_s * 1e3) : Cell();
}

// The fields of a feasible plan or of the nearest miss.
Json fields_of(const schedule::Plan& plan) {
  const auto& [candidate, cycle] = std::tie(plan.candidate, plan.cycle);
  Json json;
  json["mode"] = mode_to_json(candidate.mode);
  if (candidate.inference) json["batch"] = candidate.inference->batch;
  const auto& round = candidate.train().minibatches;
  if (!round.empty() && round.front().batch > 0) {
    for (const auto& minibatch : round) json["round_batches"].push_back(minibatch.batch);
  }
  json["training_minibatches_per_cycle"] = cycle.training_minibatches;
  json["training_throughput"] = cycle.training_throughput_hz;
  // In an overload, the queue grows without limit.
  json["latency_ms"] =
      milliseconds(cycle.latency_s, cycle.stable && candidate.inference.has_value());
  json["power_w"] = cycle.peak_power_w;
  json["busy_power_w"] = cycle.busy_power_w;
  json["mean_power_w"] = cycle.mean_power_w;
  json["idle_power_w"] = candidate.idle_power_w;
  json["period_ms"] = cycle.period_s * 1e3;
  json["inference_time_ms"] =
      milliseconds(candidate.infer().time_s, candidate.inference.has_value());
  json["training_time_ms"] =
      milliseconds(candidate.train().time_s, candidate.background.has_value());
  json["utilization"] = cycle.utilization;
  return json;
}

// The measurements of one profiled point.
Json profiled_to_json(const schedule::Plan& plan) {
  const schedule::Candidate& candidate = plan.candidate;
  Json json;
  json["mode"] = mode_to_json(candidate.mode);
  if (const auto& inference = candidate.inference) {
    json["batch"] = inference->batch;
    json["inference_time_ms"] = inference->time_s * 1e3;
    json["inference_power_w"] = inference->power_w;
  }
  if (const auto& round = candidate.background) {
    json["training_time_ms"] = round->time_s * 1e3;
    json["training_power_w"] = round->power_w;
  }
  json["feasible"] = plan.feasible;
  return json;
}

Json bounded_to_json(const schedule::Bounded& value, double factor = 1) {
  return json_object(
      {{"value", factor * value.value}, {"lo", factor * value.lo}, {"hi", factor * value.hi}});
}

// Forecast for running both programs at the same time under the driver, without planned turns.
Json native_to_json(const schedule::SharingForecast& native) {
  Json json;
  json["factor"] = bounded_to_json(native.factor);
  json["inference_time_ms"] = bounded_to_json(native.time_s[0], 1e3);
  json["training_time_ms"] = bounded_to_json(native.time_s[1], 1e3);
  json["power_w"] = bounded_to_json(native.power_w);
  json["busy_known"] = native.busy_known;
  return json;
}

}  // namespace

Json twins_json(const std::vector<answer::ProgramGround>& grounds) {
  Json twins = Json::array();
  for (const auto& [program, ground, fit] : grounds) {
    twins.push_back(
        json_object({{"name", program}, {"ground", ground}, {"twin_error", twin_error_json(fit)}}));
  }
  return twins;
}

std::vector<std::string> ground_notes(const std::vector<answer::ProgramGround>& grounds) {
  std::set<std::string> texts;
  for (const auto& one : grounds) texts.insert(one.ground);
  return {texts.begin(), texts.end()};
}

Json plan_to_json(const schedule::Plan& plan) {
  Json json;
  json["feasible"] = plan.feasible;
  if (plan.feasible) {
    json.update(fields_of(plan));
  } else {
    json["nearest_miss"] = fields_of(plan);
    json["nearest_miss"]["misses"] = plan.miss;
  }
  return json;
}

Json plan_to_json(const answer::PlanAnswer& found) {
  Json json = plan_to_json(found.plan);
  json["bound"] = name_of(found.problem.bound);
  json["strategy"] = found.strategy;
  json["idle_power"] = found.idle_source;
  json["seed"] = found.seed;
  if (found.plan.feasible) json["serving"] = planned_to_json({found.problem, found.serving});
  add_origin(json, found.origin);
  if (!found.confidence.empty()) json["limits"] = confidence_json(found.confidence);
  json["twins"] = twins_json(found.grounds);
  if (found.native && found.plan.candidate.inference) {
    json["native_sharing"] = native_to_json(*found.native);
  }
  json["profiled"] = Json::array();
  for (const auto& plan : found.profiled) json["profiled"].push_back(profiled_to_json(plan));
  return json;
}

Table plan_table(const schedule::Plan& plan) {
  Table table({{"quantity"}, {.name = "value", .wrap = true}});
  const auto add = [&](const std::string& name, const Cell& value) {
    table.add_row({name, value});
  };
  add(plan.feasible ? "mode" : "mode (nearest miss)", describe(plan.candidate.mode));
  if (const auto& inference = plan.candidate.inference) {
    add("inference batch", std::int64_t{inference->batch});
  }
  add("training minibatches per cycle", std::int64_t{plan.cycle.training_minibatches});
  add("training throughput (1/s)", plan.cycle.training_throughput_hz);
  const bool infers = plan.candidate.inference.has_value();
  add("worst latency (ms)", plan.cycle.stable ? milliseconds_cell(plan.cycle.latency_s, infers)
                                              : Cell("without bound: overload"));
  add("peak power (W)", plan.cycle.peak_power_w);
  add("mean power (W)", plan.cycle.mean_power_w);
  add("idle power (W)", plan.candidate.idle_power_w);
  add("period (ms)", plan.cycle.period_s * 1e3);
  add("inference minibatch (ms)", milliseconds_cell(plan.candidate.infer().time_s, infers));
  add("training minibatch (ms)",
      milliseconds_cell(plan.candidate.train().time_s, plan.candidate.background.has_value()));
  if (!plan.feasible) add("misses", plan.miss);
  return table;
}

Result plan_result(const answer::PlanAnswer& found) {
  Result result{plan_table(found.plan)};
  for (const auto& field : origin_fields(found.origin)) {
    if (!field.value.empty()) result.table.add_row({std::string(field.name), field.value});
  }
  result.json = plan_to_json(found);
  result.notes = ground_notes(found.grounds);
  if (!found.confidence.empty()) {
    result.notes.push_back("probability of meeting the limits, given the error of the estimates: " +
                           confidence_text(found.confidence));
  }
  result.notes.push_back("idle power: " + found.idle_source);
  if (!found.plan.feasible) result.none = {"no plan meets the constraints", found.plan.miss};
  return result;
}

}  // namespace ridgewatt::report
