// A policy for the executor (executor.h) that measures how two programs affect each other. They run
// alone, in turns, and with native sharing by the driver.
//
//   SharingPolicy policy({.duration_s = 60});
//   executor_options.policy = &policy;
//   executor.run();
//   const SharingMeasurement result = policy.result();
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/base/statistics.h"
#include "ridgewatt/schedule/executor.h"
#include "ridgewatt/schedule/interference.h"
#include "ridgewatt/schedule/switch_cost.h"

namespace ridgewatt::schedule {

struct SharingOptions {
  // Total duration of all rounds. The first round starts when both programs have joined.
  double duration_s = 60;
  // Each round has four phases: the first program alone, the second alone, both in turns of two
  // minibatches, and both at the same time. A drift of the machine then affects all phases equally.
  int rounds = 6;
  double start_within_s = 60;  // time limit for both programs to join
  // Names of the first and the second program. A worker with another name gets a free place.
  std::vector<std::string> names = {"A", "B"};
  void check() const;
};

enum class SharingPhase { kFirst, kSecond, kTurns, kTogether };

// Time range of a phase, in seconds since the start of the executor.
struct SharingSpan {
  SharingPhase phase = SharingPhase::kFirst;
  double from_s = 0, to_s = 0;
};

struct SharingMeasurement {
  // The interference factor (interference.h), from one value per round.
  MeanInterval factor;
  struct Program {
    std::string name;                  // as reported by its worker
    MeanInterval alone_s, together_s;  // time of a minibatch
    MeanInterval speed;                // while both run, divided by the speed alone
    std::size_t minibatches = 0;
  };
  Program programs[2];
  std::vector<SwitchCost> switches;
  std::vector<SharingSpan> spans;  // for measuring power separately
};

class SharingPolicy : public GrantPolicy {
 public:
  explicit SharingPolicy(SharingOptions options);

  // Called when all rounds have ended, a program has left, or the programs did not join in time. It
  // should stop the executor.
  std::function<void()> on_end;

  std::string joining(const WorkerView& worker, double now_s) override;
  void left(const WorkerView& worker, double now_s) override;
  void arrived(const WorkerView&, int, double) override {}
  void asked(const WorkerView&, std::optional<int>, double) override {}
  GrantDecision next(double now_s, std::span<const WorkerView> workers) override;
  bool shares_device(double now_s) const override;
  void released(const GrantRecord& record) override;

  // Throws NoSolutionError if the two programs did not join or fewer than two rounds can be
  // evaluated.
  SharingMeasurement result() const;

 private:
  std::optional<std::size_t> program_of(const WorkerView& worker) const;
  void end();
  SharingSpan span_at(double now_s) const;
  std::optional<std::size_t> wanted(const SharingSpan& span) const;

  SharingOptions options_;
  std::string workers_[2];  // names reported by the workers
  bool here_[2] = {false, false};
  double begun_s_ = -1;
  std::size_t turn_ = 0;
  bool ended_ = false;
  std::vector<GrantRecord> grants_;
};

}  // namespace ridgewatt::schedule
