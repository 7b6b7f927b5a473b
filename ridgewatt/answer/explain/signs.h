// Signs of causes in what a machine showed while a program ran.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ridgewatt/answer/explain.h"

namespace ridgewatt::answer {

// From where on it is a sign. Chosen.
inline constexpr double kSwapBytesPerS = 1e6;
inline constexpr double kIoWaitShare = 0.1;  // of the time watched
inline constexpr double kFetchShare = 0.15;  // of a minibatch

// What a sign is compared with.
struct SignContext {
  const measure::SeenRun& seen;
  PowerMode mode;  // that the user believes to be set
  std::string mode_text;
  std::string preset;      // of the board, with the limits that were seen; empty: none
  double gpu_load = 0;     // expected
  double fetch_share = 0;  // expected, of a minibatch
  double measured_s = 0;   // as the user states it
  int batch = 1;
  std::string_view library;  // of measure::kKnownLibraries, of what was meant to run; empty: any
  bool python = true;        // it was meant to be called from Python
  bool gpu = true;           // and to use the GPU
  bool spins = false;        // a thread of it uses its core while it waits for the GPU
  double busy_cores = 0;     // of a model on the CPU: those that its mode has; else 0
  std::vector<double> gpu_clocks_hz = {};  // levels of the board
  const ProfiledLayers* profile = nullptr;
  Runtime runtime = Runtime::kPytorchEager;  // that was meant to run, with a profile
};

// A sign that was looked for.
struct SeenSign {
  bool shown = false;
  std::string text;  // what was seen: "GPU clock 306 of 1020 MHz"; empty where it is not shown
  std::vector<std::pair<SlowCause, double>> of;  // probability of the sign under its causes
  double otherwise = 0;  // and under all others; 0: it is cited only, a figure counts it

  // Of what was seen, if both causes are at work: each shows the sign or not, and so do other
  // reasons; a cause under which it is rarer than otherwise hides it. `a` and `b` may be equal.
  double probability(SlowCause a, SlowCause b) const;
  bool belongs_to(SlowCause cause) const;
};

// Those that the machine can show.
std::vector<SeenSign> signs_in(const SignContext& context);

}  // namespace ridgewatt::answer
