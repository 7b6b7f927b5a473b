#include "ridgewatt/campaign/slurm/slurm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <ctime>
#include <map>
#include <set>

#include "ridgewatt/base/environment.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/campaign/engine/last_line.h"
#include "ridgewatt/campaign/engine/program.h"
#include "ridgewatt/device/board_names.h"
#include "ridgewatt/io/shell.h"

namespace ridgewatt::campaign {
namespace {

constexpr const char* kBeginTime = "BeginTime";

// Checks a word of an #SBATCH line. sbatch splits such lines at blanks and interprets quotes.
void check_sbatch_word(const std::string& word, const char* option) {
  const bool good = std::all_of(word.begin(), word.end(), [](unsigned char c) {
    return c > 0x20 && c < 0x7f && c != '\'' && c != '"' && c != '\\' && c != '#';
  });
  if (good) return;
  throw UsageError(fmt::format("{} has a blank, a quote or another special character", option),
                   word, "sbatch would read it as several words");
}

std::string joined(const std::vector<std::string>& hosts) {
  std::string list;
  for (const auto& host : hosts) list += (list.empty() ? "" : ",") + host;
  return list;
}

// Slurm appends marks to a state: '*' means that the node does not respond; '~', '#', '!', '%',
// '$', '@', '^', '-' and '+' concern power and reservations.
bool may_get_tasks(const std::string& state) {
  static const std::set<std::string> kWorks = {"idle",    "allocated", "mixed", "completing",
                                               "planned", "reserved",  "maint", "blocked"};
  const auto end = state.find_first_not_of("abcdefghijklmnopqrstuvwxyz");
  const bool silent = end != std::string::npos && state[end] == '*';
  return !silent && kWorks.contains(state.substr(0, end));
}

// For example, "board:agx_orin:1(S:0),gpu:1" contains boards of the type agx_orin.
bool has_gres(const std::string& gres, const std::string& type) {
  for (const auto& one : split(gres, ',')) {
    const auto parts = split(one.substr(0, one.find('(')), ':');
    if (parts.size() >= 2 && parts[0] == "board" && parts[1] == type) return true;
  }
  return false;
}

std::string job_name(const std::string& campaign, const std::string& board_kind) {
  return campaign + "/" + board_kind;
}

std::string sbatch_lines(const Order& order, const ExecutorOptions& options,
                         const std::vector<int>& tasks) {
  std::string lines;
  const auto add = [&](const std::string& word) { lines += "#SBATCH " + word + "\n"; };
  add("--job-name=" + job_name(order.campaign, order.board_kind));
  add("--array=" + ranges_text(tasks));
  add(fmt::format("--gres=board:{}:1", gres_type(order.board_kind)));
  add("--nodes=1");
  add("--ntasks=1");
  add("--requeue");
  add("--open-mode=append");
  add("--output=" + (options.logs.empty() ? "/dev/null" : options.logs + "/%A_%a.log"));
  if (const int minutes = limit_minutes(order, options)) add(fmt::format("--time={}", minutes));
  if (!options.partition.empty()) add("--partition=" + options.partition);
  if (!options.account.empty()) add("--account=" + options.account);
  if (!order.avoid.empty()) add("--exclude=" + joined(order.avoid));
  for (const auto& option : options.sbatch_options) add(option);
  return lines;
}

std::string task_line(const Task& task) {
  std::string line = fmt::format("{}) task", task.number);
  for (const auto& point : task.points) line += " --point " + shell_quoted(point_text(point));
  return line + " ;;\n";
}

// Without a folder that all boards share, each board writes the output of its tasks to a local
// file.
std::string log_lines(const Order& order, const ExecutorOptions& options) {
  if (!options.logs.empty()) return "";
  return "folder=${XDG_STATE_HOME:-${HOME:-/tmp}/.local/state}/ridgewatt/campaign\n"
         "if mkdir -p \"$folder\"; then exec >>\"$folder\"/" +
         shell_quoted(order.campaign + ".log") +
         " 2>&1; fi\n"
         "echo \"job ${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID on $(date -u +%FT%TZ)\"\n";
}

std::string script_text(const Order& order, const ExecutorOptions& options,
                        const std::vector<int>& tasks, const std::string& lines) {
  std::vector<std::string> command = {"--"};
  command.insert(command.end(), order.command.begin(), order.command.end());
  return "#!/bin/sh\n" + sbatch_lines(order, options, tasks) +
         shell_comment(fmt::format("Campaign {}, boards of the kind {}. Each element of the array "
                                   "measures the points of its line.",
                                   order.campaign, order.board_kind)) +
         "\n" + log_lines(order, options) + "task() {\n  exec " + shell_line(order.arguments) +
         " \\\n    \"$@\" " + shell_line(command) + "\n}\ncase \"$SLURM_ARRAY_TASK_ID\" in\n" +
         lines + "*) echo \"no task '$SLURM_ARRAY_TASK_ID'\" >&2; exit 1 ;;\nesac\n";
}

// Joins the parts of the job's comment, which may itself contain the separator.
std::string join_rest(const std::vector<std::string>& fields, std::size_t first) {
  std::string text;
  for (std::size_t i = first; i < fields.size(); ++i) text += (i == first ? "" : "|") + fields[i];
  return text == "(null)" ? "" : text;
}

TaskPhase phase_of(const std::string& state, const std::string& reason) {
  static const std::set<std::string> kWaits = {"PENDING", "REQUEUED", "RESV_DEL_HOLD"};
  static const std::set<std::string> kRuns = {"RUNNING",   "CONFIGURING", "COMPLETING", "STAGE_OUT",
                                              "SIGNALING", "RESIZING",    "STOPPED"};
  const bool held = reason == kBeginTime || reason.find("Hold") != std::string::npos ||
                    reason.find("Held") != std::string::npos ||
                    reason.find("held") != std::string::npos;
  if (kWaits.contains(state)) return held ? TaskPhase::kHeld : TaskPhase::kQueued;
  if (kRuns.contains(state)) return TaskPhase::kRunning;
  if (state == "REQUEUE_HOLD" || state == "SPECIAL_EXIT" || state == "SUSPENDED") {
    return TaskPhase::kHeld;
  }
  return state == "COMPLETED" ? TaskPhase::kEnded : TaskPhase::kFailed;
}

}  // namespace

std::string gres_type(const std::string& board_kind) {
  std::string type = fake_name(board_kind).value_or(board_kind);
  for (char& c : type) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return type;
}

int limit_minutes(const Order& order, const ExecutorOptions& options) {
  return static_cast<int>(std::ceil(std::min(task_limit_s(order, options), 3.15e7) / 60));
}

std::vector<SlurmScript> slurm_scripts(const Order& order, const ExecutorOptions& options,
                                       std::size_t most_bytes) {
  for (const auto& option : options.sbatch_options) check_sbatch_word(option, "--sbatch-option");
  check_sbatch_word(options.partition, "--partition");
  check_sbatch_word(options.account, "--account");
  check_sbatch_word(options.logs, "--logs");
  std::vector<SlurmScript> scripts;
  std::vector<int> tasks;
  std::string lines;
  const auto finish = [&] {
    if (!tasks.empty()) scripts.push_back({script_text(order, options, tasks, lines), tasks});
    tasks.clear();
    lines.clear();
  };
  for (const auto& task : order.tasks) {
    const std::string line = task_line(task);
    if (lines.size() + line.size() > most_bytes) finish();
    lines += line;
    tasks.push_back(task.number);
  }
  finish();
  return scripts;
}

std::vector<TaskState> parse_squeue(const std::string& text, const std::string& name) {
  std::vector<TaskState> states;
  for (const auto& line : split(text, '\n')) {
    const auto fields = split(line, '|');
    if (fields.size() < 7 || fields[5] != name) continue;
    const auto job = parse_int(fields[0]);
    const auto task = parse_int(fields[1]);
    if (!job || !task || *task < 0) continue;  // not an element of an array
    TaskState state;
    state.job = fields[0];
    state.task = static_cast<int>(*task);
    state.phase = phase_of(fields[2], fields[3]);
    state.node = fields[4];
    if (state.phase == TaskPhase::kHeld) state.why = fields[3];
    if (state.phase == TaskPhase::kFailed) {
      state.why = fields[2] + (fields[3] == "None" ? "" : ", " + fields[3]);
    }
    const std::string comment = join_rest(fields, 6);
    if (!state.why.empty() && !comment.empty()) state.why += ": " + comment;
    states.push_back(std::move(state));
  }
  return states;
}

std::vector<EngineNode> parse_sinfo(const std::string& text,
                                    const std::vector<std::string>& board_kinds) {
  std::vector<EngineNode> nodes;
  std::set<std::string> seen;
  for (const auto& line : split(text, '\n')) {
    const auto fields = split(line, '|');
    if (fields.size() < 4 || fields[0].empty() || !seen.insert(fields[0]).second) continue;
    for (const auto& kind : board_kinds) {
      if (!has_gres(fields[2], gres_type(kind))) continue;
      const std::string reason = join_rest(fields, 3);
      nodes.push_back(
          {fields[0], kind, may_get_tasks(fields[1]), fields[1], reason == "none" ? "" : reason});
    }
  }
  return nodes;
}

void leave_comment(const std::string& line) {
  const auto job = environment_variable("SLURM_JOB_ID");
  if (!job || !parse_int(*job)) return;
  std::string text = line.substr(0, 300);
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c > 0x7e; }, ' ');
  try {
    run_program({"scontrol", "update", "JobId=" + *job, "Comment=" + text}, "", 10);
  } catch (const Error&) {  // the log also reports the error
  }
}

SlurmExecutor::SlurmExecutor(std::string campaign, const ExecutorOptions& options)
    : campaign_(std::move(campaign)), options_(options) {
  if (!options.hosts.empty() || !options.ssh.empty()) {
    throw UsageError(
        "--host and --ssh have no effect with --executor slurm, which selects the boards itself",
        "", "omit them");
  }
}

std::string SlurmExecutor::preview(const Order& order) {
  std::string text;
  for (const auto& script : slurm_scripts(order, options_)) text += script.text;
  return text;
}

std::vector<Job> SlurmExecutor::submit(const Order& order) {
  std::vector<Job> jobs;
  for (const auto& script : slurm_scripts(order, options_)) {
    const std::string answer = ask_program({"sbatch", "--parsable"}, script.text);
    const std::string id(trim(answer.substr(0, answer.find_first_of(";\n"))));
    if (!parse_int(id))
      throw IoError("the output of sbatch has no job number", answer.substr(0, 200));
    jobs.push_back({name(), order.board_kind, id, script.tasks, std::time(nullptr), order.avoid});
  }
  return jobs;
}

std::vector<TaskState> SlurmExecutor::states(const std::vector<Job>& jobs) {
  std::vector<TaskState> result;
  if (jobs.empty()) return result;
  std::map<std::string, std::map<int, TaskState>> known;
  const auto text =
      ask_program({"squeue", "--me", "-h", "-r", "--states=all", "-o", kSqueueFormat});
  std::set<std::string> kinds;
  for (const auto& job : jobs) kinds.insert(job.board_kind);
  for (const auto& kind : kinds) {
    for (auto& state : parse_squeue(text, job_name(campaign_, kind))) {
      known[state.job][state.task] = state;
    }
  }
  for (const auto& job : jobs) {
    const auto& of_job = known[job.id];
    for (const int task : job.tasks) {
      const auto found = of_job.find(task);
      TaskState state = found != of_job.end() ? found->second : TaskState();
      if (found == of_job.end()) state.phase = TaskPhase::kEnded;
      state.job = job.id;
      state.task = task;
      state.board_kind = job.board_kind;
      if (state.phase == TaskPhase::kFailed && !options_.logs.empty()) {
        const std::string line =
            last_line(fmt::format("{}/{}_{}.log", options_.logs, job.id, task));
        if (!line.empty()) state.why += ": " + line;
      }
      result.push_back(std::move(state));
    }
  }
  return result;
}

bool SlurmExecutor::release(const TaskState& task) {
  const std::string id = fmt::format("{}_{}", task.job, task.task);
  if (task.why.starts_with(kBeginTime)) {
    return run_program({"scontrol", "update", "JobId=" + id, "StartTime=now"}).status == 0;
  }
  return run_program({"scontrol", "release", id}).status == 0;
}

// Cancels only tasks that wait; a task that already runs continues.
void SlurmExecutor::drop(const TaskState& task) {
  run_program({"scancel", "--state=PENDING", fmt::format("{}_{}", task.job, task.task)});
}

std::vector<EngineNode> SlurmExecutor::nodes(const std::vector<std::string>& board_kinds) {
  std::vector<std::string> words = {"sinfo", "-h", "-N", "-o", kSinfoFormat};
  if (!options_.partition.empty()) words.push_back("--partition=" + options_.partition);
  return parse_sinfo(ask_program(words), board_kinds);
}

bool SlurmExecutor::set_aside(const Job& job, const std::vector<std::string>& hosts) {
  return run_program({"scontrol", "update", "JobId=" + job.id, "ExcNodeList=" + joined(hosts)})
             .status == 0;
}

void SlurmExecutor::cancel(const Job& job) {
  const auto answer = run_program({"scancel", job.id});
  const bool gone = answer.errors.find("Invalid job id") != std::string::npos;
  if (answer.status != 0 && !gone) throw IoError("cannot cancel job " + job.id, answer.line());
}

}  // namespace ridgewatt::campaign
