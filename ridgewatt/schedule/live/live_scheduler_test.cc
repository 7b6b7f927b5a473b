#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <new>
#include <thread>

#include "include/ridgewatt_worker.h"
#include "ridgewatt/base/clock.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/schedule/live.h"

namespace ridgewatt::schedule {
namespace {

void nap(double seconds) {
  if (seconds <= 0) return;
  const timespec time{static_cast<time_t>(seconds),
                      static_cast<long>((seconds - std::floor(seconds)) * 1e9)};
  nanosleep(&time, nullptr);
}

// State of the board that the worker processes and the test share.
struct SharedBoard {
  std::atomic<int> mode{0};
  std::atomic<int> reported[2] = {0, 0};  // requests of each program
  std::atomic<int> served[2] = {0, 0};
};

// The live schedule on real processes. They sleep as long as their minibatches take in the current
// mode: mode 0 trains faster, mode 1 serves faster.
class LiveScheduleTest : public ::testing::Test {
 protected:
  LiveScheduleTest()
      : board_(new (::mmap(nullptr, sizeof(SharedBoard), PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_ANONYMOUS, -1, 0)) SharedBoard) {
    LiveMode trains, serves;
    trains.mode.gpu_clock_hz = 1e9;
    trains.batches.assign(2, {{1, 0.16, 20}, {4, 0.24, 20}, {16, 0.48, 20}});
    trains.training = Round::of({16, 0.12, 20});
    serves.mode.gpu_clock_hz = 2e9;
    serves.batches.assign(2, {{1, 0.04, 20}, {4, 0.08, 20}, {16, 0.16, 20}});
    serves.training = Round::of({16, 0.32, 20});
    modes_ = {trains, serves};
    options_.speed = kSpeed;
    options_.reserve_s = 0.1;
    options_.set_mode = [this](const PowerMode& mode) {
      board_->mode = mode == modes_[1].mode ? 1 : 0;
    };
  }
  ~LiveScheduleTest() override {
    for (const pid_t child : children_) {
      ::kill(child, SIGKILL);
      ::waitpid(child, nullptr, 0);
    }
    ::munmap(board_, sizeof(SharedBoard));
  }
  static constexpr double kSpeed = 8;

  std::string path() const { return (folder_.path() / "s").string(); }
  double minibatch_s(std::size_t program, int requests) const {
    const LiveMode& mode = modes_[static_cast<std::size_t>(board_->mode.load())];
    if (program == 2) return mode.training->time_s / kSpeed;
    return mode.padded(program, static_cast<std::size_t>(requests)).time_s / kSpeed;
  }

  template <typename Body>
  pid_t process(const char* kind, const char* name, Body body) {
    const pid_t child = fork();
    if (child == 0) {
      ridgewatt_worker worker;
      for (int i = 0; i < 500; ++i) {
        if (ridgewatt_worker_connect(&worker, path().c_str(), kind, name) == 0) {
          body(worker);
          break;
        }
        nap(0.01);
      }
      _exit(0);
    }
    children_.push_back(child);
    return child;
  }
  pid_t trainer() {
    return process("training", "t", [this](auto& worker) {
      while (ridgewatt_worker_begin(&worker) == 0) {
        nap(minibatch_s(2, 1));
        if (ridgewatt_worker_end(&worker) != 0) return;
      }
    });
  }
  // Requests arrive at `rate_hz(t)`, where t is the schedule's time since the worker started.
  pid_t server(std::size_t program, double (*rate_hz)(double)) {
    const char* name = program == 0 ? "a" : "b";
    return process("inference", name, [this, program, rate_hz](auto& worker) {
      if (ridgewatt_worker_count(&worker) != 0) return;
      const double begin_s = monotonic_s();
      double next_s = begin_s + 1 / rate_hz(0) / kSpeed;
      bool asked = false;
      const auto report = [&] {
        while (next_s <= monotonic_s()) {
          const double age_us = (monotonic_s() - next_s) * 1e6;
          if (ridgewatt_worker_arrived(&worker, 1, std::llround(age_us)) != 0) return false;
          ++board_->reported[program];
          next_s += 1 / rate_hz((next_s - begin_s) * kSpeed) / kSpeed;
        }
        return true;
      };
      while (report()) {
        if (!asked && ridgewatt_worker_ask(&worker) != 0) return;
        asked = true;
        pollfd polled{worker.fd, POLLIN, 0};
        const int wait_ms = static_cast<int>(std::ceil((next_s - monotonic_s()) * 1e3));
        if (worker.pending_size == 0 && ::poll(&polled, 1, std::max(wait_ms, 0)) <= 0) continue;
        if (ridgewatt_worker_granted(&worker) != 0) return;
        nap(minibatch_s(program, worker.requests));
        board_->served[program] += worker.requests;
        if (ridgewatt_worker_end(&worker) != 0) return;
        asked = false;
      }
    });
  }

  void serve(double seconds) {
    LiveScheduler scheduler(modes_, programs_, options_);
    ExecutorOptions executor_options;
    executor_options.socket_path = path();
    executor_options.duration_s = seconds;
    executor_options.least_deadline_s = 30;
    executor_options.policy = &scheduler;
    executor_options.on_grant = [this](const GrantRecord& record) { records_.push_back(record); };
    Executor executor(executor_options);
    executed_ = executor.run();
    summary_ = scheduler.summary();
  }
  void expect_no_overlap() const {
    for (std::size_t i = 1; i < records_.size(); ++i) {
      ASSERT_GE(records_[i].granted_s, records_[i - 1].released_s);
    }
  }

  testing::TemporaryFolder folder_;
  SharedBoard* board_;
  std::vector<pid_t> children_;
  std::vector<LiveMode> modes_;
  std::vector<LiveProgram> programs_ = {{"a", 2, 4}, {"b", 3, 4}};
  LiveOptions options_;
  std::vector<GrantRecord> records_;
  ExecutorSummary executed_;
  LiveSummary summary_;
};

// Half a minute, during which the rate of the first program rises to a value that only the second
// mode can serve.
// label: waits
TEST_F(LiveScheduleTest, TheModeFollowsTheRate) {
  server(0, [](double time_s) { return time_s < 12 ? 4.0 : 40.0; });
  server(1, [](double) { return 6.0; });
  trainer();
  serve(4);
  expect_no_overlap();
  EXPECT_GE(summary_.mode_changes, 1u);
  EXPECT_EQ(board_->mode.load(), 1);
  EXPECT_GT(summary_.training_minibatches, 10);
  ASSERT_EQ(summary_.programs.size(), 2u);
  for (std::size_t p = 0; p < 2; ++p) {
    const auto& program = summary_.programs[p];
    // No request is lost or served twice; the last ones were still waiting.
    EXPECT_LE(board_->served[p], board_->reported[p]);
    EXPECT_GT(board_->served[p], board_->reported[p] / 2);
    EXPECT_LE(static_cast<int>(program.requests), board_->reported[p]);
    EXPECT_GE(static_cast<int>(program.requests), board_->served[p] - 16);  // one batch is running
    EXPECT_GT(program.requests, 20u);
    EXPECT_EQ(program.joined, 1u);
    EXPECT_LT(program.p50_s, 2 * programs_[p].max_latency_s);  // regardless of the machine's load
  }
  EXPECT_GT(summary_.programs[0].rate_hz, 15);
  EXPECT_EQ(executed_.requests,
            static_cast<std::uint64_t>(board_->reported[0] + board_->reported[1]));
}

// label: waits
TEST_F(LiveScheduleTest, AKilledWorkerIsNoticedAndMayComeBack) {
  const pid_t victim = server(0, [](double) { return 20.0; });
  server(1, [](double) { return 6.0; });
  const pid_t training = trainer();
  // A second worker of the same name is rejected while the first exists. It retries until it is
  // accepted.
  const pid_t second = fork();
  if (second == 0) {
    nap(0.7);
    for (int i = 0; i < 1000; ++i) {
      ridgewatt_worker worker;
      if (ridgewatt_worker_connect(&worker, path().c_str(), "inference", "a") == 0) {
        while (ridgewatt_worker_begin(&worker) ==
               0) {  // reports no requests: takes the granted batches
          nap(0.01);
          if (ridgewatt_worker_end(&worker) != 0) break;
        }
        break;
      }
      nap(0.01);
    }
    _exit(0);
  }
  children_.push_back(second);
  std::thread killer([&] {
    nap(1.5);
    ::kill(victim, SIGKILL);
    nap(0.3);
    ::kill(training, SIGKILL);
  });
  serve(4);
  killer.join();
  expect_no_overlap();
  EXPECT_EQ(summary_.programs[0].joined, 2u);
  // The plan continues without the training program that died, and with the inference program that
  // returned.
  const auto after = [&](const std::string& worker, double from_s) {
    return std::count_if(records_.begin(), records_.end(), [&](const GrantRecord& record) {
      return record.worker == worker && record.granted_s > from_s;
    });
  };
  EXPECT_GT(after("a", 2.2), 0);
  EXPECT_GT(after("b", 2.2), 0);
  EXPECT_EQ(after("t", 2.6), 0);
}

TEST_F(LiveScheduleTest, StrangersAndBadOptionsAreRefused) {
  LiveScheduler scheduler(modes_, programs_, options_);
  WorkerView worker{"other", WorkloadKind::kInference, false, false, 0};
  EXPECT_NE(scheduler.joining(worker, 0), "");
  worker.name = "a";
  EXPECT_EQ(scheduler.joining(worker, 0), "");
  EXPECT_NE(scheduler.joining(worker, 0), "");  // one worker per program
  scheduler.left(worker, 1);
  EXPECT_EQ(scheduler.joining(worker, 1), "");
  worker.kind = WorkloadKind::kTraining;
  EXPECT_EQ(scheduler.joining(worker, 1), "");
  for (const double bad : {0.0, -1.0, std::nan("")}) {
    LiveOptions options = options_;
    options.speed = bad;
    EXPECT_THROW(LiveScheduler(modes_, programs_, options), UsageError);
  }
  EXPECT_THROW(LiveScheduler(modes_, {{"a", -1, 0}, {"b", 1, 0}}, options_), UsageError);
}

// Without processes: tests what is planned, reported and measured. Minibatches take twice the
// planned time, and the planned times must adapt.
TEST_F(LiveScheduleTest, PlannedTimesFollowTheMeasuredOnes) {
  options_.speed = 1;
  options_.plan_aside = false;
  LiveScheduler scheduler(modes_, programs_, options_);
  const WorkerView server{"a", WorkloadKind::kInference, true, true, 0};
  const WorkerView trainer{"t", WorkloadKind::kTraining, true, false, 0};
  const std::vector<WorkerView> workers = {server, trainer};
  ASSERT_EQ(scheduler.joining(server, 0), "");
  double now_s = 0;
  double last_planned_s = 0;
  for (int i = 0; i < 60; ++i) {
    const GrantDecision decision = scheduler.next(now_s, workers);
    ASSERT_TRUE(decision.grant);
    ASSERT_EQ(decision.grant->worker, 1u);
    GrantRecord record{1, "t", WorkloadKind::kTraining, 1, now_s, 0, "done", 0, 0};
    const double planned_s = scheduler.plan().mode == 0 ? 0.12 : 0.32;  // as given in the modes
    last_planned_s = decision.grant->planned_s / planned_s;
    now_s += 2 * planned_s;
    record.released_s = now_s;
    scheduler.released(record);
  }
  EXPECT_GE(scheduler.summary().corrections, 1u);
  EXPECT_NEAR(last_planned_s, 2, 0.02);
}

// Two training programs of different lengths alternate and join in a different order than in the
// plan. Each must be compared with its own planned time.
TEST_F(LiveScheduleTest, EachTrainingHasItsOwnPlannedTime) {
  for (LiveMode& mode : modes_) {
    mode.training = Round::of({16, 0.05, 20});
    mode.training->add({16, 0.15, 20}, 3, 0);
  }
  options_.speed = 1;
  options_.plan_aside = false;
  for (const bool named : {true, false}) {
    options_.training =
        named ? std::vector<std::string>{"short", "long"} : std::vector<std::string>{};
    LiveScheduler scheduler(modes_, programs_, options_);
    std::vector<WorkerView> workers = {{"long", WorkloadKind::kTraining, true, false, 0},
                                       {"short", WorkloadKind::kTraining, true, false, 0.01}};
    if (!named) std::swap(workers[0], workers[1]);  // in the order of joining
    for (const auto& worker : workers) ASSERT_EQ(scheduler.joining(worker, 0), "");
    std::swap(workers[0].since_s, workers[1].since_s);
    double now_s = 0.02;
    for (int i = 0; i < 60; ++i) {
      const GrantDecision decision = scheduler.next(now_s, workers);
      ASSERT_TRUE(decision.grant);
      WorkerView& worker = workers[decision.grant->worker];
      const double own_s = worker.name == "short" ? 0.05 : 0.15;
      EXPECT_EQ(decision.grant->planned_s, own_s);
      now_s += own_s;
      scheduler.released(
          {1, worker.name, WorkloadKind::kTraining, 1, now_s - own_s, now_s, "done"});
      worker.since_s = now_s;
    }
    EXPECT_EQ(scheduler.summary().corrections, 0u);
  }
}

}  // namespace
}  // namespace ridgewatt::schedule
