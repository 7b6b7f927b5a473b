// Reads a recorded trace of power, temperature and fan speed over time from a file.
//
// Two CSV formats are supported. `ridgewatt soak` writes one row per reading:
//   time_s, power_w, temperature_c and, if known, fan (share), throttled (0 or 1), clock_mhz
// where `power_w` is the mean since the previous row. `ridgewatt measure --series-csv` writes one
// row per channel and reading (time_s, channel, value). In the second format, the power is the
// channel "power:total" or the only power channel, the temperature is that of the zone with the
// highest mean, and the fan is "fan:NAME". A `tegrastats` log must be converted first.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ridgewatt::thermal {

struct HeatTrace {
  struct Row {
    double time_s = 0;   // ascending
    double power_w = 0;  // mean since the previous row; instantaneous in the first row
    double celsius = 0;
    double fan = 1;  // share of full speed
    bool throttled = false;
    double clock_hz = 0;  // GPU clock. 0: not known.
  };
  std::vector<Row> rows;
  bool fan_known = false;
  std::string zone = {};  // Zone of the temperature. May be empty.
  double duration_s() const { return rows.empty() ? 0 : rows.back().time_s - rows.front().time_s; }
};

// Throws InputError, with `source` and line, if the text is not a trace, times decrease, a value is
// impossible for a board (outside -60 to 200 C or 0 to 100 kW), or there are fewer than ten rows.
// `zone` selects the temperature zone if there is one row per channel; empty: the hottest zone.
HeatTrace parse_heat_trace(std::string_view text, const std::string& source,
                           const std::string& zone = "");
HeatTrace read_heat_trace(const std::string& path, const std::string& zone = "");
std::string heat_trace_csv(const HeatTrace& trace);

}  // namespace ridgewatt::thermal
