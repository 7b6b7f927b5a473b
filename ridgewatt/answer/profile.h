// The question before any profile: which modes are worth measuring?
//
//   const auto modes = modes_to_learn_from(control.space(), {.count = 20, .batch = 16});
//   profile(sysfs, control, store, modes, options);  // measure/profile.h
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ridgewatt/device/knob_space.h"
#include "ridgewatt/sweep/sweep.h"

namespace ridgewatt::answer {

struct LearnQuestion {
  std::size_t count = 20;
  int batch = 0;
  Sweep samples = {};      // points that are known already
  std::string board = {};  // for messages
};
// What the predictor would like to know; the same modes whenever the same samples are given, so
// that a run that was cut off goes on with its own.
std::vector<PowerMode> modes_to_learn_from(const KnobSpace& space, LearnQuestion question);

// So many of the modes at random, all of them at most.
std::vector<PowerMode> random_modes(const KnobSpace& space, std::size_t count, std::uint64_t seed);

}  // namespace ridgewatt::answer
