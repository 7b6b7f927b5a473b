// Failed attempts of campaigns, and the boards that work for a campaign.
#include "ridgewatt/store/sql/connection.h"
#include "ridgewatt/store/sql/schema.h"
#include "ridgewatt/store/store.h"

namespace ridgewatt::store {

void Store::add_failures(const std::vector<FailedAttempt>& failures) {
  for (const auto& failure : failures) {
    connection().query(
        "INSERT INTO failure (slot, board, serial, host, failed_unix_s, reason, output) VALUES "
        "($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING",
        {failure.slot, failure.board, failure.serial, failure.host, failure.failed_unix_s,
         failure.reason, failure.output});
  }
}

void Store::add_campaign_board(const CampaignBoard& board) {
  connection().query(
      "INSERT INTO campaign_board (campaign, kind, serial, host, since_unix_s) VALUES ($1, $2, $3, "
      "$4, $5) ON CONFLICT DO NOTHING",
      {board.campaign, board.kind, board.serial, board.host, board.since_unix_s});
}

std::vector<FailedAttempt> Store::failures(const std::string& prefix) {
  std::vector<FailedAttempt> result;
  if (!connection_ || connection_->schema() < kSchemaWithFailures) return result;
  connection_->query(
      "SELECT slot, board, serial, host, failed_unix_s, reason, output FROM failure WHERE "
      "substr(slot, 1, length($1)) = $1 ORDER BY failed_unix_s, slot",
      {prefix}, [&](const Row& row) {
        result.push_back({row.text(0), row.text(1), row.text(2), row.text(3), row.integer(4),
                          row.text(5), row.text(6)});
      });
  return result;
}

std::vector<CampaignBoard> Store::campaign_boards(const std::string& campaign) {
  std::vector<CampaignBoard> result;
  if (!connection_ || connection_->schema() < kSchemaWithFailures) return result;
  connection_->query(
      "SELECT campaign, kind, serial, host, since_unix_s FROM campaign_board WHERE campaign = $1 "
      "OR $1 = '' ORDER BY campaign, kind, serial, host",
      {campaign}, [&](const Row& row) {
        result.push_back({row.text(0), row.text(1), row.text(2), row.text(3), row.integer(4)});
      });
  return result;
}

}  // namespace ridgewatt::store
