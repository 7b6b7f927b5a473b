// Builds headings from the names of columns: spaces between words, the unit in parentheses.
#include <array>
#include <string_view>

#include "ridgewatt/base/text.h"
#include "ridgewatt/report/table.h"

namespace ridgewatt::report {
namespace {

struct UnitSuffix {
  std::string_view suffix;
  std::string_view unit;
};

// The order matters: a suffix must precede the shorter suffixes with which it ends.
constexpr std::array<UnitSuffix, 35> kUnits = {{{"_gflop_per_s", "GFLOP/s"},
                                                {"_gflop_per_j", "GFLOP/J"},
                                                {"_bytes_per_s", "B/s"},
                                                {"_flop_per_byte", "FLOP/byte"},
                                                {"_flop_per_s", "FLOP/s"},
                                                {"_gb_per_s", "GB/s"},
                                                {"_per_s", "1/s"},
                                                {"_percent", "%"},
                                                {"_gb_s", "GB/s"},
                                                {"_gflop", "GFLOP"},
                                                {"_mflop", "MFLOP"},
                                                {"_bytes", "bytes"},
                                                {"_tflops", "TFLOPS"},
                                                {"_tops", "TOPS"},
                                                {"_flop", "FLOP"},
                                                {"_pct", "%"},
                                                {"_mhz", "MHz"},
                                                {"_gib", "GiB"},
                                                {"_mib", "MiB"},
                                                {"_hz", "Hz"},
                                                {"_kb", "kB"},
                                                {"_mb", "MB"},
                                                {"_gb", "GB"},
                                                {"_ms", "ms"},
                                                {"_us", "us"},
                                                {"_mj", "mJ"},
                                                {"_pj", "pJ"},
                                                {"_kj", "kJ"},
                                                {"_wh", "Wh"},
                                                {"_mw", "mW"},
                                                {"_min", "min"},
                                                {"_s", "s"},
                                                {"_h", "h"},
                                                {"_w", "W"},
                                                {"_j", "J"}}};

struct Spelling {
  std::string_view word;
  std::string_view shown;
};

constexpr std::array<Spelling, 18> kSpellings = {{{"lo", "from"},
                                                  {"hi", "to"},
                                                  {"cpu", "CPU"},
                                                  {"gpu", "GPU"},
                                                  {"mem", "memory"},
                                                  {"maxn", "MAXN"},
                                                  {"mape", "MAPE"},
                                                  {"fp32", "FP32"},
                                                  {"fp16", "FP16"},
                                                  {"bf16", "BF16"},
                                                  {"int8", "INT8"},
                                                  {"flops", "FLOP"},
                                                  {"macs", "MACs"},
                                                  {"sms", "SMs"},
                                                  {"bsp", "BSP"},
                                                  {"dram", "DRAM"},
                                                  {"edp", "EDP"},
                                                  {"1w", "1 W"}}};

std::string spelled(const std::string& word) {
  for (const auto& [from, shown] : kSpellings) {
    if (word == from) return std::string(shown);
  }
  return word;
}

}  // namespace

std::string column_heading(const Column& column) {
  if (!column.heading.empty()) return std::string(column.heading);
  if (column.name == "cpu_cores") return "cores";
  std::string name(column.name);
  if (name.find('.') != std::string::npos) return name;  // a key inside a JSON file
  std::string unit;
  for (const auto& [suffix, text] : kUnits) {
    // The suffix of a bound precedes or follows the unit: time_lo_ms, static_power_w_lo.
    for (const std::string_view bound : {"", "_lo", "_hi"}) {
      const std::string end = std::string(suffix) + std::string(bound);
      if (!unit.empty() || name.size() <= end.size() || !name.ends_with(end)) continue;
      unit = text;
      name.replace(name.size() - end.size(), end.size(), bound);
    }
  }
  std::string heading;
  for (const auto& word : split(name, '_')) {
    if (word.empty()) continue;
    heading += (heading.empty() ? "" : " ") + spelled(word);
  }
  return unit.empty() ? heading : heading + " (" + unit + ")";
}

}  // namespace ridgewatt::report
