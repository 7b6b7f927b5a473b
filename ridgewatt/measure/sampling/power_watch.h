// Mean power between two calls, for work without marks: the points of a microbenchmark.
#pragma once

#include <memory>
#include <optional>

#include "ridgewatt/measure/sampler.h"
#include "ridgewatt/platform/power_source.h"

namespace ridgewatt::measure {

class PowerWatch {
 public:
  explicit PowerWatch(std::unique_ptr<platform::PowerSource> source);
  void start();
  // Mean total power since start(); empty without a total or a valid sample.
  std::optional<double> stop();

 private:
  std::unique_ptr<platform::PowerSource> source_;
  std::unique_ptr<Sampler> sampler_;
  double begin_s_ = 0;
};

}  // namespace ridgewatt::measure
