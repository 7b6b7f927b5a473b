#include "ridgewatt/report/measure_report.h"

#include <fmt/format.h>

#include "ridgewatt/base/sentence.h"
#include "ridgewatt/report/columns.h"
#include "ridgewatt/report/mode_json.h"
#include "ridgewatt/report/rows.h"

namespace ridgewatt::report {
namespace {

using answer::NamedEpoch;
using pipeline::EpochCost;
using pipeline::StageTimes;

Table epoch_table(const std::vector<NamedEpoch>& epochs) {
  using E = NamedEpoch;
  return table_of<E>(
      {{{"epoch"}, at<&E::name>},
       {{"minibatch_ms", "minibatch (ms)"}, times<1000, &E::cost, &EpochCost::interval_s>},
       {{.name = "minibatch_stall_ms", .heading = "its stall (ms)", .rank = 1},
        [](const E& row) -> Cell { return row.cost.stall_s / row.cost.minibatches * 1e3; }},
       {{.name = "minibatch_j", .heading = "minibatch (J)", .rank = 1},
        [](const E& row) {
          return row.power_known ? Cell(row.cost.energy_j / row.cost.minibatches) : Cell();
        }},
       {{"time_s", "time (s)"}, at<&E::cost, &EpochCost::time_s>},
       {{"compute_s", "compute (s)"}, at<&E::cost, &EpochCost::compute_s>},
       {{"stall_s", "stall (s)"}, at<&E::cost, &EpochCost::stall_s>},
       {{"energy_j", "energy (J)"},
        [](const E& row) { return row.power_known ? Cell(row.cost.energy_j) : Cell(); }},
       {{.name = "start_s", .rank = 2}, at<&E::cost, &EpochCost::start_s>},
       {{.name = "fetch_ms", .rank = 2},
        times<1000, &E::cost, &EpochCost::stages, &StageTimes::fetch_s>},
       {{.name = "preprocess_ms", .rank = 2},
        times<1000, &E::cost, &EpochCost::stages, &StageTimes::preprocess_s>},
       {{.name = "hand_over_ms", .heading = "hand-over (ms)", .rank = 2},
        times<1000, &E::cost, &EpochCost::stages, &StageTimes::hand_over_s>},
       {{.name = "compute_ms", .rank = 2},
        times<1000, &E::cost, &EpochCost::stages, &StageTimes::compute_s>},
       {{"binds"}, at<&E::cost, &EpochCost::bound>}},
      epochs);
}

// A change, and the costs of the current epochs for comparison.
struct ChangeRow {
  const pipeline::WhatIf& change;
  const EpochCost &first, &later;
};

Table change_table(const answer::EpochAnswer& found) {
  const EpochCost first = pipeline::epoch_cost(found.config, 0);
  const EpochCost later = pipeline::epoch_cost(found.config, 1);
  std::vector<ChangeRow> rows;
  for (const auto& change : found.changes) rows.push_back({change, first, later});
  using R = ChangeRow;
  return table_of<R>(
      {{{"change"}, [](const R& row) { return plain_cell(row.change.change); }},
       {{.name = "first_time_s", .heading = "epoch 0 (s)", .rank = 1},
        [](const R& row) -> Cell { return row.change.first.time_s; }},
       {{.name = "first_ratio", .heading = "epoch 0, times", .digits = 3, .rank = 1},
        [](const R& row) -> Cell { return row.change.first.time_s / row.first.time_s; }},
       {{"later_time_s", "later (s)"},
        [](const R& row) -> Cell { return row.change.later.time_s; }},
       {{"later_ratio", "later, times", 3},
        [](const R& row) -> Cell { return row.change.later.time_s / row.later.time_s; }},
       {{.name = "later_stall_s", .heading = "later stall (s)", .rank = 3},
        [](const R& row) -> Cell { return row.change.later.stall_s; }},
       {{.name = "later_energy_ratio", .heading = "later energy, relative", .digits = 3, .rank = 2},
        [](const R& row) {
          const double before_j = row.later.energy_j;
          return before_j > 0 ? Cell(row.change.later.energy_j / before_j) : Cell();
        }},
       {{"binds"}, [](const R& row) { return plain_cell(row.change.later.bound); }}},
      rows);
}

std::string cache_text(const pipeline::PipelineConfig& config) {
  const double missed = pipeline::miss_share(config, 1);
  if (!(missed > 0)) return "";
  return sentence(
      "\npage cache: {:.3g} GB of RAM for {:.3g} GB of data; later epochs read {:.3g} % of the "
      "data again\n",
      config.cache_bytes / 1e9, config.samples * config.sample_bytes / 1e9, 100 * missed);
}

}  // namespace

Result epochs_result(const answer::EpochAnswer& found, const std::vector<NamedEpoch>& epochs) {
  Table changes = change_table(found);
  Result result{changes, with_origin(changes, {found.origin})};
  const std::string relief = answer::relief_of(found);
  const Table rows = epoch_table(epochs);
  result.json = json_object({{"provenance", name_of(found.origin.provenance)},
                             {"ground", found.ground},
                             {"page_cache_gb", found.config.cache_bytes / 1e9},
                             {"epochs", rows.to_json()},
                             {"relief", relief},
                             {"what_if", changes.to_json()}});
  if (found.caveats) add_caveats(*found.caveats, result.json);
  if (found.clocks != PowerMode{}) result.json["clocks"] = mode_to_json(found.clocks);
  add_origin(result.json, found.origin);
  const auto bound = pipeline::epoch_cost(found.config, 1).bound;
  result.before = {{found.ground + "\n\n", rows},
                   {fmt::format("{}\nbottleneck: {}; best remedy: {}\n\n", cache_text(found.config),
                                name_of(bound), relief)}};
  return result;
}

Result loader_result(const std::vector<pipeline::LoaderRow>& rows,
                     const pipeline::LoaderBench& bench) {
  using R = pipeline::LoaderRow;
  using pipeline::LoaderRun;
  Result result{table_of<R>(
      {{{"cache"}, at<&R::cache>},
       {{"workers"}, at<&R::workers>},
       {{"time_s", "time (s)"}, at<&R::run, &LoaderRun::time_s>},
       {{"stall_s", "stall (s)"}, at<&R::run, &LoaderRun::stall_s>},
       {{"compute_s", "compute (s)"}, at<&R::run, &LoaderRun::compute_s>},
       {{.name = "fetch_ms", .rank = 3},
        times<1000, &R::run, &LoaderRun::mean, &StageTimes::fetch_s>},
       {{.name = "fetch_cpu_ms", .heading = "fetch on CPU (ms)", .rank = 4},
        times<1000, &R::run, &LoaderRun::fetch_cpu_s>},
       {{.name = "preprocess_ms", .rank = 3},
        times<1000, &R::run, &LoaderRun::mean, &StageTimes::preprocess_s>},
       {{.name = "hand_over_ms", .heading = "hand-over (ms)", .rank = 3},
        times<1000, &R::run, &LoaderRun::mean, &StageTimes::hand_over_s>},
       {{.name = "compute_ms", .rank = 3},
        times<1000, &R::run, &LoaderRun::mean, &StageTimes::compute_s>},
       {{.name = "storage_mb", .rank = 5},
        [](const R& row) -> Cell { return row.run.io.storage_read_bytes / 1e6; }},
       {{.name = "resident_before_pct", .rank = 6},
        [](const R& row) -> Cell { return 100 * row.run.before.share(); }},
       {{.name = "resident_after_pct", .rank = 6},
        [](const R& row) -> Cell { return 100 * row.run.after.share(); }},
       {{.name = "read_pct", .heading = "files read (%)", .rank = 7}, times<100, &R::read_share>},
       {{.name = "model_s", .rank = 1},
        [](const R& row) { return row.predicted ? Cell(row.predicted_s()) : Cell(); }},
       {{.name = "model_error_pct", .heading = "off by (%)", .digits = 3, .rank = 1},
        [](const R& row) {
          return row.predicted ? Cell(100 * (row.predicted_s() / row.run.time_s - 1)) : Cell();
        }},
       {{.name = "use", .rank = 2}, [](const R& row) -> Cell { return row.use(); }},
       {{"binds"},
        [](const R& row) { return row.predicted ? plain_cell(row.predicted->bound) : Cell(); }}},
      rows)};
  result.json = json_object({{"provenance", name_of(Provenance::kMeasured)},
                             {"samples", bench.loader.paths.size()},
                             {"cores", bench.cores},
                             {"runs", result.table.to_json()}});
  return result;
}

}  // namespace ridgewatt::report
