#include "ridgewatt/evaluate/runtime_scores.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/base/suggest.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/io/published.h"
#include "ridgewatt/twin/twin_model.h"
#include "ridgewatt/workload/cost_model.h"
#include "ridgewatt/workload/deployed_workload.h"

namespace ridgewatt::evaluate {
namespace {

// The group of a row, by its source and its runtime.
std::string group_of(const twin::RuntimeRow& row) {
  if (row.source.find("mlcommons") != std::string::npos) return "MLPerf, one query at a time";
  if (row.weight < 1) return "runtime not stated";
  return is_engine(row.runtime()) ? "TensorRT and ONNX Runtime" : "PyTorch";
}

double median_or_nan(const std::vector<double>& values) {
  return values.empty() ? std::numeric_limits<double>::quiet_NaN() : median(values);
}

std::vector<RuntimeGroup> group_rows(const RuntimeScores& scores) {
  std::map<std::string, std::vector<std::size_t>> members;
  for (std::size_t i = 0; i < scores.rows.rows.size(); ++i) {
    members[group_of(scores.rows.rows[i])].push_back(i);
  }
  std::vector<RuntimeGroup> groups;
  for (const auto& member : members) {
    const std::vector<std::size_t>& indices = member.second;
    const auto error = [&](const auto& time_s) {
      std::vector<double> errors;
      for (const std::size_t i : indices) {
        const double time = time_s(scores.fit.scores[i]);
        if (time > 0) errors.push_back(std::abs(time / scores.rows.rows[i].time_s - 1));
      }
      return median_or_nan(errors);
    };
    using Score = twin::RuntimeRowScore;
    groups.push_back({member.first, indices.size(),
                      error([](const Score& s) { return s.fitted_s; }),
                      error([](const Score& s) { return s.model.time_s; }),
                      error([](const Score& s) { return s.board.time_s; }),
                      error([](const Score& s) { return s.model_and_board.time_s; })});
  }
  return groups;
}

// The reasons for which rows are left out.
std::string reasons_of(const std::vector<twin::LeftOutRow>& rows) {
  constexpr std::size_t kMostReasons = 5;
  std::vector<std::string> reasons;
  for (const auto& row : rows) {
    if (reasons.size() < kMostReasons) reasons.push_back(row.label + ": " + row.reason);
  }
  return reasons.empty() ? "it has no rows" : fmt::format("{}", fmt::join(reasons, "; "));
}

double found_value(const CsvReader& csv, const std::map<std::string, std::size_t>& columns) {
  const auto text = [&](const char* column) { return std::string(csv.field(columns.at(column))); };
  const std::string quantity = text("quantity");
  if (quantity != "time_ms") {
    workload::Model model = workload::load_workload(text("model"));
    const auto analysis = workload::analyze(model);
    // The publishers' convention: twice the multiply-accumulates of contractions.
    return quantity == "gflop" ? 2 * analysis.macs * 1e-9 : analysis.parameter_count * 1e-6;
  }
  const int batch = static_cast<int>(csv.number(columns.at("batch")));
  workload::DeployOptions options;
  options.precision = parse_word<workload::Precision>(text("precision"), csv.where());
  options.runtime = parse_word<Runtime>(text("runtime"), csv.where());
  // NVIDIA's MLPerf harness replays CUDA graphs.
  twin::RunOptions run;
  run.cuda_graph = text("source").starts_with("MLPerf");
  const twin::TwinModel model(
      twin::load_twin(load_board(text("device"))),
      std::make_shared<const workload::DeployedWorkload>(text("model"), options), run);
  return 1e3 * model({{}, batch}).period_s;
}

}  // namespace

std::optional<bool> RuntimeScores::is_within(std::size_t row) const {
  const twin::RuntimeRowScore& score = fit.scores[row];
  if (!(score.model.time_s > 0)) return std::nullopt;
  return std::abs(std::log(rows.rows[row].time_s / score.model.time_s)) <=
         twin::left_out_log_width(score);
}

void RuntimeScores::count_within() {
  predicted = within = 0;
  for (std::size_t i = 0; i < rows.rows.size(); ++i) {
    const auto inside = is_within(i);
    predicted += inside.has_value();
    within += inside.value_or(false);
  }
}

RuntimeScores score_runtimes(const std::vector<std::string>& paths,
                             const twin::RuntimeFitOptions& options) {
  RuntimeScores scores;
  scores.rows = twin::load_runtime_rows(paths);
  if (scores.rows.rows.empty()) {
    throw UsageError("no row of the file can be used", fmt::format("{}", fmt::join(paths, ", ")),
                     reasons_of(scores.rows.left_out));
  }
  scores.fit = twin::fit_runtimes(scores.rows.rows, options);
  scores.groups = group_rows(scores);
  scores.count_within();
  return scores;
}

bool RuntimeFact::holds() const {
  return std::abs(found / published - 1) <= tolerance;
}

std::vector<RuntimeFact> check_runtime_facts() {
  CsvReader csv = open_published("runtimes.csv");
  std::map<std::string, std::size_t> columns;
  for (const char* name : {"fact", "model", "device", "runtime", "precision", "batch", "quantity",
                           "published", "tolerance", "source"}) {
    columns[name] = csv.require_column(name);
  }
  std::vector<RuntimeFact> facts;
  while (csv.next()) {
    facts.push_back({std::string(csv.field(columns["fact"])),
                     std::string(csv.field(columns["quantity"])), csv.number(columns["published"]),
                     found_value(csv, columns), csv.number(columns["tolerance"]),
                     std::string(csv.field(columns["source"]))});
  }
  return facts;
}

}  // namespace ridgewatt::evaluate
