// Estimates of one workload by twins that differ from a middle twin in a few parameters, for
// derivatives. What a parameter does not change is computed once.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "ridgewatt/twin/estimate/estimator_parts.h"

namespace ridgewatt::twin {

class MovedTwins {
 public:
  // `twins` have the hardware of the twin of `middle`. Both must outlive this object.
  MovedTwins(const Estimator& middle, std::span<const Twin> twins);
  // The costs by all twins. Equal, bit by bit, to those of an Estimator of each twin. Not safe to
  // call from several threads.
  std::vector<MinibatchCost> operator()(const PowerMode& mode);

 private:
  const Estimator& middle_;
  std::span<const Twin> twins_;
  std::vector<std::unique_ptr<Estimator::Moved>> moved_;
  std::vector<std::unique_ptr<const Estimator>> whole_;  // null: not needed yet
};

}  // namespace ridgewatt::twin
