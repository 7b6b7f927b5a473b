#include "ridgewatt/answer/predict/estimate_rows.h"

#include <fmt/format.h>

#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/parallel.h"
#include "ridgewatt/base/statistics.h"

namespace ridgewatt::answer {
namespace {

constexpr std::size_t kManyRows = 1000;  // chosen: half a millisecond of work, enough for a thread

}  // namespace

EstimateRows::EstimateRows(std::shared_ptr<const Source> source) : source_(std::move(source)) {}

std::size_t EstimateRows::size() const {
  return source_ ? source_->size() : 0;
}
EstimateRow EstimateRows::operator[](std::size_t i) const {
  return source_->row(i);
}
const PowerMode& EstimateRows::mode(std::size_t i) const {
  return source_->mode(i);
}
const std::string& EstimateRows::preset(std::size_t i) const {
  return source_->preset(i);
}

ComputedRows::ComputedRows(const Board& board, std::shared_ptr<const twin::TwinModel> model,
                           std::vector<Rival> rivals, const std::vector<PowerMode>& modes,
                           const std::vector<int>& batches)
    : model_(std::move(model)), rivals_(std::move(rivals)) {
  for (const int batch : batches) {
    const twin::Estimator& estimator = model_->estimator(batch);
    const twin::ErrorModel& errors = model_->errors(batch);
    const twin::Twin& twin = model_->twin();
    settings_.push_back({estimator, errors,
                         std::make_shared<const EstimateSetting>(EstimateSetting{
                             board.name, twin.runtime, estimator.cost().precision, batch, twin.fit,
                             model_->memory(batch), twin.status, errors.widened_by()}),
                         rivals_at(batch)});
  }
  const bool counted = model_->options().caller != twin::EngineCaller::kCpp;
  modes_.reserve(modes.size());
  for (const PowerMode& mode : modes) {
    modes_.push_back({mode, preset_name(board, mode),
                      counted ? 0 : model_->twin().call_s(twin::EngineCaller::kThinPython, mode)});
  }
}

// The rivals that can run on the board at this batch.
std::vector<ComputedRows::RivalAtBatch> ComputedRows::rivals_at(int batch) const {
  std::vector<RivalAtBatch> able;
  for (const Rival& rival : rivals_) {
    try {
      able.push_back({rival.text, rival.model->estimator(batch)});
    } catch (const Error&) {
      // The rival cannot run, so there is no comparison.
    }
  }
  return able;
}

// If the model estimates the row as slower than its rival, widens the interval to include the
// rival's time, and adds a text that says so.
void ComputedRows::compare(const RivalAtBatch& rival, EstimateRow& row) {
  const double longer = row.estimate.total.period_s / rival.estimator(row.mode).period_s;
  if (!(longer > 1 + 1e-6)) return;  // chosen: tolerates rounding
  row.widened_by.push_back(fmt::format(fmt::runtime(rival.text), longer));
  for (const std::size_t quantity : {twin::kTime, twin::kEnergy}) {
    double& sd = row.error[quantity].sd;
    sd = std::hypot(sd, std::log(longer) / kNormal95);
  }
}

EstimateRow ComputedRows::row(std::size_t i) const {
  const auto& [mode, preset, python_call_s] = at_mode(i);
  const auto& [estimator, errors, setting, rivals] = settings_[i % settings_.size()];
  const twin::Breakdown at = estimator.breakdown(mode);
  EstimateRow row{setting, mode, at, errors(at), errors.widened_at(at), preset, python_call_s};
  for (const RivalAtBatch& rival : rivals) compare(rival, row);
  return row;
}

void append_rows(const EstimateRows::Source& more, std::vector<EstimateRow>& rows) {
  const std::size_t begin = rows.size(), count = more.size();
  rows.resize(begin + count);
  parallel_for(
      count, [&](std::size_t i) { rows[begin + i] = more.row(i); }, count < kManyRows ? 1 : 0);
}

}  // namespace ridgewatt::answer
