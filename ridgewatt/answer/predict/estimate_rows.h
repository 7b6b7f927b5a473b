// The rows of an estimate: computed when they are read, or stored in a given order.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ridgewatt/answer/estimate.h"
#include "ridgewatt/answer/predict/twin_costs.h"
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

// A row for each mode and batch of one board: the batches of the first mode first.
class ComputedRows : public EstimateRows::Source {
 public:
  // Throws the errors of TwinModel::estimator().
  ComputedRows(const Board& board, const std::shared_ptr<const twin::TwinModel>& model,
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
  };
  struct Setting {
    const TwinCosts::AtBatch& costs;
    std::shared_ptr<const EstimateSetting> shared;
  };
  const AtMode& at_mode(std::size_t i) const { return modes_[i / settings_.size()]; }

  TwinCosts costs_;
  std::vector<AtMode> modes_;
  std::vector<Setting> settings_;
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
