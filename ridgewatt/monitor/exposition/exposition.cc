#include "ridgewatt/monitor/exposition.h"

#include <fmt/format.h>

#include <cmath>

#include "ridgewatt/monitor/metrics.h"

namespace ridgewatt::monitor {
namespace {

std::string label_text(const Exposition::Labels& labels) {
  std::string text;
  for (const auto& [name, value] : labels) {
    text += fmt::format("{}{}=\"{}\"", text.empty() ? "" : ",", name, metrics_label(value));
  }
  return text.empty() ? "" : "{" + text + "}";
}

}  // namespace

void Exposition::gauge(const char* name, const char* help) {
  begin(name, help, "gauge", true);
}

void Exposition::counter(const char* name, const char* help) {
  begin(name, help, "counter", counters_);
}

void Exposition::begin(const char* name, const char* help, const char* type, bool shown) {
  name_ = name;
  head_ = fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
  shown_ = shown;
  seen_.clear();
}

void Exposition::series(Labels labels, const std::optional<double>& value) {
  if (!shown_ || !value || !std::isfinite(*value)) return;
  std::string label = label_text(labels);
  const std::string first = labels.empty() ? "" : labels.front().second;
  for (int i = 2; !seen_.insert(label).second; ++i) {
    if (labels.empty()) return;
    labels.front().second = fmt::format("{} ({})", first, i);
    label = label_text(labels);
  }
  text_ += head_;
  head_.clear();
  text_ += fmt::format("{}{} {}\n", name_, label, *value);
}

}  // namespace ridgewatt::monitor
