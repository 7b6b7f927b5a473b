// Parses the output of NVIDIA's `tegrastats`, in every format from the TX1 (JetPack 3) to the Thor
// (JetPack 7). It is the fallback source of power, clocks, loads and temperatures if the board's
// files cannot be read, and allows the use of existing logs.
//
// The format is not specified and changes between releases, so a token is classified by the form of
// its value and not by its name: "@ number C" is a temperature, "number / number" a rail, "%", "@"
// or a bare number a clock, "[" a list of cores. One name may occur with several forms (AGX Xavier
// prints `GPU@37.5C`, `GPU 0/0`). Other tokens go to `unknown`; an unreadable element of a list
// does not affect the other elements.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ridgewatt::platform {

inline constexpr std::size_t kMaxTegrastatsLineBytes = 64 * 1024;

struct TegrastatsMemory {
  std::string name;  // RAM, SWAP, IRAM
  double used_bytes = 0;
  double total_bytes = 0;
  std::string detail;  // text in parentheses, for example "lfb 120x4MB"
};

// A clock domain, or one CPU core ("CPU0"). Values that were not printed are absent.
struct TegrastatsClock {
  std::string name;
  std::optional<double> load;     // fraction, 1 is fully busy
  std::vector<double> clocks_hz;  // one, or one per GPC (Orin, Thor)
  bool off = false;               // printed as "off": the core or unit has no power
};

struct TegrastatsTemperature {
  std::string name;
  std::optional<double> celsius;  // empty: the zone has no power (-256 C)
  std::optional<double> maximum_celsius;
};

struct TegrastatsRail {
  std::string name;
  double power_w = 0;    // NaN: not readable
  double average_w = 0;  // running average by tegrastats, not for energy; NaN: not printed
  std::optional<double> maximum_w;
};

struct TegrastatsLine {
  std::size_t number = 0;  // number of the line in the log, from 1
  std::string time;        // "04-24-2023 00:01:24"; empty before JetPack 5
  std::vector<TegrastatsMemory> memory;
  std::vector<TegrastatsClock> clocks;  // CPU cores first
  std::vector<TegrastatsTemperature> temperatures;
  std::vector<TegrastatsRail> rails;   // connected channels
  int not_connected = 0;               // channels called NC
  std::optional<double> edp_limit_hz;  // CPU clock that the current limiter allows; 0: no limit
  std::vector<std::string> unknown;    // words that match no known token

  bool empty() const;  // whether nothing was recognized
};

// Never throws: unreadable words go to `unknown`.
TegrastatsLine parse_tegrastats_line(std::string_view line);

// The lines of a log, without blank ones. Throws InputError if no line has a known token or a line
// is longer than kMaxTegrastatsLineBytes.
std::vector<TegrastatsLine> parse_tegrastats(std::string_view log, const std::string& source);

}  // namespace ridgewatt::platform
