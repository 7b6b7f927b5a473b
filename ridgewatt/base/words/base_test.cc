#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <numbers>
#include <numeric>
#include <thread>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/fnv.h"
#include "ridgewatt/base/parallel.h"
#include "ridgewatt/base/plural.h"
#include "ridgewatt/base/progress.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/base/suggest.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/base/text.h"

namespace ridgewatt {
namespace {

TEST(Text, NumbersAreParsedStrictly) {
  EXPECT_EQ(parse_double(" 1.5e3 "), 1500.0);
  EXPECT_EQ(parse_double("+2"), 2.0);
  EXPECT_FALSE(parse_double("1.5x"));
  EXPECT_FALSE(parse_double(""));
  EXPECT_FALSE(parse_double("1 2"));
  EXPECT_EQ(parse_int("-7"), -7);
  EXPECT_FALSE(parse_int("7.5"));
  EXPECT_FALSE(parse_int("99999999999999999999"));
}

// RFC 8259, section 7: U+202E is \u202e, and U+E0041 the surrogate pair \udb40\udc41.
TEST(Text, InvisibleCharactersInJsonAreWrittenAsEscapes) {
  EXPECT_EQ(escape_json("[\"a\xE2\x80\xAE\xF3\xA0\x81\x81\"]"), "[\"a\\u202e\\udb40\\udc41\"]");
  EXPECT_EQ(escape_json("{\n\"\xC2\x9B\x7F\": 1}"), "{\n\"\\u009b\\u007f\": 1}");
  EXPECT_EQ(escape_json("[\"\xC3\xA9 \xE2\x80\x94\"]"), "[\"\xC3\xA9 \xE2\x80\x94\"]");
}

TEST(Text, NothingFromOutsideDrivesTheTerminalOrThePage) {
  EXPECT_EQ(escape_terminal("a\x1b[31m\n"), "a\\x1b[31m\\x0a");
  EXPECT_EQ(escape_terminal("\xC3\xA9"), "\xC3\xA9");
  EXPECT_EQ(escape_terminal("\xC3"), "\\xc3");
  // Direction overrides (U+202E, U+2066), zero width (U+200B) and a tag (U+E0041) are escaped; an
  // em dash is not.
  EXPECT_EQ(escape_terminal("a\xE2\x80\xAE"
                            "b"),
            "a\\xe2\\x80\\xaeb");
  EXPECT_EQ(escape_html("\xE2\x81\xA6<"), "\\xe2\\x81\\xa6&lt;");
  EXPECT_EQ(escape_terminal("\xE2\x80\x8B\xF3\xA0\x81\x81"), "\\xe2\\x80\\x8b\\xf3\\xa0\\x81\\x81");
  EXPECT_EQ(escape_terminal("\xE2\x80\x94"), "\xE2\x80\x94");
  // Table 3-7 of the Unicode standard: overlong forms, a surrogate, a value beyond U+10FFFF.
  EXPECT_EQ(escape_terminal("\xE0\x80\x80"), "\\xe0\\x80\\x80");
  EXPECT_EQ(escape_terminal("\xED\xA0\x80"), "\\xed\\xa0\\x80");
  EXPECT_EQ(escape_terminal("\xF0\x80\x80\x80"), "\\xf0\\x80\\x80\\x80");
  EXPECT_EQ(escape_terminal("\xF4\x95\x80\x80"), "\\xf4\\x95\\x80\\x80");
  EXPECT_EQ(escape_terminal("\xF4\x8F\xBF\xBF"), "\xF4\x8F\xBF\xBF");
  EXPECT_EQ(escape_terminal("\xC2\x9B"), "\\xc2\\x9b");
  EXPECT_EQ(escape_html("<a b='\"&'>"), "&lt;a b=&#39;&quot;&amp;&#39;&gt;");
}

// Published test vectors (draft-eastlake-fnv).
TEST(Text, CaseChangesOnlyAsciiLetters) {
  EXPECT_EQ(lower_case("Llama 3.2 É_Z"), "llama 3.2 É_z");
  EXPECT_EQ(upper_case("bf16 é"), "BF16 é");
  EXPECT_EQ(capitalized("the answer"), "The answer");
  EXPECT_EQ(capitalized(""), "");
}

TEST(Fnv1a, IsThePublishedHash) {
  EXPECT_EQ(fnv1a(""), 0xcbf29ce484222325U);
  EXPECT_EQ(fnv1a("a"), 0xaf63dc4c8601ec8cU);
  EXPECT_EQ(fnv1a("foobar"), 0x85944171f73967e8U);
  EXPECT_EQ(fnv1a("bar", fnv1a("foo")), fnv1a("foobar"));
  EXPECT_EQ(fnv1a<std::uint32_t>(""), 0x811c9dc5U);
  EXPECT_EQ(fnv1a<std::uint32_t>("a"), 0xe40c292cU);
  EXPECT_EQ(fnv1a<std::uint32_t>("foobar"), 0xbf9cf968U);
}

TEST(Text, SiPrefixesCarry) {
  EXPECT_EQ(format_si(4089184256.0), "4.09 G");
  EXPECT_EQ(format_si(999.96, "W"), "1.00 kW");
  EXPECT_EQ(format_si(0.0123, "s"), "12.3 ms");
  EXPECT_EQ(format_si(0, "B"), "0 B");
  EXPECT_EQ(format_si(-1500, "J"), "-1.50 kJ");
}

TEST(Suggest, TheClosestNameWithinAThird) {
  const NameSet known{{"agx-orin", "orin-nano", "nano", "estimate", "sort"},
                      {{"orin-agx", "agx-orin"}, {"order-by", "sort"}}};
  EXPECT_EQ(closest_name("agx-oren", known), "agx-orin");
  EXPECT_EQ(closest_name("Orin_AGXX", known), "agx-orin");  // by a synonym
  EXPECT_EQ(closest_name("estimte", known), "estimate");
  EXPECT_EQ(closest_name("naon", known), "nano");
  EXPECT_EQ(closest_name("est", known), "estimate");  // by its beginning
  EXPECT_EQ(closest_name("der-by", known), "sort");   // by its end
  EXPECT_EQ(closest_name("orin", known), "");         // two names begin or end like this
  EXPECT_EQ(closest_name("thor", {{"tx2"}}), "");
  EXPECT_EQ(edit_distance("ca", "abc"), 3);  // optimal string alignment, not the full distance
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
  EXPECT_EQ(edit_distance("Agx_Orin", "agx-orin"), 0);
}

TEST(Suggest, CaseAndSeparatorsDoNotMatter) {
  static_assert(same_word("llama.cpp", "Llama-CPP") && same_word("a b_c", "abc"));
  static_assert(!same_word("abc", "abcd") && !same_word("", "a") && !same_word("fp16", "fp6"));
  const NameSet known{{"q4_0", "q4_k_m"}, {{"int4", "q4_0"}}};
  EXPECT_EQ(find_meant("Q4-K_M", known), "q4_k_m");
  EXPECT_EQ(find_meant("INT4", known), "q4_0");
  EXPECT_EQ(find_meant("Half", {{"f32", "f16"}}), "f16");  // common words need no row
  EXPECT_EQ(find_meant("half", {{"int8"}}), std::nullopt);
  EXPECT_EQ(find_meant("q4", known), std::nullopt);
  try {
    require_name("type", "q5_0", known);
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(),
                 "unknown type: 'q5_0': did you mean q4_0? choose one of q4_0, q4_k_m");
  }
}

TEST(Error, TheLineBeginsWithItsSubject) {
  EXPECT_STREQ(InputError("is cut off", "a.gguf").what(), "a.gguf is cut off");
  EXPECT_STREQ(InputError("has no rows", "a.csv", "add some").what(),
               "a.csv has no rows: add some");
  EXPECT_STREQ(InputError("cannot read", "a.csv").what(), "cannot read: a.csv");
  EXPECT_STREQ(InputError("isolated", "a.csv").what(), "isolated: a.csv");
  EXPECT_STREQ(UsageError("no board given", "", "see device list").what(),
               "no board given: see device list");
}

TEST(Random, SameSeedSameNumbersAndForksDiffer) {
  Random a(7), b(7);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(a.next(), b.next());
  EXPECT_NE(a.fork(0).next(), a.fork(1).next());
  EXPECT_EQ(a.fork(3).next(), b.fork(3).next());
}

TEST(Random, MomentsOfTheDistributions) {
  Random random(1);
  std::vector<double> uniform, normal, exponential;
  for (int i = 0; i < 200000; ++i) {
    uniform.push_back(random.uniform());
    normal.push_back(random.normal());
    exponential.push_back(random.exponential());
  }
  EXPECT_NEAR(mean(uniform), 0.5, 0.005);
  EXPECT_NEAR(standard_deviation(uniform), std::sqrt(1.0 / 12), 0.005);
  EXPECT_NEAR(mean(normal), 0, 0.01);
  EXPECT_NEAR(standard_deviation(normal), 1, 0.01);
  EXPECT_NEAR(mean(exponential), 1, 0.01);
}

TEST(Random, SampleHasDistinctIndices) {
  Random random(3);
  auto indices = random.sample(50, 50);
  std::sort(indices.begin(), indices.end());
  for (std::size_t i = 0; i < 50; ++i) EXPECT_EQ(indices[i], i);
}

TEST(Statistics, HandComputed) {
  const std::vector<double> values = {4, 1, 3, 2, 100};
  EXPECT_EQ(median(values), 3);
  EXPECT_EQ(mean(values), 22);
  EXPECT_EQ(quantile(values, 0.25), 2);
  EXPECT_DOUBLE_EQ(median_absolute_deviation(values), 1.4826);
  EXPECT_DOUBLE_EQ(
      mean_absolute_percentage_error(std::vector<double>{1.1, 1.8}, std::vector<double>{1.0, 2.0}),
      0.1);
  EXPECT_THROW(median({}), UsageError);
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-12);
  EXPECT_NEAR(normal_quantile(0.05), -1.6448536269514722, 1e-12);
}

// Compares with the integral that defines it.
TEST(Statistics, ExpectedImprovementIsTheMeanOfWhatLiesBelow) {
  for (const double mean : {-1.0, 0.3, 2.0}) {
    const double deviation = 0.7, best = 0.5, step = 1e-4;
    double sum = 0;
    for (double x = mean - 12 * deviation; x < best; x += step) {
      const double z = (x - mean) / deviation;
      sum += (best - x) * std::exp(-z * z / 2) / (deviation * std::sqrt(2 * M_PI)) * step;
    }
    EXPECT_NEAR(expected_improvement(mean, deviation, best) / sum, 1, 1e-3) << mean;
  }
  EXPECT_EQ(expected_improvement(10, 0.1, 1), 0);
}

// NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2: critical values of Student's t.
TEST(Statistics, StudentsQuantilesArePublishedOnes) {
  constexpr struct {
    double degrees, p90, p95, p975, p999;
  } kTable[] = {{1, 3.078, 6.314, 12.706, 318.313}, {2, 1.886, 2.920, 4.303, 22.327},
                {3, 1.638, 2.353, 3.182, 10.215},   {4, 1.533, 2.132, 2.776, 7.173},
                {9, 1.383, 1.833, 2.262, 4.297},    {29, 1.311, 1.699, 2.045, 3.396},
                {100, 1.290, 1.660, 1.984, 3.174}};
  for (const auto& row : kTable) {
    EXPECT_NEAR(student_quantile(0.90, row.degrees), row.p90, 6e-4) << row.degrees;
    EXPECT_NEAR(student_quantile(0.95, row.degrees), row.p95, 6e-4) << row.degrees;
    EXPECT_NEAR(student_quantile(0.975, row.degrees), row.p975, 6e-4) << row.degrees;
    EXPECT_NEAR(student_quantile(0.999, row.degrees), row.p999, 5e-3) << row.degrees;
  }
  // One degree of freedom gives Cauchy's distribution and many give the normal distribution; two
  // have a closed form.
  EXPECT_NEAR(student_quantile(0.975, 1), std::tan(std::numbers::pi * 0.475), 1e-10);
  EXPECT_NEAR(student_quantile(0.8, 2), 0.6 / std::sqrt(2 * 0.8 * 0.2), 1e-12);
  EXPECT_NEAR(student_quantile(0.05, 1e7), normal_quantile(0.05), 1e-6);
  EXPECT_NEAR(student_quantile(0.5, 4), 0, 1e-12);
  for (const double p : {0.01, 0.3, 0.5, 0.9, 0.999}) {
    EXPECT_NEAR(student_cdf(student_quantile(p, 3.5), 3.5), p, 1e-10);
  }
  EXPECT_THROW(student_quantile(1, 4), UsageError);
  EXPECT_THROW(student_quantile(0.9, 0), UsageError);
}

TEST(Statistics, StudentsIntervalOfAHandMadeSample) {
  const MeanInterval interval = student_interval(std::vector<double>{1, 2, 3, 4, 5});
  EXPECT_DOUBLE_EQ(interval.mean, 3);
  EXPECT_EQ(interval.count, 5);
  // sd = sqrt(2.5), t(4) = 2.776.
  EXPECT_NEAR(interval.hi - 3, 2.776 * std::sqrt(2.5 / 5), 1e-3);
  EXPECT_TRUE(std::isinf(student_interval(std::vector<double>{1}).hi));
  EXPECT_EQ(student_interval({}).count, 0);
}

TEST(Parallel, EveryIndexOnceAndTheFirstErrorWins) {
  std::vector<std::atomic<int>> hits(1000);
  parallel_for(
      hits.size(), [&](std::size_t i) { ++hits[i]; }, 4);
  for (const auto& hit : hits) EXPECT_EQ(hit, 1);
  try {
    parallel_for(
        100,
        [](std::size_t i) {
          if (i % 10 == 3) throw InputError(std::to_string(i));
        },
        4);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "3");
  }
}

TEST(Parallel, TheWatchOfTheCallerEndsTheWork) {
  std::atomic<int> begun{0};
  int asked = 0;
  const WatchedWork watched([&](const WorkStep&) {
    if (++asked > 5) throw IoError("ended");
  });
  const auto body = [&](std::size_t) {
    ++begun;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  };
  for (const int threads : {1, 3}) {
    asked = 0, begun = 0;
    EXPECT_THROW(parallel_for(10000, body, threads), IoError);
    EXPECT_LT(begun, 1000);
  }
}

// The caller finishes its own body first and waits. While it waits, it still calls the watch, and
// the body in the other thread must end.
// label: slow
TEST(Parallel, TheWatchEndsBodiesOfOtherThreadsWhereTheyAsk) {
  std::atomic<bool> heard{false};
  const auto begun = std::chrono::steady_clock::now();
  const auto after = [&](int ms) {
    return std::chrono::steady_clock::now() - begun > std::chrono::milliseconds(ms);
  };
  const auto caller = std::this_thread::get_id();
  const WatchedWork watched([&](const WorkStep&) {
    if (after(200)) throw IoError("ended");
  });
  const auto body = [&](std::size_t) {
    if (std::this_thread::get_id() == caller) return;
    try {
      while (!after(20'000)) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        check_work();
      }
    } catch (...) {
      heard = true;
      throw;
    }
  };
  // A fast thread may take several bodies, so there are enough for the other thread to get one.
  EXPECT_THROW(parallel_for(1'000'000, body, 2), IoError);
  EXPECT_TRUE(heard);
  EXPECT_FALSE(after(10'000));
}

TEST(WatchedWork, HearsOfEveryStepAndGivesThePlaceBack) {
  std::vector<std::size_t> outer, inner;
  const WatchedWork watched([&](const WorkStep& step) { outer.push_back(step.done); });
  Progress progress("work", 3, /*quiet=*/true);
  progress.update(1);
  {
    const WatchedWork nested([&](const WorkStep& step) {
      EXPECT_EQ(step.label, "work");
      EXPECT_EQ(step.total, 3U);
      inner.push_back(step.done);
    });
    progress.update(2);
  }
  progress.update(3);
  EXPECT_EQ(outer, (std::vector<std::size_t>{1, 3}));
  EXPECT_EQ(inner, (std::vector<std::size_t>{2}));
  std::thread([] { check_work(); }).join();  // the watch does not apply to another thread
  EXPECT_EQ(outer.size(), 2U);
}

TEST(Plural, NounsFollowTheNumber) {
  EXPECT_EQ(counted(1, "row"), "1 row");
  EXPECT_EQ(counted(0, "row"), "0 rows");
  EXPECT_EQ(counted(2, "minibatch"), "2 minibatches");
  EXPECT_EQ(counted(1, "entry"), "1 entry");
  EXPECT_EQ(counted(3, "entry"), "3 entries");
  EXPECT_EQ(counted(3, "day"), "3 days");
}

}  // namespace
}  // namespace ridgewatt
