#include "ridgewatt/sweep/points.h"

#include <fmt/format.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/sweep/point_reader.h"

namespace ridgewatt {

std::vector<OperatingPoint> read_points(const std::string& path) {
  const std::string text = read_file(path);
  CsvReader csv(text, path);
  const PointReader reader(csv, PointReader::Clocks::kOfBoards);
  if (!reader.has_knobs() && !reader.has_batch() && !reader.has_governor()) {
    throw InputError(
        "has none of the columns cpu_cores, cpu_mhz, gpu_mhz, mem_mhz, governor, batch", path,
        "add at least one of them to the header");
  }
  std::vector<OperatingPoint> points;
  while (csv.next()) points.push_back(reader.read());
  if (points.empty())
    throw InputError("has no rows", path, "give at least one row below the header");
  return points;
}

void require_batches(const Sweep& sweep) {
  for (std::size_t row = 0; row < sweep.observations.size(); ++row) {
    if (sweep.observations[row].point.batch > 0) continue;
    throw InputError("a row without a batch cannot be compared with a model",
                     row < sweep.lines.size()
                         ? fmt::format("{} line {}", sweep.source, sweep.lines[row])
                         : sweep.source,
                     "fill in the column batch, or profile with --batch N");
  }
}

}  // namespace ridgewatt
