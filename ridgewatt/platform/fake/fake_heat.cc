#include "ridgewatt/platform/fake_heat.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <set>

#include "ridgewatt/base/clock.h"
#include "ridgewatt/base/environment.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/platform/fake_load.h"
#include "ridgewatt/platform/fake_sysfs.h"
#include "ridgewatt/thermal/random_board.h"

namespace ridgewatt::platform {
namespace {

constexpr const char* kHeatSpec = "/.ridgewatt-fake-heat";
constexpr const char* kHeatState = "/.ridgewatt-fake-heat-state";
constexpr const char* kThermalFolder = "/sys/class/thermal";
constexpr double kZoneStepK = 0.5, kHysteresisK = 2;
constexpr double kUsualFan = 80.0 / 255;  // initial fan setting of fake boards
constexpr double kWriteFilesS = 0.2;

struct HeatNumber {
  const char* name;
  double FakeHeatSpec::*field;
  double lowest, highest;
};
constexpr std::array kHeatNumbers = {HeatNumber{"ambient", &FakeHeatSpec::ambient_celsius, -40, 90},
                                     HeatNumber{"scale", &FakeHeatSpec::scale, 0.1, 1000},
                                     HeatNumber{"cooling", &FakeHeatSpec::cooling, 0.05, 20},
                                     HeatNumber{"trip", &FakeHeatSpec::trip_celsius, 30, 104},
                                     HeatNumber{"limit", &FakeHeatSpec::limit_w, 0, 1e4}};

void put_number(const Sysfs& sysfs, const std::string& path, long value) {
  overwrite_board_file(sysfs.host_path(path), fmt::format("{}\n", value));
}

// Constants that follow from the design power of the module and the seed.
thermal::ThermalModel heat_constants(const FakeBoardMark& mark, double cooling) {
  const double design_w = load_board(board_of_fake(mark.name)).power_limit_w.value_or(20);
  Random random = Random(mark.seed).fork(3);
  thermal::ThermalModel model = thermal::random_thermal_model(random, design_w, kUsualFan);
  model.still_w_per_k *= cooling;
  model.fan_w_per_k *= cooling;
  return model;
}

// Content of the heat file: the spec in the first line, the constants in the second.
struct HeatFile {
  FakeHeatSpec spec;
  thermal::ThermalModel model;
};

std::optional<HeatFile> read_heat_file(const Sysfs& sysfs) {
  if (sysfs.root().empty()) return std::nullopt;  // a real machine
  const auto text = sysfs.text(kHeatSpec);
  if (!text) return std::nullopt;
  const std::string where = sysfs.root() + kHeatSpec;
  const auto lines = split(*text, '\n');
  const auto spec = FakeHeatSpec::parse(lines[0], where);
  std::array<double, 6> numbers{};
  const auto words = lines.size() == 2 ? words_of(lines[1]) : std::vector<std::string>{};
  bool whole = spec && words.size() == numbers.size();
  for (std::size_t i = 0; whole && i < numbers.size(); ++i) {
    const auto number = parse_double(words[i]);
    whole = number.has_value();
    numbers[i] = number.value_or(0);
  }
  if (!whole)
    throw InputError("is not the heat file of a fake board", where,
                     "create the fake board again with `ridgewatt fake-board`");
  const HeatFile file{*spec,
                      {numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5]}};
  file.model.check();
  return file;
}

std::string soctherm_folder(const Sysfs& sysfs) {
  for (const auto& chip : sysfs.list("/sys/class/hwmon")) {
    const std::string path = "/sys/class/hwmon/" + chip;
    if (sysfs.text(path + "/name") == "soctherm_oc") return path;
  }
  return "";
}

}  // namespace

std::optional<FakeHeatSpec> FakeHeatSpec::parse(const std::string& text, const std::string& where) {
  if (trim(text).empty()) return std::nullopt;
  FakeHeatSpec spec;
  std::set<std::string> seen;
  for (const auto& part : split(text, ',')) {
    const auto equals = part.find('=');
    const std::string name(trim(part.substr(0, equals)));
    const std::string value(equals == std::string::npos ? "" : trim(part.substr(equals + 1)));
    const HeatNumber* number = nullptr;
    for (const auto& known : kHeatNumbers) {
      if (name == known.name) number = &known;
    }
    if (number == nullptr) {
      throw UsageError(fmt::format("'{}' is not a key of a fake board's heat", name), where,
                       "use ambient, scale, cooling, trip or limit");
    }
    if (!seen.insert(name).second) {
      throw UsageError(fmt::format("{} of the fake board is given twice", name), where);
    }
    const auto parsed = parse_double(value);
    if (!parsed || !(*parsed >= number->lowest && *parsed <= number->highest)) {
      throw UsageError(fmt::format("{} of the fake board is '{}'", name, value), where,
                       fmt::format("must be {} to {}", number->lowest, number->highest));
    }
    spec.*number->field = *parsed;
  }
  return spec;
}

std::string FakeHeatSpec::text() const {
  std::string text;
  for (const auto& number : kHeatNumbers) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", number.name,
                        format_exact(this->*number.field));
  }
  return text;
}

std::optional<FakeHeatSpec> fake_heat_of_environment() {
  constexpr const char* kVariable = "RIDGEWATT_FAKE_HEAT";
  return FakeHeatSpec::parse(environment_variable(kVariable).value_or(""), kVariable);
}

void heat_fake_board(const std::string& folder, const std::optional<FakeHeatSpec>& spec) {
  if (!spec) return;
  const thermal::ThermalModel m = heat_constants(fake_board_mark(folder), spec->cooling);
  write_file_atomically(
      folder + kHeatSpec,
      fmt::format("{}\n{} {} {} {} {} {}\n", spec->text(), format_exact(m.junction_sink_k_per_w),
                  format_exact(m.junction_j_per_k), format_exact(m.sink_j_per_k),
                  format_exact(m.still_w_per_k), format_exact(m.fan_w_per_k),
                  format_exact(m.leakage_per_k)));
  const auto sysfs = open_sysfs(folder);
  for (const auto& name : sysfs->list(kThermalFolder)) {
    if (name.rfind("thermal_zone", 0) != 0) continue;
    const std::string zone = folder + kThermalFolder + "/" + name;
    write_file_atomically(zone + "/trip_point_1_type", "passive\n");
    write_file_atomically(zone + "/trip_point_1_temp",
                          fmt::format("{:.0f}\n", spec->trip_celsius * 1e3));
    write_file_atomically(zone + "/trip_point_1_hyst", fmt::format("{:.0f}\n", kHysteresisK * 1e3));
  }
  FakeRest(*sysfs, fake_board_mark(folder)).set();
}

double heat_time_scale(const Sysfs& sysfs) {
  const auto file = read_heat_file(sysfs);
  return file ? file->spec.scale : 1;
}

std::optional<FakeHeat> FakeHeat::open(const Sysfs& sysfs) {
  const auto file = read_heat_file(sysfs);
  if (!file) return std::nullopt;
  FakeHeat heat(sysfs);
  heat.spec_ = file->spec;
  heat.model_ = file->model;
  if (!heat.read_state()) {
    // Not used since the machine was booted: the board is at ambient temperature.
    heat.state_.time_s = monotonic_s();
    heat.state_.at = {file->spec.ambient_celsius, file->spec.ambient_celsius};
    heat.state_.fan = heat.fan();
    heat.new_ = true;
  }
  heat.throttle_ =
      thermal::Throttle(heat.rules(), heat.state_.heat_steps, heat.state_.current_steps);
  heat.looked_s_ = heat.state_.time_s;
  return heat;
}

thermal::ThrottleRules FakeHeat::rules() const {
  thermal::ThrottleRules rules;
  rules.trip_celsius = spec_.trip_celsius;
  rules.hysteresis_k = kHysteresisK;
  if (spec_.limit_w > 0) rules.power_limit_w = spec_.limit_w;
  rules.most_steps = 40;
  return rules;
}

// Returns false if the state is incomplete or from before the machine was booted.
bool FakeHeat::read_state() {
  const auto numbers = sysfs_->numbers(kHeatState);
  if (numbers.size() != 9 || numbers[0] > monotonic_s() + 1) return false;
  state_ = {numbers[0],
            {numbers[1], numbers[2]},
            numbers[3],
            numbers[4],
            static_cast<int>(numbers[5]),
            static_cast<int>(numbers[6]),
            static_cast<long>(numbers[7]),
            static_cast<long>(numbers[8])};
  return true;
}

void FakeHeat::write_state() const {
  const State& s = state_;
  const std::string text = fmt::format("{:.9f} {:.9g} {:.9g} {:.9g} {:.6g} {} {} {} {}\n", s.time_s,
                                       s.at.junction_celsius, s.at.sink_celsius, s.power_w, s.fan,
                                       s.heat_steps, s.current_steps, s.events, s.process);
  // The file is replaced by rename, so a reader sees a complete state. It need not survive a crash,
  // so it is not synced to disk.
  const std::string path = sysfs_->root() + kHeatState;
  const std::string fresh = fmt::format("{}.{}", path, ::getpid());
  std::FILE* file = std::fopen(fresh.c_str(), "w");
  if (file == nullptr) return;
  const bool whole = std::fputs(text.c_str(), file) >= 0;
  if (std::fclose(file) != 0 || !whole || std::rename(fresh.c_str(), path.c_str()) != 0) {
    ::unlink(fresh.c_str());
  }
}

double FakeHeat::fan() const {
  for (const auto& chip : sysfs_->list("/sys/class/hwmon")) {
    const std::string path = "/sys/class/hwmon/" + chip;
    if (sysfs_->text(path + "/name") != "pwmfan") continue;
    return std::clamp(sysfs_->number(path + "/pwm1").value_or(0) / 255, 0.0, 1.0);
  }
  return std::clamp(sysfs_->number("/sys/devices/pwm-fan/target_pwm").value_or(0) / 255, 0.0, 1.0);
}

thermal::ThermalState FakeHeat::now() const {
  const double passed_s = (monotonic_s() - state_.time_s) * spec_.scale;
  const thermal::ThermalSystem system(model_, {state_.power_w, spec_.ambient_celsius, state_.fan});
  return system.after(state_.at, std::max(0.0, passed_s));
}

double FakeHeat::warm_power_w(double power_w) const {
  return power_w * leakage_factor(model_, now().junction_celsius);
}

void FakeHeat::advance() {
  state_.at = now();
  state_.time_s = monotonic_s();
}

int FakeHeat::load(double power_w) {
  advance();
  const double time_s = (state_.time_s - looked_s_) * spec_.scale;
  looked_s_ = state_.time_s;
  const int before = throttle_.over_current_events();
  throttle_.look(state_.at.junction_celsius,
                 power_w * leakage_factor(model_, state_.at.junction_celsius), time_s);
  state_.events += throttle_.over_current_events() - before;
  state_.heat_steps = throttle_.heat_steps();
  state_.current_steps = throttle_.current_steps();
  state_.power_w = power_w;
  state_.fan = fan();
  state_.process = ::getpid();
  write_state();
  if (state_.time_s - written_s_ >= kWriteFilesS) write_files();
  return throttle_.steps();
}

void FakeHeat::rest(double power_w) {
  read_state();  // a load in another process may have ended
  advance();
  state_.heat_steps = state_.current_steps = 0;
  throttle_ = thermal::Throttle(rules());
  state_.power_w = power_w;
  state_.fan = fan();
  state_.process = 0;
  if (new_) {
    const thermal::ThermalSystem system(model_, {power_w, spec_.ambient_celsius, state_.fan});
    if (const auto steady = system.steady()) state_.at = *steady;
    new_ = false;
  }
  write_state();
  write_files();
}

bool FakeHeat::load_is_gone() const {
  return state_.process > 0 && ::kill(static_cast<pid_t>(state_.process), 0) != 0 && errno == ESRCH;
}

// Updates the files that other programs read: zones, alarms, counters.
void FakeHeat::write_files() {
  written_s_ = state_.time_s;
  for (const auto& name : sysfs_->list(kThermalFolder)) {
    const std::string folder = std::string(kThermalFolder) + "/" + name;
    const std::string type = sysfs_->text(folder + "/type").value_or("");
    if (name.rfind("cooling_device", 0) == 0) {
      const bool alert = type == "cpu-throttle-alert" || type == "gpu-throttle-alert";
      if (alert) put_number(*sysfs_, folder + "/cur_state", state_.heat_steps > 0 ? 1 : 0);
    } else if (name.rfind("thermal_zone", 0) == 0 && sysfs_->number(folder + "/temp")) {
      const int zone = static_cast<int>(parse_int(name.substr(12)).value_or(0));
      overwrite_board_file(sysfs_->host_path(folder + "/temp"), zone_text(type, zone) + "\n");
    }
  }
  const std::string soctherm = soctherm_folder(*sysfs_);
  if (!soctherm.empty()) put_number(*sysfs_, soctherm + "/oc3_event_cnt", state_.events);
}

std::string FakeHeat::zone_text(const std::string& zone_type, int zone) const {
  const thermal::ThermalState here = now();
  // Zones of the chip itself are the hottest. The others are slightly closer to the heat sink.
  const std::string lower = lower_case(zone_type);
  const bool hottest =
      lower.rfind("tj", 0) == 0 || lower.rfind("gpu", 0) == 0 || lower.rfind("cpu", 0) == 0;
  const double share = hottest ? 1 : 0.9 - 0.05 * (zone % 4);
  const double celsius = here.sink_celsius + share * (here.junction_celsius - here.sink_celsius);
  return fmt::format("{:.0f}", kZoneStepK * std::round(celsius / kZoneStepK) * 1e3);
}

}  // namespace ridgewatt::platform
