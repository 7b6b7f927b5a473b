// Writes metrics in the text format of Prometheus: families of metrics, each with its series. A
// family without a series is omitted.
//
//   Exposition out;
//   out.gauge("hw_temperature_celsius", "Of a zone of the board.");
//   out.series({{"hw_id", "tj-thermal"}}, 48.5);
//   std::cout << out.text();
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ridgewatt::monitor {

class Exposition {
 public:
  using Labels = std::vector<std::pair<const char*, std::string>>;

  // If `counters` is false, all counter families are omitted.
  explicit Exposition(bool counters) : counters_(counters) {}
  void gauge(const char* name, const char* help);
  void counter(const char* name, const char* help);
  // Adds a series to the last family. An unknown (empty) value is omitted. If the labels repeat, a
  // number is added to the first label.
  void series(Labels labels, const std::optional<double>& value);
  const std::string& text() const { return text_; }

 private:
  void begin(const char* name, const char* help, const char* type, bool shown);

  bool counters_;
  std::string text_, name_, head_;
  bool shown_ = true;
  std::set<std::string> seen_;  // label sets of the current family
};

}  // namespace ridgewatt::monitor
