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

#pragma GCC visibility push(default)

namespace ridgewatt::answer {

struct LearnQuestion {
  std::size_t count = 20;
  int batch = 0;
  Sweep samples = {};      // points that are already known
  std::string board = {};  // for messages
};
// The most informative modes for the predictor. The same samples give the same modes, so an
// interrupted run resumes with the same modes.
std::vector<PowerMode> modes_to_learn_from(const KnobSpace& space, LearnQuestion question);

// `count` random modes, at most all of them.
std::vector<PowerMode> random_modes(const KnobSpace& space, std::size_t count, std::uint64_t seed);

// The modes to profile, selected in one of these ways.
struct ModeWish {
  std::string file = {};                // a CSV with knob columns
  std::size_t sample = 0, suggest = 0;  // numbers of modes: random; proposed by the predictor
  bool all = false;                     // every mode of the grid
  Sweep samples = {};                   // known points, for `suggest`
  int ways() const;                     // number of ways that are set
};
std::vector<PowerMode> wished_modes(const KnobSpace& space, const ModeWish& wish, int batch,
                                    const std::string& board, std::uint64_t seed);

}  // namespace ridgewatt::answer

#pragma GCC visibility pop
