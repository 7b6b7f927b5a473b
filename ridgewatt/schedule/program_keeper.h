// Starts the programs of a schedule's workers, and restarts them when they end.
//
//   const KeptProgram trainer{"resnet18", WorkloadKind::kTraining, {"python3", "train.py"}};
//   ProgramKeeper keeper({trainer}, options);
//   executor.run();
//   keeper.stop();
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
  std::string name;                             // passed to the program as $RIDGEWATT_NAME
  WorkloadKind kind = WorkloadKind::kTraining;  // passed as $RIDGEWATT_KIND
  // Program and arguments.
  std::vector<std::string> command;
};

struct KeeperOptions {
  std::string socket_path;  // passed as $RIDGEWATT_SOCKET
  bool restart = true;      // false: a program that ended is not restarted
  // If a program ends within `healthy_s` of its start, this is a failure and the next start waits
  // for `first_wait_s`. Each additional failure in a row doubles the wait. After `most_failures` of
  // them, the program is not restarted.
  double healthy_s = 5;
  double first_wait_s = 0.05;
  int most_failures = 6;
  double patience_s = 3;  // in stop(): time before SIGTERM, and again before SIGKILL
  // Called from the keeper's own thread.
  std::function<void(const std::string&)> on_event = {};
};

class ProgramKeeper {
 public:
  // Starts all programs. Throws NotFoundError if a program does not exist, UsageError if a command
  // is empty.
  ProgramKeeper(std::vector<KeptProgram> programs, KeeperOptions options);
  ~ProgramKeeper();  // like stop()
  ProgramKeeper(const ProgramKeeper&) = delete;
  ProgramKeeper& operator=(const ProgramKeeper&) = delete;

  // Stops restarting programs, and returns when all of them have ended.
  void stop();
  std::size_t restarts() const;
  // Process ID of the named program; -1 if it is not running.
  pid_t process(const std::string& name) const;

 private:
  class Keeper;
  std::unique_ptr<Keeper> keeper_;
};

}  // namespace ridgewatt::schedule
