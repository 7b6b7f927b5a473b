// The main function of every test program.
#include <gtest/gtest.h>

#include <cstdlib>

#include "ridgewatt/base/test_support.h"

// Each test process has its own folders, and therefore its own fake boards, journals and local
// board. So tests that set the clocks of fake:agx-orin can run at the same time, and never touch
// the boards of the user.
int main(int count, char** words) {
  ::testing::InitGoogleTest(&count, words);
  const ridgewatt::testing::TemporaryFolder state;
  ::setenv("XDG_STATE_HOME", state.path().c_str(), 1);
  ::setenv("XDG_DATA_HOME", state.path().c_str(), 1);
  return RUN_ALL_TESTS();
}
