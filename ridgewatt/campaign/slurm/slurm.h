// Slurm: one array per kind of board, whose script carries the points of its tasks itself, so that
// boards need no shared file system. Only sbatch, squeue -o, scontrol and scancel are used, as they
// are from 21.08 to 23.11, and neither accounting nor the rights of an operator.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/campaign/executor.h"

namespace ridgewatt::campaign {

// "agx-orin" and "fake:agx-orin" are "agx_orin": the type of the GRES `board`.
std::string gres_type(const std::string& board_kind);

// The scripts of an order; more than one where one would be larger than Slurm takes.
struct SlurmScript {
  std::string text;
  std::vector<int> tasks;
};
std::vector<SlurmScript> slurm_scripts(const Order& order, const ExecutorOptions& options,
                                       std::size_t most_bytes = 1000000);

// A time limit in whole minutes: what was asked for, or twice what is foretold and 10 minutes more.
// 0: none.
int limit_minutes(const Order& order, const ExecutorOptions& options);

// Lines of squeue with kSqueueFormat, of jobs of this name alone: a controller that was killed may
// give a number twice. Lines that are not as they should be are skipped.
inline constexpr const char* kSqueueFormat = "%F|%K|%T|%r|%N|%j|%k";
std::vector<TaskState> parse_squeue(const std::string& text, const std::string& name);

// Writes a line into the comment of the job that this process is, for squeue to show; nothing
// happens where it is none. So boards need no shared folder for it to be known why a task ended.
void leave_comment(const std::string& line);

class SlurmExecutor : public Executor {
 public:
  SlurmExecutor(std::string campaign, const ExecutorOptions& options);
  std::string name() const override { return "slurm"; }
  std::string preview(const Order& order) override;
  std::vector<Job> submit(const Order& order) override;
  std::vector<TaskState> states(const std::vector<Job>& jobs) override;
  bool release(const TaskState& task) override;
  void drop(const TaskState& task) override;
  void cancel(const Job& job) override;

 private:
  std::string campaign_;
  ExecutorOptions options_;
};

}  // namespace ridgewatt::campaign
