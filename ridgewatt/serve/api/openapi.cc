#include "ridgewatt/serve/api/openapi.h"

#include <algorithm>

#include "ridgewatt/base/version.h"
#include "ridgewatt/serve/api/paths.h"
#include "ridgewatt/serve/ask/endpoints.h"
#include "ridgewatt/serve/ask/question.h"

namespace ridgewatt::serve {
namespace {

const Json* find_command(const Json& command, const std::string& name) {
  if (command.at("name") == name) return &command;
  for (const auto& inner : command.at("commands")) {
    if (const Json* found = find_command(inner, name)) return found;
  }
  return nullptr;
}

// What the help says of an option; null when the command has none of that name.
const Json* find_option(const Json& command, const std::string& name) {
  for (const auto& option : command.at("options")) {
    for (const auto& word : option.at("names")) {
      if (word == name) return &option;
    }
  }
  return nullptr;
}

const char* pattern_of(ValueKind kind) {
  switch (kind) {
    case ValueKind::kModel:
      return "^(zoo:|upload:)";
    case ValueKind::kUpload:
      return "^upload:";
    case ValueKind::kFlag:
      return "^(0|1|true|false)$";
    case ValueKind::kStore:
      return "^[0-9]+$";
    default:
      return nullptr;
  }
}

Json parameter_json(const EndpointOption& option, const Json& help) {
  Json value = {{"type", "string"}};
  if (const char* pattern = pattern_of(option.kind)) value["pattern"] = pattern;
  if (!help.at("choices").empty()) value["enum"] = help.at("choices");
  if (!help.at("default").get<std::string>().empty()) value["default"] = help.at("default");
  if (option.several) value = {{"type", "array"}, {"items", value}};
  Json parameter = {{"name", std::string(option.name)},
                    {"in", "query"},
                    {"required", option.required},
                    {"description", help.at("description")},
                    {"schema", value}};
  if (option.several) parameter["explode"] = true;
  return parameter;
}

Json content_json(const std::string& type, const std::string& schema) {
  Json value = {{"type", type == "application/json" ? "object" : "string"}};
  if (!schema.empty()) {
    value["required"] = {"schema"};
    value["properties"] = {{"schema", {{"const", schema}}}};
  }
  Json content;
  content[type] = {{"schema", value}};
  return content;
}

Json errors_json(Json responses, std::initializer_list<const char*> statuses) {
  for (const char* status : statuses) {
    responses[status] = {{"$ref", "#/components/responses/Error"}};
  }
  return responses;
}

Json question_json(const Endpoint& endpoint, const Json& command) {
  Json parameters = Json::array();
  const auto add = [&](const EndpointOption& option) {
    const std::string name = option.name == "figures" ? "with-figures" : std::string(option.name);
    const std::string shown =
        option.positional.empty() ? "--" + name : std::string(option.positional);
    if (endpoint.answers_csv && option.name == "format") return;
    if (const Json* help = find_option(command, shown)) {
      Json parameter = parameter_json(option, *help);
      if (option.name == "format") parameter["schema"] = {{"enum", {"json", "csv"}}};
      if (option.kind == ValueKind::kStore || !endpoint.unless.empty()) {
        parameter["required"] = false;
      }
      parameters.push_back(std::move(parameter));
    }
  };
  for (const auto& option : endpoint.options) add(option);
  for (const auto& option : common_options()) add(option);
  std::string schema = "ridgewatt." + std::string(endpoint.command) + "/1";
  std::replace(schema.begin(), schema.end(), ' ', '.');
  Json content = endpoint.answers_csv ? Json::object() : content_json("application/json", schema);
  content["text/csv"] = {{"schema", {{"type", "string"}}}};
  Json responses = {{"200",
                     {{"description", "What `ridgewatt " + std::string(endpoint.command) +
                                          "` prints; the whole command is in X-Ridgewatt-Command"},
                      {"content", content}}},
                    {"422",
                     {{"description", "No solution within the limits; the answer all the same"},
                      {"content", content}}}};
  return {{"summary", std::string(endpoint.summary)},
          {"parameters", parameters},
          {"responses", errors_json(responses, {"400", "401", "403", "429", "503", "504"})}};
}

Json fixed_json(const FixedPath& fixed) {
  const std::string path = fixed.path, member = fixed.member;
  Json responses = {
      {"200",
       {{"description", fixed.summary}, {"content", content_json(fixed.type, fixed.schema)}}}};
  Json operation = {{"summary", fixed.summary},
                    {"responses", errors_json(responses, {"400", "401", "403", "429", "503"})}};
  if (path.find('{') != std::string::npos) {
    operation["parameters"] = {{{"name", "number"},
                                {"in", "path"},
                                {"required", true},
                                {"schema", {{"type", "integer"}}}}};
  }
  Json body;
  if (member == "*") {
    body["application/octet-stream"] = Json::object();
  } else if (!member.empty()) {
    Json properties;
    properties[member] = {{"type", "string"}, {"minLength", 1}, {"maxLength", 100}};
    body["application/json"] = {{"schema",
                                 {{"type", "object"},
                                  {"required", {member}},
                                  {"properties", properties},
                                  {"additionalProperties", false}}}};
  }
  if (!body.is_null()) operation["requestBody"] = {{"required", true}, {"content", body}};
  return operation;
}

Json components_json() {
  const Json error = {
      {"type", "object"},
      {"required", {"schema", "error"}},
      {"properties",
       {{"schema", {{"const", "ridgewatt.error/1"}}}, {"error", {{"type", "string"}}}}}};
  Json content;
  content["application/json"] = {{"schema", {{"$ref", "#/components/schemas/Error"}}}};
  return {
      {"schemas", {{"Error", error}}},
      {"responses", {{"Error", {{"description", "One line that says why"}, {"content", content}}}}},
      {"securitySchemes", {{"token", {{"type", "http"}, {"scheme", "bearer"}}}}}};
}

}  // namespace

Json describe_api(const Json& commands) {
  Json paths = Json::object();
  for (const auto& endpoint : endpoints()) {
    if (const Json* command =
            find_command(commands, "ridgewatt " + std::string(endpoint.command))) {
      paths["/api/v1/" + std::string(endpoint.path)]["get"] = question_json(endpoint, *command);
    }
  }
  for (const auto& fixed : fixed_paths()) paths[fixed.path][fixed.method] = fixed_json(fixed);
  return {{"openapi", "3.1.0"},
          {"info",
           {{"title", "Ridgewatt"},
            {"version", version()},
            {"description", "The answers of the command line over HTTP, and the machine at hand"}}},
          {"paths", paths},
          {"components", components_json()},
          {"security", Json::array({Json::object(), {{"token", Json::array()}}})}};
}

}  // namespace ridgewatt::serve
