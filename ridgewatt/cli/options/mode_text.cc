#include "ridgewatt/cli/options/mode_text.h"

#include "ridgewatt/base/error.h"
#include "ridgewatt/device/mode_text.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/io/json.h"
#include "ridgewatt/report/mode_json.h"

namespace ridgewatt::cli {

PowerMode read_answer(const std::string& path, const std::string& phase) {
  const Json answer = Json::parse(read_file(path), nullptr, false);
  Json knobs;
  if (answer.is_object()) {
    const std::string own = phase + "_mode";
    knobs = answer.value(!phase.empty() && answer.contains(own) ? own : "mode", Json());
  }
  if (!knobs.is_object()) {
    throw InputError("has no power mode", path, "give the output of tune --format json");
  }
  return report::mode_from_json(knobs, path);
}

void apply_mode(platform::JetsonModeControl& control, const std::string& text) {
  if (text.ends_with(".json"))
    control.apply(read_answer(text));
  else if (text.find('=') != std::string::npos)
    control.apply(parse_mode_text(text));
  else
    control.apply_preset(text);
}

}  // namespace ridgewatt::cli
