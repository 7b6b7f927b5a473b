#include "ridgewatt/platform/fake/clock_counters.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <optional>

#include "ridgewatt/base/text.h"
#include "ridgewatt/platform/fake_sysfs.h"

namespace ridgewatt::platform {
namespace {

constexpr const char* kCpuCounter = "/stats/time_in_state";
constexpr const char* kDevfreqCounter = "/trans_stat";
constexpr std::int64_t kSecondNs = 1'000'000'000;

struct Counter {
  bool cpu = false;
  std::vector<double> clocks;
  std::vector<std::int64_t> times;               // in units of unit_ns()
  std::vector<std::vector<std::int64_t>> moves;  // devfreq only: transitions, by old and new clock

  std::int64_t unit_ns() const { return cpu ? 10'000'000 : 1'000'000; }
  std::optional<std::size_t> find(double clock) const {
    const auto found = std::find(clocks.begin(), clocks.end(), clock);
    if (found == clocks.end()) return std::nullopt;
    return static_cast<std::size_t>(found - clocks.begin());
  }
};

std::string text_of(const Counter& counter, double current) {
  std::string text;
  if (counter.cpu) {
    for (std::size_t i = 0; i < counter.clocks.size(); ++i) {
      text += fmt::format("{}{:.0f} {}", i > 0 ? "\n" : "", counter.clocks[i], counter.times[i]);
    }
    return text;
  }
  text = "     From  :   To\n           :";
  for (const double clock : counter.clocks) text += fmt::format("{:10.0f}", clock);
  text += "   time(ms)\n";
  std::int64_t total = 0;
  for (std::size_t i = 0; i < counter.clocks.size(); ++i) {
    text += fmt::format("{}{:10.0f}:", counter.clocks[i] == current ? '*' : ' ', counter.clocks[i]);
    for (const std::int64_t count : counter.moves[i]) {
      text += fmt::format("{:10}", count);
      total += count;
    }
    text += fmt::format("{:10}\n", counter.times[i]);
  }
  return text + fmt::format("Total transition : {}", total);
}

// Parses the output of text_of.
Counter counter_of(const std::string& text, bool cpu) {
  Counter counter{cpu, {}, {}, {}};
  const auto whole = [](const std::string& word) { return parse_int(word).value_or(0); };
  for (const auto& line : split(text, '\n')) {
    const auto colon = line.find(':');
    const auto words = words_of(cpu ? line : line.substr(colon + 1));
    const auto name = cpu || colon == std::string::npos ? "" : line.substr(0, colon);
    const auto clock = parse_double(cpu ? (words.empty() ? "" : words[0])
                                        : trim(name).substr(trim(name).starts_with('*') ? 1 : 0));
    if (!clock || words.empty()) continue;
    counter.clocks.push_back(*clock);
    counter.times.push_back(whole(words.back()));
    if (cpu) continue;
    counter.moves.emplace_back();
    for (std::size_t i = 0; i + 1 < words.size(); ++i)
      counter.moves.back().push_back(whole(words[i]));
  }
  for (auto& row : counter.moves) row.resize(counter.clocks.size());
  return counter;
}

std::int64_t now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);  // the clock of file times
  return now.tv_sec * kSecondNs + now.tv_nsec;
}

std::int64_t written_ns(const std::string& host_path) {
  struct stat status {};
  if (::stat(host_path.c_str(), &status) != 0) return now_ns();
  return status.st_mtim.tv_sec * kSecondNs + status.st_mtim.tv_nsec;
}

// Adds the whole units since the file was written. Returns the time up to which it has counted.
std::int64_t add_time(Counter& counter, const std::string& host_path, double clock) {
  const std::int64_t since_ns = written_ns(host_path);
  const auto at = counter.find(clock);
  const std::int64_t units = std::max<std::int64_t>(0, now_ns() - since_ns) / counter.unit_ns();
  if (at) counter.times[*at] += units;
  return since_ns + units * counter.unit_ns();
}

// A policy without an online CPU has no clock.
bool runs(const Sysfs& sysfs, const std::string& folder, bool cpu) {
  return !cpu || !sysfs.text(folder + "/affected_cpus").value_or("").empty();
}

// The remainder of less than a unit, since `until_ns`, counts next time.
void write_counter(const std::string& host_path, const std::string& text, std::int64_t until_ns) {
  if (overwrite_board_file(host_path, text + "\n") != 0) return;
  const timespec until{until_ns / kSecondNs, until_ns % kSecondNs};
  const timespec times[2] = {until, until};
  ::utimensat(AT_FDCWD, host_path.c_str(), times, 0);
}

std::string zero(Counter counter) {
  counter.times.assign(counter.clocks.size(), 0);
  counter.moves.assign(counter.clocks.size(), std::vector<std::int64_t>(counter.clocks.size(), 0));
  return text_of(counter, 0);
}

}  // namespace

std::string new_time_in_state(const std::vector<double>& clocks_khz) {
  return zero({true, clocks_khz, {}, {}});
}

std::string new_trans_stat(const std::vector<double>& clocks_hz) {
  return zero({false, clocks_hz, {}, {}});
}

bool is_clock_counter(std::string_view path) {
  return path.ends_with(kCpuCounter) || path.ends_with(kDevfreqCounter);
}

std::string clock_counter_now(const Sysfs& sysfs, const std::string& path,
                              const std::string& stored) {
  const bool cpu = path.ends_with(kCpuCounter);
  const std::string folder =
      path.substr(0, path.size() - std::string_view(cpu ? kCpuCounter : kDevfreqCounter).size());
  Counter counter = counter_of(stored, cpu);
  const double clock = sysfs.number(folder + (cpu ? "/scaling_cur_freq" : "/cur_freq")).value_or(0);
  if (runs(sysfs, folder, cpu)) add_time(counter, sysfs.host_path(path), clock);
  return text_of(counter, clock);
}

void count_clock(const Sysfs& sysfs, const std::string& folder, bool cpu, double from, double to) {
  if (from == to) return;
  const std::string path = folder + (cpu ? kCpuCounter : kDevfreqCounter);
  if (!sysfs.exists(path)) return;
  const std::string host_path = sysfs.host_path(path);
  Counter counter = counter_of(sysfs.Sysfs::read(path).text, cpu);
  const std::int64_t until_ns =
      runs(sysfs, folder, cpu) ? add_time(counter, host_path, from) : now_ns();
  const auto first = counter.find(from), second = counter.find(to);
  if (!cpu && first && second) ++counter.moves[*first][*second];
  write_counter(host_path, text_of(counter, to), until_ns);
}

void switch_policy(const Sysfs& sysfs, const std::string& folder) {
  const std::string path = folder + kCpuCounter;
  if (!sysfs.exists(path)) return;
  const std::string host_path = sysfs.host_path(path);
  const double clock = sysfs.number(folder + "/scaling_cur_freq").value_or(0);
  Counter counter = counter_of(sysfs.Sysfs::read(path).text, true);
  if (runs(sysfs, folder, true)) add_time(counter, host_path, clock);
  write_counter(host_path, text_of(counter, clock), now_ns());
}

}  // namespace ridgewatt::platform
