// The one reader of operating points from CSV: sweeps, queries, mode lists and microbenchmarks.
#pragma once

#include <cstddef>
#include <optional>

#include "ridgewatt/io/csv_reader.h"
#include "ridgewatt/sweep/observation.h"

namespace ridgewatt {

class PointReader {
 public:
  // Clocks beyond any board are an error where modes are asked for, and kept where rows are judged
  // by the quality check, which says what unit they look like.
  enum class Clocks { kOfBoards, kAnyPositive };

  // Finds the columns of the knobs, `batch` and `governor` in the header; a knob's short name
  // (device/mode_text.h) will do. `csv` must outlive it. InputError: two columns of one knob, or a
  // column that is one letter off one of these names.
  PointReader(const CsvReader& csv, Clocks clocks);
  bool has_knobs() const;
  // Whether it reads this column of the header.
  bool reads(std::size_t column) const;
  bool has_batch() const { return batch_.has_value(); }
  bool has_governor() const { return governor_.has_value(); }
  // The point of the row that `csv` stands on; an empty field is an absent knob or batch. Throws
  // InputError naming file, line and column.
  OperatingPoint read() const;

 private:
  const CsvReader& csv_;
  Clocks clocks_;
  KnobArray<std::optional<std::size_t>> knobs_;
  std::optional<std::size_t> batch_, governor_;
};

}  // namespace ridgewatt
