// What two programs do to each other, measured: alone, in turns, and sharing the device natively.
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
  double duration_s = 60;  // of all rounds, from when both programs are there
  // Each round runs the first alone, the second alone, both in turns of two minibatches, and both
  // at once; a drift of the machine is then the same for all four.
  int rounds = 6;
  double start_within_s = 60;  // for both programs to come
  // A worker of one of these names takes that place, any other one a place that is free.
  std::vector<std::string> names = {"A", "B"};
  void check() const;
};

enum class SharingPhase { kFirst, kSecond, kTurns, kTogether };

// When a phase ran, since the executor began.
struct SharingSpan {
  SharingPhase phase = SharingPhase::kFirst;
  double from_s = 0, to_s = 0;
};

struct SharingMeasurement {
  // 1 / the sum of the speeds at the same time (interference.h), a value per round.
  MeanInterval factor;
  struct Program {
    std::string name;                  // that its worker says
    MeanInterval alone_s, together_s;  // of a minibatch
    MeanInterval speed;                // with the other, of its speed alone
    std::size_t minibatches = 0;
  };
  Program programs[2];
  std::vector<SwitchCost> switches;
  std::vector<SharingSpan> spans;  // for a separate measurement of power
};

class SharingPolicy : public GrantPolicy {
 public:
  explicit SharingPolicy(SharingOptions options);

  // Called when all rounds have ended, a program left, or they did not come: stops the executor.
  std::function<void()> on_end;

  std::string joining(const WorkerView& worker, double now_s) override;
  void left(const WorkerView& worker, double now_s) override;
  void arrived(const WorkerView&, int, double) override {}
  void asked(const WorkerView&, std::optional<int>, double) override {}
  GrantDecision next(double now_s, std::span<const WorkerView> workers) override;
  bool shares_device(double now_s) const override;
  void released(const GrantRecord& record) override;

  // NoSolutionError when fewer than two rounds have what it takes.
  SharingMeasurement result() const;

 private:
  std::optional<std::size_t> program_of(const WorkerView& worker) const;
  void end();
  SharingSpan span_at(double now_s) const;
  std::optional<std::size_t> wanted(const SharingSpan& span) const;

  SharingOptions options_;
  std::string workers_[2];  // as they call themselves
  bool here_[2] = {false, false};
  double begun_s_ = -1;
  std::size_t turn_ = 0;
  bool ended_ = false;
  std::vector<GrantRecord> grants_;
};

}  // namespace ridgewatt::schedule
