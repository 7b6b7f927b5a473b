// The JSON of `estimate`.
#include <fmt/format.h>

#include <algorithm>

#include "ridgewatt/report/caveats_json.h"
#include "ridgewatt/report/estimate_report.h"
#include "ridgewatt/report/mode_json.h"
#include "ridgewatt/report/origin_columns.h"
#include "ridgewatt/report/tune_report.h"
#include "ridgewatt/report/twin_report.h"

namespace ridgewatt::report {
namespace {

using Over = answer::EstimateAnswer::Over;

// Whether a column is part of the mode.
bool of_mode(const std::string& key) {
  return key == "governor" || std::any_of(kKnobs.begin(), kKnobs.end(),
                                          [&](Knob knob) { return key == knob_field(knob); });
}

// `cells`: those of the row, by key.
Json row_json(const answer::EstimateAnswer& found, std::size_t i, const Json& cells) {
  const answer::EstimateRow& from = found.rows[i];
  const answer::EstimateSetting& of = *from.setting;
  Json row;
  row["board"] = of.board;
  row["precision"] = std::string(name_of(of.precision));
  row["mode"] = mode_to_json(from.mode);
  if (!from.mode.governor.empty()) row["clocks"] = mode_to_json(from.estimate.clocks);
  for (const auto& [key, value] : cells.items()) {
    if (!of_mode(key)) row[key] = value;
  }
  row["fits_memory"] = of.memory.fits();
  row["memory_gb"] = memory_json(of.memory);
  add_origin(row, found.origin(from));
  if (!found.held.empty()) {
    row["hold"] = hold_json(found.held[i].hold);
    const auto& sustained_w = found.held[i].sustained_power_w;
    row["hold"]["sustained_power_w"] = sustained_w ? Json(*sustained_w) : Json();
  }
  row["twin_error"] = twin_error_json(of.fit);
  if (from.python_call_s > 0) row["python_call_ms"] = 1e3 * from.python_call_s;
  if (!of.widened_by.empty()) row["interval_widened_by"] = of.widened_by;
  return row;
}

StreamedJson with_rows(const answer::EstimateAnswer& found, Json head) {
  StreamedJson json =
      streamed(std::move(head), "estimates", estimate_rows(found, EstimateReader::kJson));
  json.fill = [&found, fill = std::move(json.fill), cells = Json()](std::size_t i,
                                                                    Json& row) mutable {
    fill(i, cells);
    row = row_json(found, i, cells);
  };
  return json;
}

Json remedies_json(const std::vector<answer::Remedy>& remedies) {
  Json list = Json::array();
  for (const auto& remedy : remedies) {
    list.push_back({{"what", remedy.what},
                    {"ms_per_sample", 1e3 * remedy.s_per_sample},
                    {"times_faster", remedy.times_faster}});
  }
  return list;
}

void add_layers(const answer::EstimateAnswer& found, Json& json) {
  const answer::EstimateRow& first = found.rows.front();
  const twin::Estimator& estimator = found.model->estimator(first.setting->batch);
  const Table layers = layer_table(estimator.cost(), estimator.layers(first.mode));
  json["layers"] = layers.to_json();
  const LayerSums sums = layer_sums(layers);
  json["by_operator"] = sums.by_operator.to_json();
  json["by_block"] = sums.by_block.to_json();
  json["causes"] = cause_table(first.estimate).to_json();
}

}  // namespace

std::string estimate_ground(const answer::EstimateAnswer& found) {
  const twin::TwinModel& model = *found.model;
  switch (found.over) {
    case Over::kModes:
      return model.provenance();
    case Over::kBoards:
      return fmt::format("modelled for {}, each row with the twin of its board",
                         name_of(model.twin().runtime));
    case Over::kRuntimes:
      return "modelled with the " + model.twin().board + " twin, in each runtime";
  }
  return {};
}

std::string estimate_preset_note(const answer::EstimateAnswer& found) {
  std::vector<std::string> names;
  std::vector<double> drawn_w;
  for (const auto& row : found.rows) {
    names.push_back(row.preset);
    drawn_w.push_back(row.estimate.total.power_w);
  }
  return preset_note(names, drawn_w);
}

// Of a board whose limit is known: modelled power is not capped, the module is.
std::string envelope_note(const answer::EstimateAnswer& found) {
  if (found.over != Over::kModes) return {};
  const auto limit_w = load_board(found.device).power_limit_w;
  double most_w = 0;
  std::size_t above = 0;
  for (const auto& row : found.rows) {
    const double power_w = row.estimate.total.power_w;
    above += limit_w && power_w > *limit_w ? 1 : 0;
    most_w = std::max(most_w, power_w);
  }
  if (above == 0) return {};
  return fmt::format(
      "above the {:g} W that the module is built to draw for long: {} of {} rows (up to {:.1f} W); "
      "a "
      "board would lower its clocks there",
      *limit_w, above, found.rows.size(), most_w);
}

StreamedJson estimate_json(const answer::EstimateAnswer& found, bool layers) {
  const twin::Twin& twin = found.model->twin();
  Json json;
  json["model"] = found.workload->name();
  json["kind"] = std::string(name_of(found.workload->options().kind));
  json["precision"] = found.precision ? std::string(name_of(*found.precision)) : "usual";
  json["provenance"] = estimate_ground(found);
  json["runtime"] = found.over == Over::kRuntimes ? "all" : std::string(name_of(twin.runtime));
  if (found.over == Over::kModes) {
    json["twin"] = twin.status;
    json["fit"] = twin_error_json(twin.fit);
    if (twin.changed_by) json["runtime_fit"] = runtime_fit_json(twin);
    json["memory_sources"] = memory_sources_json(load_board(found.device), twin.runtime);
  }
  add_caveats(found.model->estimator(found.rows.front().setting->batch).cost().caveats, json);
  json["estimates"] = nullptr;  // the rows, as they are written
  for (const auto& [name, reason] : found.left_out) {
    json["left_out"].push_back({{"name", name}, {"reason", reason}});
  }
  const std::string note = estimate_preset_note(found);
  if (!note.empty()) json["preset_note"] = note;
  const std::string envelope = envelope_note(found);
  if (!envelope.empty()) json["envelope_note"] = envelope;
  if (!found.remedies.empty()) json["remedies"] = remedies_json(found.remedies);
  if (layers) add_layers(found, json);
  return with_rows(found, std::move(json));
}

}  // namespace ridgewatt::report
