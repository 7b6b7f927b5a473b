// Copies the points of one store to another, for example from a board's own file to the store that
// all boards share.
#include <fmt/format.h>

#include <map>
#include <set>

#include "ridgewatt/base/error.h"
#include "ridgewatt/store/location.h"
#include "ridgewatt/store/sql/connection.h"
#include "ridgewatt/store/sql/schema.h"
#include "ridgewatt/store/sql/stored_points.h"
#include "ridgewatt/store/store.h"

namespace ridgewatt::store {
namespace {

constexpr std::int64_t kHandful = 200;  // points per transaction

struct Found {
  std::int64_t id = 0, series = 0;
  PointRecord record;
};

// Returns the next points whose id is greater than `last`.
std::vector<Found> next_points(Connection& from, std::int64_t last) {
  std::vector<Found> page;
  from.query(fmt::format("SELECT id, series, {} FROM point WHERE id > $1 ORDER BY id LIMIT $2",
                         kPointColumns),
             {last, kHandful}, [&](const Row& row) {
               page.push_back({row.integer(0), row.integer(1), read_point(row, 2)});
             });
  return page;
}

std::set<std::string> taken_slots(Connection& to, const std::vector<Found>& page) {
  std::vector<Value> slots;
  std::string wanted;
  for (const auto& found : page) {
    if (found.record.slot.empty()) continue;
    slots.emplace_back(found.record.slot);
    wanted += fmt::format("{}${}", slots.size() == 1 ? "" : ", ", slots.size());
  }
  std::set<std::string> taken;
  if (slots.empty()) return taken;
  to.query(fmt::format("SELECT slot FROM point WHERE slot IN ({})", wanted), slots,
           [&](const Row& row) { taken.insert(row.text(0)); });
  return taken;
}

void check_pages(Connection& connection, const std::string& path) {
  connection.query("PRAGMA quick_check(1)", {}, [&](const Row& row) {
    if (row.text(0) == "ok") return;
    throw InputError("is a damaged database", path, "pages of the file are damaged");
  });
}

// Throws InputError if a number of a point is not finite, as values_of() does.
void check_points(Connection& from) {
  std::int64_t last = -1;
  for (auto page = next_points(from, last); !page.empty(); page = next_points(from, last)) {
    for (const Found& found : page) values_of(found.series, found.record);
    last = page.back().id;
  }
}

}  // namespace

// A point of another store that becomes a point of a series here. `own_repeat`: its number there.
struct Store::Handed {
  std::int64_t series = 0;
  PointRecord* record = nullptr;
  int own_repeat = 0;
};

HandedIn Store::take_from(Store& other, const std::function<void(std::size_t)>& progress) {
  HandedIn done;
  if (!other.connection_) return done;
  // If this store has to be created first, make sure that the source can be copied.
  if (!connection_) {
    if (!is_postgresql(other.location_)) check_pages(*other.connection_, other.path_);
    check_points(*other.connection_);
  }
  std::map<std::int64_t, Series> theirs;
  for (const auto& series : other.all_series()) theirs[*other.find_series(series)] = series;
  std::map<std::int64_t, StoredPoints> targets;
  const auto target_of = [&](const Found& found) -> StoredPoints& {
    auto target = targets.find(found.series);
    if (target == targets.end()) {
      const auto id = series(theirs.at(found.series));
      target = targets.emplace(found.series, StoredPoints(connection(), id)).first;
    }
    return target->second;
  };
  std::size_t seen = 0;
  std::int64_t last = -1;
  while (true) {
    auto page = next_points(*other.connection_, last);
    if (page.empty()) break;
    last = page.back().id;
    seen += page.size();
    done.present += std::erase_if(
        page, [&](const Found& found) { return target_of(found).take(found.record); });
    const auto taken = taken_slots(connection(), page);
    done.superseded +=
        std::erase_if(page, [&](const Found& found) { return taken.contains(found.record.slot); });
    std::vector<std::int64_t> ids;
    std::vector<PointRecord*> records;
    std::vector<Handed> rows;
    for (auto& found : page) {
      StoredPoints& target = target_of(found);
      const int own = found.record.repeat;
      found.record.repeat = target.reserve(found.record.observation.point, own);
      ids.push_back(found.id);
      records.push_back(&found.record);
      rows.push_back({target.series(), &found.record, own});
    }
    other.read_samples(ids, records);
    hand_in(std::move(rows), done);
    if (progress) progress(seen);
  }
  add_failures(other.failures(""));
  for (const auto& board : other.campaign_boards("")) add_campaign_board(board);
  return done;
}

// A point that was not added may have been written by another process at the same time. If its
// number was given to another measurement, it becomes a further repeat.
void Store::hand_in(std::vector<Handed> rows, HandedIn& done) {
  while (!rows.empty()) {
    std::vector<NewPoint> points;
    for (const Handed& row : rows) points.push_back({row.series, row.record});
    const auto added = connection().add(points);
    std::vector<Handed> again;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      PointRecord& record = *rows[i].record;
      if (added[i]) {
        ++done.added;
        done.differing += record.repeat != rows[i].own_repeat ? 1 : 0;
        continue;
      }
      const auto held = find_record(rows[i].series, record.observation.point, record.repeat);
      if (held && same_measurement(record, *held)) {
        ++done.present;
      } else if (!held || (!record.slot.empty() && has_slot(record.slot))) {
        ++done.superseded;
      } else {
        ++record.repeat;
        again.push_back(rows[i]);
      }
    }
    rows = std::move(again);
  }
}

}  // namespace ridgewatt::store
