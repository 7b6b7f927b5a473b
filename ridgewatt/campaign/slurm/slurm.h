// Slurm as an executor: one job array per kind of board. The script contains the points of its
// tasks, so boards need no shared file system. Uses only sbatch, squeue -o, sinfo, scontrol and
// scancel, with options of versions 21.08 to 23.11. Accounting and operator permissions are not
// needed.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/campaign/executor.h"

namespace ridgewatt::campaign {

// Returns the type of the GRES `board`: "agx_orin" for "agx-orin" and "fake:agx-orin".
std::string gres_type(const std::string& board_kind);

// The scripts of an order: more than one if one would exceed `most_bytes`.
struct SlurmScript {
  std::string text;
  std::vector<int> tasks;
};
std::vector<SlurmScript> slurm_scripts(const Order& order, const ExecutorOptions& options,
                                       std::size_t most_bytes = 1000000);

// Returns task_limit_s() in whole minutes.
int limit_minutes(const Order& order, const ExecutorOptions& options);

// Parses lines of squeue in kSqueueFormat. Skips invalid lines, and jobs with another name, because
// a restarted controller may reuse job ids.
inline constexpr const char* kSqueueFormat = "%F|%K|%T|%r|%N|%j|%k";
std::vector<TaskState> parse_squeue(const std::string& text, const std::string& name);

// Parses lines of sinfo in kSinfoFormat. Returns each node with a GRES of these kinds once.
inline constexpr const char* kSinfoFormat = "%N|%T|%G|%E";
std::vector<EngineNode> parse_sinfo(const std::string& text,
                                    const std::vector<std::string>& board_kinds);

// Writes a line into the comment of the current job, so that squeue shows why a task ended even
// without a shared folder. Does nothing outside of a job.
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
