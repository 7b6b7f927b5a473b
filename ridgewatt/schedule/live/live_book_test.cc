#include "ridgewatt/schedule/live/live_book.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/schedule/arrivals.h"
#include "ridgewatt/schedule/live/live_controller.h"
#include "ridgewatt/schedule/schedule_fixture.h"

namespace ridgewatt::schedule::live {
namespace {

// Two synthetic inference programs and a training program over random modes, generated from a seed.
struct MadeUpBoard {
  std::vector<LiveMode> modes;
  std::vector<LiveProgram> programs = {{"a", 0.6, 20}, {"b", 1.0, 10}};
  DispatchSettings settings;

  explicit MadeUpBoard(std::uint64_t seed, std::size_t count = 12) {
    Random random(seed);
    const KnobSpace space = testing::small_space();
    std::vector<PowerMode> chosen;
    for (const auto i : random.sample(space.size(), count)) chosen.push_back(space[i]);
    std::vector<Sweep> inference;
    for (const char* name : {"a", "b"}) {
      inference.push_back(
          testing::random_workload(random, 0.002).sweep(chosen, {1, 4, 16}, name, "inference"));
    }
    const std::vector<Sweep> training = {
        testing::random_workload(random, 0.004).sweep(chosen, {16}, "t", "training")};
    modes = live_modes(inference, training, 1e9);
    settings.max_latency_s = {0.6, 1.0};
  }
};

double worst_late(const VirtualRun& run, const MadeUpBoard& board) {
  double worst = 0;
  for (std::size_t p = 0; p < 2; ++p) {
    worst = std::max(worst, late_share(run.latencies_s[p], board.programs[p].max_latency_s));
  }
  return worst;
}

std::vector<std::vector<double>> poisson_of_two(double a_hz, double b_hz, double duration_s,
                                                std::uint64_t seed) {
  Random a = Random(seed).fork(0), b = Random(seed).fork(1);
  return {poisson_arrivals(a_hz, duration_s, a), poisson_arrivals(b_hz, duration_s, b)};
}

// A program that is served one request at a time is an M/D/1 queue: the mean wait is rho s / (2 (1
// - rho)), here 0.6 x 0.02 / 0.8.
TEST(VirtualBoard, IsAQueueWhereItIsOne) {
  LiveMode mode;
  mode.batches = {{{1, 0.02, 10}}};
  DispatchSettings settings;
  settings.max_latency_s = {100};
  Random random(3);
  const std::vector<std::vector<double>> arrivals = {poisson_arrivals(30, 4000, random)};
  VirtualOptions options;
  options.duration_s = 4100;
  const auto run = run_virtual({mode}, {0, {1}, false}, arrivals, settings, options);
  EXPECT_NEAR(mean(run.latencies_s[0]), 0.02 + 0.015, 0.0005);
  EXPECT_NEAR(run.energy_j, 0.02 * 10 * static_cast<double>(arrivals[0].size()), 1e-6);
}

// Without requests, training runs without pauses. A minibatch that follows another program's is
// longer.
TEST(VirtualBoard, TrainingFillsWhatIsFree) {
  LiveMode mode;
  mode.batches = {{{1, 0.02, 10}}};
  mode.training = Round::of({16, 0.05, 20});
  DispatchSettings settings;
  settings.max_latency_s = {0.5};
  VirtualOptions options;
  options.duration_s = 10;
  EXPECT_EQ(
      run_virtual({mode}, {0, {1}, true}, std::vector<std::vector<double>>(1), settings, options)
          .training_rounds,
      200);
  settings.switch_s = 0.01;
  options.most_grants = 4;
  const std::vector<std::vector<double>> one = {{0.051}};
  const auto grants = run_virtual({mode}, {0, {1}, true}, one, settings, options).grants;
  ASSERT_EQ(grants.size(), 4u);
  EXPECT_NEAR(grants[1].end_s - grants[1].start_s, 0.05, 1e-9);  // training follows training
  EXPECT_FALSE(grants[2].training);
  EXPECT_NEAR(grants[2].end_s - grants[2].start_s, 0.03, 1e-9);
  EXPECT_NEAR(grants[3].end_s - grants[3].start_s, 0.06, 1e-9);
}

// For any plans and changes of plans: one minibatch runs at a time, in order, and every served
// request is served once, after its arrival.
TEST(VirtualBoard, GrantsNeverOverlap) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const MadeUpBoard board(seed, 6);
    Random random(seed);
    VirtualOptions options;
    options.jitter = 0.3;
    options.mode_change_s = 0.1;
    options.most_grants = 100'000;
    const auto arrivals = poisson_of_two(30, 30, 60, seed);
    const Replan anything = [&](double, auto) -> std::optional<LivePlan> {
      if (random.below(4) != 0) return std::nullopt;
      constexpr int kSizes[] = {1, 4, 16};
      return LivePlan{random.below(board.modes.size()),
                      {kSizes[random.below(3)], kSizes[random.below(3)]},
                      random.below(2) == 0};
    };
    const auto run =
        run_virtual(board.modes, {0, {1, 1}, true}, arrivals, board.settings, options, anything);
    EXPECT_GT(run.mode_changes, 10);
    for (std::size_t i = 1; i < run.grants.size(); ++i) {
      ASSERT_GE(run.grants[i].start_s, run.grants[i - 1].end_s);
    }
    for (std::size_t p = 0; p < 2; ++p) {
      ASSERT_EQ(run.latencies_s[p].size(), arrivals[p].size());
      for (const double latency_s : run.latencies_s[p]) {
        EXPECT_TRUE(latency_s == -1 || latency_s > 0);
      }
    }
  }
}

// Compares the chosen plan with every other plan, each simulated on arrivals that the book has not
// seen. The chosen plan serves in time and trains nearly as much as the best such plan.
// label: slow
TEST(LiveBook, ChoosesNearlyTheBest) {
  int solved = 0;
  double lost = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const MadeUpBoard board(seed);
    LiveBook book(board.modes, board.programs, board.settings, 1);
    const std::vector<double> rates = {30, 20};
    const auto arrivals = poisson_of_two(rates[0], rates[1], 60, 1000 + seed);
    VirtualOptions options;
    options.duration_s = 61;
    options.jitter = 0.03;
    const auto simulated = [&](const LivePlan& plan) {
      return run_virtual(board.modes, plan, arrivals, board.settings, options);
    };
    double best = -1;
    for (std::size_t m = 0; m < board.modes.size(); ++m) {
      for (const int a : {1, 4, 16}) {
        for (const int b : {1, 4, 16}) {
          const auto run = simulated({m, {a, b}, true});
          if (worst_late(run, board) <= 0.005) best = std::max(best, run.training_rounds);
        }
      }
    }
    const LivePlan& chosen = book.choose(rates);
    const auto run = simulated(chosen);
    if (best < 0) continue;  // no plan with training serves in time
    ++solved;
    EXPECT_LE(worst_late(run, board), 0.02) << seed;
    lost += std::max(0.0, 1 - run.training_rounds / best);
  }
  EXPECT_GE(solved, 6);
  EXPECT_LE(lost / solved, 0.05);
}

TEST(LiveBook, CorrectedTimesAreUsed) {
  const MadeUpBoard board(1);
  LiveBook book(board.modes, board.programs, board.settings, 1);
  const std::vector<double> rates = {30, 20};
  const LivePlan before = book.choose(rates);
  std::vector<TimeFactors> factors(board.modes.size(), {{2, 2}, 3});
  factors[before.mode] = {{1, 1}, 1};
  book.correct(factors);
  for (std::size_t m = 0; m < board.modes.size(); ++m) {
    const double factor = m == before.mode ? 1 : 2;
    EXPECT_DOUBLE_EQ(book.modes()[m].batches[1][2].time_s,
                     factor * board.modes[m].batches[1][2].time_s);
  }
  EXPECT_EQ(book.choose(rates), before);  // only the other modes became slower
}

TEST(LiveBook, BadQuestionsAreRefused) {
  const MadeUpBoard board(1);
  EXPECT_THROW(LiveBook({}, board.programs, board.settings, 1), UsageError);
  EXPECT_THROW(LiveBook(board.modes, {{"a", 0, 1}, {"b", 1, 1}}, board.settings, 1), UsageError);
  EXPECT_THROW(LiveBook(board.modes, {{"a", NAN, 1}, {"b", 1, 1}}, board.settings, 1), UsageError);
}

// Two modes, as under a power budget: one trains faster, the other serves faster.
std::vector<LiveMode> two_modes() {
  LiveMode trains, serves;
  trains.batches.assign(2, {{1, 0.04, 20}, {4, 0.06, 20}, {16, 0.12, 20}});
  trains.training = Round::of({16, 0.03, 20});
  serves.batches.assign(2, {{1, 0.01, 20}, {4, 0.018, 20}, {16, 0.04, 20}});
  serves.training = Round::of({16, 0.08, 20});
  return {trains, serves};
}

// For twenty minutes, the rates of both programs jump at random. The controller sees only the
// arrivals.
// label: slow
TEST(LiveController, FollowsTheArrivals) {
  MadeUpBoard board(4);
  board.modes = two_modes();
  LiveBook book(board.modes, board.programs, board.settings, 1);
  DynamicOptions options;
  LiveController controller(book, options);
  BurstyOptions bursty;
  bursty.rates_hz = {5, 20, 40, 60};
  bursty.mean_dwell_s = 60;
  Random a(101), b(102);
  const std::vector<std::vector<double>> arrivals = {bursty_arrivals(bursty, 1200, a),
                                                     bursty_arrivals(bursty, 1200, b)};
  VirtualOptions virtual_options;
  virtual_options.duration_s = 1202;
  virtual_options.jitter = 0.03;
  virtual_options.mode_change_s = options.mode_change_s;
  const auto run =
      run_virtual(board.modes, controller.plan(), arrivals, board.settings, virtual_options,
                  [&](double now_s, std::span<const std::span<const double>> so_far) {
                    std::vector<double> rates;
                    for (const auto& times : so_far)
                      rates.push_back(options.estimator.estimate(now_s, times));
                    return controller.decide(now_s, rates);
                  });
  int used = 0, met = 0;
  for (std::size_t p = 0; p < 2; ++p) {
    std::vector<std::vector<double>> minutes(20);
    for (std::size_t i = 0; i < arrivals[p].size(); ++i) {
      const double latency_s = run.latencies_s[p][i];
      minutes[static_cast<std::size_t>(arrivals[p][i] / 60)].push_back(latency_s < 0 ? 1e9
                                                                                     : latency_s);
    }
    for (auto& minute : minutes) {
      if (minute.empty()) continue;
      ++used;
      std::sort(minute.begin(), minute.end());
      const auto rank =
          static_cast<std::size_t>(std::ceil(0.99 * static_cast<double>(minute.size())));
      met += minute[rank - 1] <= board.programs[p].max_latency_s;
    }
  }
  EXPECT_GT(run.mode_changes, 3);
  EXPECT_GE(met, 0.97 * used) << met << " of " << used;
  // The controller must train more than the plan for the highest rates does.
  const LivePlan& safe = book.choose(std::vector<double>{60 * 1.15, 60 * 1.15});
  EXPECT_GT(
      run.training_rounds,
      run_virtual(board.modes, safe, arrivals, board.settings, virtual_options).training_rounds);
}

}  // namespace
}  // namespace ridgewatt::schedule::live
