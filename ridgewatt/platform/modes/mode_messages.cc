#include "ridgewatt/platform/modes/mode_messages.h"

#include <algorithm>

#include "ridgewatt/io/json.h"

namespace ridgewatt::platform {
namespace {

constexpr std::size_t kMostChanged = 20;
constexpr std::size_t kLongestText = 1000;  // limit for texts from the board

Json knobs_json(const PowerMode& mode) {
  return {mode.cpu_cores, mode.cpu_clock_hz, mode.gpu_clock_hz, mode.mem_clock_hz, mode.governor};
}

PowerMode knobs_of(const Json& json) {
  return {json.at(0), json.at(1), json.at(2), json.at(3), json.at(4)};
}

template <class Kind>
bool throw_if(const Json& message, const char* name) {
  if (message.at("error") != name) return false;
  throw Kind(message.at("text").get<std::string>());
}

std::string text_of(const Json& message) {
  return message.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string state_message(const HolderState& state) {
  Json changed = Json::array();
  const auto& all = state.held.changed;
  for (std::size_t i = 0; i < std::min(all.size(), kMostChanged); ++i) {
    changed.push_back({all[i].path, all[i].wanted, all[i].found.substr(0, kLongestText)});
  }
  return text_of({{"holding", state.holding},
                  {"applied", knobs_json(state.held.applied)},
                  {"preset", state.held.preset},
                  {"writes", state.held.writes},
                  {"changed", changed},
                  {"first", knobs_json(state.first)},
                  {"first_preset", state.first_preset},
                  {"fault", state.fault.substr(0, kLongestText)}});
}

std::string error_message(const Error& error) {
  const char* kind = dynamic_cast<const UsageError*>(&error) != nullptr          ? "usage"
                     : dynamic_cast<const PermissionError*>(&error) != nullptr   ? "permission"
                     : dynamic_cast<const NotFoundError*>(&error) != nullptr     ? "not found"
                     : dynamic_cast<const NotSupportedError*>(&error) != nullptr ? "not supported"
                     : dynamic_cast<const InputError*>(&error) != nullptr        ? "input"
                                                                                 : "io";
  return text_of({{"error", kind}, {"text", std::string(error.what()).substr(0, kLongestText)}});
}

HolderState state_of_message(const std::string& message) {
  const Json json = Json::parse(message, nullptr, false);
  if (!json.is_object())
    throw IoError(
        "the process that holds the power mode did not answer", "",
        "if `ridgewatt mode show` still prints the other mode, run `ridgewatt mode restore`");
  if (json.contains("error")) {
    throw_if<UsageError>(json, "usage");
    throw_if<PermissionError>(json, "permission");
    throw_if<NotFoundError>(json, "not found");
    throw_if<NotSupportedError>(json, "not supported");
    throw_if<InputError>(json, "input");
    throw_if<IoError>(json, "io");
  }
  HolderState state;
  state.holding = json.at("holding");
  state.held.applied = knobs_of(json.at("applied"));
  state.held.preset = json.at("preset");
  state.held.writes = json.at("writes");
  for (const auto& entry : json.at("changed")) {
    state.held.changed.push_back({entry.at(0), entry.at(1), entry.at(2)});
  }
  state.first = knobs_of(json.at("first"));
  state.first_preset = json.at("first_preset");
  state.fault = json.at("fault");
  return state;
}

}  // namespace ridgewatt::platform
