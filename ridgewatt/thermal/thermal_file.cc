#include "ridgewatt/thermal/thermal_file.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/suggest.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/io/toml.h"
#include "ridgewatt/numerics/dense.h"

namespace ridgewatt::thermal {
namespace {

constexpr std::size_t kMostFileBytes = 1 << 20;

class ThermalTable {
 public:
  ThermalTable(const TomlTable& table, std::string source)
      : table_(table), source_(std::move(source)) {}
  bool has(std::string_view key) const { return table_.contains(key); }
  double number(const std::string& key, double least, double most) {
    asked_.insert(key);
    const auto* node = table_.get(key);
    if (node == nullptr) fail(key, "is missing");
    const auto value = node->number();
    if (!value || !(*value >= least && *value <= most)) {
      fail(key, fmt::format("must be a number from {:g} to {:g}", least, most));
    }
    return *value;
  }
  std::string text(const std::string& key) {
    asked_.insert(key);
    const auto* node = table_.get(key);
    if (node == nullptr) return "";
    const auto* value = node->as<std::string>();
    if (!value) fail(key, "must be a string");
    return *value;
  }
  std::array<double, 21> covariance() {
    asked_.insert("covariance");
    std::array<double, 21> values{};
    const auto* array = table_["covariance"].as<TomlArray>();
    if (array == nullptr || array->size() != values.size()) {
      fail("covariance", "must be an array of 21 numbers");
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto value = (*array)[i].number();
      if (!value || !(std::abs(*value) < 1e6)) {
        fail("covariance", "must be an array of 21 numbers");
      }
      values[i] = *value;
    }
    return values;
  }
  void refuse_others() const {
    for (const auto& [key, node] : table_) {
      if (asked_.contains(key)) continue;
      fail(escape_terminal(key),
           "is not a key of a thermal file: " + hint_for(key, {{asked_.begin(), asked_.end()}}));
    }
  }
  [[noreturn]] void fail(std::string_view key, std::string_view what) const {
    throw InputError(fmt::format("{}: 'thermal.{}' {}", source_, key, what), "",
                     "`ridgewatt soak -o` and `ridgewatt thermal fit -o` write such a file");
  }

 private:
  const TomlTable& table_;
  std::string source_;
  std::set<std::string> asked_;
};

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') out += '\\';
    out += byte < 0x20 || byte > 0x7e ? '?' : c;
  }
  return out + "\"";
}

}  // namespace

ThermalFile parse_thermal_file(std::string_view toml, const std::string& source) {
  const TomlTable root = parse_toml(toml, source);
  const auto* table = root["thermal"].as<TomlTable>();
  if (table == nullptr) throw InputError("has no table [thermal]", source);
  for (const auto& [key, node] : root) {
    if (key != "thermal") {
      throw InputError(
          fmt::format("{}: '{}' is not a table of a thermal file", source, escape_terminal(key)),
          "", "the table is [thermal]");
    }
  }
  ThermalTable in(*table, source);
  ThermalFile file;
  ThermalFit& fit = file.fit;
  file.board = in.text("board");
  file.origin = in.text("origin");
  const std::string provenance = in.text("provenance");
  const auto known = find_word<Provenance>(provenance);
  if (!known || (*known != Provenance::kMeasured && *known != Provenance::kFake &&
                 *known != Provenance::kReplayed)) {
    in.fail("provenance", "must be measured, replayed or fake");
  }
  file.provenance = *known;
  fit.model.junction_sink_k_per_w = in.number("junction_sink_k_per_w", 1e-4, 1e3);
  fit.model.junction_j_per_k = in.number("junction_j_per_k", 1e-4, 1e5);
  fit.model.sink_j_per_k = in.number("sink_j_per_k", 1e-3, 1e7);
  fit.model.still_w_per_k = in.number("still_w_per_k", 1e-5, 1e4);
  fit.model.fan_w_per_k = in.number("fan_w_per_k", 0, 1e4);
  fit.model.leakage_per_k = in.number("leakage_per_k", 0, 0.1);
  fit.leakage_sd = in.number("leakage_sd", 0, 0.1);
  fit.ambient_celsius = in.number("ambient_celsius", -60, 150);
  fit.fan = in.number("fan", 0, 1);
  fit.idle_w = in.number("idle_w", 0, 1e5);
  fit.rmse_k = in.number("rmse_k", 0, 1e3);
  fit.duration_s = in.number("duration_s", 0, 1e8);
  fit.rows = static_cast<std::size_t>(in.number("rows", 0, 1e9));
  if (in.has("trip_celsius")) fit.trip_celsius = in.number("trip_celsius", 20, 200);
  const auto lower = in.covariance();
  std::size_t next = 0;
  Eigen::MatrixXd covariance(kThermalParams, kThermalParams);
  for (std::size_t r = 0; r < kThermalParams; ++r) {
    for (std::size_t c = 0; c <= r; ++c) {
      fit.covariance[r][c] = fit.covariance[c][r] = lower[next++];
      covariance(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c)) = fit.covariance[r][c];
    }
  }
  // Only the lower triangle is used.
  const Eigen::VectorXd eigenvalues = symmetric_eigen(covariance).values;
  if (!(eigenvalues.minCoeff() >= -1e-6 * std::max(1.0, eigenvalues.maxCoeff()))) {
    in.fail("covariance", "must not have a negative variance");
  }
  in.refuse_others();
  const double cooling = fit.model.sink_w_per_k(fit.fan);
  fit.at = {std::log(fit.model.junction_sink_k_per_w),
            std::log(fit.model.junction_j_per_k),
            std::log(fit.model.sink_j_per_k),
            std::log(cooling),
            std::log(fit.model.still_w_per_k / cooling),
            fit.ambient_celsius};
  fit.converged = true;
  return file;
}

ThermalFile read_thermal_file(const std::string& path) {
  return parse_thermal_file(read_file(path, kMostFileBytes), path);
}

std::string thermal_file_text(const ThermalFile& file) {
  const ThermalFit& fit = file.fit;
  std::string text = "# Thermal constants of a board: docs/reference/file_formats.md\n[thermal]\n";
  const auto number = [&](const char* key, double value) {
    text += fmt::format("{} = {:.6g}\n", key, value);
  };
  if (!file.board.empty()) text += "board = " + quoted(file.board) + "\n";
  text += "origin = " + quoted(file.origin) + "\n";
  text += fmt::format("provenance = \"{}\"\n", name_of(file.provenance));
  number("junction_sink_k_per_w", fit.model.junction_sink_k_per_w);
  number("junction_j_per_k", fit.model.junction_j_per_k);
  number("sink_j_per_k", fit.model.sink_j_per_k);
  number("still_w_per_k", fit.model.still_w_per_k);
  number("fan_w_per_k", fit.model.fan_w_per_k);
  number("leakage_per_k", fit.model.leakage_per_k);
  number("leakage_sd", fit.leakage_sd);
  number("ambient_celsius", fit.ambient_celsius);
  number("fan", fit.fan);
  number("idle_w", fit.idle_w);
  if (fit.trip_celsius) number("trip_celsius", *fit.trip_celsius);
  number("rmse_k", fit.rmse_k);
  number("duration_s", fit.duration_s);
  text += fmt::format("rows = {}\n", fit.rows);
  text +=
      "# ln of junction_sink, junction, sink, conductance at `fan`, its share without fan; "
      "ambient\ncovariance = [";
  for (std::size_t r = 0; r < kThermalParams; ++r) {
    for (std::size_t c = 0; c <= r; ++c) {
      text += fmt::format("{}{:.9g}", r + c == 0 ? "" : ", ", fit.covariance[r][c]);
    }
  }
  return text + "]\n";
}

}  // namespace ridgewatt::thermal
