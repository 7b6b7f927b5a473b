#include "ridgewatt/twin/board_evidence.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/device/mode_text.h"
#include "ridgewatt/io/published.h"
#include "ridgewatt/workload/deployed_workload.h"

namespace ridgewatt::twin {
namespace {

constexpr std::int64_t kLargestBatch = 1 << 16;
constexpr int kMostWorkers = 1024;

// Reads rows of evidence. Reads each model once.
class EvidenceReader {
 public:
  explicit EvidenceReader(CsvReader csv) : csv_(std::move(csv)) {}

  std::vector<Evidence> read() {
    for (const char* name :
         {"board", "name", "quantity", "form", "model", "kind", "batch", "mode", "against_batch",
          "against_mode", "loading", "factor", "value", "log_sd", "source"}) {
      columns_[name] = csv_.require_column(name);
    }
    std::vector<Evidence> rows;
    while (csv_.next()) rows.push_back(row());
    return rows;
  }

 private:
  std::string text(const char* column) const {
    return std::string(csv_.field(columns_.at(column)));
  }
  // Empty: the highest clocks.
  PowerMode mode(const char* column) const {
    const std::string written = text(column);
    return written.empty() ? PowerMode{} : parse_mode_text(written);
  }
  double positive(const char* column) const {
    const double value = csv_.number(columns_.at(column));
    if (!(value > 0)) throw InputError(fmt_column(column) + " must be positive", csv_.where());
    return value;
  }
  static std::string fmt_column(const char* column) { return "'" + std::string(column) + "'"; }
  template <typename E>
  E named(const char* column) const {
    return csv_.named<E>(columns_.at(column));
  }

  std::shared_ptr<const workload::WorkloadCost> cost(WorkloadKind kind, const char* batch_column) {
    const double batch = positive(batch_column);
    if (batch != std::floor(batch) || batch > kLargestBatch) {
      throw InputError(fmt_column(batch_column) + " must be a batch size", csv_.where());
    }
    const auto key = std::pair(text("model"), kind);
    auto& model = models_[key];
    if (!model) {
      model = std::make_unique<workload::DeployedWorkload>(key.first,
                                                           workload::DeployOptions{.kind = kind});
    }
    return model->at(static_cast<int>(batch));
  }

  // "no", or the number of loader workers.
  void read_loading(RunOptions& options) const {
    const std::string loading = text("loading");
    if (loading == "no") {
      options.loader_s_per_sample = 0;
    } else if (!loading.empty()) {
      const auto workers = parse_int(loading);
      if (!workers || *workers < 0 || *workers > kMostWorkers) {
        throw InputError("column loading must be 'no' or a number of workers", csv_.where());
      }
      options.loader_workers = static_cast<int>(*workers);
    }
  }

  Evidence row() {
    Evidence row;
    row.board = text("board");
    row.name = text("name");
    row.source = text("source");
    row.quantity = named<EvidenceQuantity>("quantity");
    row.form = named<EvidenceForm>("form");
    row.factor = positive("factor");
    row.value = positive("value");
    row.log_sd = positive("log_sd");
    row.at.mode = mode("mode");
    const bool idle = row.quantity == EvidenceQuantity::kIdlePower;
    const bool alone = row.form == EvidenceForm::kValue;
    if (idle != text("model").empty()) {
      throw InputError(
          idle ? "a row of an idle board must not name a model" : "the row names no model",
          csv_.where());
    }
    if (!alone) row.against = EvidencePoint{nullptr, mode("against_mode")};
    if (idle) return row;
    const auto kind = named<WorkloadKind>("kind");
    row.workload = text("model") + " " + std::string(name_of(kind));
    row.at.cost = cost(kind, "batch");
    if (!alone) row.against->cost = cost(kind, "against_batch");
    read_loading(row.options);
    return row;
  }

  CsvReader csv_;
  std::map<std::string, std::size_t> columns_;
  std::map<std::pair<std::string, WorkloadKind>, std::unique_ptr<workload::DeployedWorkload>>
      models_;
};

double quantity_at(const Evidence& evidence, const EvidencePoint& point, const Twin& twin) {
  if (evidence.quantity == EvidenceQuantity::kIdlePower) return idle_power_w(twin, point.mode);
  const MinibatchCost cost = Estimator(twin, point.cost, evidence.options)(point.mode);
  switch (evidence.quantity) {
    case EvidenceQuantity::kTime:
      return cost.period_s;
    case EvidenceQuantity::kPower:
      return cost.power_w;
    case EvidenceQuantity::kSampleEnergy:
      return cost.energy_j() / std::max(point.cost->batch, 1);
    case EvidenceQuantity::kEnergy:
    case EvidenceQuantity::kIdlePower:
      break;
  }
  return cost.energy_j();
}

}  // namespace

std::vector<Evidence> parse_evidence(std::string_view text, const std::string& source) {
  return EvidenceReader(CsvReader(text, source)).read();
}

std::vector<Evidence> published_evidence(const std::string& board) {
  static const std::vector<Evidence> all = EvidenceReader(open_published("boards.csv")).read();
  std::vector<Evidence> own;
  for (const auto& row : all) {
    if (row.board == board) own.push_back(row);
  }
  return own;
}

double modelled(const Evidence& evidence, const Twin& twin) {
  const double here = evidence.factor * quantity_at(evidence, evidence.at, twin);
  if (evidence.form == EvidenceForm::kValue) return here;
  const double there = evidence.factor * quantity_at(evidence, *evidence.against, twin);
  if (evidence.form == EvidenceForm::kRatio) return here / there;
  return here > there ? here - there : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace ridgewatt::twin
