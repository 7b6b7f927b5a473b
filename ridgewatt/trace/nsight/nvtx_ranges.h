// Finds the innermost NVTX range of a recording at a given time on a given thread.
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
  // Reads the ranges of all threads; none if the recording has no NVTX events. Throws InputError if
  // there are more than kMost.
  static constexpr std::size_t kMost = std::size_t{1} << 22;
  explicit NvtxRanges(store::Database& database);
  bool empty() const { return threads_.empty(); }
  // Returns the name of the innermost range that contains the time; null if there is none.
  const std::string* at(std::int64_t thread, std::int64_t time_ns) const;

 private:
  struct Range {
    std::int64_t begin_ns, end_ns;
    std::uint32_t name;
    std::int32_t around;  // Index of the enclosing range. -1: none.
  };
  void add(std::int64_t thread, const Range& range);

  std::map<std::int64_t, std::vector<Range>> threads_;  // per thread, in order of begin
  std::vector<std::string> names_;
};

// Whether a table of the database has a column.
bool has_column(store::Database& database, const std::string& table, const std::string& column);

}  // namespace ridgewatt::trace
