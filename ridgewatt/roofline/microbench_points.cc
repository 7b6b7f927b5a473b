// Reads microbenchmark points from CSV.
#include <fmt/format.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/suggest.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/roofline/microbench_fit.h"
#include "ridgewatt/sweep/point_reader.h"

namespace ridgewatt::roofline {
namespace {

// The columns of a file. Optional columns are empty if the file lacks them.
class PointTable {
 public:
  explicit PointTable(const CsvReader& csv)
      : csv_(csv),
        work_(csv.require_column("work_flop")),
        traffic_(csv.require_column("traffic_bytes")),
        time_(csv.require_column("time_ms")),
        power_(csv.column("power_w")),
        kernel_(csv.column("kernel")),
        target_(csv.column("target")),
        device_(csv.column("device")),
        modes_(csv, PointReader::Clocks::kOfBoards) {}

  MicrobenchPoint point() const {
    MicrobenchPoint point;
    if (kernel_) {
      const auto kernel = find_word<MicrobenchKernel>(csv_.field(*kernel_));
      if (!kernel)
        throw InputError("column kernel has the name of an unknown kernel", csv_.where(),
                         "use the kernels that `ridgewatt microbench` writes");
      point.kernel = *kernel;
    }
    point.mode = modes_.read().mode;
    point.mode.governor.clear();
    point.work_flop = csv_.number(work_);
    point.traffic_bytes = csv_.number(traffic_);
    point.time_s = csv_.number(time_) * 1e-3;
    if (power_ && !csv_.field(*power_).empty()) point.power_w = csv_.number(*power_);
    check(point);
    return point;
  }
  RoofTarget target() const {
    if (!target_ || csv_.field(*target_) != "cpu") return RoofTarget::kGpu;
    return RoofTarget::kCpu;
  }
  std::string device() const { return device_ ? std::string(csv_.field(*device_)) : std::string(); }

 private:
  void check(const MicrobenchPoint& point) const {
    const bool moves = !point.streams() || point.traffic_bytes > 0;
    if (point.work_flop < 0 || point.traffic_bytes < 0 || !moves || !(point.time_s > 0) ||
        !(point.power_w.value_or(1) > 0)) {
      throw InputError("the traffic, time and power of a microbenchmark point must be positive",
                       csv_.where());
    }
    const double rate = point.work_flop / point.time_s;
    if (rate > 1e17 || point.traffic_bytes / point.time_s > 1e14) {
      throw InputError(fmt::format("{:.3g} FLOP/s is more than any device can do", rate),
                       csv_.where(), "check that time_ms is in ms");
    }
  }

  const CsvReader& csv_;
  std::size_t work_, traffic_, time_;
  std::optional<std::size_t> power_, kernel_, target_, device_;
  PointReader modes_;
};

}  // namespace

MicrobenchFile read_microbench(const std::string& path) {
  const std::string text = read_file(path);
  CsvReader csv(text, path);
  const PointTable table(csv);
  MicrobenchFile file;
  while (csv.next()) {
    if (!file.points.empty() && table.target() != file.target) {
      throw InputError("the file mixes points of the CPU and of a GPU", csv.where(),
                       "calibrate the CPU and the GPU separately");
    }
    file.target = table.target();
    file.machine = table.device();
    file.points.push_back(table.point());
  }
  if (file.points.empty()) throw InputError("the file has no microbenchmark points", path);
  return file;
}

}  // namespace ridgewatt::roofline
