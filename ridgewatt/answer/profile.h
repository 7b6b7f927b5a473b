// Selects the modes of a board that are worth profiling.
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
  int batch = 0;           // batch of the profiles
  Sweep samples = {};      // points that are already measured
  std::string board = {};  // name for messages
};
// Returns the modes that are most informative for the predictor `auto`. The same samples give the
// same modes, so an interrupted run can resume.
std::vector<PowerMode> modes_to_learn_from(const KnobSpace& space, LearnQuestion question);

// Returns `count` random modes, or all modes if there are fewer.
std::vector<PowerMode> random_modes(const KnobSpace& space, std::size_t count, std::uint64_t seed);

// The modes to profile, selected in one of four ways.
struct ModeWish {
  std::string file = {};  // CSV file with knob columns; empty: none
  // Numbers of random modes and of modes that the predictor suggests.
  std::size_t sample = 0, suggest = 0;
  bool all = false;    // every mode of the board
  Sweep samples = {};  // measured points, for `suggest`
  int ways() const;    // number of ways that are set; should be 1
};
// Returns the modes of `wish`. `board` is a name for messages.
std::vector<PowerMode> wished_modes(const KnobSpace& space, const ModeWish& wish, int batch,
                                    const std::string& board, std::uint64_t seed);

}  // namespace ridgewatt::answer

#pragma GCC visibility pop
