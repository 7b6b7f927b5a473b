// Simulates a program that runs on its board in another way than its user assumes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/answer/explain.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/twin/twin.h"

namespace ridgewatt::evaluate {

// What the user states, and the injected causes.
struct SimulatedRun {
  answer::ExplainQuestion question = {};
  std::vector<answer::SlowCause> causes = {};
};

// The state in which the program really runs. Causes modify this state before its time is computed.
struct RealRun {
  const answer::ExplainQuestion& asked;
  Board board;
  twin::Twin twin;  // unperturbed, for PyTorch in eager mode
  std::uint64_t seed = 0;
  std::shared_ptr<const workload::DeployedWorkload> workload = {};
  PowerMode mode = {};
  std::string preset = {};  // active preset of the board
  PowerMode limits = {};    // limits of the machine
  int sms = 0;              // multiprocessors that the preset leaves on
  int batch = 1;
  twin::RunOptions run = {};
  double pixels = 1;            // pixels of the images relative to the stated ones
  double more_s = 0;            // additional time per minibatch in which the GPU waits
  double cpu_s = 0;             // part of `more_s` in which the program uses the CPU
  double waits = 1;             // factor on the time, because the GPU waits
  double shared = 1;            // factor on the time, because another program uses the GPU
  double on_cpu = 0;            // share of the work that the CPU does
  double cpu_flop_share = 0.3;  // CPU rate for that work, relative to its peak
  double stated = 1;            // stated time / true time
  // Whether the program marks its minibatches.
  bool marked = false;
  measure::SeenRun seen = {};
};

// A cause that can be injected. `inject` returns false if the cause is impossible in this run.
struct InjectedCause {
  answer::SlowCause cause;
  bool (*inject)(RealRun&, Random&);
};
const std::vector<InjectedCause>& injected_causes();
const std::vector<answer::SlowCause>& language_causes();

// Return nullopt if a cause is impossible, or changes the stated time by a factor of less than
// kLeastEffect.
std::optional<SimulatedRun> simulate_run(const std::vector<answer::SlowCause>& causes,
                                         std::uint64_t seed);
std::optional<SimulatedRun> simulate_language_run(const std::vector<answer::SlowCause>& causes,
                                                  std::uint64_t seed);

// Returns the observations of an undisturbed machine, to which causes are added.
measure::SeenRun quiet_watch(const Board& board, const PowerMode& mode, Random& random);

// Minimum factor by which a cause changes the stated time.
inline constexpr double kLeastEffect = 1.2;

}  // namespace ridgewatt::evaluate
