#include "ridgewatt/report/job_report.h"

#include <fmt/format.h>

#include <cmath>

#include "ridgewatt/base/sentence.h"

namespace ridgewatt::report {

std::string duration_text(double seconds) {
  if (seconds < 59.95) return sentence("{:.3g} s", seconds);
  const double whole = std::round(seconds);
  if (whole < kSecondsPerHour) {
    return fmt::format("{:.0f} min {:.0f} s", std::floor(whole / 60), std::fmod(whole, 60));
  }
  const double minutes = std::round(seconds / 60);
  return fmt::format("{:.0f} h {:.0f} min", std::floor(minutes / 60), std::fmod(minutes, 60));
}

std::string energy_text(double joules) {
  const double wh = joules / kJoulesPerWh;
  return wh < 1000 ? sentence("{:.3g} Wh", wh) : sentence("{:.4g} kWh", wh / 1000);
}

std::string job_text(const twin::JobCost& job) {
  const std::string time = duration_text(job.time_s);
  if (!std::isfinite(job.energy_j)) return time;  // no power was measured
  return fmt::format("{} and {}", time, energy_text(job.energy_j));
}

}  // namespace ridgewatt::report
