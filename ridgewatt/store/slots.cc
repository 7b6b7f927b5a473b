// Slots of campaigns' plans that points fill, and the plan to which the name of a campaign belongs.
#include <fmt/format.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/store/sql/connection.h"
#include "ridgewatt/store/sql/schema.h"
#include "ridgewatt/store/store.h"

namespace ridgewatt::store {

std::vector<FilledSlot> Store::slots_where(const std::string& condition, const std::string& text) {
  std::vector<FilledSlot> result;
  if (!connection_) return result;
  connection_->query(
      fmt::format(
          "SELECT slot, started_unix_s, window_s, flags, cpu_cores, cpu_clock_hz, "
          "gpu_clock_hz, mem_clock_hz, governor, batch, energy_j, {} FROM point JOIN series ON "
          "series.id = point.series WHERE slot IS NOT NULL AND {} ORDER BY point.id",
          kSeriesColumns, condition),
      {text}, [&](const Row& row) {
        result.push_back({row.text(0), read_series(row, 11), row.integer(1), row.real(2),
                          PointFlags::read(row.text(3)).value_or(PointFlags()),
                          read_operating_point(row, 4), row.real(10)});
      });
  return result;
}

std::optional<FilledSlot> Store::find_slot(const std::string& slot) {
  auto found = slots_where("slot = $1", slot);
  return found.empty() ? std::nullopt : std::optional(std::move(found.front()));
}

std::vector<FilledSlot> Store::filled_slots(const std::string& prefix) {
  return slots_where("substr(slot, 1, length($1)) = $1", prefix);
}

std::vector<RawSample> Store::samples_of_slot(const std::string& slot) {
  std::vector<std::int64_t> ids;
  if (!connection_) return {};
  connection_->query("SELECT id FROM point WHERE slot = $1", {slot},
                     [&](const Row& row) { ids.push_back(row.integer(0)); });
  PointRecord record;
  PointRecord* const records[] = {&record};
  if (ids.size() == 1) read_samples(ids, records);
  return record.samples;
}

std::optional<CampaignEntry> Store::enter_campaign(const CampaignEntry& campaign) {
  if (auto found = find_campaign(campaign.name)) return found;
  try {
    connection().query(
        "INSERT INTO campaign (name, fingerprint, owner, created_unix_s) VALUES ($1, $2, $3, $4) "
        "ON CONFLICT DO NOTHING",
        {campaign.name, campaign.fingerprint, campaign.owner, campaign.created_unix_s});
  } catch (const PermissionError&) {  // in an older store, the role may only add points
    return std::nullopt;
  }
  return find_campaign(campaign.name);
}

std::optional<CampaignEntry> Store::find_campaign(const std::string& name) {
  for (auto& campaign : campaigns()) {
    if (campaign.name == name) return std::move(campaign);
  }
  return std::nullopt;
}

std::vector<CampaignEntry> Store::campaigns() {
  std::vector<CampaignEntry> result;
  if (!connection_ || connection_->schema() < kSchemaWithCampaigns) return result;
  connection_->query("SELECT name, fingerprint, owner, created_unix_s FROM campaign ORDER BY name",
                     {}, [&](const Row& row) {
                       result.push_back({row.text(0), row.text(1), row.text(2), row.integer(3)});
                     });
  return result;
}

}  // namespace ridgewatt::store
