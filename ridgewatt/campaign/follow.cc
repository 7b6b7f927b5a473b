#include "ridgewatt/campaign/follow.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <map>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "ridgewatt/base/clock.h"
#include "ridgewatt/base/contains.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/progress.h"
#include "ridgewatt/campaign/health.h"
#include "ridgewatt/campaign/identity.h"
#include "ridgewatt/store/location.h"

namespace ridgewatt::campaign {
namespace {

constexpr double kLongestPauseS = 60;

using TaskName = std::pair<std::string, int>;  // kind and number

// What the store contains for a campaign.
struct Holdings {
  std::vector<store::FilledSlot> filled;
  CampaignRecords records;
};

Holdings holdings_of(const Plan& plan, const std::string& fingerprint, store::Store& store) {
  return {filled_slots(plan, fingerprint, store), records_of(plan, store)};
}

// A file that does not exist yet is an empty store. A missing server database
// is a temporary error.
Holdings held_so_far(const Plan& plan, const std::string& fingerprint) {
  const bool server = store::is_postgresql(plan.store);
  try {
    store::Store store(plan.store, store::Database::Access::kReadOnly);
    return holdings_of(plan, fingerprint, store);
  } catch (const NotFoundError& error) {
    if (server) throw IoError(error.what());
    return {};
  } catch (const InputError&) {
    if (server) throw;
    // A task may be creating the file right now; opening an invalid store reports the error again.
    store::Store made(plan.store);
    return holdings_of(plan, fingerprint, made);
  }
}

std::vector<std::string> kinds_of(const Plan& plan) {
  std::vector<std::string> kinds;
  for (const auto& kind : plan.boards) kinds.push_back(kind.name);
  return kinds;
}

// Enters the plan in the store. Throws if the store has another plan of this name. A database that
// does not exist is accepted, because it may be created later.
void claim(const Plan& plan) {
  try {
    store::Store store(plan.store);
    claim_campaign(plan, store);
  } catch (const NotFoundError&) {  // tasks enter the plan later
  }
}

std::set<TaskName> held_by_jobs(const std::vector<TaskState>& states) {
  std::set<TaskName> held;
  for (const auto& state : states) {
    const bool gone = state.phase == TaskPhase::kEnded || state.phase == TaskPhase::kFailed;
    if (!gone) held.insert({state.board_kind, state.task});
  }
  return held;
}

std::map<TaskName, int> attempts_of(const Plan& plan) {
  std::map<TaskName, int> attempts;
  for (const auto& job : plan.jobs) {
    if (job.submitted_unix_s < plan.attempts_since_unix_s) continue;
    for (const int task : job.tasks) ++attempts[{job.board_kind, task}];
  }
  return attempts;
}

// Returns the tasks that lack points, that no job holds and that have attempts left. Failures on
// boards that are now set aside do not count as attempts.
std::vector<Task> due_tasks(const Plan& plan, const BoardKind& kind, const Holdings& held_points,
                            const Fleet& fleet, const std::set<TaskName>& held, int attempts) {
  const auto tried = attempts_of(plan);
  auto tasks = missing_tasks(plan, kind, held_points.filled);
  std::erase_if(tasks, [&](const Task& task) {
    const TaskName name{kind.name, task.number};
    const auto found = tried.find(name);
    return held.contains(name) ||
           (found != tried.end() && found->second >= attempts &&
            found->second >= attempts + excused_attempts(plan, fleet, kind, task));
  });
  return tasks;
}

// Submits tasks. Tasks with different hosts to avoid become different jobs. Saves the plan after
// each submission, because the next one may fail.
std::vector<Job> give_away(Plan& plan, const std::string& path, const BoardKind& kind,
                           const std::vector<Task>& tasks, const Fleet& fleet, Executor& executor) {
  std::map<std::vector<std::string>, std::vector<Task>> by_avoided;
  for (const auto& task : tasks) {
    by_avoided[hosts_to_avoid(plan, fleet, kind, task)].push_back(task);
  }
  std::vector<Job> jobs;
  for (const auto& [avoid, some] : by_avoided) {
    Order order = order_of(plan, kind, some, plan.options);
    order.avoid = avoid;
    for (auto& job : executor.submit(order)) {
      plan.jobs.push_back(job);
      jobs.push_back(std::move(job));
    }
    write_plan(plan, path);
  }
  return jobs;
}

// Follows a campaign from one process.
class Follower {
 public:
  Follower(const std::string& path, const FollowOptions& options)
      : path_(path),
        options_(options),
        plan_(read_plan(path)),
        opened_(options.engine == nullptr ? executor_of(plan_) : nullptr),
        executor_(options.engine == nullptr ? *opened_ : *options.engine) {}

  Standing run() {
    const Stopwatch since;
    double pause_s = options_.interval_s;
    while (true) {
      bool answered = false;
      try {
        answered = round();
      } catch (const IoError& error) {
        if (options_.once) throw;
        say(error.what());
      }
      const bool late = options_.at_most_s > 0 && since.s() > options_.at_most_s;
      if (answered && (standing_.complete() || options_.once || stuck_)) return standing_;
      if (late)
        throw NoSolutionError(
            "the time limit (--at-most) has passed before the campaign was complete", plan_.name,
            said_missing());
      const double longest_s = std::max(options_.interval_s, kLongestPauseS);
      pause_s = answered ? options_.interval_s : std::min(2 * pause_s, longest_s);
      wait(pause_s);
    }
  }

 private:
  // What the engine and the store reported.
  struct Seen {
    std::vector<TaskState> states;
    Holdings held;
    Fleet fleet;
  };

  // Also updates `standing_`. A kind of board whose tasks are about to be submitted is not blocked.
  Seen see() {
    Seen seen;
    std::string fault;
    try {  // before the store is read, so that it has the points of all tasks that have ended
      seen.states = executor_.states(plan_.jobs);
    } catch (const IoError& error) {
      fault = error.what();
    }
    seen.held = held_so_far(plan_, fingerprint_);
    seen.fleet = fleet_of(plan_, seen.held.filled, seen.held.records,
                          fault.empty() ? known_nodes() : EngineNodes{});
    standing_ = standing_of(plan_, seen.held.filled, seen.states, now_unix_s(), seen.fleet);
    standing_.engine_fault = fault;
    for (auto& kind : standing_.kinds) {
      if (!kind.without_task || due_of(plan_.kind(kind.name), seen).empty()) continue;
      kind.blocked.clear();
      kind.without_task = false;
    }
    return seen;
  }

  // Returns true if the store and the engine answered.
  bool round() {
    const Seen seen = see();
    if (options_.report) options_.report(standing_);
    if (!standing_.engine_fault.empty()) {
      say(standing_.engine_fault);
      return standing_.complete();
    }
    if (standing_.complete()) drop_waiting(seen.states);
    set_boards_aside(seen.states, seen.fleet);
    release(seen.states, seen.held.filled);
    const bool due = resubmit(seen);
    stuck_ = !due && held_by_jobs(seen.states).empty();
    if (options_.once && due) see();  // with the tasks that were submitted
    return true;
  }

  std::vector<Task> due_of(const BoardKind& kind, const Seen& seen) const {
    if (all_set_aside(seen.fleet, kind.name)) return {};
    return due_tasks(plan_, kind, seen.held, seen.fleet, held_by_jobs(seen.states),
                     options_.attempts);
  }

  using EngineNodes = std::vector<EngineNode>;
  // An engine that cannot list its hosts can still run tasks.
  EngineNodes known_nodes() {
    try {
      return executor_.nodes(kinds_of(plan_));
    } catch (const Error&) {
      return {};
    }
  }

  // Stops the engine's queue from giving tasks to boards that are set aside, and allows boards that
  // were readmitted. If no board is left, cancels the jobs that have not ended.
  void set_boards_aside(const std::vector<TaskState>& states, const Fleet& fleet) {
    for (const auto& kind : plan_.boards) {
      const auto hosts = set_aside_hosts(fleet, kind.name);
      auto& before = set_aside_[kind.name];
      if (hosts == before) continue;
      for (const auto& board : fleet.boards) {
        if (board.kind == kind.name && board.set_aside) say_set_aside(board);
      }
      const bool none_left = all_set_aside(fleet, kind.name);
      for (auto& job : plan_.jobs) {
        const bool waits = std::any_of(states.begin(), states.end(), [&](const TaskState& state) {
          return state.job == job.id && state.board_kind == kind.name &&
                 held_by_jobs({state}).size() == 1;
        });
        if (job.board_kind != kind.name || !waits) continue;
        if (none_left) {
          executor_.cancel(job);
        } else if (executor_.set_aside(job, with_those_to_avoid(job, hosts, before))) {
          job.avoid = with_those_to_avoid(job, hosts, before);
        }
      }
      write_plan(plan_, path_);
      before = hosts;
    }
  }

  // Returns the hosts that the job avoids for its own tasks, and the hosts that are set aside now.
  static std::vector<std::string> with_those_to_avoid(const Job& job,
                                                      const std::vector<std::string>& hosts,
                                                      const std::vector<std::string>& before) {
    std::set<std::string> all(hosts.begin(), hosts.end());
    for (const auto& host : job.avoid) {
      if (!contains(before, host)) all.insert(host);
    }
    return {all.begin(), all.end()};
  }

  void say_set_aside(const BoardHealth& board) {
    if (!said_.insert({board.kind, board.serial}).second) return;
    say(fmt::format("{}: board {} is {}", board.kind, board.serial, why_set_aside(board)));
  }

  // A held task would stay in the engine's queue forever.
  void drop_waiting(const std::vector<TaskState>& states) {
    for (const auto& state : states) {
      const bool waits = state.phase == TaskPhase::kHeld || state.phase == TaskPhase::kQueued;
      if (waits) executor_.drop(state);
    }
  }

  void release(const std::vector<TaskState>& states, const std::vector<store::FilledSlot>& filled) {
    std::set<TaskName> missing;
    for (const auto& kind : plan_.boards) {
      for (const auto& task : missing_tasks(plan_, kind, filled)) {
        missing.insert({kind.name, task.number});
      }
    }
    for (const auto& state : states) {
      const bool waits =
          state.phase == TaskPhase::kHeld && missing.contains({state.board_kind, state.task});
      if (waits && executor_.release(state)) {
        say(fmt::format("{}: task {} was held ({}), starts now", state.board_kind, state.task,
                        state.why));
      }
    }
  }

  // Returns true if tasks are due. A controller that has just restarted does not report all its
  // tasks at once, so a task is submitted only if no job holds it in two rounds in a row.
  bool resubmit(const Seen& seen) {
    const auto before = std::exchange(due_, {});
    for (const auto& kind : plan_.boards) {
      auto tasks = due_of(kind, seen);
      for (const auto& task : tasks) due_.insert({kind.name, task.number});
      std::erase_if(tasks, [&](const Task& task) {
        return !options_.once && !before.contains({kind.name, task.number});
      });
      for (const auto& job : give_away(plan_, path_, kind, tasks, seen.fleet, executor_)) {
        say(fmt::format("{}: tasks {} submitted again as {} {}", kind.name, ranges_text(job.tasks),
                        job.executor, job.id));
      }
    }
    return !due_.empty();
  }

  std::string said_missing() const { return missing_text(standing_); }
  void say(const std::string& text) const {
    if (options_.say) options_.say(text);
  }
  std::int64_t now_unix_s() const {
    return options_.now_unix_s ? options_.now_unix_s() : std::time(nullptr);
  }
  void wait(double pause_s) const {
    if (options_.wait) return options_.wait(pause_s);
    const Stopwatch waiting;
    while (waiting.s() < pause_s) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      check_work();
    }
  }

  std::string path_;
  const FollowOptions& options_;
  Plan plan_;
  const std::string fingerprint_ = fingerprint_of(plan_);
  std::unique_ptr<Executor> opened_;
  Executor& executor_;
  Standing standing_;
  std::set<TaskName> due_;                                     // of the last round
  std::map<std::string, std::vector<std::string>> set_aside_;  // by kind, as sent to the engine
  std::set<std::pair<std::string, std::string>> said_;         // kind and serial
  bool stuck_ = false;  // nothing runs, and nothing may be submitted
};

}  // namespace

PlanLock::PlanLock(const std::string& path) : name_(path + ".lock") {
  read_plan(path);  // throws if `path` is not a plan, before a file is created
  while (true) {
    file_ = OwnedFd(::open(name_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644));
    if (!file_) throw_errno(errno, "cannot open the lock of the plan", name_);
    if (::flock(file_.get(), LOCK_EX | LOCK_NB) != 0) {
      throw IoError("another process is submitting or watching this campaign", path,
                    "end that process first");
    }
    // The process that held the lock may have removed the file before this one locked it.
    struct stat locked = {}, named = {};
    if (::fstat(file_.get(), &locked) == 0 && ::stat(name_.c_str(), &named) == 0 &&
        locked.st_dev == named.st_dev && locked.st_ino == named.st_ino) {
      return;
    }
  }
}

PlanLock::~PlanLock() {
  ::unlink(name_.c_str());
}

std::vector<Job> submit(const std::string& path, ExecutorKind kind,
                        const ExecutorOptions& options) {
  const PlanLock lock(path);
  Plan plan = read_plan(path);
  if (!plan.jobs.empty()) {
    throw UsageError(
        "the campaign was already submitted", path,
        "`campaign resume` submits missing points, `campaign cancel` ends the campaign");
  }
  plan.executor = name_of(kind);
  plan.options = options;
  const auto executor = executor_of(plan);
  Holdings held;
  try {
    claim(plan);
    held = held_so_far(plan, fingerprint_of(plan));
  } catch (const IoError&) {  // each task tries the store again
  }
  const Fleet fleet = fleet_of(plan, held.filled, held.records, {});
  std::vector<Job> jobs;
  for (const auto& board : plan.boards) {
    const auto tasks = missing_tasks(plan, board, held.filled);
    for (auto& job : give_away(plan, path, board, tasks, fleet, *executor)) {
      jobs.push_back(std::move(job));
    }
  }
  if (jobs.empty()) write_plan(plan, path);  // watch and rerun read the executor
  return jobs;
}

std::string preview(const Plan& plan, ExecutorKind kind, const ExecutorOptions& options) {
  const auto executor = open_executor(kind, plan.name, options);
  std::string text;
  for (const auto& board : plan.boards) {
    text += executor->preview(order_of(plan, board, tasks_of(board), options));
  }
  return text;
}

Standing look(const Plan& plan) {
  std::vector<TaskState> states;
  std::vector<EngineNode> nodes;
  std::string fault;
  if (!plan.jobs.empty()) {
    try {
      const auto executor = executor_of(plan);
      states = executor->states(plan.jobs);
      nodes = executor->nodes(kinds_of(plan));
    } catch (const IoError& error) {
      fault = error.what();
    } catch (const NotFoundError& error) {
      fault = error.what();
    }
  }
  const Holdings held = held_so_far(plan, fingerprint_of(plan));
  const Fleet fleet = fleet_of(plan, held.filled, held.records, std::move(nodes));
  Standing standing = standing_of(plan, held.filled, states, std::time(nullptr), fleet);
  standing.engine_fault = fault;
  return standing;
}

Standing follow(const std::string& path, const FollowOptions& options) {
  const PlanLock lock(path);
  return Follower(path, options).run();
}

void cancel(const std::string& path) {
  const PlanLock lock(path);
  Plan plan = read_plan(path);
  const auto executor = executor_of(plan);
  for (const auto& job : plan.jobs) executor->cancel(job);
  plan.jobs.clear();
  write_plan(plan, path);
}

}  // namespace ridgewatt::campaign
