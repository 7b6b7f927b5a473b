// The planned number of points of a series, for programs that show the progress of a run.
#include "ridgewatt/base/error.h"
#include "ridgewatt/store/sql/connection.h"
#include "ridgewatt/store/store.h"

namespace ridgewatt::store {

void Store::plan(const Series& series, std::int64_t points) {
  plan_ = {series, points};
}

void Store::write_plan() {
  if (!plan_) return;
  const auto series = find_series(plan_->first);
  if (!series) return;  // no point of the series has been written yet
  const std::vector<Value> values = {*series, plan_->second};
  plan_.reset();
  try {
    connection_->query(
        "INSERT INTO plan (series, points) VALUES ($1, $2) ON CONFLICT (series) DO UPDATE SET "
        "points = excluded.points",
        values);
  } catch (const PermissionError&) {  // the role may only add points: the plan is not saved
  }
}

std::optional<std::int64_t> Store::planned(std::int64_t series) {
  std::optional<std::int64_t> points;
  if (!connection_) return points;
  connection_->query("SELECT points FROM plan WHERE series = $1", {series},
                     [&](const Row& row) { points = row.integer(0); });
  return points;
}

}  // namespace ridgewatt::store
