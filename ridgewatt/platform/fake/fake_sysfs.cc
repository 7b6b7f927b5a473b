#include "ridgewatt/platform/fake_sysfs.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <utility>

#include "ridgewatt/base/contains.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/fd.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/io/path.h"
#include "ridgewatt/platform/fake/clock_counters.h"
#include "ridgewatt/platform/fake_board.h"
#include "ridgewatt/platform/fake_heat.h"
#include "ridgewatt/platform/fake_load.h"
#include "ridgewatt/platform/jetson_layout.h"

namespace ridgewatt::platform {
namespace {

constexpr const char* kGpuUsed = "/.ridgewatt-fake-gpu-used";

bool has_part(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

// A value of the table. Up: the lowest entry not below `value`; down: the highest not above it.
double round_to(const std::vector<double>& table, double value, bool up) {
  if (table.empty()) return value;
  double best = up ? table.back() : table.front();
  for (const double entry : table) {
    if (up && entry >= value && entry < best) best = entry;
    if (!up && entry <= value && entry > best) best = entry;
  }
  return best;
}

}  // namespace

FakeSysfs::FakeSysfs(const std::string& root, FakeBoardMark board)
    : Sysfs(root), board_(std::move(board)), legacy_(fake_board_spec(board_.name).legacy) {}
FakeSysfs::~FakeSysfs() = default;

void FakeSysfs::rest() const {
  if (!rest_) rest_ = std::make_unique<FakeRest>(*this, board_);
  rest_->set();
}

Sysfs::Text FakeSysfs::read(const std::string& path) const {
  Text result = Sysfs::read(path);
  if (result.text == "!EIO") return {EIO, ""};
  if (result.text == "!EAGAIN") return {EAGAIN, ""};
  if (result.text == "!ENODATA") return {ENODATA, ""};
  if (result.ok() && is_clock_counter(path)) {
    result.text = clock_counter_now(*this, path, result.text);
  }
  if (result.ok() && file_name(path) == "temp" && has_part(path, "/thermal_zone"))
    warm(path, result);
  return result;
}

// Replaces the temperature of a zone that has power, if the board has a thermal model.
void FakeSysfs::warm(const std::string& path, Text& content) const {
  if (heated_ == Heated::kUnknown) {
    heated_ = FakeHeat::open(*this) ? Heated::kYes : Heated::kNo;
  }
  const auto celsius = parse_double(content.text);
  if (heated_ == Heated::kNo || !celsius || *celsius < -200e3) return;
  auto heat = FakeHeat::open(*this);
  if (heat && heat->load_is_gone()) {
    FakeRest(*this, board_).set();  // on a copy, since several threads may read
    heat = FakeHeat::open(*this);
  }
  if (!heat) return;
  const std::string folder = folder_of(path);
  const std::string number = file_name(folder).substr(std::string("thermal_zone").size());
  content.text = heat->zone_text(text(folder + "/type").value_or(""),
                                 static_cast<int>(parse_int(number).value_or(0)));
}

int FakeSysfs::store(const std::string& path, const std::string& value) {
  return overwrite_board_file(host_path(path), value + "\n");
}

int FakeSysfs::write(const std::string& path, std::string_view text) {
  const std::string real = resolve(path);
  struct stat status {};
  if (::stat((root() + real).c_str(), &status) != 0) return errno;
  if ((status.st_mode & 0222) == 0) return EACCES;
  const int error = write_knob(real, std::string(trim(text)));
  if (error == 0) rest();
  return error;
}

int FakeSysfs::write_knob(const std::string& real, const std::string& value) {
  const std::string name = file_name(real);
  if (name == "online") return write_online(real, value);
  if (has_part(real, "/cpufreq/policy")) return write_cpufreq(real, value);
  if (has_part(real, "/devfreq/")) return write_devfreq(real, value);
  if (name == "tpc_pg_mask") return write_tpc_mask(real, value);
  if (name == "control") return value == "on" || value == "auto" ? store(real, value) : EINVAL;
  if (has_part(real, "emc")) return write_emc(real, value);
  return store(real, value);
}

int FakeSysfs::write_online(const std::string& path, const std::string& value) {
  if (value != "0" && value != "1") return EINVAL;
  if (value == "0" && file_name(folder_of(path)) == "cpu0") return EBUSY;
  const int error = store(path, value);
  if (error == 0) update_policies();
  return error;
}

void FakeSysfs::update_policies() {
  const std::string folder = std::string(kCpuFolder) + "/cpufreq";
  for (const auto& name : list(folder)) {
    std::string online;
    for (const double cpu : numbers(folder + "/" + name + "/related_cpus")) {
      if (text(fmt::format("{}/cpu{:.0f}/online", kCpuFolder, cpu)) != "1") continue;
      online += (online.empty() ? "" : " ") + digits_of(cpu);
    }
    const std::string policy = folder + "/" + name;
    const std::string before = text(policy + "/affected_cpus").value_or("");
    if (before == online) continue;
    if (before.empty() || online.empty()) switch_policy(*this, policy);
    store(policy + "/affected_cpus", online);
  }
}

int FakeSysfs::write_limit(const std::string& path, const std::string& folder, const char* minimum,
                           const char* maximum, const std::string& value, const char* table) {
  const auto wanted = parse_double(value);
  if (!wanted || !std::isfinite(*wanted) || *wanted < 0) return EINVAL;
  const bool is_min = file_name(path) == minimum;
  const auto frequencies = numbers(folder + "/" + table);
  double rounded = round_to(frequencies, *wanted, is_min);
  const double other = number(folder + "/" + (is_min ? maximum : minimum)).value_or(rounded);
  if (is_min ? rounded > other : rounded < other) {
    if (legacy_ || has_part(path, "cpufreq")) return EINVAL;
    rounded = other;
  }
  return store(path, digits_of(rounded));
}

void FakeSysfs::update_clock(const std::string& folder, bool cpu) {
  const std::string minimum = folder + (cpu ? "/scaling_min_freq" : "/min_freq");
  const std::string maximum = folder + (cpu ? "/scaling_max_freq" : "/max_freq");
  const double low = number(minimum).value_or(0);
  const double high = number(maximum).value_or(low);
  const auto governor = text(folder + (cpu ? "/scaling_governor" : "/governor")).value_or("");
  double clock = governor == "performance" ? high : low;  // idle
  if (governor == "userspace") {
    const auto request = number(folder + (cpu ? "/scaling_setspeed" : "/userspace/set_freq"));
    clock = std::clamp(request.value_or(low), low, high);
  }
  if (file_name(folder) == "bwmgr") clock = high;
  const std::string current = folder + (cpu ? "/scaling_cur_freq" : "/cur_freq");
  count_clock(*this, folder, cpu, number(current).value_or(clock), clock);
  store(current, digits_of(clock));
}

int FakeSysfs::write_cpufreq(const std::string& path, const std::string& value) {
  const std::string folder = folder_of(path);
  const std::string name = file_name(path);
  if (text(folder + "/affected_cpus").value_or("").empty()) return EBUSY;
  int error = 0;
  if (name == "scaling_governor") {
    const auto known = split(text(folder + "/scaling_available_governors").value_or(""), ' ');
    if (!contains(known, value)) return EINVAL;
    error = store(path, value);
    const std::string setspeed = folder + "/scaling_setspeed";
    if (value == "userspace")
      store(setspeed, text(folder + "/scaling_cur_freq").value_or("0"));
    else
      store(setspeed, "<unsupported>");
  } else if (name == "scaling_setspeed") {
    if (text(folder + "/scaling_governor") != "userspace" || !parse_double(value)) return EINVAL;
    const auto table = numbers(folder + "/scaling_available_frequencies");
    error = store(path, digits_of(round_to(table, *parse_double(value), false)));
  } else {
    error = write_limit(path, folder, "scaling_min_freq", "scaling_max_freq", value,
                        "scaling_available_frequencies");
  }
  if (error == 0) update_clock(folder, true);
  return error;
}

int FakeSysfs::write_devfreq(const std::string& path, const std::string& value) {
  const bool request = file_name(path) == "set_freq";
  const std::string folder = request ? folder_of(folder_of(path)) : folder_of(path);
  int error = 0;
  if (file_name(path) == "governor") {
    const auto known = split(text(folder + "/available_governors").value_or(""), ' ');
    if (!contains(known, value)) return EINVAL;
    error = store(path, value);
  } else if (request) {
    if (text(folder + "/governor") != "userspace" || !parse_double(value)) return EINVAL;
    error = store(path, value);
  } else {
    error = write_limit(path, folder, "min_freq", "max_freq", value, "available_frequencies");
  }
  if (error == 0) update_clock(folder, false);
  return error;
}

int FakeSysfs::write_emc(const std::string& path, const std::string& value) {
  const auto wanted = parse_double(value);
  if (!wanted || !std::isfinite(*wanted)) return EINVAL;
  const std::string debug = "/sys/kernel/debug";
  const bool bpmp = exists(debug + "/bpmp/debug/clk/emc/rate");
  const std::string clock = debug + (bpmp ? "/bpmp/debug/clk/emc" : "/clk/override.emc");
  const std::string rate = clock + (bpmp ? "/rate" : "/clk_rate");
  const std::string lock = clock + (bpmp ? "/mrq_rate_locked" : "/clk_state");
  auto table =
      numbers(bpmp ? debug + "/bpmp/debug/emc/possible_rates" : clock + "/clk_possible_rates");
  if (bpmp) {
    for (double& entry : table) entry *= 1e3;
  }
  std::string cap_path = "/sys/kernel/nvpmodel_clk_cap/emc";
  if (!exists(cap_path)) cap_path = "/sys/kernel/nvpmodel_emc_cap/emc_iso_cap";
  const auto set_rate = [&](double hz) {
    const int error = store(rate, digits_of(hz));
    return error != 0 || bpmp ? error : store(clock + "/clk_update_rate", digits_of(hz));
  };
  const auto allowed = [&](double hz) {
    const double cap = number(cap_path).value_or(0);
    const double limit = cap > 0 && cap < 2147483647 ? cap : table.back();
    return round_to(table, std::min(hz, limit), false);
  };
  if (table.empty()) return EIO;
  const std::string name = file_name(path);
  if (path == cap_path) {
    const int error = store(path, digits_of(*wanted));
    if (error != 0) return error;
    const bool locked = text(lock) == "1";
    return set_rate(allowed(locked ? number(rate).value_or(0) : table.back()));
  }
  if (name == "rate" || name == "clk_update_rate") return set_rate(allowed(*wanted));
  const int error = store(path, value);
  // Without a lock, the bandwidth manager sets the rate: here always the highest.
  if (error == 0 && path == lock && value == "0") return set_rate(allowed(table.back()));
  return error;
}

int FakeSysfs::write_tpc_mask(const std::string& path, const std::string& value) {
  const auto mask = parse_int(value);
  if (!mask || *mask < 0) return EINVAL;
  if (text(path) == digits_of(static_cast<double>(*mask))) return 0;
  if (exists(kGpuUsed)) return EBUSY;  // "golden context created"
  const bool volta = exists("/sys/devices/17000000.gv11b");
  static constexpr std::int64_t kVoltaMasks[] = {0, 1, 2, 4, 8, 5, 6, 9, 10};
  if (volta &&
      std::find(std::begin(kVoltaMasks), std::end(kVoltaMasks), *mask) == std::end(kVoltaMasks)) {
    return EINVAL;
  }
  if (!volta && *mask >= 255) return EINVAL;
  return store(path, value);
}

void FakeSysfs::use_gpu() {
  write_file_atomically(root() + kGpuUsed, "1\n");
}

std::unique_ptr<Sysfs> open_sysfs(const std::string& root) {
  const auto mark = fake_board_mark(root);
  if (mark.name.empty()) return std::make_unique<Sysfs>(root);
  return std::make_unique<FakeSysfs>(root, mark);
}

int overwrite_board_file(const std::string& host_path, const std::string& content) {
  // Written in place: if the writer is killed here, no file exists that a kernel would not have.
  OwnedFd file(::open(host_path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file && errno == EACCES) {
    struct stat status {};
    if (::stat(host_path.c_str(), &status) == 0 &&
        ::chmod(host_path.c_str(), status.st_mode | S_IWUSR) == 0) {
      file = OwnedFd(::open(host_path.c_str(), O_WRONLY | O_CLOEXEC));
      ::chmod(host_path.c_str(), status.st_mode);
    } else {
      errno = EACCES;
    }
  }
  if (!file) return errno;
  const auto size = static_cast<ssize_t>(content.size());
  const bool written = ::pwrite(file.get(), content.data(), content.size(), 0) == size &&
                       ::ftruncate(file.get(), size) == 0;
  return written ? 0 : errno;
}

}  // namespace ridgewatt::platform
