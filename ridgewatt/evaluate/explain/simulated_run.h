// A program on a simulated board that runs in another way than its user believes.
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

// What the user states, and what was injected.
struct SimulatedRun {
  answer::ExplainQuestion question = {};
  std::vector<answer::SlowCause> causes = {};
};

// How the program really runs. Causes change it before its time is computed.
struct RealRun {
  const answer::ExplainQuestion& asked;
  Board board;
  twin::Twin twin;  // unperturbed, of eager PyTorch
  std::uint64_t seed = 0;
  std::shared_ptr<const workload::DeployedWorkload> workload = {};
  PowerMode mode = {};
  std::string preset = {};  // that is active
  PowerMode limits = {};    // of the machine
  int batch = 1;
  twin::RunOptions run = {};
  double pixels = 1;            // of the images, over those that are stated
  double more_s = 0;            // per minibatch, while the GPU waits
  double cpu_s = 0;             // of that, computed by the program
  double waits = 1;             // factor on the time, while the GPU waits
  double shared = 1;            // factor on the time, while another program has the GPU
  double on_cpu = 0;            // share of the work that the CPU does
  double cpu_flop_share = 0.3;  // of its peak
  double stated = 1;            // what the user reads off, over the true time
  bool marked = false;
  measure::SeenRun seen = {};
};

// A cause that can be injected. False: it cannot act here.
struct InjectedCause {
  answer::SlowCause cause;
  bool (*inject)(RealRun&, Random&);
};
const std::vector<InjectedCause>& injected_causes();
const std::vector<answer::SlowCause>& language_causes();

// Nothing where a cause cannot act, or changes the stated time too little to be looked for.
std::optional<SimulatedRun> simulate_run(const std::vector<answer::SlowCause>& causes,
                                         std::uint64_t seed);
std::optional<SimulatedRun> simulate_language_run(const std::vector<answer::SlowCause>& causes,
                                                  std::uint64_t seed);

// What a quiet machine shows, and what every run does.
measure::SeenRun quiet_watch(const Board& board, const PowerMode& mode, Random& random);

inline constexpr double kLeastEffect = 1.2;  // of a cause on the stated time

}  // namespace ridgewatt::evaluate
