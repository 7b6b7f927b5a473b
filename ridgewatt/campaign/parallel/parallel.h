// Executors without a daemon: GNU parallel over ssh, with one task at a time per host; and the
// local machine, with one task at a time. Each submission is a folder with readable files and can
// be restarted manually:
//
//   run.sh   the started script                tasks    the tasks, one command per line
//   joblog   finished tasks with exit status   out/N    output of task N of the list; out/N.err
//   process  process id and start time         hosts    for parallel: hosts that get tasks
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/campaign/executor.h"

namespace ridgewatt::campaign {

// A line of a joblog.
struct EndedTask {
  // Index of the task in the list.
  std::size_t place = 0;
  int status = 0;  // exit status, or 128 + signal
};
// Skips invalid lines. If a task has several lines, the last line counts.
std::vector<EndedTask> parse_joblog(const std::string& text);

// `hosts`: "HOST", or "KIND=HOST" for boards of one kind. Returns the hosts for `kind`. Throws
// UsageError for an invalid host.
std::vector<std::string> hosts_of(const std::string& kind, const std::vector<std::string>& hosts);

// Return the text of run.sh for the two executors. On this machine, tasks run in the folder in
// which the script was started; on other hosts, in the folder that ssh selects. `limit_s`: time
// limit of a task; 0: none. GNU parallel reads the file `hosts` again when it changes.
std::string parallel_script(const ExecutorOptions& options, double limit_s = 0);
std::string local_script(const ExecutorOptions& options, double limit_s = 0);

class BackgroundExecutor : public Executor {
 public:
  BackgroundExecutor(ExecutorKind kind, const std::string& campaign,
                     const ExecutorOptions& options);
  std::string name() const override { return std::string(name_of(kind_)); }
  std::string preview(const Order& order) override;
  std::vector<Job> submit(const Order& order) override;
  std::vector<TaskState> states(const std::vector<Job>& jobs) override;
  bool release(const TaskState& task) override;
  std::vector<EngineNode> nodes(const std::vector<std::string>& board_kinds) override;
  bool set_aside(const Job& job, const std::vector<std::string>& hosts) override;
  void cancel(const Job& job) override;

 private:
  std::string script(const Order& order) const;
  std::vector<std::string> hosts_for(const Order& order, std::size_t number) const;
  std::string folder_of(const Job& job) const;
  std::size_t at_once(const std::string& board_kind) const;

  ExecutorKind kind_;
  ExecutorOptions options_;
};

}  // namespace ridgewatt::campaign
