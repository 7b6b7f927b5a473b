// How many points a series is to hold: what a run means to add, for who watches it.
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
  if (!series) return;  // no point of it yet
  const std::vector<Value> values = {*series, plan_->second};
  plan_.reset();
  try {
    connection_->query(
        "INSERT INTO plan (series, points) VALUES ($1, $2) ON CONFLICT (series) DO UPDATE SET "
        "points = excluded.points",
        values);
  } catch (const PermissionError&) {  // a role that only adds points: the plan stays unsaid
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
