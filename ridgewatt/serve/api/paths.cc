#include "ridgewatt/serve/api/paths.h"

#include <algorithm>
#include <set>

#include "ridgewatt/base/text.h"
#include "ridgewatt/serve/ask/endpoints.h"

namespace ridgewatt::serve {
namespace {

constexpr FixedPath kFixed[] = {
    {"/api/v1/monitor", "get", "The newest reading of the machine", "application/json",
     "ridgewatt.monitor/1", ""},
    {"/api/v1/sensors", "get", "The values of the sensors", "application/json",
     "ridgewatt.sensors/1", ""},
    {"/api/v1/history", "get", "The readings of the last minutes", "application/json",
     "ridgewatt.history/1", ""},
    {"/api/v1/events", "get", "Each reading when it is taken: server-sent events named monitor",
     "text/event-stream", "", ""},
    {"/api/v1/windows", "get", "Windows of energy, open and ended", "application/json",
     "ridgewatt.windows/1", ""},
    {"/api/v1/windows", "post", "Begins a window", "application/json", "ridgewatt.window/1",
     "name"},
    {"/api/v1/windows/{number}/end", "post", "Ends a window", "application/json",
     "ridgewatt.window/1", ""},
    {"/api/v1/marks", "post", "Marks the end of a minibatch", "application/json",
     "ridgewatt.mark/1", ""},
    {"/api/v1/mode", "get", "The power mode, and whether it can be set", "application/json",
     "ridgewatt.serve.mode/1", ""},
    {"/api/v1/mode", "post", "Sets a preset or a mode as text; needs --allow-control",
     "application/json", "ridgewatt.serve.set_mode/1", "mode"},
    {"/api/v1/mode", "delete", "Restores the original mode; needs --allow-control",
     "application/json", "ridgewatt.serve.set_mode/1", ""},
    {"/api/v1/stores", "get", "The stores of this server", "application/json", "ridgewatt.stores/1",
     ""},
    {"/api/v1/uploads", "post",
     "Keeps an ONNX or CSV file in memory for an hour after its last use", "application/json",
     "ridgewatt.upload/1", "*"},
    {"/api/v1/session", "post", "Sets a cookie in place of the token (the body)",
     "application/json", "ridgewatt.session/1", "*"},
    {"/api/v1/openapi.json", "get", "This description", "application/json", "", ""},
    {"/metrics", "get", "Metrics for Prometheus", "text/plain", "", ""},
    {"/healthz", "get", "Whether the server works", "application/json", "ridgewatt.health/1", ""},
};

bool is_path_of(std::string_view path, std::string_view pattern) {
  static constexpr std::string_view kNumber = "{number}";
  const auto place = pattern.find(kNumber);
  if (place == std::string_view::npos) return path == pattern;
  const auto before = pattern.substr(0, place), after = pattern.substr(place + kNumber.size());
  if (path.size() <= before.size() + after.size()) return false;
  const auto number = path.substr(place, path.size() - before.size() - after.size());
  return path.starts_with(before) && path.ends_with(after) &&
         std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::span<const FixedPath> fixed_paths() {
  return kFixed;
}

std::string methods_of(std::string_view path) {
  static constexpr std::string_view kQuestions = "/api/v1/";
  std::set<std::string> methods;
  if (path.starts_with(kQuestions) && find_endpoint(path.substr(kQuestions.size())) != nullptr) {
    methods = {"GET"};
  }
  for (const FixedPath& fixed : kFixed) {
    if (is_path_of(path, fixed.path)) methods.insert(upper_case(fixed.method));
  }
  if (methods.contains("GET")) methods.insert("HEAD");
  std::string list;
  for (const auto& method : methods) list += (list.empty() ? "" : ", ") + method;
  return list;
}

}  // namespace ridgewatt::serve
