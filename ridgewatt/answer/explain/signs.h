// Signs of causes in what a machine showed while a program ran.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/answer/explain.h"

namespace ridgewatt::answer {

// What a sign is compared with.
struct SignContext {
  const measure::SeenRun& seen;
  PowerMode mode;  // that the user believes to be set
  std::string mode_text;
  double gpu_load = 0;  // expected
};

// A sign that was looked for.
struct SeenSign {
  bool shown = false;
  std::string text;  // what was seen: "GPU clock 306 of 1020 MHz"; empty where it is not shown
  std::vector<std::pair<SlowCause, double>> of;  // probability of the sign under its causes
  double otherwise = 0;                          // and under all others

  double probability(SlowCause cause) const;  // of what was seen
  bool belongs_to(SlowCause cause) const;
};

// Those that the machine can show.
std::vector<SeenSign> signs_in(const SignContext& context);

}  // namespace ridgewatt::answer
