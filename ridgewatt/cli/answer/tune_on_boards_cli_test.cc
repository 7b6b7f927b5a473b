// Tests tune --campaign: the points of a search are tasks of an engine, here on this machine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "ridgewatt/base/test_support.h"
#include "ridgewatt/io/json.h"
#include "ridgewatt/store/store.h"

namespace ridgewatt::cli {
namespace {

using ::testing::HasSubstr;
using testing::run_program;
using testing::TemporaryFolder;

class TuneOnBoards : public ::testing::Test {
 protected:
  TuneOnBoards() {
    program_ = (testing::build_folder() / "ridgewatt").string();
    store_ = (folder_.path() / "points.db").string();
    plan_ = (folder_.path() / "s1.json").string();
  }
  testing::ProgramResult make_plan() const {
    return run_program("campaign plan s1 --store '" + store_ + "' -o '" + plan_ +
                       "' --boards fake:orin-nano --sample 60 --batch 1 --calibration 0 "
                       "--settle 0 --idle 0 --window 3 --workload lenet5 --quiet -- '" +
                       program_ +
                       "' fake-run zoo:lenet5 --batch {batch} --device fake:orin-nano "
                       "--minibatches 60");
  }
  testing::ProgramResult search(const std::string& options) const {
    return run_program("tune --campaign '" + plan_ + "' --executor local --program '" + program_ +
                       "' --max-power 100 --format json --quiet " + options);
  }
  std::set<std::string> slots() const {
    std::set<std::string> names;
    store::Store store(store_, store::Database::Access::kReadOnly);
    for (const auto& slot : store.filled_slots("s1/")) names.insert(slot.slot);
    return names;
  }

  TemporaryFolder folder_;
  std::string program_, store_, plan_;
};

// label: board
TEST_F(TuneOnBoards, ASearchGoesOnFromTheStore) {
  const auto planned = make_plan();
  ASSERT_EQ(planned.status, 0) << planned.output;
  const auto first = search("--profiles 2");
  ASSERT_EQ(first.status, 0) << first.output;
  const auto after_first = slots();
  ASSERT_EQ(after_first.size(), 2u) << first.output;
  for (const auto& slot : after_first) EXPECT_THAT(slot, HasSubstr("s1/fake:orin-nano/tune-"));

  const auto second = search("--profiles 1");
  ASSERT_EQ(second.status, 0) << second.output;
  const auto after_second = slots();
  EXPECT_EQ(after_second.size(), 3u);
  for (const auto& slot : after_first) EXPECT_TRUE(after_second.contains(slot)) << slot;
  EXPECT_THAT(second.output, HasSubstr("2 points known, 1 profiled"));
}

TEST_F(TuneOnBoards, WhatHasNoEffectIsRefused) {
  ASSERT_EQ(make_plan().status, 0);
  EXPECT_EQ(run_program("tune zoo:lenet5 --device agx-orin --boards 2").status, 2);
  for (const char* options :
       {"--boards 2", "--strategy gmd --boards 2 --executor parallel --host a", "--device agx-orin",
        "--verify 4", "--store x.db"}) {
    const auto refused = search(options);
    EXPECT_EQ(refused.status, 2) << options << "\n" << refused.output;
  }
}

}  // namespace
}  // namespace ridgewatt::cli
