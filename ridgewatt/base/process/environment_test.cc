#include "ridgewatt/base/environment.h"

#include <gtest/gtest.h>

namespace ridgewatt {
namespace {

class Variables : public ::testing::Test {
 protected:
  Variables()
      : state_(environment_variable("XDG_STATE_HOME")), home_(environment_variable("HOME")) {}
  ~Variables() override {
    put("XDG_STATE_HOME", state_);
    put("HOME", home_);
  }

  static void put(const char* name, const std::optional<std::string>& value) {
    if (value)
      ::setenv(name, value->c_str(), 1);
    else
      ::unsetenv(name);
  }

 private:
  std::optional<std::string> state_, home_;
};

TEST_F(Variables, ThatAreEmptyCountAsUnset) {
  put("XDG_STATE_HOME", "/state");
  put("HOME", "/home/me");
  EXPECT_EQ(environment_variable("HOME"), "/home/me");
  EXPECT_EQ(user_state_folder(), "/state");
  put("XDG_STATE_HOME", "");
  EXPECT_EQ(environment_variable("XDG_STATE_HOME"), std::nullopt);
  EXPECT_EQ(user_state_folder(), "/home/me/.local/state");
  put("HOME", "");
  EXPECT_EQ(user_state_folder(), std::nullopt);
  put("HOME", std::nullopt);
  EXPECT_EQ(environment_variable("HOME"), std::nullopt);
}

}  // namespace
}  // namespace ridgewatt
