// Time, energy and power rooflines of one power mode: lower bounds on the cost of a kernel with W
// FLOP and Q bytes, and the balance points of compute and memory in time and in energy.
//
//   time    T = max(W tau_f, Q tau_m)            (Williams, Waterman, Patterson 2009)
//   energy  E = W eps_f + Q eps_m + pi0 T        (Choi, Bedard, Fowler, Vuduc 2013)
//   power   P = E / T
//   capped  T = max(W tau_f, Q tau_m, (W eps_f + Q eps_m) / (P_cap - pi0))       (Choi et al. 2014)
//
// The times of compute and memory overlap; their energies add up. The intensity I = W / Q is in
// FLOP per byte.
#pragma once

#include <limits>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace ridgewatt::roofline {

// The roofline of one power mode. All member functions are closed forms.
struct EnergyRoofline {
  double peak_flop_per_s = 0;        // 1 / tau_f
  double bandwidth_bytes_per_s = 0;  // 1 / tau_m
  double energy_per_flop_j = 0;      // eps_f
  double energy_per_byte_j = 0;      // eps_m
  double static_power_w = 0;         // pi0: power that does not depend on the work
  double power_cap_w = std::numeric_limits<double>::infinity();  // P_cap > pi0

  // Throws UsageError, naming the field, if a field is out of range or not finite.
  void validate() const;

  double time_per_flop_s() const { return 1 / peak_flop_per_s; }                     // tau_f
  double time_per_byte_s() const { return 1 / bandwidth_bytes_per_s; }               // tau_m
  double flop_power_w() const { return energy_per_flop_j * peak_flop_per_s; }        // pi_f
  double byte_power_w() const { return energy_per_byte_j * bandwidth_bytes_per_s; }  // pi_m

  // Costs of W FLOP and Q bytes (>= 0, not both 0), within the power cap.
  double time_s(double work_flop, double traffic_bytes) const;
  double energy_j(double work_flop, double traffic_bytes) const;
  double power_w(double work_flop, double traffic_bytes) const;

  // Characteristic numbers of the model without a cap (Choi et al. 2013, section II).
  double time_balance() const;                   // B_tau = tau_m / tau_f, FLOP per byte
  double energy_balance_dynamic() const;         // B_eps = eps_m / eps_f
  double energy_per_flop_with_static_j() const;  // eps^ = eps_f + pi0 tau_f
  double dynamic_fraction() const;               // eta = eps_f / eps^
  // Effective energy balance B^(I) = eta B_eps + (1 - eta) max(0, B_tau - I) for a kernel with
  // intensity I.
  double effective_balance(double intensity) const;
  // The energy balance point, B^(I) = I: the intensity at which FLOP per joule are half the peak.
  double half_peak_intensity() const;
  // True if eta B_eps <= B_tau. A kernel that is compute bound in time is then also compute bound
  // in energy. Thus the fastest execution within this mode also uses the least energy.
  bool race_to_halt() const { return race_to_halt_ratio() <= 1; }
  double race_to_halt_ratio() const;  // eta B_eps / B_tau
  // Highest power over all intensities, min(P_cap, pi0 + pi_f + pi_m). If the cap is no limit, it
  // is reached at B_tau.
  double max_power_w() const;

  // Values at an arithmetic intensity I > 0, within the power cap.
  double attainable_flop_per_s(double intensity) const;  // the time roofline
  double attainable_flop_per_j(double intensity) const;  // the energy roofline (arch line)
  double power_at_w(double intensity) const;             // the power line
  double peak_flop_per_j() const { return 1 / energy_per_flop_with_static_j(); }

  // Range of intensities in which the power cap is the limit, instead of compute or memory (Choi et
  // al. 2014, section II-C). Empty (lo == hi == B_tau) if the cap is not reached.
  double cap_from_intensity() const;
  double cap_to_intensity() const;
};

// A level of the memory hierarchy, with its own bandwidth and energy per byte.
struct MemoryLevel {
  std::string name;  // "L2", "DRAM"
  double bandwidth_bytes_per_s = 0;
  double energy_per_byte_j = 0;
};

// Rooflines by memory level (Ilic et al. 2014; Yang et al. 2020). The levels transfer at the same
// time, so the slowest level determines the time. Their energies add up.
struct HierarchicalRoofline {
  double peak_flop_per_s = 0;
  double energy_per_flop_j = 0;
  double static_power_w = 0;
  std::vector<MemoryLevel> levels;

  // Throws UsageError for a field that is out of range.
  void validate() const;
  // `traffic_bytes[i]` passes through `levels[i]`. Throws UsageError if the sizes differ.
  double time_s(double work_flop, const std::vector<double>& traffic_bytes) const;
  double energy_j(double work_flop, const std::vector<double>& traffic_bytes) const;
  // Index of the limiting level, or levels.size() if compute is the limit.
  std::size_t bound(double work_flop, const std::vector<double>& traffic_bytes) const;
  // The roofline of a single level, as drawn in a figure.
  EnergyRoofline level(std::size_t index) const;
};

}  // namespace ridgewatt::roofline

#pragma GCC visibility pop
