#include "ridgewatt/campaign/parallel/parallel.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <ctime>
#include <filesystem>
#include <map>

#include "ridgewatt/base/contains.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/campaign/engine/host.h"
#include "ridgewatt/campaign/engine/last_line.h"
#include "ridgewatt/campaign/engine/program.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/io/path.h"
#include "ridgewatt/io/shell.h"

namespace ridgewatt::campaign {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostRuns = 100000;
constexpr double kHandInPatienceS = 60;  // GNU parallel retries at once, so the task waits
constexpr const char* kSsh =
    "ssh -o BatchMode=yes -o ConnectTimeout=10 -o ServerAliveInterval=15 -o ServerAliveCountMax=3";

std::string file_of(const std::string& board_kind) {
  std::string file = board_kind;
  std::replace(file.begin(), file.end(), ':', '-');
  return file;
}

std::vector<Task> by_number(std::vector<Task> tasks) {
  std::sort(tasks.begin(), tasks.end(),
            [](const Task& a, const Task& b) { return a.number < b.number; });
  return tasks;
}

std::string task_lines(const Order& order) {
  Order patient = order;
  patient.arguments.insert(patient.arguments.end(),
                           {"--wait", fmt::format("{}", kHandInPatienceS)});
  std::string lines;
  for (const auto& task : by_number(order.tasks)) {
    lines += shell_line(command_of(patient, task)) + "\n";
  }
  return lines;
}

// Creates a new folder for this submission: KIND.1, KIND.2 ..
std::string make_run_folder(const std::string& base, const std::string& board_kind,
                            std::size_t& number) {
  std::error_code error;
  fs::create_directories(base, error);
  if (error) throw_errno(error.value(), "cannot create the folder", base);
  for (number = 1; number < kMostRuns; ++number) {
    const std::string folder = fmt::format("{}/{}.{}", base, file_of(board_kind), number);
    if (::mkdir(folder.c_str(), 0700) == 0) return folder;
    if (errno != EEXIST) throw_errno(errno, "cannot create the folder", folder);
  }
  throw IoError("the folder already has too many submissions", base,
                "remove the folders of old submissions");
}

struct RunProcess {
  int process = 0;
  long long start = 0;
  bool alive() const { return process > 0 && start > 0 && process_start(process) == start; }
};

RunProcess read_process(const std::string& folder) {
  try {
    const auto words = words_of(read_file(folder + "/process", 1000));
    if (words.size() != 2) return {};
    return {static_cast<int>(parse_int(words[0]).value_or(0)), parse_int(words[1]).value_or(0)};
  } catch (const Error&) {
    return {};
  }
}

std::string host_lines(const std::vector<std::string>& hosts) {
  std::string lines;
  for (const auto& host : hosts) lines += "1/" + host + "\n";
  return lines;
}

std::string text_or_nothing(const std::string& path) {
  try {
    return read_file(path, std::size_t{1} << 28);
  } catch (const NotFoundError&) {
    return "";
  }
}

}  // namespace

std::vector<EndedTask> parse_joblog(const std::string& text) {
  std::map<std::size_t, int> ended;
  for (const auto& line : split(text, '\n')) {
    const auto fields =
        split(line, '\t');  // columns: Seq Host Starttime Runtime Send Receive Exitval Signal
    if (fields.size() < 8) continue;
    const auto place = parse_int(fields[0]);
    const auto status = parse_int(fields[6]);
    const auto signal = parse_int(fields[7]);
    if (!place || !status || !signal || *place < 1) continue;
    ended[static_cast<std::size_t>(*place - 1)] =
        static_cast<int>(*signal > 0 ? 128 + *signal : *status);
  }
  std::vector<EndedTask> result;
  for (const auto& [place, status] : ended) result.push_back({place, status});
  return result;
}

std::vector<std::string> hosts_of(const std::string& kind, const std::vector<std::string>& hosts) {
  std::vector<std::string> result;
  for (const auto& entry : hosts) {
    const auto equals = entry.find('=');
    const std::string host = equals == std::string::npos ? entry : entry.substr(equals + 1);
    const bool of_kind = equals != std::string::npos;
    const bool good =
        !(of_kind && entry[0] == '-') && !host.empty() && host[0] != '-' &&
        std::all_of(host.begin(), host.end(), [](unsigned char c) {
          return c < 0x80 && (std::isalnum(c) != 0 || c == '.' || c == '-' || c == '_' ||
                              c == '@' || c == ':' || c == '[' || c == ']');
        });
    if (!good)
      throw UsageError("is not a host (--host)", entry, "write HOST, USER@HOST or KIND=HOST");
    if (!of_kind || entry.substr(0, equals) == kind) result.push_back(host);
  }
  return result;
}

std::string parallel_script(const ExecutorOptions& options, double limit_s) {
  std::vector<std::string> words = {"parallel", "--will-cite",    "--jobs",
                                    "1",        "--sshloginfile", "./hosts"};
  if (limit_s > 0) words.insert(words.end(), {"--timeout", fmt::format("{:.0f}", limit_s)});
  words.insert(words.end(), {"--ssh", options.ssh.empty() ? kSsh : options.ssh});
  words.insert(words.end(), {"--retries", fmt::format("{}", options.retries), "--joblog", "joblog",
                             "--resume-failed", "--results", "out/{#}", "--arg-file", "tasks"});
  return "#!/bin/sh\n"
         "# Runs each line of `tasks` once, on whichever host is free.\n"
         "# Started again, it goes on with what failed or never ran.\n"
         "# `hosts` may be changed while it runs.\n"
         "cd \"$(dirname \"$0\")\" || exit 1\nexec " +
         shell_line(words) + "\n";
}

std::string local_script(const ExecutorOptions& options, double limit_s) {
  // --foreground keeps the task in the process group of the submission, which cancel() ends.
  const std::string within =
      limit_s > 0 ? fmt::format("timeout --foreground -k 60 {:.0f} ", limit_s) : "";
  return fmt::format(R"(#!/bin/sh
# Runs each line of the file `tasks` in this folder on this machine, one after the other.
# Status 75 is tried again, at most {} times.
here=$(dirname "$0")
mkdir -p "$here/out"
place=0
while IFS= read -r line <&3; do
  place=$((place + 1))
  tried=0
  while :; do
    {}sh -c "$line" </dev/null >"$here/out/$place" 2>"$here/out/$place.err"
    status=$?
    tried=$((tried + 1))
    [ "$status" -eq 75 ] && [ "$tried" -lt {} ] || break
    sleep 1
  done
  printf '%s\t:\t0\t0\t0\t0\t%s\t0\t\n' "$place" "$status" >>"$here/joblog"
done 3<"$here/tasks"
)",
                     options.retries, within, options.retries);
}

BackgroundExecutor::BackgroundExecutor(ExecutorKind kind, const std::string& campaign,
                                       const ExecutorOptions& options)
    : kind_(kind), options_(options) {
  if (!options.partition.empty() || !options.account.empty() || !options.sbatch_options.empty() ||
      !options.logs.empty()) {
    throw UsageError(
        "the options --partition, --account, --sbatch-option and --logs are only for --executor "
        "slurm",
        "", "omit them");
  }
  if (kind == ExecutorKind::kLocal && (!options.hosts.empty() || !options.ssh.empty())) {
    throw UsageError("--host and --ssh have no effect with --executor local", "",
                     "use --executor parallel");
  }
  if (kind == ExecutorKind::kParallel && options.hosts.empty()) {
    throw UsageError("--executor parallel needs the host of each board", "",
                     "give --host HOST or --host KIND=HOST for each");
  }
  if (options_.folder.empty()) options_.folder = ExecutorOptions::default_folder(campaign);
}

std::size_t BackgroundExecutor::at_once(const std::string& board_kind) const {
  return kind_ == ExecutorKind::kLocal ? 1 : hosts_of(board_kind, options_.hosts).size();
}

std::string BackgroundExecutor::script(const Order& order) const {
  const double limit_s = task_limit_s(order, options_);
  return kind_ == ExecutorKind::kLocal ? local_script(options_, limit_s)
                                       : parallel_script(options_, limit_s);
}

std::vector<std::string> BackgroundExecutor::hosts_for(const Order& order,
                                                       std::size_t number) const {
  auto hosts = hosts_of(order.board_kind, options_.hosts);
  if (hosts.empty()) {
    throw UsageError("no host is given for this kind of board", order.board_kind,
                     fmt::format("give --host {}=HOST", order.board_kind));
  }
  std::erase_if(hosts, [&](const std::string& host) { return contains(order.avoid, host); });
  if (hosts.empty())
    throw IoError("every host of this kind of board is set aside", order.board_kind,
                  "when one is repaired, run `ridgewatt campaign boards PLAN --readmit SERIAL`");
  // Start consecutive submissions on different hosts.
  std::rotate(hosts.begin(), hosts.begin() + static_cast<std::ptrdiff_t>(number % hosts.size()),
              hosts.end());
  return hosts;
}

std::string BackgroundExecutor::preview(const Order& order) {
  std::string text = script(order);
  if (kind_ == ExecutorKind::kParallel) {
    text += "\n# hosts:\n" + host_lines(hosts_for(order, 0));
  }
  return text + "\n# tasks:\n" + task_lines(order);
}

std::vector<Job> BackgroundExecutor::submit(const Order& order) {
  const bool parallel = kind_ == ExecutorKind::kParallel;
  if (parallel) hosts_for(order, 0);  // throws before a folder is created
  std::size_t number = 0;
  const std::string folder = make_run_folder(options_.folder, order.board_kind, number);
  write_file_atomically(folder + "/tasks", task_lines(order));
  if (parallel) write_file_atomically(folder + "/hosts", host_lines(hosts_for(order, number - 1)));
  write_file_atomically(folder + "/run.sh", script(order));
  const int process = start_program({"sh", absolute_path(folder) + "/run.sh"}, folder + "/log");
  write_file_atomically(folder + "/process",
                        fmt::format("{} {}\n", process, process_start(process)));
  Job job{name(), order.board_kind,   fs::path(folder).filename().string(),
          {},     std::time(nullptr), order.avoid};
  for (const auto& task : by_number(order.tasks)) job.tasks.push_back(task.number);
  return {job};
}

std::vector<EngineNode> BackgroundExecutor::nodes(const std::vector<std::string>& board_kinds) {
  std::vector<EngineNode> result;
  for (const auto& kind : board_kinds) {
    if (kind_ == ExecutorKind::kLocal) {
      result.push_back({engine_host(), kind, true, "", ""});
      continue;
    }
    for (const auto& host : hosts_of(kind, options_.hosts)) {
      result.push_back({host, kind, true, "", ""});
    }
  }
  return result;
}

// GNU parallel reads the host file again when a task ends, at most once per second. It would stop
// with an error if the file had no host, so the result is then false and the caller cancels the
// job.
bool BackgroundExecutor::set_aside(const Job& job, const std::vector<std::string>& hosts) {
  if (kind_ == ExecutorKind::kLocal) return false;
  auto left = hosts_of(job.board_kind, options_.hosts);
  std::erase_if(left, [&](const std::string& host) { return contains(hosts, host); });
  if (left.empty()) return false;
  write_file_atomically(folder_of(job) + "/hosts", host_lines(left));
  return true;
}

std::string BackgroundExecutor::folder_of(const Job& job) const {
  if (job.id.empty() || job.id[0] == '.' || job.id.find('/') != std::string::npos) {
    throw InputError("is not the id of a submission", job.id,
                     "`ridgewatt campaign status PLAN` prints the ids");
  }
  return options_.folder + "/" + job.id;
}

std::vector<TaskState> BackgroundExecutor::states(const std::vector<Job>& jobs) {
  std::vector<TaskState> result;
  for (const auto& job : jobs) {
    const std::string folder = folder_of(job);
    std::map<std::size_t, int> ended;
    for (const auto& one : parse_joblog(text_or_nothing(folder + "/joblog"))) {
      ended[one.place] = one.status;
    }
    const bool alive = read_process(folder).alive();
    std::size_t running = 0;
    for (std::size_t i = 0; i < job.tasks.size(); ++i) {
      TaskState state;
      state.job = job.id;
      state.board_kind = job.board_kind;
      state.task = job.tasks[i];
      const auto found = ended.find(i);
      if (found != ended.end() && found->second != 0) {
        state.phase = TaskPhase::kFailed;
        const std::string said = last_line(fmt::format("{}/out/{}.err", folder, i + 1));
        state.why = fmt::format("ended with {}{}{}", found->second, said.empty() ? "" : ": ", said);
      } else if (found != ended.end() || !alive) {
        state.phase = TaskPhase::kEnded;
      } else {  // the job log does not name running tasks, but tasks start in order
        state.phase = running < at_once(job.board_kind) ? TaskPhase::kRunning : TaskPhase::kQueued;
        ++running;
      }
      result.push_back(std::move(state));
    }
  }
  return result;
}

bool BackgroundExecutor::release(const TaskState& /*task*/) {
  return false;  // this executor holds no tasks
}

void BackgroundExecutor::cancel(const Job& job) {
  const RunProcess run = read_process(folder_of(job));
  if (!run.alive()) return;
  // The process group has GNU parallel, ssh and, in a local submission, the task.
  if (::kill(-run.process, SIGTERM) != 0 && errno != ESRCH) {
    throw_errno(errno, "cannot stop the processes of the submission", job.id);
  }
  for (int i = 0; i < 50 && run.alive(); ++i) ::usleep(100'000);
  if (run.alive()) ::kill(-run.process, SIGTERM);  // GNU parallel needs two signals to stop at once
}

}  // namespace ridgewatt::campaign
