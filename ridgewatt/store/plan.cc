// How many points a campaign is to hold: what a run means to add, for who watches it.
#include <fmt/format.h>

#include "ridgewatt/store/store.h"

namespace ridgewatt::store {

// Beside the schema: a program that does not know the table passes it over.
void Store::plan(const Campaign& campaign, std::int64_t points) {
  plan_ = {campaign, points};
}

void Store::write_plan() {
  if (!plan_) return;
  const auto campaign = find_campaign(plan_->first);
  if (!campaign) return;  // no point of it yet
  database_->execute(
      "CREATE TABLE IF NOT EXISTS plan (campaign INTEGER PRIMARY KEY REFERENCES campaign (id), "
      "points INTEGER NOT NULL)");
  Statement insert(*database_, "INSERT OR REPLACE INTO plan (campaign, points) VALUES (?, ?)");
  insert.bind(1, *campaign).bind(2, plan_->second).run();
  plan_.reset();
}

std::optional<std::int64_t> Store::planned(std::int64_t campaign) {
  if (!database_) return std::nullopt;
  {
    Statement table(*database_, "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?");
    table.bind(1, std::string_view("plan"));
    if (!table.step()) return std::nullopt;
  }
  Statement row(*database_, "SELECT points FROM plan WHERE campaign = ?");
  row.bind(1, campaign);
  if (!row.step()) return std::nullopt;
  return row.integer(0);
}

}  // namespace ridgewatt::store
