// Copies the points of one store to another, for example from a board's own file to the store that
// all boards share.
#include <fmt/format.h>

#include <map>
#include <set>
#include <tuple>

#include "ridgewatt/base/error.h"
#include "ridgewatt/store/location.h"
#include "ridgewatt/store/sql/connection.h"
#include "ridgewatt/store/sql/schema.h"
#include "ridgewatt/store/store.h"

namespace ridgewatt::store {
namespace {

constexpr std::int64_t kHandful = 200;  // points per transaction

using PointKey = std::pair<OperatingPoint, int>;

PointKey key_of(const PointRecord& point) {
  return {point.observation.point, point.repeat};
}

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

// A series of this store, and the points that it contained when it was first looked up.
struct Target {
  std::int64_t id = 0;
  std::map<PointKey, std::string> present;  // with the slot of each point
};

Target read_target(Connection& to, std::int64_t series) {
  Target target{series, {}};
  std::int64_t last = -1;
  const auto rest = [&] {
    return fmt::format("SELECT id, {} FROM point WHERE series = {} AND id > {} ORDER BY id",
                       kPointColumns, series, last);
  };
  to.stream(rest, [&](const Row& row) {
    const PointRecord point = read_point(row, 1);
    target.present.emplace(key_of(point), point.slot);
    last = row.integer(0);
  });
  return target;
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

}  // namespace

HandedIn Store::take_from(Store& other, const std::function<void(std::size_t)>& progress) {
  HandedIn done;
  if (!other.connection_) return done;
  // If this store has to be created first, make sure that the source is not damaged.
  if (!connection_ && !is_postgresql(other.location_)) check_pages(*other.connection_, other.path_);
  std::map<std::int64_t, Series> theirs;
  for (const auto& series : other.all_series()) theirs[*other.find_series(series)] = series;
  std::map<std::int64_t, Target> targets;
  const auto lacks = [&](const Found& found) {
    auto target = targets.find(found.series);
    if (target == targets.end()) {
      const auto id = series(theirs.at(found.series));
      target = targets.emplace(found.series, read_target(connection(), id)).first;
    }
    const auto at = target->second.present.find(key_of(found.record));
    const bool same = at != target->second.present.end() &&
                      (found.record.slot.empty() || at->second == found.record.slot);
    return !same;
  };
  // A point that fills another slot is another measurement, even if its repeat number is taken in
  // this store: two campaigns on one board both count repeats from 0.
  const auto renumber = [&](Found& found) {
    auto& present = targets.at(found.series).present;
    while (present.contains(key_of(found.record))) ++found.record.repeat;
    present.emplace(key_of(found.record), found.record.slot);
  };
  std::size_t seen = 0;
  std::int64_t last = -1;
  while (true) {
    auto page = next_points(*other.connection_, last);
    if (page.empty()) break;
    last = page.back().id;
    seen += page.size();
    done.present += std::erase_if(page, [&](const Found& found) { return !lacks(found); });
    const auto taken = taken_slots(connection(), page);
    done.superseded +=
        std::erase_if(page, [&](const Found& found) { return taken.contains(found.record.slot); });
    std::vector<std::int64_t> ids;
    std::vector<PointRecord*> records;
    std::vector<NewPoint> rows;
    for (auto& found : page) {
      renumber(found);
      ids.push_back(found.id);
      records.push_back(&found.record);
      rows.push_back({targets.at(found.series).id, &found.record});
    }
    other.read_samples(ids, records);
    hand_in(rows, done);
    if (progress) progress(seen);
  }
  add_failures(other.failures(""));
  for (const auto& board : other.campaign_boards("")) add_campaign_board(board);
  return done;
}

// A point that was not added may have been written by another process at the same time.
void Store::hand_in(const std::vector<NewPoint>& rows, HandedIn& done) {
  if (rows.empty()) return;
  const auto added = connection().add(rows);
  for (std::size_t i = 0; i < added.size(); ++i) {
    const auto& record = *rows[i].record;
    if (added[i]) {
      ++done.added;
    } else if (has(rows[i].series, record.observation.point, record.repeat)) {
      ++done.present;
    } else {
      ++done.superseded;
    }
  }
}

}  // namespace ridgewatt::store
