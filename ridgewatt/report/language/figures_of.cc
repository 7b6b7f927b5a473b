#include "ridgewatt/report/language/figures_of.h"

#include <array>

namespace ridgewatt::report {
namespace {

struct ForecastFigure {
  llm::PredictedValue llm::Forecast::*of;
  double scale;
  const char* name;  // together with the unit it forms the key
  const char* unit;
  const char* heading;
  int rank;  // rank of the columns of its bounds
};

constexpr int kDigits = 3;

constexpr std::array<ForecastFigure, 7> kFigures = {{
    {&llm::Forecast::ttft_s, 1e3, "ttft", "_ms", "first token (ms)", 5},
    {&llm::Forecast::tpot_s, 1e3, "tpot", "_ms", "time per token (ms)", 5},
    {&llm::Forecast::tokens_per_s, 1, "tokens", "_per_s", "tokens per second", 6},
    {&llm::Forecast::prefill_power_w, 1, "prefill_power", "_w", "prompt (W)", 6},
    {&llm::Forecast::decode_power_w, 1, "decode_power", "_w", "decoding (W)", 6},
    {&llm::Forecast::joules_per_token, 1, "joules", "_per_token", "joules per token", 5},
    {&llm::Forecast::request_j, 1, "request", "_j", "request (J)", 7},
}};

std::string key_of(const ForecastFigure& figure, const char* bound) {
  return std::string(figure.name) + bound + figure.unit;
}

}  // namespace

std::vector<Column> forecast_columns() {
  std::vector<Column> columns;
  for (const ForecastFigure& figure : kFigures) {
    const std::string heading = figure.heading;
    const auto unit = heading.find(" (");
    const auto bounded = [&](const char* word) {
      return unit == std::string::npos ? heading + word
                                       : heading.substr(0, unit) + word + heading.substr(unit);
    };
    const bool of_request = figure.of == &llm::Forecast::request_j;
    columns.push_back({.name = key_of(figure, ""),
                       .heading = heading,
                       .digits = kDigits,
                       .rank = of_request ? 1 : 0});
    columns.push_back({.name = key_of(figure, "_lo"),
                       .heading = bounded(" from"),
                       .digits = kDigits,
                       .rank = figure.rank});
    columns.push_back({.name = key_of(figure, "_hi"),
                       .heading = bounded(" to"),
                       .digits = kDigits,
                       .rank = figure.rank});
  }
  columns.push_back({.name = "request_s", .heading = "request (s)", .digits = kDigits, .rank = 4});
  return columns;
}

void add_forecast(std::vector<Cell>& cells, const llm::Forecast& forecast) {
  for (const ForecastFigure& figure : kFigures) {
    const llm::PredictedValue& value = forecast.*figure.of;
    for (const double one : {value.value, value.low, value.high}) {
      cells.push_back(known_cell(one * figure.scale));
    }
  }
  cells.push_back(known_cell(forecast.request_s));
}

void add_forecast(Json& json, const llm::Forecast& forecast) {
  for (const ForecastFigure& figure : kFigures) {
    const llm::PredictedValue& value = forecast.*figure.of;
    json[key_of(figure, "")] = value.value * figure.scale;
    json[key_of(figure, "_lo")] = value.low * figure.scale;
    json[key_of(figure, "_hi")] = value.high * figure.scale;
  }
  json["request_s"] = forecast.request_s;
  json["idle_w"] = forecast.idle_w;
  if (!forecast.bounded_by.empty()) json["bounded_by"] = forecast.bounded_by;
}

std::string value_text(const llm::PredictedValue& figure, double scale, const std::string& unit) {
  const std::string text = cell_text(figure.value * scale, kDigits);
  return unit.empty() ? text : text + " " + unit;
}

std::string bounds_text(const llm::PredictedValue& figure, double scale) {
  return cell_text(figure.low * scale, kDigits) + " to " + cell_text(figure.high * scale, kDigits);
}

std::string figure_text(const llm::PredictedValue& figure, double scale, const std::string& unit) {
  return value_text(figure, scale, unit) + " (" + bounds_text(figure, scale) + ")";
}

}  // namespace ridgewatt::report
