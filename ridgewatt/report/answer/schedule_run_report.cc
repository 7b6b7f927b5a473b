// Results of an executor: grants, interference, switches, and measured sharing.
#include "ridgewatt/report/schedule_report.h"

namespace ridgewatt::report {
namespace {

void add_interference(const schedule::Interference& measured, Json& json) {
  json["interference"] = measured.factor;
  for (const auto& program : measured.programs) {
    json[program.name + "_alone_ms"] = program.alone_s * 1e3;
    json[program.name + "_shared_ms"] = program.shared_s * 1e3;
    json[program.name + "_speed"] = program.speed;
  }
}

void add_live(const answer::ScheduleRun::Live& live, Json& json) {
  const schedule::LiveSummary& summary = live.summary;
  json["plan_changes"] = summary.plan_changes;
  json["mode_changes"] = summary.mode_changes;
  json["mode_change_ms"] = summary.mode_change_s * 1e3;
  json["longest_mode_change_ms"] = summary.longest_mode_change_s * 1e3;
  json["time_corrections"] = summary.corrections;
  json["schedule_s"] = summary.duration_s;
  json["programs"] = Json::array();
  for (const auto& program : summary.programs) {
    // A percentile of unserved requests is infinite, which JSON writes as null.
    json["programs"].push_back(
        json_object({{"name", program.name.empty() ? "inference" : program.name},
                     {"requests", program.requests},
                     {"late", program.late},
                     {"lost", program.lost},
                     {"p50_ms", program.p50_s * 1e3},
                     {"p99_ms", program.p99_s * 1e3},
                     {"rate_hz", program.rate_hz},
                     {"minutes", program.windows_used},
                     {"minutes_met", program.windows_met},
                     {"workers", program.joined}}));
  }
  json["restarts"] = live.restarts;
}

void add_switches(const std::vector<schedule::SwitchCost>& costs, Json& json) {
  for (const auto& cost : costs) {
    json["switches"].push_back(json_object({{"name", cost.worker},
                                            {"switch_ms", cost.switch_s * 1e3},
                                            {"switch_lo_ms", cost.lo_s * 1e3},
                                            {"switch_hi_ms", cost.hi_s * 1e3}}));
  }
  if (const auto mean_s = schedule::mean_switch_s(costs)) json["switch_cost_ms"] = *mean_s * 1e3;
}

Json run_json(const answer::ScheduleRun& run) {
  const schedule::ExecutorSummary& summary = run.executor;
  Json json = json_object({{"grants", summary.grants},
                           {"inference_minibatches", summary.inference_minibatches},
                           {"training_minibatches", summary.training_minibatches},
                           {"deaths", summary.deaths},
                           {"revocations", summary.revocations},
                           {"faults", summary.faults},
                           {"dropped", summary.dropped},
                           {"requests", summary.requests},
                           {"running_s", summary.running_s}});
  if (run.interference) add_interference(*run.interference, json);
  if (run.live) add_live(*run.live, json);
  add_switches(run.switches, json);
  return json;
}

// One row for each number in the JSON object. Names in the rows of a program begin with its name.
template <class NameOf>
Table quantity_table(const Json& json, const char* separator, NameOf name_of) {
  Table table({{"quantity"}, {"value"}});
  const auto add = [&](const std::string& of, const std::string& name, const Json& value) {
    table.add_row({of + name_of(name), value.is_number_integer() ? Cell(value.get<std::int64_t>())
                                                                 : Cell(value.get<double>())});
  };
  for (const auto& [name, value] : json.items()) {
    if (!value.is_array()) {
      add("", name, value);
      continue;
    }
    for (const auto& entry : value) {
      const std::string of = entry.at("name").template get<std::string>() + separator;
      for (const auto& [key, inner] : entry.items()) {
        if (key != "name") add(of, key, inner);
      }
    }
  }
  return table;
}

struct SharingRowOf {
  std::string quantity, unit;
  MeanInterval value;
};

std::vector<SharingRowOf> sharing_rows(const answer::MeasuredSharing& found) {
  const auto& measured = found.measured;
  const auto ms = [](const MeanInterval& of) {
    return MeanInterval{1e3 * of.mean, 1e3 * of.lo, 1e3 * of.hi, of.count};
  };
  std::vector<SharingRowOf> rows = {{"interference factor", "", measured.factor}};
  for (const auto& program : measured.programs) {
    rows.push_back({program.name + " alone", "ms", ms(program.alone_s)});
    rows.push_back({program.name + " with both running", "ms", ms(program.together_s)});
    rows.push_back({program.name + " speed with both running", "of alone", program.speed});
  }
  for (const auto& cost : measured.switches) {
    rows.push_back({"switch to " + cost.worker,
                    "ms",
                    {1e3 * cost.switch_s, 1e3 * cost.lo_s, 1e3 * cost.hi_s,
                     static_cast<int>(cost.after_other)}});
  }
  const std::string names[] = {"power of " + measured.programs[0].name,
                               "power of " + measured.programs[1].name, "power in turns",
                               "power with both running"};
  for (std::size_t i = 0; i < found.power_w.size(); ++i) {
    rows.push_back({names[i], "W", found.power_w[i]});
  }
  std::erase_if(rows, [](const SharingRowOf& row) { return row.value.count == 0; });
  return rows;
}

}  // namespace

Result schedule_run_result(const answer::ScheduleRun& run) {
  const Json json = run_json(run);
  Result result{quantity_table(
      json, " ", [](const std::string& name) { return column_heading({.name = name}); })};
  result.data = quantity_table(json, "_", [](const std::string& name) { return name; });
  result.json = json;
  return result;
}

Table measured_sharing_table(const answer::MeasuredSharing& found) {
  Table table({{"quantity"},
               {"unit"},
               {"value"},
               {.name = "lo", .heading = "from (95 %)"},
               {.name = "hi", .heading = "to (95 %)"},
               {.name = "count", .rank = 1}});
  for (const auto& [quantity, unit, value] : sharing_rows(found)) {
    table.add_row(
        {quantity, unit, value.mean, value.lo, value.hi, static_cast<std::int64_t>(value.count)});
  }
  return table;
}

}  // namespace ridgewatt::report
