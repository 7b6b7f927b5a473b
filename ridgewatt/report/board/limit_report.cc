#include "ridgewatt/report/tune_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "ridgewatt/base/sentence.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/device/preset_sms.h"
#include "ridgewatt/report/mode_json.h"

namespace ridgewatt::report {

std::string limit_option(tune::LimitKind kind, double value) {
  switch (kind) {
    case tune::LimitKind::kPower:
      return sentence("--max-power {:.4g}", value);
    case tune::LimitKind::kTime:
      return sentence("--max-time {:.4g}", value * 1e3);
    case tune::LimitKind::kEnergy:
      return sentence("--max-energy {:.4g}", value);
    case tune::LimitKind::kLatency:
      return sentence("--max-latency {:.4g}", value * 1e3);
    case tune::LimitKind::kRate:
      return sentence("--arrival-rate {:.4g}", value);
    case tune::LimitKind::kSlowdown:
      return sentence("--max-slowdown {:.4g}%", value * 100);
  }
  return "";
}

std::string confidence_text(const std::vector<tune::LimitConfidence>& limits) {
  constexpr double kSureEnough = 0.95;
  std::string text;
  for (const auto& limit : limits) {
    text += fmt::format("{}{} with {:.0f} %", text.empty() ? "" : ", ", name_of(limit.kind),
                        100 * limit.probability);
  }
  const bool sure = tune::least_confidence(limits).value_or(1) >= kSureEnough;
  return sure ? text : text + " (--confidence 0.95 requires a higher probability)";
}

std::string relaxation_text(const std::vector<answer::Relaxation>& relaxations,
                            const std::vector<answer::BoardWithAnswer>& boards) {
  std::string text;
  for (const auto& relaxation : relaxations) {
    text += (text.empty() ? "" : " or ") + limit_option(relaxation.kind, relaxation.value);
  }
  if (!text.empty())
    text += relaxations.size() == 1 ? " would be enough" : " alone would be enough";
  std::string names;
  for (const auto& board : boards) {
    names += sentence("{}{} ({:.3g} W)", names.empty() ? "" : ", ", board.name, board.power_w);
  }
  if (!names.empty()) {
    text += (text.empty() ? "" : "; ") + ("boards that meet the limits: " + names);
  }
  return text;
}

Json confidence_json(const std::vector<tune::LimitConfidence>& limits) {
  Json json = Json::array();
  for (const auto& limit : limits) {
    json.push_back(
        json_object({{"limit", name_of(limit.kind)}, {"confidence", limit.probability}}));
  }
  return json;
}

Json broken_json(const std::vector<tune::LimitStand>& broken) {
  Json json = Json::array();
  for (const auto& stand : broken) {
    const char* unit = stand.kind == tune::LimitKind::kPower    ? "W"
                       : stand.kind == tune::LimitKind::kEnergy ? "J"
                                                                : "s";
    json.push_back(json_object({{"limit", name_of(stand.kind)},
                                {"value", stand.value},
                                {"bound", stand.bound},
                                {"unit", unit},
                                {"over", stand.excess()}}));
  }
  return json;
}

std::string name_without_cap(std::string preset, const PowerMode& mode) {
  return power_limit_w(mode) ? std::string() : std::move(preset);
}

std::string sms_note(const Board& board, const std::vector<PowerMode>& modes) {
  const auto texts = sms_off_texts(board, modes);
  if (texts.empty()) return "";
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string preset_note(const std::vector<std::string>& names, const std::vector<double>& drawn_w) {
  std::map<std::string, double> most;
  for (std::size_t i = 0; i < names.size(); ++i) {
    for (const auto& name : split(names[i], ',')) {
      const std::string one(trim(name));
      if (power_in_name_w(one)) most[one] = std::max(most[one], drawn_w[i]);
    }
  }
  if (most.empty()) return "";
  std::string over;
  for (const auto& [name, watts] : most) {
    if (watts <= *power_in_name_w(name)) continue;
    over += sentence("{}{} draws {:.3g} W here", over.empty() ? "" : ", ", name, watts);
  }
  return "a preset sets cores and clocks; the power in its name is the vendor's budget for the "
         "module, not a cap" +
         (over.empty() ? "" : ": " + over);
}

std::string waits_note(double share) {
  static constexpr double kFew = 0.1;  // chosen: the power without waits is hardly larger
  if (share < kFew) return "";
  return fmt::format(
      "the power includes waits for data, up to {:.0f} % of the time, as in the published sweeps "
      "of eager inference; --loader-time 0 excludes them",
      100 * share);
}

std::string wide_note(const std::vector<std::string>& reasons) {
  return reasons.empty() ? "" : fmt::format("the interval is wide: {}", fmt::join(reasons, "; "));
}

void put_remarks(std::vector<std::string> remarks, Json& json) {
  std::erase(remarks, "");
  if (!remarks.empty()) json["remarks"] = std::move(remarks);
}

}  // namespace ridgewatt::report
