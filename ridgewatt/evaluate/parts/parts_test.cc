// Tests questions that are answered in parts and in processes, with a question whose answers are
// known.
#include "ridgewatt/evaluate/parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <limits>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/parallel.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/evaluate/processes.h"
#include "ridgewatt/io/file.h"

namespace ridgewatt::evaluate {
namespace {

using ::testing::HasSubstr;

// Squares of 0 .. 19 in one group, and thirds of 0 .. 9 in another. One unit computes the last two
// thirds.
class Squares : public Question {
 public:
  std::function<void(std::size_t unit)> before = [](std::size_t) {};

  const std::vector<OutcomeGroup>& groups() const override { return groups_; }
  std::size_t units() const override { return 29; }
  void work(const std::vector<std::size_t>& wanted, int threads,
            const std::function<void(UnitOutcomes)>& give) const override {
    parallel_for(
        wanted.size(), [&](std::size_t i) { give(of_unit(wanted[i])); }, threads);
  }

 private:
  UnitOutcomes of_unit(std::size_t unit) const {
    before(unit);
    const auto x = static_cast<double>(unit);
    if (unit < 20) return {unit, {{0, unit, {x * x}}}, 1};
    const double third = (x - 20) / 3;
    UnitOutcomes result{unit, {{1, unit - 20, {third, -third}}}, 1};
    if (unit == 28) result.outcomes.push_back({1, 9, {3.0, -3.0}});
    return result;
  }
  std::vector<OutcomeGroup> groups_ = {{{{"name", "squares"}}, 20}, {{{"name", "thirds"}}, 10}};
};

void expect_right(const Outcomes& outcomes) {
  ASSERT_EQ(outcomes.values.size(), 2u);
  ASSERT_EQ(outcomes.values[0].size(), 20u);
  ASSERT_EQ(outcomes.values[1].size(), 10u);
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_EQ(outcomes.values[0][i], std::vector<double>{static_cast<double>(i * i)});
  }
  for (std::size_t i = 0; i < 10; ++i) {
    const double third = static_cast<double>(i) / 3;
    EXPECT_EQ(outcomes.values[1][i], (std::vector<double>{third, -third}));
  }
}

class Parts : public ::testing::Test {
 protected:
  std::string write(std::size_t number, std::size_t of, const std::string& name = "",
                    const Json& asked = {{"options", {{"--seeds", 10}}}}) {
    const Squares question;
    const Part part{number, of};
    const auto outcomes = work_on(question, units_of(part, question.units()));
    return folder_.write(name.empty() ? std::to_string(number) + ".json" : name,
                         part_text({asked, part, question.groups(), outcomes}));
  }
  std::vector<std::string> write_all(std::size_t of) {
    std::vector<std::string> paths;
    for (std::size_t number = of; number > 0; --number) paths.push_back(write(number, of));
    return paths;
  }
  static std::string refusal(const std::vector<std::string>& paths) {
    try {
      PartFile whole = merge_parts(paths);
      in_order(whole.groups, std::move(whole.outcomes));
    } catch (const Error& error) {
      return error.what();
    }
    return "merged";
  }

  testing::TemporaryFolder folder_;
};

TEST(Answer, IsInOrderWithAnyNumberOfThreads) {
  expect_right(answer(Squares(), {.threads = 1}));
  expect_right(answer(Squares(), {.threads = 3}));
}

TEST_F(Parts, AreTheWholeTogether) {
  for (const std::size_t of : {1u, 2u, 8u, 40u}) {
    PartFile whole = merge_parts(write_all(of));
    expect_right(in_order(whole.groups, std::move(whole.outcomes)));
  }
}

TEST_F(Parts, DealUnitsOutEvenly) {
  for (const std::size_t of : {1u, 3u, 7u, 29u}) {
    std::vector<int> times(29);
    for (std::size_t number = 1; number <= of; ++number) {
      const auto units = units_of({number, of}, times.size());
      EXPECT_LE(units.size(), 29 / of + 1);
      EXPECT_GE(units.size(), 29 / of);
      for (const auto unit : units) ++times[unit];
    }
    EXPECT_EQ(times, std::vector<int>(29, 1));
  }
}

TEST_F(Parts, KeepEveryBitOfANumber) {
  const std::vector<double> values = {0.1,
                                      1.0 / 3,
                                      -0.0,
                                      std::numeric_limits<double>::denorm_min(),
                                      std::numeric_limits<double>::max(),
                                      std::numeric_limits<double>::infinity(),
                                      -std::numeric_limits<double>::infinity(),
                                      std::nan("")};
  const std::string path = folder_.write(
      "p.json", part_text({Json::object(), {1, 1}, {{{{"name", "one"}}, 1}}, {{0, 0, values}}}));
  const auto back = read_part(path).outcomes.at(0).values;
  ASSERT_EQ(back.size(), values.size());
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    EXPECT_EQ(back[i], values[i]);
    EXPECT_EQ(std::signbit(back[i]), std::signbit(values[i]));
  }
  EXPECT_TRUE(std::isnan(back.back()));
}

TEST_F(Parts, ThatDoNotFitAreRefusedInOneLine) {
  const auto a = write(1, 2), b = write(2, 2);
  EXPECT_THAT(refusal({a}), HasSubstr("1 of 2 parts is missing: 2"));
  EXPECT_THAT(refusal({b, a, write(2, 2, "again.json")}), HasSubstr("part 2 of 2 is given twice"));
  EXPECT_THAT(refusal({a, write(2, 3, "third.json")}),
              HasSubstr("the files have different numbers of parts, 3 and 2"));
  const auto other = write(2, 2, "other.json", {{"options", {{"--seeds", 3}}}});
  EXPECT_THAT(refusal({a, other}), HasSubstr("parts of different evaluations"));
  EXPECT_THAT(refusal({a, other}), HasSubstr("--seeds is 3, not 10"));
  EXPECT_THAT(refusal({a, other}), HasSubstr("other.json"));
  EXPECT_EQ(refusal({a, b}), "merged");
}

TEST_F(Parts, ThatAreCutOffOrEditedAreRefused) {
  const auto a = write(1, 2), b = write(2, 2);
  std::string text = read_file(b);
  EXPECT_THAT(refusal({a, folder_.write("cut.json", text.substr(0, text.size() / 2))}),
              HasSubstr("not a part of an evaluation"));
  const auto row = text.find("[0,3,");  // unit 3 of part 2
  ASSERT_NE(row, std::string::npos);
  std::string without = text;
  without.erase(row, text.find('\n', row) - row + 1);
  EXPECT_THAT(refusal({a, folder_.write("less.json", without)}),
              HasSubstr("only 19 of 20 outcomes"));
  text.replace(row, 5, "[0,1,");
  EXPECT_THAT(refusal({a, folder_.write("twice.json", text)}), HasSubstr("outcome 1"));
}

TEST_F(Parts, AreNamedAsFractions) {
  EXPECT_EQ(parse_part("3/8").number, 3u);
  EXPECT_EQ(parse_part("3/8").of, 8u);
  for (const char* wrong : {"0/8", "9/8", "3", "3/8/9", "a/b", "-1/2", "1/0", "1/1000000000"}) {
    EXPECT_THROW(parse_part(wrong), UsageError) << wrong;
  }
}

// The published FNV-1a value of "a" with 64 bits.
TEST_F(Parts, FileMark) {
  EXPECT_EQ(file_mark(folder_.write("a", "a")), "1 bytes, af63dc4c8601ec8c");
}

TEST(Processes, GiveTheSame) {
  for (const std::size_t processes : {1u, 2u, 8u, 100u}) {
    std::size_t seen = 0;
    expect_right(answer_in_processes(
        Squares(), processes,
        {.threads = 2, .progress = [&](std::size_t done, std::size_t) { seen = done; }}));
    EXPECT_EQ(seen, 30u);
  }
}

TEST(Processes, OneThatIsKilledIsMadeAgain) {
  const testing::TemporaryFolder folder;
  const std::string mark = folder.write("killed", "");
  Squares question;
  question.before = [&](std::size_t unit) {
    // Only once: the process that succeeds in removing the file.
    if (unit == 11 && ::unlink(mark.c_str()) == 0) ::kill(::getpid(), SIGKILL);
  };
  expect_right(answer_in_processes(question, 2, {.threads = 1}));
  EXPECT_FALSE(std::filesystem::exists(mark));
}

TEST(Processes, OneThatAlwaysDiesEndsTheWork) {
  Squares question;
  question.before = [](std::size_t unit) {
    if (unit == 11) ::kill(::getpid(), SIGKILL);
  };
  try {
    answer_in_processes(question, 2, {.threads = 1});
    FAIL() << "it answered";
  } catch (const IoError& error) {
    EXPECT_THAT(error.what(), HasSubstr("failed 4 times, the last with signal 9"));
  }
}

TEST(Processes, AnErrorKeepsItsLineAndStatus) {
  Squares question;
  question.before = [](std::size_t unit) {
    if (unit == 5) throw UsageError("5 of a sweep of 4 rows");
  };
  try {
    answer_in_processes(question, 2, {.threads = 1});
    FAIL() << "it answered";
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "5 of a sweep of 4 rows");
  }
}

}  // namespace
}  // namespace ridgewatt::evaluate
