// Slurm: one array per kind of board, whose script contains the points of its tasks, so that boards
// need no shared file system. It uses only sbatch, squeue -o, scontrol and scancel, in the form
// common to 21.08 to 23.11, and needs neither accounting nor operator permissions.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/campaign/executor.h"

namespace ridgewatt::campaign {

// "agx-orin" and "fake:agx-orin" are "agx_orin": the type of the GRES `board`.
std::string gres_type(const std::string& board_kind);

// The scripts of an order; more than one if one would exceed Slurm's limit.
struct SlurmScript {
  std::string text;
  std::vector<int> tasks;
};
std::vector<SlurmScript> slurm_scripts(const Order& order, const ExecutorOptions& options,
                                       std::size_t most_bytes = 1000000);

// task_limit_s() in whole minutes.
int limit_minutes(const Order& order, const ExecutorOptions& options);

// Parses lines of squeue with kSqueueFormat, for jobs of this name only: a controller that was
// killed may reuse a number. Invalid lines are skipped.
inline constexpr const char* kSqueueFormat = "%F|%K|%T|%r|%N|%j|%k";
std::vector<TaskState> parse_squeue(const std::string& text, const std::string& name);

// Parses lines of sinfo with kSinfoFormat: the nodes with a GRES of one of these kinds, once each.
inline constexpr const char* kSinfoFormat = "%N|%T|%G|%E";
std::vector<EngineNode> parse_sinfo(const std::string& text,
                                    const std::vector<std::string>& board_kinds);

// Writes a line into the comment of the present job for squeue to show; does nothing outside of a
// job. Boards thus need no shared folder to report why a task ended.
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
  std::vector<EngineNode> nodes(const std::vector<std::string>& board_kinds) override;
  bool set_aside(const Job& job, const std::vector<std::string>& hosts) override;
  void cancel(const Job& job) override;

 private:
  std::string campaign_;
  ExecutorOptions options_;
};

}  // namespace ridgewatt::campaign
