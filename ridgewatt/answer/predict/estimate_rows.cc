#include "ridgewatt/answer/predict/estimate_rows.h"

#include "ridgewatt/base/parallel.h"

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

ComputedRows::ComputedRows(const Board& board, const std::shared_ptr<const twin::TwinModel>& model,
                           std::vector<Rival> rivals, const std::vector<PowerMode>& modes,
                           const std::vector<int>& batches)
    : costs_(model, std::move(rivals)) {
  const twin::Twin& twin = model->twin();
  for (const int batch : batches) {
    settings_.push_back(
        {costs_.at(batch),
         std::make_shared<const EstimateSetting>(EstimateSetting{
             board.name, twin.runtime, model->estimator(batch).cost().precision, batch, twin.fit,
             model->memory(batch), twin.status, model->errors(batch).widened_by()})});
  }
  modes_.reserve(modes.size());
  for (const PowerMode& mode : modes) modes_.push_back({mode, preset_name(board, mode)});
}

EstimateRow ComputedRows::row(std::size_t i) const {
  const auto& [mode, preset] = at_mode(i);
  const auto& [costs, setting] = settings_[i % settings_.size()];
  TwinCost cost = costs.in(mode);
  return {setting,           mode, cost.estimate, cost.error, std::move(cost.widened_by), preset,
          cost.python_call_s};
}

void append_rows(const EstimateRows::Source& more, std::vector<EstimateRow>& rows) {
  const std::size_t begin = rows.size(), count = more.size();
  rows.resize(begin + count);
  parallel_for(
      count, [&](std::size_t i) { rows[begin + i] = more.row(i); }, count < kManyRows ? 1 : 0);
}

}  // namespace ridgewatt::answer
