// A linear or logarithmic axis: from data to pixels, and where the ticks are.
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
  // Maps [lo, hi] to [from, to] in pixels. Logarithmic scales need 0 < lo; lo == hi is widened.
  Scale(double lo, double hi, bool log, double from, double to);
  double pixel(double value) const;
  // A value this scale can show: finite, and positive when logarithmic.
  bool accepts(double value) const;
  // Round positions, about `wanted` of them with a label.
  std::vector<Tick> ticks(int wanted = 6) const;
  // The same, thinned until labels of this size in pixels do not touch.
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
// Range of the values that a scale of this kind can show, with 4 % room on both sides (a factor on
// a logarithmic one); [0, 1] or [1, 10] when there are none.
Range padded_range(std::span<const double> values, bool log);

// 0.25, 1500, 2e+06: short and unambiguous.
std::string tick_label(double value);

}  // namespace ridgewatt::report
