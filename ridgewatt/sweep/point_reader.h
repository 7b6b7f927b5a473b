// Reads operating points from rows of a CSV file: sweeps, queries, lists of modes and
// microbenchmarks.
#pragma once

#include <cstddef>
#include <optional>

#include "ridgewatt/io/csv_reader.h"
#include "ridgewatt/sweep/observation.h"

namespace ridgewatt {

class PointReader {
 public:
  // Whether clocks that no board can have are an error (for lists of modes) or accepted (for
  // sweeps, so that the quality check can report the likely unit).
  enum class Clocks { kOfBoards, kAnyPositive };

  // Finds the columns of the knobs, `batch` and `governor` in the header. Short names of knobs
  // (device/mode_text.h) are also accepted. `csv` must outlive the reader. Throws InputError for
  // two columns of the same knob, and for a column whose name differs from one of these names by
  // one letter.
  PointReader(const CsvReader& csv, Clocks clocks);
  bool has_knobs() const;
  // True if the reader uses this column.
  bool reads(std::size_t column) const;
  bool has_batch() const { return batch_.has_value(); }
  bool has_governor() const { return governor_.has_value(); }
  // Returns the point in the current row of `csv`. An empty field means that the knob or batch is
  // absent. Throws InputError with file, line and column.
  OperatingPoint read() const;

 private:
  const CsvReader& csv_;
  Clocks clocks_;
  KnobArray<std::optional<std::size_t>> knobs_;
  std::optional<std::size_t> batch_, governor_;
};

}  // namespace ridgewatt
