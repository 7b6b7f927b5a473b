// Signs of causes: observations of a machine while a program ran.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ridgewatt/answer/explain.h"

namespace ridgewatt::answer {

// Thresholds: an observation of at least this value is a sign. Chosen.
inline constexpr double kSwapBytesPerS = 1e6;
inline constexpr double kIoWaitShare = 0.1;    // of the watched time
inline constexpr double kFetchShare = 0.15;    // of a minibatch
inline constexpr double kIdleShare = 0.15;     // of the time of the main thread
inline constexpr double kOutsideShare = 0.15;  // of the time of the main thread
inline constexpr double kWorkerShare = 0.1;    // of the cores that the model should use

// Returns the share of time in which the main thread computes outside of the runtime's libraries;
// empty if it was not observed.
std::optional<double> share_outside(const measure::SeenRun& seen);

// The expected run, with which observations are compared.
struct SignContext {
  const measure::SeenRun& seen;
  PowerMode mode;  // mode that the user intended to set
  std::string mode_text;
  std::string preset;      // preset of the board with the observed limits; empty: none
  double gpu_load = 0;     // expected load
  double fetch_share = 0;  // expected share of a minibatch
  double measured_s = 0;   // stated by the user
  int batch = 1;
  // Library in measure::kKnownLibraries of the intended runtime; empty: any.
  std::string_view library;
  bool python = true;         // whether the runtime should be called from Python
  bool gpu = true;            // whether the runtime should use the GPU
  bool spins = false;         // whether a thread keeps its core busy while it waits for the GPU
  double busy_cores = 0;      // for a model on the CPU, the cores of its mode; otherwise 0
  bool main_computes = true;  // whether the main thread computes or waits for the model
  double input_bytes = 0;     // input of a minibatch
  std::vector<double> gpu_clocks_hz = {};  // clock levels of the board
  const ProfiledLayers* profile = nullptr;
  Runtime runtime = Runtime::kPytorchEager;  // intended runtime; used with a profile
};

// A sign that could be observed.
struct SeenSign {
  bool shown = false;
  std::string text;  // what was observed: "GPU clock 306 of 1020 MHz"; empty if not shown
  std::vector<std::pair<SlowCause, double>> of;  // probability of the sign under each of its causes
  // Probability under all other causes. 0: the sign is ignored, because a figure already includes
  // it.
  double otherwise = 0;

  // Returns the probability of the observation if both causes are present; `a` and `b` may be
  // equal. Each cause and the other reasons (as a group) produce the sign independently. If the
  // sign is rarer under a cause than `otherwise`, the cause suppresses the sign.
  double probability(SlowCause a, SlowCause b) const;
  bool belongs_to(SlowCause cause) const;
};

// Returns the signs that the machine can show.
std::vector<SeenSign> signs_in(const SignContext& context);

}  // namespace ridgewatt::answer
