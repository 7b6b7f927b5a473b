#include "ridgewatt/platform/fake_disturbance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/io/csv.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/io/path.h"
#include "ridgewatt/platform/fake_sysfs.h"

namespace ridgewatt::platform {
namespace {

constexpr double kReadEveryS = 0.2;
constexpr std::size_t kMostDisturbances = 1000;
constexpr const char* kProcessList = "/sys/kernel/debug/nvmap/iovmm/clients";

double within(const CsvTable& table, std::size_t row, const char* column, double low, double high) {
  const double value = table.number(row, table.require_column(column));
  if (value >= low && value <= high) return value;
  throw InputError(fmt::format("{} is {:g}, but must be {:g} to {:g}", column, value, low, high),
                   table.where(row));
}

}  // namespace

std::vector<FakeDisturbance> parse_fake_disturbances(const std::string& text,
                                                     const std::string& where) {
  const CsvTable table = parse_csv(text, where);
  if (table.rows.size() > kMostDisturbances)
    throw InputError("the file has more than 1000 rows", where);
  const std::size_t end = table.require_column("end_s");
  const std::size_t process = table.require_column("process");
  std::vector<FakeDisturbance> all;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    FakeDisturbance one;
    one.begin_s = within(table, row, "begin_s", 0, 1e9);
    one.end_s = std::numeric_limits<double>::infinity();
    if (!trim(table.rows[row][end]).empty()) one.end_s = within(table, row, "end_s", 0, 1e9);
    one.time = within(table, row, "time", 0.1, 10);
    one.power = within(table, row, "power", 0.1, 10);
    one.celsius = within(table, row, "celsius", -200, 200);
    one.process = trim(table.rows[row][process]);
    const auto words = split(one.process, ' ');
    if (!one.process.empty() && (words.size() != 2 || !parse_int(words[0]))) {
      throw InputError("column process must be a process id and a name", table.where(row),
                       "for example 4242 other.py");
    }
    all.push_back(std::move(one));
  }
  return all;
}

FakeDisturbances::~FakeDisturbances() {
  try {
    show(0, {});
  } catch (const std::exception&) {  // the board no longer exists
    return;
  }
}

void FakeDisturbances::read(double time_s) {
  if (read_s_ >= 0 && time_s - read_s_ < kReadEveryS) return;
  read_s_ = time_s;
  const auto text = sysfs_.text(kFile);
  if (text.value_or("") == text_) return;
  text_ = text.value_or("");
  all_ = text_.empty() ? std::vector<FakeDisturbance>() : parse_fake_disturbances(text_, kFile);
}

twin::TimePower FakeDisturbances::disturbed(twin::TimePower at, double time_s) {
  read(time_s);
  double celsius = 0;
  std::vector<std::string> processes;
  for (const auto& one : all_) {
    if (!one.active(time_s)) continue;
    at.time_s *= one.time;
    at.power_w *= one.power;
    celsius += one.celsius;
    if (!one.process.empty()) processes.push_back(one.process);
  }
  show(celsius, processes);
  return at;
}

void FakeDisturbances::show(double celsius, const std::vector<std::string>& processes) {
  const double step = celsius - shown_celsius_;
  for (const auto& zone :
       step != 0 ? sysfs_.list("/sys/class/thermal") : std::vector<std::string>()) {
    const std::string path = "/sys/class/thermal/" + zone + "/temp";
    const auto now = sysfs_.number(path);
    if (zone.rfind("thermal_zone", 0) != 0 || !now) continue;
    overwrite_board_file(sysfs_.host_path(path), fmt::format("{:.0f}\n", *now + 1e3 * step));
  }
  shown_celsius_ = celsius;
  if (processes == shown_) return;
  std::string list;
  for (const auto& process : processes) {
    const auto words = split(process, ' ');
    list += fmt::format("user {} {} 4096K\n", words[1], words[0]);
  }
  const std::string path = sysfs_.host_path(kProcessList);
  std::error_code failed;
  std::filesystem::create_directories(folder_of(path), failed);
  std::ofstream(path) << list << "total 0K\n";
  shown_ = processes;
}

}  // namespace ridgewatt::platform
