// Reads the output of NVIDIA's `tegrastats`, every format from the TX1 (JetPack 3) to the Thor
// (JetPack 7): the fallback source of power, clocks, loads and temperatures where the board's own
// files cannot be read, and the way to use logs that exist already.
//
// The format has no specification and changes between releases, so the reader goes by the shape of
// a token's value and not by its name: "@ number C" is a temperature, "number / number" a rail,
// "%", "@" or a bare number a clock, "[" a list of cores. The same name may be several of these
// (AGX Xavier prints `GPU@37.5C`, `GPU 0/0`). What fits nothing is kept in `unknown`; an element of
// a list that cannot be read costs only itself.
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

// A clock domain, or one CPU core ("CPU0"). What was not printed is absent.
struct TegrastatsClock {
  std::string name;
  std::optional<double> load;     // fraction, 1 is fully busy
  std::vector<double> clocks_hz;  // one, or one per GPC (Orin, Thor)
  bool off = false;               // printed as "off": the core or engine has no power
};

struct TegrastatsTemperature {
  std::string name;
  std::optional<double> celsius;  // absent: the zone has no power (-256 C)
  std::optional<double> maximum_celsius;
};

struct TegrastatsRail {
  std::string name;
  double power_w = 0;    // NaN: it cannot be read
  double average_w = 0;  // tegrastats' own running average: not for energy; NaN: not printed
  std::optional<double> maximum_w;
};

struct TegrastatsLine {
  std::size_t number = 0;  // line in the log, from 1
  std::string time;        // "04-24-2023 00:01:24", empty before JetPack 5
  std::vector<TegrastatsMemory> memory;
  std::vector<TegrastatsClock> clocks;  // cores first
  std::vector<TegrastatsTemperature> temperatures;
  std::vector<TegrastatsRail> rails;   // without channels that are not connected
  int not_connected = 0;               // channels called NC
  std::optional<double> edp_limit_hz;  // CPU clock that the current limiter allows; 0: any
  std::vector<std::string> unknown;    // words that fit no known token

  bool empty() const;  // nothing was recognized
};

// Never throws: what cannot be read is in `unknown`.
TegrastatsLine parse_tegrastats_line(std::string_view line);

// The lines of a log; blank lines are skipped. Throws InputError when no line holds a single known
// token, or a line is longer than 64 KiB.
std::vector<TegrastatsLine> parse_tegrastats(std::string_view log, const std::string& source);

}  // namespace ridgewatt::platform
