// The JSON of `estimate`.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "ridgewatt/base/enum_rows.h"
#include "ridgewatt/base/plural.h"
#include "ridgewatt/base/sentence.h"
#include "ridgewatt/report/columns.h"
#include "ridgewatt/report/estimate_report.h"
#include "ridgewatt/report/keys/key_tables.h"
#include "ridgewatt/report/mode_json.h"
#include "ridgewatt/report/tune_report.h"
#include "ridgewatt/report/twin_report.h"
#include "ridgewatt/thermal/thermal_model.h"

namespace ridgewatt::report {
namespace {

using Over = answer::EstimateAnswer::Over;

const Fields<answer::Remedy>& remedy_fields() {
  using R = answer::Remedy;
  static const Fields<R> fields = {
      {{.name = "what", .meaning = "the change"}, [](const R& r) { return r.what; }},
      {{.name = "ms_per_sample", .meaning = "time per sample with the change"},
       [](const R& r) { return 1e3 * r.s_per_sample; }},
      {{.name = "times_faster", .meaning = "how many times as fast per sample"},
       [](const R& r) { return r.times_faster; }}};
  return fields;
}

struct CauseWords {
  twin::Cause id;
  std::string_view text;
};

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

const DeclaredKeys kRemedyKeys([] { return keys_of(remedy_fields(), "remedies"); });

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

namespace {

// For example, "kernel launches limit the speed, so the GPU waits 69 % of the time: tensorrt would
// be 8.7 times faster per sample".
std::string bound_sentence(const answer::EstimateAnswer& found) {
  const twin::Breakdown& cost = found.rows.front().estimate;
  static constexpr auto kWords = enum_rows<CauseWords>(
      {{twin::Cause::kCompute, "computation takes"},
       {twin::Cause::kMemory, "memory traffic takes"},
       {twin::Cause::kLaunch, "kernel launches limit the speed, so the GPU waits"},
       {twin::Cause::kHost, "work of the CPU between minibatches takes"},
       {twin::Cause::kLoader, "waiting for data takes"}});
  const twin::Cause cause = cost.dominant();
  double sum_s = 0;
  for (const double time_s : cost.time_s) sum_s += time_s;
  const double share = cause == twin::Cause::kLaunch
                           ? 1 - cost.gpu_load
                           : cost.time_s[static_cast<std::size_t>(cause)] / sum_s;
  std::string text = fmt::format("{} {:.0f} % of the time", kWords[cause].text, 100 * share);
  if (!found.remedies.empty()) {
    const answer::Remedy& best = found.remedies.front();
    text += sentence(": {} would be {:.3g} times faster per sample", best.what, best.times_faster);
  }
  return text;
}

std::string estimate_preset_note(const answer::EstimateAnswer& found) {
  std::vector<std::string> names;
  std::vector<double> drawn_w;
  std::vector<PowerMode> modes;
  for (std::size_t i = 0; i < found.rows.size(); ++i) {
    modes.push_back(found.rows.mode(i));
    if (found.rows.preset(i).empty()) continue;
    const answer::EstimateRow row = found.rows[i];
    names.push_back(name_without_cap(row.preset, row.mode));
    drawn_w.push_back(row.error[twin::kPower].middle(row.estimate.total.power_w));
  }
  const std::string note = preset_note(names, drawn_w);
  if (found.over == Over::kBoards) return note;
  const std::string sms = sms_note(load_board(found.device), modes);
  return note + (note.empty() || sms.empty() ? "" : "; ") + sms;
}

// What the notes on rows read of a row.
struct RowPower {
  double power_w = 0;  // without the module's limit
  double waits = 0;    // share of waits in the power
  bool held = false;   // whether the module's limit makes the minibatch longer
};
RowPower power_of(const answer::EstimateRow& row) {
  return {row.estimate.free_w, 1 - row.estimate.counted_share, row.estimate.held > 1};
}

// Notes on rows above the power limit of the board, if it is known (the power of the module is
// capped, but the power that a mode requires is not), and on waits for data in the power.
struct RowNotes {
  std::string envelope, waits;
};
RowNotes row_notes(const answer::EstimateAnswer& found, const std::vector<RowPower>& powers) {
  if (found.over != Over::kModes) return {};
  const auto limit_w = load_board(found.device).power_limit_w;
  const std::string rows = counted(powers.size(), "row");
  double most_w = 0, waits = 0;
  std::size_t above = 0, waiting = 0;
  for (const RowPower& row : powers) {
    above += row.held ? 1 : 0;
    waiting += waits_note(row.waits).empty() ? 0 : 1;
    most_w = std::max(most_w, row.power_w);
    waits = std::max(waits, row.waits);
  }
  RowNotes notes;
  if (above > 0) {
    notes.envelope = sentence(
        "above the {:g} W that the module can sustain: {} of {} (up to {:.1f} W); the estimates "
        "are for a board that lowers its clocks to this power",
        *limit_w, above, rows, most_w);
  }
  if (waiting > 0) {
    notes.waits = fmt::format("in {} of {}, {}", waiting, rows, waits_note(waits));
  }
  return notes;
}

std::string mixed_note(const answer::EstimateAnswer& found) {
  if (found.over != Over::kBoards) return {};
  std::vector<std::string> boards;
  for (const auto& row : found.rows) {
    const std::string& name = row.setting->board;
    if (boards.empty() || boards.back() != name) boards.push_back(name);
  }
  return mixed_power_note(boards);
}

std::string caller_note(const answer::EstimateRow& row) {
  if (!(row.python_call_s > 0)) return {};
  return sentence(
      "the time is for an engine that C++ code calls; thin Python code adds about {:.2g} ms per "
      "run (--caller)",
      1e3 * row.python_call_s);
}

EstimateRemarks remarks_of(const answer::EstimateAnswer& found,
                           const std::vector<RowPower>& powers) {
  const answer::EstimateRow& first = found.rows.front();
  std::vector<std::string> reasons = first.setting->widened_by;
  reasons.insert(reasons.end(), first.widened_by.begin(), first.widened_by.end());
  RowNotes notes = row_notes(found, powers);
  std::string wide = wide_note(reasons), caller = caller_note(first);
  if (found.over != Over::kModes) {  // boards and runtimes differ
    if (!wide.empty()) wide = "first row: " + wide + " (--format json has those of each row)";
    if (!caller.empty()) caller.insert(0, "first row: ");
  }
  return {.preset = estimate_preset_note(found),
          .envelope = std::move(notes.envelope),
          .waits = std::move(notes.waits),
          .mixed = mixed_note(found),
          .caller = std::move(caller),
          .wide = std::move(wide)};
}

// Adds the keys that follow the rows.
void add_rest(const answer::EstimateAnswer& found, const std::vector<RowPower>& powers, bool layers,
              Json& json) {
  for (const auto& [name, reason] : found.left_out) {
    json["left_out"].push_back(json_object({{"name", name}, {"reason", reason}}));
  }
  if (found.over == Over::kModes) json["sentences"] = Json::array({bound_sentence(found)});
  const auto [preset, envelope, waits, mixed, caller, wide] = remarks_of(found, powers);
  if (!preset.empty()) json["preset_note"] = preset;
  if (!envelope.empty()) json["envelope_note"] = envelope;
  put_remarks({preset, envelope, waits, mixed, caller, wide}, json);
  if (!found.remedies.empty()) json["remedies"] = json_list(remedy_fields(), found.remedies);
  if (layers) add_layers(found, json);
}

}  // namespace

EstimateRemarks estimate_remarks(const answer::EstimateAnswer& found) {
  std::vector<RowPower> powers;
  for (const auto& row : found.rows) powers.push_back(power_of(row));
  return remarks_of(found, powers);
}

StreamedJson estimate_json(const answer::EstimateAnswer& found, bool layers) {
  const twin::Twin& twin = found.model->twin();
  Json json;
  json["model"] = found.workload->name();
  json["kind"] = std::string(name_of(found.workload->options().kind));
  json["precision"] = found.precision ? std::string(name_of(*found.precision)) : "usual";
  json["provenance"] = name_of(Provenance::kModelled);
  json["ground"] = estimate_ground(found);
  json["runtime"] = found.over == Over::kRuntimes ? "all" : std::string(name_of(twin.runtime));
  if (found.over == Over::kModes) {
    json["twin"] = twin.status;
    json["fit"] = twin_error_json(twin.fit);
    if (twin.changed_by) json["runtime_fit"] = runtime_fit_json(twin);
    json["memory_sources"] = memory_sources_json(load_board(found.device), twin.runtime);
  }
  add_caveats(found.model->estimator(found.rows.front().setting->batch).cost().caveats, json);
  json["estimates"] = nullptr;  // placeholder; the rows are added while writing
  // Each row is computed once: the remarks on all rows read what the rows leave here.
  const auto powers = std::make_shared<std::vector<RowPower>>(found.rows.size());
  const auto seen = [powers](std::size_t i, const answer::EstimateRow& row) {
    (*powers)[i] = power_of(row);
  };
  return {
      .head = std::move(json),
      .key = "estimates",
      .count = found.rows.size(),
      .fill = estimate_row_json(found, seen),
      .add_rest = [&found, powers, layers](Json& rest) { add_rest(found, *powers, layers, rest); }};
}

}  // namespace ridgewatt::report
