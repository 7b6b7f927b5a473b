#include "ridgewatt/roofline/energy_roofline.h"

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/error.h"

namespace ridgewatt::roofline {
namespace {

void require(bool condition, const char* what) {
  if (!condition) throw UsageError(what);
}

bool positive(double value) {
  return std::isfinite(value) && value > 0;
}
bool non_negative(double value) {
  return std::isfinite(value) && value >= 0;
}

}  // namespace

void EnergyRoofline::validate() const {
  require(positive(peak_flop_per_s), "peak_flop_per_s must be positive");
  require(positive(bandwidth_bytes_per_s), "bandwidth_bytes_per_s must be positive");
  require(positive(energy_per_flop_j), "energy_per_flop_j must be positive");
  require(non_negative(energy_per_byte_j), "energy_per_byte_j must not be negative");
  require(non_negative(static_power_w), "static_power_w must not be negative");
  require(power_cap_w > static_power_w, "power_cap_w must exceed static_power_w");
}

double EnergyRoofline::time_s(double work_flop, double traffic_bytes) const {
  const double dynamic_j = work_flop * energy_per_flop_j + traffic_bytes * energy_per_byte_j;
  return std::max({work_flop / peak_flop_per_s, traffic_bytes / bandwidth_bytes_per_s,
                   dynamic_j / (power_cap_w - static_power_w)});
}

double EnergyRoofline::energy_j(double work_flop, double traffic_bytes) const {
  return work_flop * energy_per_flop_j + traffic_bytes * energy_per_byte_j +
         static_power_w * time_s(work_flop, traffic_bytes);
}

double EnergyRoofline::power_w(double work_flop, double traffic_bytes) const {
  return energy_j(work_flop, traffic_bytes) / time_s(work_flop, traffic_bytes);
}

double EnergyRoofline::time_balance() const {
  return peak_flop_per_s / bandwidth_bytes_per_s;
}

double EnergyRoofline::energy_balance_dynamic() const {
  return energy_per_byte_j / energy_per_flop_j;
}

double EnergyRoofline::energy_per_flop_with_static_j() const {
  return energy_per_flop_j + static_power_w / peak_flop_per_s;
}

double EnergyRoofline::dynamic_fraction() const {
  return energy_per_flop_j / energy_per_flop_with_static_j();
}

double EnergyRoofline::effective_balance(double intensity) const {
  const double eta = dynamic_fraction();
  return eta * energy_balance_dynamic() + (1 - eta) * std::max(0.0, time_balance() - intensity);
}

double EnergyRoofline::half_peak_intensity() const {
  const double eta = dynamic_fraction();
  const double dynamic_balance = eta * energy_balance_dynamic();
  if (dynamic_balance >= time_balance()) return dynamic_balance;
  return (dynamic_balance + (1 - eta) * time_balance()) / (2 - eta);
}

double EnergyRoofline::race_to_halt_ratio() const {
  return dynamic_fraction() * energy_balance_dynamic() / time_balance();
}

double EnergyRoofline::max_power_w() const {
  return std::min(power_cap_w, static_power_w + flop_power_w() + byte_power_w());
}

double EnergyRoofline::attainable_flop_per_s(double intensity) const {
  return intensity / time_s(intensity, 1);
}

double EnergyRoofline::attainable_flop_per_j(double intensity) const {
  return intensity / energy_j(intensity, 1);
}

double EnergyRoofline::power_at_w(double intensity) const {
  return power_w(intensity, 1);
}

double EnergyRoofline::cap_from_intensity() const {
  const double headroom_w = power_cap_w - static_power_w;
  if (headroom_w >= flop_power_w() + byte_power_w()) return time_balance();
  return time_balance() * std::max(0.0, (headroom_w - byte_power_w()) / flop_power_w());
}

double EnergyRoofline::cap_to_intensity() const {
  const double headroom_w = power_cap_w - static_power_w;
  if (headroom_w >= flop_power_w() + byte_power_w()) return time_balance();
  if (headroom_w <= flop_power_w()) return std::numeric_limits<double>::infinity();
  return time_balance() * byte_power_w() / (headroom_w - flop_power_w());
}

void HierarchicalRoofline::validate() const {
  require(!levels.empty(), "a hierarchical roofline needs at least one memory level");
  for (std::size_t i = 0; i < levels.size(); ++i) level(i).validate();
}

double HierarchicalRoofline::time_s(double work_flop,
                                    const std::vector<double>& traffic_bytes) const {
  require(traffic_bytes.size() == levels.size(),
          "each memory level needs one number of transferred bytes");
  double time = work_flop / peak_flop_per_s;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    time = std::max(time, traffic_bytes[i] / levels[i].bandwidth_bytes_per_s);
  }
  return time;
}

double HierarchicalRoofline::energy_j(double work_flop,
                                      const std::vector<double>& traffic_bytes) const {
  double energy = work_flop * energy_per_flop_j + static_power_w * time_s(work_flop, traffic_bytes);
  for (std::size_t i = 0; i < levels.size(); ++i) {
    energy += traffic_bytes[i] * levels[i].energy_per_byte_j;
  }
  return energy;
}

std::size_t HierarchicalRoofline::bound(double work_flop,
                                        const std::vector<double>& traffic_bytes) const {
  const double time = time_s(work_flop, traffic_bytes);
  for (std::size_t i = 0; i < levels.size(); ++i) {
    if (traffic_bytes[i] / levels[i].bandwidth_bytes_per_s >= time) return i;
  }
  return levels.size();
}

EnergyRoofline HierarchicalRoofline::level(std::size_t index) const {
  EnergyRoofline flat;
  flat.peak_flop_per_s = peak_flop_per_s;
  flat.bandwidth_bytes_per_s = levels.at(index).bandwidth_bytes_per_s;
  flat.energy_per_flop_j = energy_per_flop_j;
  flat.energy_per_byte_j = levels.at(index).energy_per_byte_j;
  flat.static_power_w = static_power_w;
  return flat;
}

}  // namespace ridgewatt::roofline
