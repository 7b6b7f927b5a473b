// Slots of campaigns' plans that points fill, and the plan to which the name of a campaign belongs.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/store/sql/connection.h"
#include "ridgewatt/store/sql/schema.h"
#include "ridgewatt/store/store.h"

namespace ridgewatt::store {
namespace {

constexpr std::size_t kSlotsPerQuery = 500;

struct SlottedPoint {
  std::int64_t id = 0, series = 0;
  std::int64_t rerun = 0;
};

// What a rerun measures again. A store may have points of two plans with one name, because `merge`
// adds those of another store. Their slots can be equal but for the number of the rerun.
struct Rerunnable {
  std::string slot;  // without rerun
  std::string workload, kind;
  OperatingPoint point;
  auto operator<=>(const Rerunnable&) const = default;
};

constexpr const char* kSlotted =
    "SELECT point.id, point.series, slot, workload, kind, cpu_cores, cpu_clock_hz, gpu_clock_hz, "
    "mem_clock_hz, governor, batch FROM point JOIN series ON series.id = point.series WHERE slot "
    "IS "
    "NOT NULL AND ";

// Divides "sweep7/agx-orin/117@2" into "sweep7/agx-orin/117" and 2. The name of a kind may contain
// '@', and so may the serial number behind the label of a calibration point.
std::pair<std::string, std::int64_t> slot_and_rerun(const std::string& slot) {
  const auto kind = slot.find('/');
  const auto label = kind == std::string::npos ? kind : slot.find('/', kind + 1);
  if (label == std::string::npos) return {slot, 0};
  const auto end = std::min(slot.find('/', label + 1), slot.size());
  const auto at = slot.find('@', label + 1);
  if (at >= end) return {slot, 0};
  const auto rerun = parse_int(slot.substr(at + 1, end - at - 1));
  if (!rerun) return {slot, 0};
  return {slot.substr(0, at) + slot.substr(end), *rerun};
}

}  // namespace

// Slots with a rerun are few, so only they and the slots that they replace are read.
std::map<std::int64_t, std::int64_t> Store::superseded_points() {
  std::map<std::int64_t, std::int64_t> superseded;
  if (!connection_) return superseded;
  std::map<Rerunnable, std::vector<SlottedPoint>> found;
  const auto add = [&](const Row& row) {
    auto [slot, rerun] = slot_and_rerun(row.text(2));
    found[{std::move(slot), row.text(3), row.text(4), read_operating_point(row, 5)}].push_back(
        {row.integer(0), row.integer(1), rerun});
  };
  connection_->query(std::string(kSlotted) + "slot LIKE '%/%/%@%'", {}, add);
  std::vector<Value> replaced;
  for (const auto& [of, points] : found) {
    if (points.front().rerun > 0) replaced.emplace_back(of.slot);
  }
  for (std::size_t begin = 0; begin < replaced.size(); begin += kSlotsPerQuery) {
    const std::size_t end = std::min(begin + kSlotsPerQuery, replaced.size());
    std::string wanted;
    for (std::size_t i = begin; i < end; ++i) {
      wanted += fmt::format("{}${}", i == begin ? "" : ", ", i - begin + 1);
    }
    const auto first = replaced.begin();
    connection_->query(
        fmt::format("{}slot IN ({})", kSlotted, wanted),
        {first + static_cast<std::ptrdiff_t>(begin), first + static_cast<std::ptrdiff_t>(end)},
        add);
  }
  for (const auto& [of, points] : found) {
    std::int64_t newest = 0;
    for (const auto& point : points) newest = std::max(newest, point.rerun);
    for (const auto& point : points) {
      if (point.rerun < newest) superseded[point.id] = point.series;
    }
  }
  return superseded;
}

std::int64_t Store::superseded(const SeriesFilter& filter) {
  const auto points = superseded_points();
  if (points.empty()) return 0;
  std::set<std::int64_t> wanted;
  for (const auto& series : all_series()) {
    if (filter.fits(series)) wanted.insert(find_series(series).value());
  }
  return std::count_if(points.begin(), points.end(),
                       [&](const auto& point) { return wanted.contains(point.second); });
}

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
