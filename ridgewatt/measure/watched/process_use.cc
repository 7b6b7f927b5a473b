#include "ridgewatt/measure/watched/process_use.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "ridgewatt/base/contains.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/device/runtime.h"
#include "ridgewatt/io/path.h"
#include "ridgewatt/measure/seen_run.h"

namespace ridgewatt::measure {
namespace {

// Empty if the process has ended. Reads with rdbuf, since an iterator over the buffer would throw.
std::string proc_text(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// Fields of a stat file after the name, starting with the state. The name may contain any
// character.
std::vector<std::string> stat_fields(const std::string& path) {
  const std::string text = proc_text(path);
  const auto end = text.rfind(')');
  return end == std::string::npos ? std::vector<std::string>() : words_of(text.substr(end + 1));
}

double number_at(const std::vector<std::string>& fields, std::size_t at) {
  return at < fields.size() ? parse_double(fields[at]).value_or(0) : 0;
}

// The names in a folder of /proc that are numbers.
std::vector<pid_t> numbers_in(const std::string& folder) {
  std::vector<pid_t> numbers;
  std::error_code ignored;
  for (std::filesystem::directory_iterator at(folder, ignored), end; !ignored && at != end;
       at.increment(ignored)) {
    const auto number = parse_int(at->path().filename().string());
    if (number && *number > 0) numbers.push_back(static_cast<pid_t>(*number));
  }
  return numbers;
}

constexpr std::size_t kParentField = 1, kMinorFaultsField = 7, kMajorFaultsField = 9,
                      kUserField = 11, kSystemField = 12;

// Value of a line such as "nr_throttled 12".
double counter_in(const std::string& path, std::string_view name) {
  std::istringstream lines(proc_text(path));
  std::string key;
  double value = 0;
  while (lines >> key >> value) {
    if (key == name) return value;
  }
  return 0;
}

}  // namespace

std::map<pid_t, ProcessUse> process_table() {
  std::map<pid_t, ProcessUse> table;
  for (const pid_t process : numbers_in("/proc")) {
    const auto fields = stat_fields("/proc/" + std::to_string(process) + "/stat");
    if (fields.empty()) continue;
    table[process] = {static_cast<pid_t>(number_at(fields, kParentField)),
                      number_at(fields, kMajorFaultsField),
                      number_at(fields, kMinorFaultsField),
                      {}};
  }
  return table;
}

std::vector<pid_t> process_tree(const std::map<pid_t, ProcessUse>& table, pid_t root) {
  std::vector<pid_t> tree = {root};
  for (std::size_t i = 0; i < tree.size(); ++i) {
    for (const auto& [process, use] : table) {
      const bool known = contains(tree, process);
      if (use.parent == tree[i] && !known) tree.push_back(process);
    }
  }
  if (root == ::getpid() || !table.contains(root)) tree.erase(tree.begin());
  return tree;
}

std::map<pid_t, ThreadUse> threads_of(pid_t process) {
  static const double tick_s = 1.0 / static_cast<double>(::sysconf(_SC_CLK_TCK));
  std::map<pid_t, ThreadUse> threads;
  const std::string folder = "/proc/" + std::to_string(process) + "/task";
  for (const pid_t thread : numbers_in(folder)) {
    const std::string path = folder + "/" + std::to_string(thread);
    const auto fields = stat_fields(path + "/stat");
    if (fields.empty()) continue;
    ThreadUse& use = threads[thread];
    use.cpu_s = tick_s * (number_at(fields, kUserField) + number_at(fields, kSystemField));
    use.blocked = fields.front() == "D";
    // In nanoseconds: running, waiting; then the number of slices.
    const auto scheduled = words_of(proc_text(path + "/schedstat"));
    const bool counts = number_at(scheduled, 0) > 0 || number_at(scheduled, 1) > 0;
    if (!counts) continue;
    use.cpu_s = 1e-9 * number_at(scheduled, 0);
    use.wait_s = 1e-9 * number_at(scheduled, 1);
  }
  return threads;
}

// Parses "cpu USER NICE SYSTEM IDLE IOWAIT IRQ SOFTIRQ ..", in ticks.
std::optional<MachineUse> read_machine_use() {
  const auto fields = words_of(proc_text("/proc/stat"));
  constexpr std::size_t kSoftIrq = 7, kIdle = 4, kIoWait = 5;
  if (fields.size() <= kSoftIrq || fields.front() != "cpu") return {};
  MachineUse use;
  for (std::size_t i = 1; i <= kSoftIrq; ++i) {
    if (i != kIdle && i != kIoWait) use.busy_s += number_at(fields, i);
  }
  use.busy_s /= static_cast<double>(::sysconf(_SC_CLK_TCK));
  const std::string counters = "/proc/vmstat";
  use.swap_bytes = (counter_in(counters, "pswpin") + counter_in(counters, "pswpout")) *
                   static_cast<double>(::sysconf(_SC_PAGESIZE));
  return use;
}

std::optional<double> quota_of(const std::string& cpu_max) {
  const auto words = words_of(cpu_max);
  if (words.size() != 2) return {};
  const auto quota = parse_double(words[0]), period = parse_double(words[1]);
  if (!quota || !period || !(*quota > 0) || !(*period > 0)) return {};
  return *quota / *period;
}

// Examples: "0::/user.slice" (version 2), "4:cpu,cpuacct:/docker/1f" (version 1).
std::string cpu_group_of(const std::string& line) {
  const auto parts = split(line, ':');
  if (parts.size() < 3 || !parts[2].starts_with('/')) return {};
  if (parts[1].empty()) return parts[0] == "0" ? parts[2] : std::string();
  const auto names = split(parts[1], ',');
  const bool cpu = contains(names, "cpu");
  return cpu ? "/" + parts[1] + parts[2] : std::string();
}

namespace {

// The limit in the format of cpu.max (version 2). Empty if there is no such group.
std::string cpu_limit(const std::string& folder) {
  const std::string limit = proc_text(folder + "/cpu.max");
  if (!limit.empty()) return limit;
  const std::string quota = proc_text(folder + "/cpu.cfs_quota_us");
  return quota.empty() ? quota : quota + " " + proc_text(folder + "/cpu.cfs_period_us");
}

}  // namespace

// Checks all groups from that of the process up to the visible root.
std::optional<CpuQuota> read_cpu_quota(pid_t process) {
  std::optional<CpuQuota> found;
  std::istringstream lines(proc_text("/proc/" + std::to_string(process) + "/cgroup"));
  std::string line;
  while (std::getline(lines, line)) {
    std::string last;
    for (std::string group = cpu_group_of(line); group != last; group = folder_of(last)) {
      last = group;
      const std::string folder = "/sys/fs/cgroup" + group;
      const std::string limit = cpu_limit(folder);
      if (limit.empty()) continue;
      if (!found) found.emplace();
      const auto cores = quota_of(limit);
      if (!cores || (found->cores && *found->cores <= *cores)) continue;
      found->cores = cores;
      found->periods = counter_in(folder + "/cpu.stat", "nr_periods");
      found->stopped = counter_in(folder + "/cpu.stat", "nr_throttled");
    }
  }
  return found;
}

std::optional<int> allowed_cpus(pid_t process) {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(process, sizeof set, &set) != 0) return {};
  return CPU_COUNT(&set);
}

static_assert(std::all_of(kRuntimeRows.begin(), kRuntimeRows.end(),
                          [](const RuntimeRow& row) {
                            return std::any_of(
                                std::begin(kKnownLibraries), std::end(kKnownLibraries),
                                [&](const auto& known) { return known.name == row.library; });
                          }),
              "a runtime's library is not known: measure/seen_run.h");

std::string maps_of(pid_t process) {
  return proc_text("/proc/" + std::to_string(process) + "/maps");
}

std::optional<std::vector<std::string>> libraries_in(const std::string& maps) {
  if (maps.empty()) return {};
  std::vector<std::string> names;
  for (const auto& [name, file] : kKnownLibraries) {
    const bool known = contains(names, name);
    if (!known && maps.find(file) != std::string::npos) names.emplace_back(name);
  }
  return names;
}

// Ends of the names of files of profilers; 0 is any digit. ONNX Runtime writes
// PREFIX_2026-11-28_09-30-00.json; since 1.30 with milliseconds.
constexpr std::string_view kProfileNames[] = {"_0000-00-00_00-00-00.json",
                                              "_0000-00-00_00-00-00_000.json",
                                              ".trace.json",
                                              "_trace.json",
                                              "/trace.json",
                                              ".nsys-rep",
                                              ".qdstrm",
                                              ".pftrace",
                                              ".etl"};

bool is_profile_file(const std::string& path) {
  return std::ranges::any_of(kProfileNames, [&](std::string_view form) {
    if (path.size() < form.size()) return false;
    const std::string_view end = std::string_view(path).substr(path.size() - form.size());
    return std::ranges::equal(end, form, [](char is, char wanted) {
      return wanted == '0' ? is >= '0' && is <= '9' : is == wanted;
    });
  });
}

namespace {

// The permissions of a link in /proc/PID/fd are those with which the file was opened.
bool is_open_for_writing(const std::filesystem::path& link) {
  std::error_code gone;
  const auto allowed = std::filesystem::symlink_status(link, gone).permissions();
  return !gone && (allowed & std::filesystem::perms::owner_write) != std::filesystem::perms::none;
}

}  // namespace

std::optional<int> profile_files(pid_t process) {
  std::error_code error;
  std::filesystem::directory_iterator at("/proc/" + std::to_string(process) + "/fd", error), end;
  if (error) return {};
  int count = 0;
  for (; !error && at != end; at.increment(error)) {
    std::error_code gone;
    const std::string path = std::filesystem::read_symlink(at->path(), gone).string();
    if (is_profile_file(path) && is_open_for_writing(at->path())) ++count;
  }
  return count;
}

std::optional<int> threads_set(pid_t process) {
  const std::string text = proc_text("/proc/" + std::to_string(process) + "/environ");
  for (const std::string& word : split(text, '\0')) {
    for (const std::string_view name :
         {"OMP_NUM_THREADS=", "MKL_NUM_THREADS=", "OPENBLAS_NUM_THREADS="}) {
      if (!word.starts_with(name)) continue;
      const auto number = parse_int(word.substr(name.size()));
      if (number && *number > 0) return static_cast<int>(*number);
    }
  }
  return {};
}

}  // namespace ridgewatt::measure
