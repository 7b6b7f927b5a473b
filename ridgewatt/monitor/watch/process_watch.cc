#include "ridgewatt/monitor/watch/process_watch.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <tuple>

#include "ridgewatt/base/fd.h"
#include "ridgewatt/base/text.h"

namespace ridgewatt::monitor {
namespace {

std::string content_of(const std::string& path) {
  const OwnedFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  char text[1024];
  const ssize_t count = file ? ::read(file.get(), text, sizeof text) : 0;
  return {text, count > 0 ? static_cast<std::size_t>(count) : 0};
}

// Parses "4096K" of nvmap's lists.
double nvmap_bytes(const std::string& text) {
  const auto kibibytes = parse_double(text.substr(0, text.find_first_not_of("0123456789")));
  return kibibytes.value_or(0) * 1024;
}

}  // namespace

std::optional<ProcessTimes> parse_process(const std::string& stat) {
  const auto open = stat.find('('), close = stat.rfind(')');
  if (open == std::string::npos || close == std::string::npos || close < open) return std::nullopt;
  const auto pid = parse_int(trim(stat.substr(0, open)));
  if (!pid) return std::nullopt;
  static const double tick_s = 1.0 / static_cast<double>(::sysconf(_SC_CLK_TCK));
  static const double page_bytes = static_cast<double>(::sysconf(_SC_PAGESIZE));
  std::istringstream fields(stat.substr(close + 1));
  std::string skipped;
  for (int i = 3; i <= 13; ++i) fields >> skipped;  // state .. cmajflt
  double user = 0, system = 0, pages = 0;
  fields >> user >> system;
  for (int i = 16; i <= 23; ++i) fields >> skipped;  // cutime .. vsize
  if (!(fields >> pages)) return std::nullopt;
  ProcessTimes found;
  found.process.pid = static_cast<int>(*pid);
  found.process.name = stat.substr(open + 1, close - open - 1);
  found.process.memory_bytes = pages * page_bytes;
  found.cpu_s = (user + system) * tick_s;
  return found;
}

// Parses lines "CLIENT NAME PID SIZE", which only root can read. The last line, a total, has no
// PID.
std::map<int, double> ProcessWatch::gpu_memory() const {
  std::map<int, double> bytes;
  std::istringstream lines(sysfs_.text("/sys/kernel/debug/nvmap/iovmm/clients").value_or(""));
  std::string line;
  while (std::getline(lines, line)) {
    std::istringstream fields(line);
    std::string client, name, size;
    int pid = 0;
    if (fields >> client >> name >> pid >> size) bytes[pid] += nvmap_bytes(size);
  }
  return bytes;
}

std::vector<Process> ProcessWatch::look(double now_s) {
  const auto on_gpu = gpu_memory();
  std::map<int, double> times;
  std::vector<Process> processes;
  std::error_code ignored;
  for (std::filesystem::directory_iterator entry(sysfs_.root() + "/proc", ignored), end;
       entry != end; entry.increment(ignored)) {
    const std::string name = entry->path().filename().string();
    if (name.empty() || name[0] < '0' || name[0] > '9') continue;
    const auto found = parse_process(content_of(entry->path().string() + "/stat"));
    if (!found) continue;  // the process has ended
    Process process = found->process;
    const auto before = cpu_s_.find(process.pid);
    if (before != cpu_s_.end() && now_s > last_s_) {
      process.cpu_share = std::max(0.0, found->cpu_s - before->second) / (now_s - last_s_);
    }
    times[process.pid] = found->cpu_s;
    const auto gpu = on_gpu.find(process.pid);
    if (gpu != on_gpu.end()) process.gpu_memory_bytes = gpu->second;
    if (process.gpu_memory_bytes > 0 || process.cpu_share >= kLeastShare) {
      processes.push_back(std::move(process));
    }
  }
  cpu_s_ = std::move(times);
  last_s_ = now_s;
  std::sort(processes.begin(), processes.end(), [](const Process& a, const Process& b) {
    return std::make_tuple(-a.gpu_memory_bytes, -a.cpu_share, a.pid) <
           std::make_tuple(-b.gpu_memory_bytes, -b.cpu_share, b.pid);
  });
  if (processes.size() > kMost) processes.resize(kMost);
  return processes;
}

}  // namespace ridgewatt::monitor
