#include "ridgewatt/schedule/live/dispatcher.h"

#include <gtest/gtest.h>

namespace ridgewatt::schedule::live {
namespace {

constexpr std::size_t kNobody = 99;

// For either program, batches of 1 and 4 take 100 and 200 ms; training takes 50 ms.
LiveMode hand_mode(std::size_t programs) {
  LiveMode mode;
  mode.batches.assign(programs, {{1, 0.1, 10}, {4, 0.2, 12}});
  mode.training = Round::of({16, 0.05, 20});
  return mode;
}

DispatchSettings hand_settings(std::vector<double> bounds_s) {
  DispatchSettings settings;
  settings.max_latency_s = std::move(bounds_s);
  settings.reserve = 0;
  return settings;
}

TEST(Dispatcher, GathersUntilFullOrDue) {
  Dispatcher dispatcher(hand_settings({1}));
  const LiveMode mode = hand_mode(1);
  const LivePlan plan{0, {4}, false};
  const std::vector<Presence> ready = {Presence::kReady};
  dispatcher.arrive(0, 0);
  // One more request would require a batch of four, which takes 200 ms.
  const Move wait = dispatcher.next(0, mode, plan, ready, false, 0, kNobody);
  EXPECT_EQ(wait.kind, Move::Kind::kWait);
  EXPECT_NEAR(wait.until_s, 0.8, 1e-12);
  const Move due = dispatcher.next(0.8, mode, plan, ready, false, 0, kNobody);
  ASSERT_EQ(due.kind, Move::Kind::kServe);
  EXPECT_EQ(due.count, 1u);
  EXPECT_EQ(due.minibatch.batch, 1);
  for (const double time_s : {0.03, 0.01, 0.02}) dispatcher.arrive(0, time_s);
  const Move full = dispatcher.next(0.1, mode, plan, ready, false, 0, kNobody);
  ASSERT_EQ(full.kind, Move::Kind::kServe);
  EXPECT_EQ(full.count, 4u);
  EXPECT_EQ(full.minibatch.batch, 4);
  EXPECT_EQ(dispatcher.take(0, 4, 0), (std::vector<double>{0, 0.01, 0.02, 0.03}));
  EXPECT_TRUE(dispatcher.waiting(0).empty());
}

TEST(Dispatcher, EarliestDeadlineFirst) {
  Dispatcher dispatcher(hand_settings({1, 0.5}));
  const LiveMode mode = hand_mode(2);
  const LivePlan plan{0, {1, 1}, true};
  std::vector<Presence> presence = {Presence::kReady, Presence::kReady};
  dispatcher.arrive(0, 0);
  dispatcher.arrive(1, 0.1);
  EXPECT_EQ(dispatcher.next(0.1, mode, plan, presence, true, 0, kNobody).program, 1u);
  // Without a worker for program 1, the dispatcher serves program 0.
  presence[1] = Presence::kAbsent;
  EXPECT_EQ(dispatcher.next(0.1, mode, plan, presence, true, 0, kNobody).program, 0u);
}

TEST(Dispatcher, LateRequestsStepAside) {
  Dispatcher dispatcher(hand_settings({0.3}));
  const LiveMode mode = hand_mode(1);
  const LivePlan plan{0, {1}, true};
  const std::vector<Presence> ready = {Presence::kReady};
  dispatcher.arrive(0, 0);
  dispatcher.arrive(0, 0.5);
  const Move move = dispatcher.next(0.6, mode, plan, ready, true, 0, kNobody);
  ASSERT_EQ(move.kind, Move::Kind::kServe);
  EXPECT_EQ(move.aside, 1u);
  EXPECT_EQ(dispatcher.take(0, move.count, move.aside), (std::vector<double>{0.5}));
  // The late request follows, before training.
  const Move late = dispatcher.next(0.7, mode, plan, ready, true, 0, kNobody);
  ASSERT_EQ(late.kind, Move::Kind::kServe);
  EXPECT_EQ(late.aside, 0u);
  EXPECT_EQ(dispatcher.take(0, late.count, late.aside), (std::vector<double>{0}));
  EXPECT_EQ(dispatcher.next(0.8, mode, plan, ready, true, 0, kNobody).kind, Move::Kind::kTrain);
}

TEST(Dispatcher, OrderIsKeptWhereItShall) {
  auto settings = hand_settings({0.3});
  settings.late_last = false;
  Dispatcher dispatcher(settings);
  dispatcher.arrive(0, 0);
  dispatcher.arrive(0, 0.5);
  const std::vector<Presence> ready = {Presence::kReady};
  const Move move = dispatcher.next(0.6, hand_mode(1), {0, {1}, false}, ready, false, 0, kNobody);
  EXPECT_EQ(move.aside, 0u);
}

// A batch of four must start at 0.8 s, so a training minibatch of 50 ms may start until 0.75 s.
TEST(Dispatcher, TrainingIsNotInTheWay) {
  Dispatcher dispatcher(hand_settings({1}));
  const LiveMode mode = hand_mode(1);
  const LivePlan plan{0, {4}, true};
  const std::vector<Presence> ready = {Presence::kReady};
  dispatcher.arrive(0, 0);
  const auto kind_at = [&](const Dispatcher& one, double now_s, std::size_t last) {
    return one.next(now_s, mode, plan, ready, true, 0, last).kind;
  };
  EXPECT_EQ(kind_at(dispatcher, 0.74, kNobody), Move::Kind::kTrain);
  EXPECT_EQ(kind_at(dispatcher, 0.76, kNobody), Move::Kind::kServe);
  // A switch to training after inference takes 20 ms, and so does the switch to the batch.
  auto settings = hand_settings({1});
  settings.switch_s = 0.02;
  Dispatcher switching(settings);
  switching.arrive(0, 0);
  EXPECT_EQ(kind_at(switching, 0.70, 0), Move::Kind::kTrain);
  EXPECT_EQ(kind_at(switching, 0.72, 0), Move::Kind::kServe);
  EXPECT_EQ(kind_at(switching, 0.72, 1), Move::Kind::kTrain);  // training ran last
}

TEST(Dispatcher, AProgramWithoutAWorkerIsNotWaitedFor) {
  Dispatcher dispatcher(hand_settings({1, 1}));
  const LiveMode mode = hand_mode(2);
  dispatcher.arrive(0, 0);
  const std::vector<Presence> presence = {Presence::kAbsent, Presence::kReady};
  const Move move = dispatcher.next(0.95, mode, {0, {4, 4}, true}, presence, true, 0, kNobody);
  EXPECT_EQ(move.kind, Move::Kind::kTrain);
  dispatcher.forget(0);
  EXPECT_TRUE(dispatcher.waiting(0).empty());
}

}  // namespace
}  // namespace ridgewatt::schedule::live
