#include <fmt/format.h>

#include <algorithm>

#include "ridgewatt/base/text.h"
#include "ridgewatt/report/columns.h"
#include "ridgewatt/report/measure_report.h"
#include "ridgewatt/report/rows.h"

namespace ridgewatt::report {
namespace {

// A point, and the values that all points of a machine share.
struct BenchPoint {
  const measure::MachineBench& bench;
  const measure::MicrobenchResult& point;
};

Table bench_table(const measure::MachineBench& bench) {
  std::vector<BenchPoint> rows;
  for (const auto& point : bench.summary.points) rows.push_back({bench, point});
  using B = BenchPoint;
  return table_of<B>(
      {{{"mode"}, [](const B& row) { return row.bench.mode.value_or(PowerMode()); }},
       {{"kernel"}, [](const B& row) { return plain_cell(row.point.kernel); }},
       {{"intensity_flop_per_byte"},
        [](const B& row) {
          const double traffic = row.point.traffic_bytes;
          return traffic > 0 ? Cell(row.point.work_flop / traffic) : Cell();
        }},
       {{.name = "work_flop", .rank = 2}, [](const B& row) -> Cell { return row.point.work_flop; }},
       {{.name = "traffic_bytes", .rank = 2},
        [](const B& row) -> Cell { return row.point.traffic_bytes; }},
       {{"time_ms"}, [](const B& row) -> Cell { return row.point.time_s * 1e3; }},
       {{.name = "median_time_ms", .rank = 1},
        [](const B& row) -> Cell { return row.point.median_time_s * 1e3; }},
       {{"gflops", "rate (GFLOP/s)"},
        [](const B& row) -> Cell { return row.point.work_flop / row.point.time_s / 1e9; }},
       {{"gbytes_s", "bandwidth (GB/s)"},
        [](const B& row) -> Cell { return row.point.traffic_bytes / row.point.time_s / 1e9; }},
       {{.name = "power_w", .rank = 1}, [](const B& row) { return plain_cell(row.point.power_w); }},
       {{.name = "repetitions", .rank = 3},
        [](const B& row) { return plain_cell(row.point.repetitions); }},
       {{.name = "target", .rank = 4}, [](const B& row) { return plain_cell(row.bench.target); }},
       {{.name = "device", .rank = 4},
        [](const B& row) -> Cell { return row.bench.summary.device; }}},
      rows);
}

}  // namespace

Result microbench_result(const measure::MachineBench& bench) {
  Result result{bench_table(bench)};
  const auto& summary = bench.summary;
  result.json = json_object({{"device", summary.device},
                             {"provenance", name_of(Provenance::kMeasured)},
                             {"peak_flops", summary.peak_flops()},
                             {"peak_bandwidth_bytes_s", summary.peak_bandwidth_bytes_s()},
                             {"ridge_flop_per_byte", summary.ridge_flop_per_byte()},
                             {"points", result.table.to_json()}});
  result.after = {{fmt::format("\n{}, measured: peak {}, bandwidth {}, ridge at {:.1f} FLOP/byte\n",
                               summary.device, format_si(summary.peak_flops(), "FLOP/s"),
                               format_si(summary.peak_bandwidth_bytes_s(), "B/s"),
                               summary.ridge_flop_per_byte())}};
  result.remarks = bench.remarks;
  return result;
}

Result comparison_result(const measure::ComparedCommands& compared, const std::string& board,
                         Provenance provenance) {
  using C = measure::Comparison;
  Table table = table_of<C>(
      {{{"quantity"}, at<&C::quantity>},
       {{"unit"}, at<&C::unit>},
       {{"a", "A"}, at<&C::a>},
       {{"b", "B"}, at<&C::b>},
       {{"ratio", "B / A"}, at<&C::ratio>},
       {{.name = "ratio_lo", .heading = "ratio from (95 %)", .rank = 1}, at<&C::ratio_lo>},
       {{.name = "ratio_hi", .heading = "ratio to (95 %)", .rank = 1}, at<&C::ratio_hi>},
       {{.name = "pairs", .rank = 2}, at<&C::pairs>},
       {{"verdict"},
        [](const C& row) -> Cell {
          return !row.differs() ? "no difference" : row.ratio > 1 ? "B is more" : "B is less";
        }}},
      compared.quantities);
  RowOrigin origin;
  origin.board = board;
  origin.provenance = provenance;
  Table data = with_origin(table, {origin});
  Result result{std::move(table), std::move(data)};
  result.remarks = measure::skipped_marks_remarks(compared.malformed_marks);
  result.remarks.push_back(fmt::format("{} on {}", name_of(provenance), board));
  const bool marked = std::ranges::any_of(
      compared.quantities, [](const C& row) { return row.quantity == "minibatch power"; });
  if (marked) {
    result.remarks.push_back(
        "time, energy and power are for the whole run, including its start; check limits against "
        "the rows of the minibatch");
  }
  return result;
}

}  // namespace ridgewatt::report
