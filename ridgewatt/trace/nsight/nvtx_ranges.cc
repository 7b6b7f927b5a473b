#include "ridgewatt/trace/nsight/nvtx_ranges.h"

#include <algorithm>

#include "ridgewatt/base/error.h"

namespace ridgewatt::trace {

bool has_column(store::Database& database, const std::string& table, const std::string& column) {
  store::Statement statement(database, "SELECT 1 FROM pragma_table_info(?) WHERE name = ?");
  return statement.bind(1, table).bind(2, column).step();
}

NvtxRanges::NvtxRanges(store::Database& database) {
  if (!database.has_table("NVTX_EVENTS")) return;
  const bool ids = has_column(database, "NVTX_EVENTS", "textId") && database.has_table("StringIds");
  const std::string name = ids ? "coalesce(e.text, s.value)" : "e.text";
  // Types 59 (push and pop) and 60 (start and end). Marks and names have no end.
  store::Statement rows(database, "SELECT e.start, e.end, e.globalTid, " + name +
                                      " FROM NVTX_EVENTS e " +
                                      (ids ? "LEFT JOIN StringIds s ON s.id = e.textId " : "") +
                                      "WHERE e.eventType IN (59, 60) AND e.end IS NOT NULL AND " +
                                      name + " IS NOT NULL ORDER BY e.start, e.end DESC");
  std::map<std::string, std::uint32_t> known;
  std::size_t count = 0;
  while (rows.step()) {
    if (++count > kMost) throw InputError("has more than 4 million NVTX ranges", database.path());
    const auto [entry, fresh] =
        known.emplace(rows.text(3), static_cast<std::uint32_t>(names_.size()));
    if (fresh) names_.push_back(entry->first);
    add(rows.integer(2), {rows.integer(0), rows.integer(1), entry->second, -1});
  }
}

void NvtxRanges::add(std::int64_t thread, const Range& range) {
  auto& ranges = threads_[thread];
  ranges.push_back(range);
  // Ranges that ended before this one begins do not enclose it.
  auto around = static_cast<std::int32_t>(ranges.size()) - 2;
  while (around >= 0 && ranges[static_cast<std::size_t>(around)].end_ns < range.begin_ns) {
    around = ranges[static_cast<std::size_t>(around)].around;
  }
  ranges.back().around = around;
}

const std::string* NvtxRanges::at(std::int64_t thread, std::int64_t time_ns) const {
  const auto found = threads_.find(thread);
  if (found == threads_.end()) return nullptr;
  const auto& ranges = found->second;
  const auto next = std::upper_bound(ranges.begin(), ranges.end(), time_ns,
                                     [](std::int64_t t, const Range& r) { return t < r.begin_ns; });
  auto at = static_cast<std::int32_t>(next - ranges.begin()) - 1;
  while (at >= 0 && ranges[static_cast<std::size_t>(at)].end_ns < time_ns) {
    at = ranges[static_cast<std::size_t>(at)].around;
  }
  return at < 0 ? nullptr : &names_[ranges[static_cast<std::size_t>(at)].name];
}

}  // namespace ridgewatt::trace
