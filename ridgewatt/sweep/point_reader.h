// Reads operating points from CSV, for sweeps, queries, mode lists and microbenchmarks.
#pragma once

#include <cstddef>
#include <optional>

#include "ridgewatt/io/csv_reader.h"
#include "ridgewatt/sweep/observation.h"

namespace ridgewatt {

class PointReader {
 public:
  // Clocks beyond any board are an error in lists of modes. In sweeps they are kept for the quality
  // check, which reports the unit that they appear to have.
  enum class Clocks { kOfBoards, kAnyPositive };

  // Finds the columns of the knobs, `batch` and `governor` in the header; short names of knobs
  // (device/mode_text.h) are accepted. `csv` must outlive the reader. Throws InputError for two
  // columns of one knob, and for a column that differs from one of these names in one letter.
  PointReader(const CsvReader& csv, Clocks clocks);
  bool has_knobs() const;
  // Whether the reader uses this column of the header.
  bool reads(std::size_t column) const;
  bool has_batch() const { return batch_.has_value(); }
  bool has_governor() const { return governor_.has_value(); }
  // The point of the current row of `csv`; an empty field is an absent knob or batch. Throws
  // InputError with file, line and column.
  OperatingPoint read() const;

 private:
  const CsvReader& csv_;
  Clocks clocks_;
  KnobArray<std::optional<std::size_t>> knobs_;
  std::optional<std::size_t> batch_, governor_;
};

}  // namespace ridgewatt
