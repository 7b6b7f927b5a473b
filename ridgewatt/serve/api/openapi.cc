#include "ridgewatt/serve/api/openapi.h"

#include <cctype>

#include "ridgewatt/base/text.h"
#include "ridgewatt/base/version.h"
#include "ridgewatt/report/result.h"
#include "ridgewatt/serve/api/paths.h"
#include "ridgewatt/serve/ask/endpoints.h"
#include "ridgewatt/serve/ask/question.h"

namespace ridgewatt::serve {
namespace {

constexpr char kProblem[] = "application/problem+json";

const Json* find_command(const Json& command, const std::string& name) {
  if (command.at("name") == name) return &command;
  for (const auto& inner : command.at("commands")) {
    if (const Json* found = find_command(inner, name)) return found;
  }
  return nullptr;
}

// The help of an option. Null if the command has no option of this name.
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
    case ValueKind::kNumber:
    case ValueKind::kWord:
    case ValueKind::kNames:
    case ValueKind::kText:
    case ValueKind::kBoard:
      break;
  }
  return nullptr;
}

// A number in the default unit. The API also accepts units, such as 30W.
Json number_json(const Quantity& of) {
  Json value = json_object({{"type", of.integral ? "integer" : "number"}});
  value[of.open ? "exclusiveMinimum" : "minimum"] = of.least;
  value["maximum"] = of.most;
  if (!of.unit.empty()) value["x-unit"] = std::string(of.unit);
  return value;
}

Json value_json(const EndpointOption& option, const Json& help) {
  if (option.kind == ValueKind::kNumber) {
    return option.row != nullptr ? number_json(option.row->quantity)
                                 : json_object({{"type", "integer"}});
  }
  Json value = json_object({{"type", "string"}});
  if (const char* pattern = pattern_of(option.kind)) value["pattern"] = pattern;
  const bool open = option.row != nullptr && option.row->access.open;
  if (!help.at("choices").empty()) value[open ? "x-choices" : "enum"] = help.at("choices");
  return value;
}

// The default value in the form of the parameter; all values for a list.
Json default_json(const EndpointOption& option, const Json& help) {
  const std::string text =
      option.row != nullptr ? option.otherwise : help.at("default").get<std::string>();
  const auto one = [&](std::string_view word) {
    return option.kind == ValueKind::kNumber ? Json::parse(word) : Json(word);
  };
  if (text.empty()) return nullptr;
  if (!option.several) return one(text);
  Json values = Json::array();
  for (const auto& word : split(text, ',')) values.push_back(one(word));
  return values;
}

Json parameter_json(const EndpointOption& option, const Json& help) {
  Json value = value_json(option, help);
  if (option.several) value = json_object({{"type", "array"}, {"items", value}});
  if (Json otherwise = default_json(option, help); !otherwise.is_null()) {
    value["default"] = std::move(otherwise);
  }
  Json parameter = json_object({{"name", std::string(option.name)},
                                {"in", "query"},
                                {"required", option.required},
                                {"description", help.at("description")},
                                {"schema", value}});
  if (option.several) parameter["explode"] = true;
  return parameter;
}

Json content_json(const std::string& type, const std::string& schema) {
  Json value = json_object({{"type", type == "application/json" ? "object" : "string"}});
  if (!schema.empty()) {
    value["required"] = {"schema"};
    value["properties"] = json_object({{"schema", json_object({{"const", schema}})}});
  }
  Json content;
  content[type] = json_object({{"schema", value}});
  return content;
}

// Errors of any request. `more`: 411 and 415 with a body, 504 if a command runs.
Json with_errors(Json responses, std::initializer_list<const char*> more) {
  std::vector<const char*> statuses = {"400", "401", "403", "404", "408", "413",
                                       "414", "429", "431", "500", "503", "505"};
  statuses.insert(statuses.end(), more);
  for (const char* status : statuses) {
    responses[status] = json_object({{"$ref", "#/components/responses/Error"}});
  }
  return responses;
}

// For example "schedule_plan", "post_windows_number_end".
std::string operation_id(std::string_view path) {
  std::string id;
  for (const char c : path) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) id += c;
    if (c == '/' || c == '.' || c == '_') id += '_';
  }
  return id;
}

// An answer for a problem without a solution: the command's output, or an error.
Json unsolved_json(Json content) {
  content[kProblem] =
      json_object({{"schema", json_object({{"$ref", "#/components/schemas/Error"}})}});
  return content;
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
      if (option.name == "format")
        parameter["schema"] = json_object({{"enum", json_array({"json", "csv"})}});
      if (option.kind == ValueKind::kStore || !endpoint.unless.empty()) {
        parameter["required"] = false;
      }
      parameters.push_back(std::move(parameter));
    }
  };
  for (const auto& option : endpoint.options) add(option);
  for (const auto& option : common_options()) add(option);
  const std::string schema = report::schema_name(endpoint.command);
  Json content = endpoint.answers_csv ? Json::object() : content_json("application/json", schema);
  content["text/csv"] = json_object({{"schema", json_object({{"type", "string"}})}});
  Json responses = {
      {"200",
       {{"description", "What `ridgewatt " + std::string(endpoint.command) +
                            "` prints; the whole command is in X-Ridgewatt-Command"},
        {"content", content}}},
      {"422",
       {{"description",
         "No solution within the limits; includes the answer if the command prints one"},
        {"content", unsolved_json(content)}}}};
  return json_object({{"operationId", operation_id(endpoint.path)},
                      {"summary", std::string(endpoint.summary)},
                      {"parameters", parameters},
                      {"responses", with_errors(responses, {"504"})}});
}

Json fixed_json(const FixedPath& fixed) {
  const std::string path = fixed.path, member = fixed.member;
  Json responses = {
      {"200",
       {{"description", fixed.summary}, {"content", content_json(fixed.type, fixed.schema)}}}};
  const std::string place = path.substr(path.starts_with("/api/v1/") ? 8 : 1);
  Json operation = json_object(
      {{"operationId", operation_id(fixed.method + ("_" + place))}, {"summary", fixed.summary}});
  operation["responses"] =
      member.empty() ? with_errors(responses, {}) : with_errors(responses, {"411", "415"});
  if (path.find('{') != std::string::npos) {
    operation["parameters"] = {{{"name", "number"},
                                {"in", "path"},
                                {"required", true},
                                {"schema", {{"type", "integer"}}}}};
  }
  Json body;
  if (member == "*") {
    body["application/octet-stream"] = Json::object();
    operation["parameters"] = {{{"name", "name"},
                                {"in", "query"},
                                {"required", false},
                                {"description", "name of the file, for titles and commands"},
                                {"schema", {{"type", "string"}, {"maxLength", 255}}}}};
  } else if (!member.empty()) {
    Json properties;
    properties[member] = json_object({{"type", "string"}, {"minLength", 1}, {"maxLength", 100}});
    body["application/json"] =
        json_object({{"schema", json_object({{"type", "object"},
                                             {"required", {member}},
                                             {"properties", properties},
                                             {"additionalProperties", false}})}});
  }
  if (!body.is_null())
    operation["requestBody"] = json_object({{"required", true}, {"content", body}});
  return operation;
}

Json components_json() {
  const Json error = json_object(
      {{"type", "object"},
       {"description", "Problem details (RFC 9457); `error` is `detail`"},
       {"required", json_array({"schema", "type", "title", "status", "detail", "error"})},
       {"properties", json_object({{"schema", json_object({{"const", "ridgewatt.error/1"}})},
                                   {"type", json_object({{"type", "string"}})},
                                   {"title", json_object({{"type", "string"}})},
                                   {"status", json_object({{"type", "integer"}})},
                                   {"detail", json_object({{"type", "string"}})},
                                   {"error", json_object({{"type", "string"}})}})}});
  Json content;
  content[kProblem] =
      json_object({{"schema", json_object({{"$ref", "#/components/schemas/Error"}})}});
  return json_object(
      {{"schemas", json_object({{"Error", error}})},
       {"responses",
        json_object({{"Error", json_object({{"description", "One line with the reason"},
                                            {"content", content}})}})},
       {"securitySchemes",
        json_object({{"token", json_object({{"type", "http"}, {"scheme", "bearer"}})}})}});
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
  return json_object(
      {{"openapi", "3.1.0"},
       {"info",
        json_object(
            {{"title", "Ridgewatt"},
             {"version", version()},
             {"description",
              "The answers of the command line and the state of this machine, over HTTP"}})},
       {"paths", paths},
       {"components", components_json()},
       {"security", Json::array({Json::object(), json_object({{"token", Json::array()}})})}});
}

}  // namespace ridgewatt::serve
