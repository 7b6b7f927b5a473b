#include "ridgewatt/platform/power_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <limits>

#include "ridgewatt/base/clock.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/fd.h"
#include "ridgewatt/platform/jetson/tegrastats_source.h"
#include "ridgewatt/platform/jetson_identity.h"
#include "ridgewatt/platform/rapl.h"

namespace ridgewatt::platform {
namespace {

constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

// An open file that contains one number.
class NumberFile {
 public:
  explicit NumberFile(const std::string& path)
      : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (!fd_) throw_errno(errno, "cannot open sensor", path);
  }
  double read() const {
    char text[64];
    const ssize_t count = ::pread(fd_.get(), text, sizeof text, 0);
    if (count <= 0) return kNoValue;
    return sensor_number({text, static_cast<std::size_t>(count)}).value_or(kNoValue);
  }

 private:
  OwnedFd fd_;
};

class RailSource : public PowerSource {
 public:
  RailSource(const Sysfs& sysfs, const PowerRails& rails) : rule_(rails.total_rule) {
    if (rails.channels.empty()) throw NotSupportedError(rails.total_note, sysfs.root());
    for (const auto& rail : rails.channels) {
      channels_.push_back({rail.rail, rail.in_total});
      const bool direct = !rail.power_path.empty();
      units_.push_back(direct ? rail.power_unit_w : 1e-6);
      first_.emplace_back(sysfs.host_path(direct ? rail.power_path : rail.voltage_path));
      has_second_.push_back(!direct);
      if (!direct) second_.emplace_back(sysfs.host_path(rail.current_path));
    }
  }
  void read(std::span<double> power_w) override {
    std::size_t second = 0;
    for (std::size_t i = 0; i < channels_.size(); ++i) {
      power_w[i] = first_[i].read() * units_[i];
      if (has_second_[i]) power_w[i] *= second_[second++].read();
    }
  }
  std::string description() const override {
    return rule_.empty() ? "rails without a total" : "rails; total " + rule_;
  }

 private:
  std::string rule_;
  std::vector<double> units_;
  std::vector<NumberFile> first_;   // power, or voltage
  std::vector<NumberFile> second_;  // current, for channels with a voltage file
  std::vector<bool> has_second_;
};

// Power is the difference of the counter between two reads. The first read has no power.
class RaplSource : public PowerSource {
 public:
  RaplSource(const Sysfs& sysfs, const std::vector<RaplZone>& zones) {
    for (const auto& zone : zones) {
      if (zone.error_number != 0) continue;
      channels_.push_back({zone.name, zone.in_total});
      files_.emplace_back(sysfs.host_path(zone.path + "/energy_uj"));
      wrap_j_.push_back(zone.max_energy_j);
    }
    if (files_.empty()) {
      throw NotSupportedError(zones.empty() ? "there are no RAPL power counters"
                                            : "only root can read the RAPL power counters");
    }
    last_j_.assign(files_.size(), kNoValue);
  }
  void read(std::span<double> power_w) override {
    const double now_s = monotonic_s();
    const double elapsed_s = now_s - last_s_;
    for (std::size_t i = 0; i < files_.size(); ++i) {
      const double energy_j = files_[i].read() * 1e-6;
      power_w[i] = rapl_difference_j(last_j_[i], energy_j, wrap_j_[i]) / elapsed_s;
      last_j_[i] = energy_j;
    }
    last_s_ = now_s;
  }
  void begin() override { last_j_.assign(files_.size(), kNoValue); }
  std::string description() const override { return "processor energy through RAPL"; }
  bool tells_means() const override { return true; }

 private:
  std::vector<NumberFile> files_;
  std::vector<double> wrap_j_;
  std::vector<double> last_j_;
  double last_s_ = 0;
};

}  // namespace

std::unique_ptr<PowerSource> open_rails(const Sysfs& sysfs, const PowerRails& rails) {
  return std::make_unique<RailSource>(sysfs, rails);
}

std::unique_ptr<PowerSource> open_power_source(const Sysfs& sysfs) {
  const auto jetson = identify_jetson(sysfs);
  const PowerRails rails = find_power_rails(sysfs, jetson ? jetson->board : "");
  if (!rails.channels.empty()) return open_rails(sysfs, rails);
  std::string reasons = "no rails";
  const auto attempt = [&](auto open) -> std::unique_ptr<PowerSource> {
    try {
      return open();
    } catch (const NotSupportedError& error) {
      reasons += std::string("; ") + error.what();
      return nullptr;
    }
  };
  const bool this_machine = sysfs.root().empty();
  if (this_machine) {
    if (auto source = attempt(open_tegrastats)) return source;
    if (auto source = attempt([] { return open_gpu_power(Nvml::open()); })) {
      return source;
    }
  } else {
    reasons += "; a recorded tree has no NVML";
  }
  if (auto source =
          attempt([&] { return std::make_unique<RaplSource>(sysfs, find_rapl_zones(sysfs)); })) {
    return source;
  }
  throw NotSupportedError("this machine has no power sensor", sysfs.root(),
                          reasons + ": give an external meter's CSV");
}

void PowerMeter::open() {
  if (opened_) return;
  opened_ = true;
  try {
    source_ = open_power_source(sysfs_);
    description_ = source_->description();
  } catch (const Error& error) {
    description_ = std::string("none: ") + error.what();
  }
}

PowerSource* PowerMeter::source() {
  open();
  return source_.get();
}

const std::string& PowerMeter::description() {
  open();
  return description_;
}

double PowerMeter::usable_rate_hz(double asked_hz) {
  open();
  return source_ ? std::min(asked_hz, source_->largest_rate_hz()) : 0;
}

}  // namespace ridgewatt::platform
