// A recorded trace of heat: power, temperature and fan over time, from a file.
//
// Two kinds of CSV are read. That of `ridgewatt soak` has a row per look:
//   time_s, power_w, temperature_c and, where known, fan (share), throttled (0 or 1), clock_mhz;
//   `power_w` is the mean since the row before.
// That of `ridgewatt measure --series-csv` has a row per reading (time_s, channel, value): power is
// the channel "power:total" or the only one of power, the temperature that of the hottest zone on
// average, and the fan "fan:NAME". A `tegrastats` log has neither: convert it first.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ridgewatt::thermal {

struct HeatTrace {
  struct Row {
    double time_s = 0;   // ascending
    double power_w = 0;  // mean since the row before; of the first row: at it
    double celsius = 0;
    double fan = 1;  // share of full speed
    bool throttled = false;
    double clock_hz = 0;  // of the GPU; 0: not known
  };
  std::vector<Row> rows;
  bool fan_known = false;
  std::string zone = {};  // whose temperature it is; may be empty
  double duration_s() const { return rows.empty() ? 0 : rows.back().time_s - rows.front().time_s; }
};

// Throws InputError, naming `source` and line: no trace, times that go back, values that no board
// has (-60 to 200 C, 0 to 100 kW), fewer than ten rows. `zone`: of the long form, by name.
HeatTrace parse_heat_trace(std::string_view text, const std::string& source,
                           const std::string& zone = "");
HeatTrace read_heat_trace(const std::string& path, const std::string& zone = "");
std::string heat_trace_csv(const HeatTrace& trace);

}  // namespace ridgewatt::thermal
