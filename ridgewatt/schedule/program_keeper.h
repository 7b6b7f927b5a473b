// Starts the programs of a schedule's workers, and starts them again when they end.
//
//   ProgramKeeper keeper({{"resnet18", WorkloadKind::kTraining, {"python3", "train.py"}}},
//   options); executor.run(); keeper.stop();
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ridgewatt/base/workload_kind.h"

namespace ridgewatt::schedule {

struct KeptProgram {
  std::string name;                             // $RIDGEWATT_NAME of the program
  WorkloadKind kind = WorkloadKind::kTraining;  // $RIDGEWATT_KIND
  std::vector<std::string> command;
};

struct KeeperOptions {
  std::string socket_path;  // $RIDGEWATT_SOCKET of the programs
  bool restart = true;      // off: a program that ended stays ended
  // A program that ends sooner than `healthy_s` after its start waits before the next one, twice as
  // long each time; after `most_failures` such ends in a row it is given up.
  double healthy_s = 5;
  double first_wait_s = 0.05;
  int most_failures = 6;
  double patience_s = 3;  // on stop(): from asking it to end to SIGTERM, and from that to SIGKILL
  // From the keeper's own thread.
  std::function<void(const std::string&)> on_event = {};
};

class ProgramKeeper {
 public:
  // Starts all programs. Throws NotFoundError when one is not there, UsageError without words.
  ProgramKeeper(std::vector<KeptProgram> programs, KeeperOptions options);
  ~ProgramKeeper();  // as stop()
  ProgramKeeper(const ProgramKeeper&) = delete;
  ProgramKeeper& operator=(const ProgramKeeper&) = delete;

  // Nothing is started any more; returns when all have ended.
  void stop();
  std::size_t restarts() const;
  // -1 while it does not run.
  pid_t process(const std::string& name) const;

 private:
  class Keeper;
  std::unique_ptr<Keeper> keeper_;
};

}  // namespace ridgewatt::schedule
