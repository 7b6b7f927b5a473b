// Where the rows of an estimate come from: computed when they are read, or stored in an order.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ridgewatt/answer/estimate.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/twin/twin_model.h"

namespace ridgewatt::answer {

// Any thread may read a row.
class EstimateRows::Source {
 public:
  virtual ~Source() = default;
  virtual std::size_t size() const = 0;
  virtual EstimateRow row(std::size_t i) const = 0;
  virtual const PowerMode& mode(std::size_t i) const = 0;
  virtual const std::string& preset(std::size_t i) const = 0;
};

// A deployment that a row should not be slower than: the same runtime in a wider precision, and
// PyTorch in eager mode.
struct Rival {
  std::string text;  // "precision: {} times as long as in fp32"
  std::shared_ptr<const twin::TwinModel> model;
};

// A row for each mode and batch of one board: the batches of the first mode first.
class ComputedRows : public EstimateRows::Source {
 public:
  // Throws the errors of TwinModel::estimator().
  ComputedRows(const Board& board, std::shared_ptr<const twin::TwinModel> model,
               std::vector<Rival> rivals, const std::vector<PowerMode>& modes,
               const std::vector<int>& batches);
  std::size_t size() const override { return modes_.size() * settings_.size(); }
  EstimateRow row(std::size_t i) const override;
  const PowerMode& mode(std::size_t i) const override { return at_mode(i).mode; }
  const std::string& preset(std::size_t i) const override { return at_mode(i).preset; }

 private:
  struct AtMode {
    PowerMode mode;
    std::string preset;
    double python_call_s;
  };
  struct RivalAtBatch {
    const std::string& text;
    const twin::Estimator& estimator;
  };
  struct AtBatch {
    const twin::Estimator& estimator;
    const twin::ErrorModel& errors;
    std::shared_ptr<const EstimateSetting> setting;
    std::vector<RivalAtBatch> rivals;
  };
  const AtMode& at_mode(std::size_t i) const { return modes_[i / settings_.size()]; }
  std::vector<RivalAtBatch> rivals_at(int batch) const;
  static void compare(const RivalAtBatch& rival, EstimateRow& row);

  std::shared_ptr<const twin::TwinModel> model_;
  std::vector<Rival> rivals_;
  std::vector<AtMode> modes_;
  std::vector<AtBatch> settings_;
};

class StoredRows : public EstimateRows::Source {
 public:
  explicit StoredRows(std::vector<EstimateRow> rows) : rows_(std::move(rows)) {}
  std::size_t size() const override { return rows_.size(); }
  EstimateRow row(std::size_t i) const override { return rows_[i]; }
  const PowerMode& mode(std::size_t i) const override { return rows_[i].mode; }
  const std::string& preset(std::size_t i) const override { return rows_[i].preset; }

 private:
  std::vector<EstimateRow> rows_;
};

// Appends all rows of `more`, computed by several threads.
void append_rows(const EstimateRows::Source& more, std::vector<EstimateRow>& rows);

}  // namespace ridgewatt::answer
