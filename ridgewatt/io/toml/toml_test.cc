// Tests rules of the specification of TOML 1.0.0, toml.io/en/v1.0.0.
#include "ridgewatt/io/toml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ridgewatt/base/error.h"

namespace ridgewatt {
namespace {

using ::testing::HasSubstr;

std::string refusal_of(const std::string& text) {
  try {
    parse_toml(text, "here.toml");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Toml, ValuesHaveTheirTypes) {
  const TomlTable table = parse_toml(
      "whole = 1_000\nhex = 0xFF\nreal = 6.5e-3\nyes = true\nplain = \"tab\\t\"\n"
      "raw = 'C:\\n'\nlong = \"\"\"a\nb\"\"\"\nday = 1979-05-27\nnone = []\n"
      "list = [1, 2.5, \"x\"] # [[[\npoint = {x = 1, y.z = 2}\n",
      "here");
  EXPECT_EQ(*table["whole"].as<std::int64_t>(), 1000);
  EXPECT_EQ(*table["hex"].as<std::int64_t>(), 255);
  EXPECT_EQ(table["whole"].number(), 1000.0);
  EXPECT_EQ(table["whole"].as<double>(), nullptr);
  EXPECT_EQ(*table["real"].as<double>(), 6.5e-3);
  EXPECT_TRUE(*table["yes"].as<bool>());
  EXPECT_EQ(table["yes"].number(), std::nullopt);
  EXPECT_EQ(*table["plain"].as<std::string>(), "tab\t");
  EXPECT_EQ(*table["raw"].as<std::string>(), "C:\\n");
  EXPECT_EQ(*table["long"].as<std::string>(), "a\nb");
  EXPECT_TRUE(table["none"].as<TomlArray>()->empty());
  EXPECT_EQ(table["list"].as<TomlArray>()->size(), 3u);
  EXPECT_EQ(*(*(*table["point"].as<TomlTable>())["y"].as<TomlTable>())["z"].as<std::int64_t>(), 2);
  EXPECT_EQ(table.get("absent"), nullptr);
  EXPECT_EQ(table["absent"].as<std::string>(), nullptr);
}

TEST(Toml, TablesAndTheirArrays) {
  const TomlTable table = parse_toml(
      "[b]\nkey = 1\n[a.\"quoted.key\"]\nx = 1\n[[fruit]]\nname = 'apple'\n[[fruit]]\n"
      "name = 'banana'\n[[fruit.variety]]\nname = 'plantain'\n",
      "here");
  EXPECT_EQ(table.begin()->first, "a");
  EXPECT_TRUE(table["a"].as<TomlTable>()->contains("quoted.key"));
  const auto fruit = table["fruit"].tables();
  ASSERT_EQ(fruit.size(), 2u);
  EXPECT_EQ(*(*fruit[1])["name"].as<std::string>(), "banana");
  EXPECT_EQ((*fruit[1])["variety"].tables().size(), 1u);
  EXPECT_TRUE(table["b"].tables().empty());
}

TEST(Toml, WhatIsNotTomlIsRefusedWithItsLine) {
  for (const auto& [line, text] :
       std::vector<std::pair<int, std::string>>{{1, "key = "},
                                                {3, "a = 1\nb = [1, 2\nc = 3"},
                                                {2, "a = 1\na = 2\n"},
                                                {2, "a = 1\n[a]\n"},
                                                {1, "= 1"},
                                                {2, "\nkey = \"no end\n"},
                                                {1, "key = 99999999999999999999999"},
                                                {2, "# \nkey = [{a = -9223372036854775809}]"},
                                                {1, "key = 0xFFFFFFFFFFFFFFFFFF"},
                                                {3, "# \u00e4\n\nkey = \"\u00e4\"\n"}}) {
    EXPECT_THAT(refusal_of(text), HasSubstr("not valid TOML")) << text;
    EXPECT_THAT(refusal_of(text), HasSubstr("here.toml line " + std::to_string(line))) << text;
    EXPECT_EQ(refusal_of(text).find('\n'), std::string::npos) << refusal_of(text);
  }
}

TEST(Toml, NestingEnds) {
  for (const std::string part : {"[", "{a=", "a.", "[[", "[{b="}) {
    std::string text = part == "a." ? "" : "key = ";
    for (int i = 0; i < 200'000; ++i) text += part;
    EXPECT_THAT(refusal_of(text), HasSubstr("line 1")) << part;
  }
  const std::string allowed = "key = " + std::string(90, '[') + std::string(90, ']');
  EXPECT_EQ(refusal_of(allowed), "");
  std::string many;
  for (int i = 0; i < 1000; ++i)
    many += "[t" + std::to_string(i) + "]\nx = \"[[[\"\ny = '''{{\n'''\n";
  EXPECT_EQ(refusal_of(many), "");
}

}  // namespace
}  // namespace ridgewatt
