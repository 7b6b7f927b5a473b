#include "ridgewatt/screen/blocks/block.h"

#include <fmt/format.h>

#include <cmath>

#include "ridgewatt/base/text.h"

namespace ridgewatt::screen {

Line title_line(const std::string& name, const std::string& right_text, std::size_t width) {
  Line line(name, Tone::kTitle);
  const std::size_t used = cells(name);
  if (used + 2 < width) line.add(right(right_text, width - used), Tone::kDim);
  return line.fit(width);
}

std::string watt_text(const std::optional<double>& power_w) {
  if (!power_w || !std::isfinite(*power_w)) return "-";
  const double size = std::abs(*power_w);
  return fmt::format("{:.{}f}", *power_w, size < 99.995 ? 2 : size < 999.95 ? 1 : 0);
}

std::string joule_text(double energy_j, int digits) {
  return std::isfinite(energy_j) ? format_si(energy_j, "J", digits) : "-";
}

std::string time_text(double time_s) {
  if (!(time_s >= 0 && time_s < 1e9)) return "-";
  const auto seconds = static_cast<long>(time_s);
  return fmt::format("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

std::string plus_minus(Glyphs glyphs) {
  return glyphs == Glyphs::kAscii ? "+-" : "±";
}

std::string percent_text(double share) {
  return std::isfinite(share) ? fmt::format("{:.0f} %", 100 * share) : "-";
}

}  // namespace ridgewatt::screen
