#include "ridgewatt/report/result.h"

#include <gtest/gtest.h>

namespace ridgewatt::report {
namespace {

TEST(Schema, StandsFirst) {
  const Json json = with_schema("tune", {{"feasible", true}, {"batch", 4}});
  EXPECT_EQ(json.dump(), R"({"schema":"ridgewatt.tune/1","feasible":true,"batch":4})");
}

TEST(Schema, OfASubcommandHasDotsBetweenWords) {
  EXPECT_EQ(schema_name("schedule plan"), "ridgewatt.schedule.plan/1");
  EXPECT_EQ(schema_name("evaluate estimate"), "ridgewatt.evaluate.estimate/2");
}

TEST(Schema, AnArrayBecomesRows) {
  const Json json = with_schema("store.list", Json::array({{{"points", 3}}}));
  EXPECT_EQ(json.dump(), R"({"schema":"ridgewatt.store.list/1","rows":[{"points":3}]})");
}

TEST(Schema, WhatIsReadIsTheResultWithIt) {
  for (const Json& result : {Json({{"feasible", true}}), Json::array({{{"points", 3}}}),
                             Json::array(), Json({{"rows", 3}, {"columns", 2}})}) {
    EXPECT_EQ(without_schema(with_schema("any", result)), result);
    EXPECT_EQ(without_schema(result), result) << "as older files have it";
  }
}

}  // namespace
}  // namespace ridgewatt::report
