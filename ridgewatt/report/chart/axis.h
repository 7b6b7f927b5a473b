// A linear or logarithmic axis: maps data to pixels and places the ticks.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace ridgewatt::report {

struct Tick {
  double value = 0;
  std::string label;  // empty: a minor tick
};

class Scale {
 public:
  // Maps [lo, hi] to [from, to] in pixels. A logarithmic scale needs lo > 0. If lo == hi, the range
  // is widened.
  Scale(double lo, double hi, bool log, double from, double to);
  double pixel(double value) const;
  // Whether the scale can show a value: finite, and positive if logarithmic.
  bool accepts(double value) const;
  // Ticks at round values, about `wanted` of them with a label.
  std::vector<Tick> ticks(int wanted = 6) const;
  // Like ticks(), with fewer labels if labels of this size in pixels would touch.
  std::vector<Tick> apart(int wanted, double size, bool vertical) const;
  double lo() const { return lo_; }
  double hi() const { return hi_; }

 private:
  double lo_;
  double hi_;
  bool log_;
  double from_;
  double to_;
};

struct Range {
  double lo = 0;
  double hi = 1;
};
// The range of the values that a linear or (if `log`) logarithmic scale can show, widened by 4 % on
// both sides (on a logarithmic scale by a factor). Without values: [0, 1] or [1, 10].
Range padded_range(std::span<const double> values, bool log);

// A short and unambiguous number: 0.25, 1500, 2e+06.
std::string tick_label(double value);

}  // namespace ridgewatt::report
