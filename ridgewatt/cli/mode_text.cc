#include "ridgewatt/cli/mode_text.h"

#include <fmt/format.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/file.h"
#include "ridgewatt/base/json.h"
#include "ridgewatt/base/text.h"

namespace ridgewatt::cli {
namespace {

// "cores=4,cpu=1113.6,gpu=612,mem=2133,governor=schedutil", MHz.
PowerMode parse_mode(const std::string& text) {
  PowerMode mode;
  for (const auto& part : split(text, ',')) {
    const auto words = split(part, '=');
    const double value = words.size() == 2 ? parse_double(words[1]).value_or(0) : 0;
    if (words[0] == "governor" && words.size() == 2)
      mode.governor = words[1];
    else if (words[0] == "cores" && value > 0)
      mode.set(Knob::kCpuCores, value);
    else if (words[0] == "cpu" && value > 0)
      mode.set(Knob::kCpuClock, value * 1e6);
    else if (words[0] == "gpu" && value > 0)
      mode.set(Knob::kGpuClock, value * 1e6);
    else if (words[0] == "mem" && value > 0)
      mode.set(Knob::kMemClock, value * 1e6);
    else
      throw UsageError(fmt::format("'{}' is no part of a mode", part), text, kModeText);
  }
  return mode;
}

}  // namespace

PowerMode read_answer(const std::string& path) {
  const Json answer = Json::parse(read_file(path), nullptr, false);
  const Json knobs = answer.is_object() ? answer.value("mode", Json()) : Json();
  if (!knobs.is_object()) {
    throw InputError("holds no mode", path, "give the output of tune --format json");
  }
  PowerMode mode;
  for (const Knob knob : kKnobs) {
    const Json value = knobs.value(knob_field(knob), Json());
    if (!value.is_number()) continue;
    mode.set(knob, value.get<double>() * (knob == Knob::kCpuCores ? 1 : 1e6));
  }
  const Json governor = knobs.value("governor", Json());
  if (governor.is_string()) mode.governor = governor.get<std::string>();
  return mode;
}

void apply_mode(JetsonModeControl& control, const std::string& text) {
  if (text.ends_with(".json"))
    control.apply(read_answer(text));
  else if (text.find('=') != std::string::npos)
    control.apply(parse_mode(text));
  else
    control.apply_preset(text);
}

}  // namespace ridgewatt::cli
