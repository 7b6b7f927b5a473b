// Engines without a daemon: GNU parallel over ssh, one task at a time on each host, and this
// machine alone, one task after the other. Each submission is a folder that a person can read, and
// start again by hand:
//
//   run.sh   what was started            tasks    the tasks, a command line each
//   joblog   what ended, and with what   out/N    what task N of the list said; out/N.err
//   process  number and start of what was started
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/campaign/executor.h"

namespace ridgewatt::campaign {

// A line of a joblog: which task, counted from 0 as they stand in the list, and how it ended.
struct EndedTask {
  std::size_t place = 0;
  int status = 0;  // exit status, or 128 + signal
};
// Lines that are not as they should be are skipped; of several of one task the last counts.
std::vector<EndedTask> parse_joblog(const std::string& text);

// "HOST", or "KIND=HOST" for boards of one kind; those of `kind`. UsageError for what is not a
// host.
std::vector<std::string> hosts_of(const std::string& kind, const std::vector<std::string>& hosts);

// run.sh of either engine. Tasks of this machine alone run where it was started, those of other
// hosts where ssh puts them.
std::string parallel_script(const std::vector<std::string>& hosts, const ExecutorOptions& options);
std::string local_script(const ExecutorOptions& options);

class BackgroundExecutor : public Executor {
 public:
  BackgroundExecutor(ExecutorKind kind, const std::string& campaign,
                     const ExecutorOptions& options);
  std::string name() const override { return std::string(name_of(kind_)); }
  std::string preview(const Order& order) override;
  std::vector<Job> submit(const Order& order) override;
  std::vector<TaskState> states(const std::vector<Job>& jobs) override;
  bool release(const TaskState& task) override;
  void cancel(const Job& job) override;

 private:
  std::string script(const Order& order, std::size_t number) const;
  std::string folder_of(const Job& job) const;
  std::size_t at_once(const std::string& board_kind) const;

  ExecutorKind kind_;
  ExecutorOptions options_;
};

}  // namespace ridgewatt::campaign
