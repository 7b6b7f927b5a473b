// Tests the description of the parameters of questions.
#include "ridgewatt/serve/api/openapi.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "ridgewatt/base/test_support.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/serve/ask/child.h"
#include "ridgewatt/serve/ask/endpoints.h"

namespace ridgewatt::serve {
namespace {

Json description() {
  const auto help =
      ask_child({(testing::build_folder() / "ridgewatt").string(), "help", "--format", "json"}, {},
                {}, [] { return true; });
  return describe_api(Json::parse(help.output));
}

// The parameter of a question; null if it has no such parameter.
Json parameter_of(const Json& api, std::string_view path, std::string_view name) {
  const Json& get = api.at("paths").at("/api/v1/" + std::string(path)).at("get");
  for (const Json& parameter : get.at("parameters")) {
    if (parameter.at("name") == name) return parameter;
  }
  return nullptr;
}

// The rows of the table of questions in docs/reference/http_api.md.
std::string table_of_questions() {
  std::string table;
  for (const Endpoint& endpoint : endpoints()) {
    std::string required;
    for (const EndpointOption& option : endpoint.options) {
      if (!option.required) continue;
      required += (required.empty() ? "`" : ", `") + std::string(option.name) + "`";
    }
    if (!endpoint.unless.empty()) required += ", or `" + std::string(endpoint.unless) + "`";
    table += "| `/api/v1/" + endpoint.path + "` | `" + std::string(endpoint.command) + "` | " +
             required + " |\n";
  }
  return table;
}

TEST(OpenApi, QuestionsAreThoseOfTheReference) {
  const std::string page =
      (testing::source_folder() / "docs" / "reference" / "http_api.md").string();
  const std::string text = read_file(page), head = "| required parameters |\n|---|---|---|\n";
  const auto begin = text.find(head) + head.size(), end = text.find("\n\n", begin) + 1;
  if (std::getenv("RIDGEWATT_WRITE_KEYS") != nullptr) {
    return write_file_atomically(page,
                                 text.substr(0, begin) + table_of_questions() + text.substr(end));
  }
  EXPECT_EQ(text.substr(begin, end - begin), table_of_questions()) << "./dev pages writes it again";
}

TEST(OpenApi, NumbersOfAQuestionAreNumbersWithTheirUnitAndRange) {
  const Json api = description();
  std::size_t numbers = 0;
  for (const Endpoint& endpoint : endpoints()) {
    for (const EndpointOption& option : endpoint.options) {
      if (option.kind != ValueKind::kNumber) continue;
      const Json schema = parameter_of(api, endpoint.path, option.name).at("schema");
      const Json& value = option.several ? schema.at("items") : schema;
      const std::string where = std::string(endpoint.path) + " " + std::string(option.name);
      EXPECT_THAT(value.at("type"), ::testing::AnyOf("number", "integer")) << where;
      ASSERT_NE(option.row, nullptr) << where;
      EXPECT_TRUE(value.contains("maximum")) << where;
      EXPECT_TRUE(value.contains("minimum") != value.contains("exclusiveMinimum")) << where;
      ++numbers;
    }
  }
  EXPECT_GT(numbers, 10U);
}

TEST(OpenApi, SaysWhatTheReferenceOfTheCommandLineSays) {
  const Json api = description();
  EXPECT_EQ(parameter_of(api, "estimate", "workers").at("schema"),
            Json({{"type", "integer"}, {"minimum", 0.0}, {"maximum", 1024.0}, {"default", 4}}));
  EXPECT_EQ(parameter_of(api, "estimate", "loader-time").at("schema").at("x-unit"), "ms");
  EXPECT_EQ(parameter_of(api, "estimate", "epochs").at("schema").at("exclusiveMinimum"), 0);
  EXPECT_EQ(parameter_of(api, "roofline", "power-cap").at("schema").at("x-unit"), "W");
  EXPECT_EQ(parameter_of(api, "estimate", "model").at("required"), true);
  EXPECT_EQ(parameter_of(api, "estimate", "device").at("required"), true);
  EXPECT_EQ(parameter_of(api, "roofline", "model").at("required"), false);
  const Json runtimes = parameter_of(api, "estimate", "runtime").at("schema").at("enum");
  EXPECT_THAT(runtimes, ::testing::Contains("tensorrt"));
  EXPECT_THAT(runtimes, ::testing::Contains("all"));
  EXPECT_TRUE(parameter_of(api, "roofline", "seed").contains("schema"));  // in every command
}

TEST(OpenApi, DefaultsAreWrittenAsValuesAre) {
  const Json api = description();
  const Json sharing = parameter_of(api, "schedule/simulate", "sharing").at("schema");
  EXPECT_EQ(sharing.at("default"), Json({"managed", "priority", "native"}));
  EXPECT_THAT(sharing.at("items").at("enum"), ::testing::Contains("no-interference"));
  EXPECT_EQ(parameter_of(api, "schedule/simulate", "burst-rates").at("schema").at("default"),
            Json({10, 30, 60, 90, 120}));
  EXPECT_EQ(parameter_of(api, "schedule/simulate", "duration").at("schema").at("default"), 600);
  EXPECT_EQ(parameter_of(api, "estimate", "seed").at("schema").at("default"), 1);
  EXPECT_FALSE(parameter_of(api, "schedule/plan", "max-power").at("schema").contains("default"));
  // Other values are also accepted: several names, or a file.
  EXPECT_THAT(parameter_of(api, "llm", "runtime").at("schema").at("x-choices"),
              ::testing::IsSupersetOf({"llama.cpp", "vllm", "all"}));
}

TEST(OpenApi, OperationsHaveNamesOfTheirOwn) {
  const Json api = description();
  std::set<std::string> ids;
  for (const auto& [path, methods] : api.at("paths").items()) {
    for (const auto& [method, operation] : methods.items()) {
      EXPECT_TRUE(ids.insert(operation.at("operationId").get<std::string>()).second)
          << method << " " << path;
      for (const char* status : {"400", "401", "404", "429", "500", "503"}) {
        EXPECT_TRUE(operation.at("responses").contains(status)) << path << " " << status;
      }
    }
  }
  EXPECT_TRUE(ids.contains("schedule_plan"));
  EXPECT_TRUE(ids.contains("post_windows_number_end"));
}

}  // namespace
}  // namespace ridgewatt::serve
