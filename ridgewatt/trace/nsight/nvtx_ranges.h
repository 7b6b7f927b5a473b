// The NVTX ranges of a recording: finds the innermost range at a time on a thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ridgewatt/store/sqlite.h"

namespace ridgewatt::trace {

class NvtxRanges {
 public:
  // Ranges of all threads; none if the recording has no NVTX events. Throws InputError if there are
  // more than kMost.
  static constexpr std::size_t kMost = std::size_t{1} << 22;
  explicit NvtxRanges(store::Database& database);
  bool empty() const { return threads_.empty(); }
  // The name of the innermost range that contains the time, or nullptr.
  const std::string* at(std::int64_t thread, std::int64_t time_ns) const;

 private:
  struct Range {
    std::int64_t begin_ns, end_ns;
    std::uint32_t name;
    std::int32_t around;  // index of the enclosing range; -1: none
  };
  void add(std::int64_t thread, const Range& range);

  std::map<std::int64_t, std::vector<Range>> threads_;  // by rising begin
  std::vector<std::string> names_;
};

// Whether the database has the table, and the table the column.
bool has_table(store::Database& database, const std::string& table);
bool has_column(store::Database& database, const std::string& table, const std::string& column);

}  // namespace ridgewatt::trace
