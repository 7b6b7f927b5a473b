// Computes the idle time of the device between kernels that are added in the order of their start.
#pragma once

#include <algorithm>
#include <limits>

#include "ridgewatt/trace/layer_trace.h"

namespace ridgewatt::trace {

class KernelLine {
 public:
  // Adds a kernel or copy, in the order of their start. Returns the idle time just before it.
  double add(double begin_s, double end_s) {
    double idle_s = 0;
    if (any_) {
      idle_s = std::max(0.0, begin_s - end_s_);
      if (idle_s > 0) ++gaps_.gaps;
      gaps_.longest_s = std::max(gaps_.longest_s, idle_s);
    } else {
      first_s_ = begin_s;
      end_s_ = begin_s;
      any_ = true;
    }
    gaps_.busy_s += std::max(0.0, end_s - std::max(begin_s, end_s_));
    end_s_ = std::max(end_s_, end_s);
    return idle_s;
  }
  void add_copy(double time_s) { gaps_.copy_s += time_s; }
  void add_launch(double cpu_s) {
    launch_s_ += cpu_s;
    ++gaps_.launches;
  }
  LaunchGaps gaps() const {
    LaunchGaps gaps = gaps_;
    gaps.span_s = any_ ? end_s_ - first_s_ : 0;
    if (gaps.launches > 0) gaps.launch_mean_s = launch_s_ / static_cast<double>(gaps.launches);
    return gaps;
  }

 private:
  bool any_ = false;
  double first_s_ = 0, end_s_ = 0, launch_s_ = 0;
  LaunchGaps gaps_;
};

}  // namespace ridgewatt::trace
