#include "ridgewatt/schedule/protocol.h"

#include <gtest/gtest.h>

#include "ridgewatt/base/random.h"

namespace ridgewatt::schedule {
namespace {

using Type = WorkerMessage::Type;

TEST(Protocol, Messages) {
  const auto hello = parse_worker_message("hello 1 inference resnet-50.v1_5");
  ASSERT_TRUE(hello);
  EXPECT_EQ(hello->type, Type::kHello);
  EXPECT_EQ(hello->kind, WorkloadKind::kInference);
  EXPECT_EQ(hello->name, "resnet-50.v1_5");
  EXPECT_EQ(parse_worker_message("ready")->type, Type::kReady);
  EXPECT_EQ(parse_worker_message("done 18446744073709551615")->sequence, UINT64_MAX);
  EXPECT_EQ(parse_worker_message("bye")->type, Type::kBye);
}

TEST(Protocol, CountedRequests) {
  EXPECT_FALSE(parse_worker_message("ready")->requests);
  const auto ready = parse_worker_message("ready 7");
  ASSERT_TRUE(ready);
  EXPECT_EQ(ready->type, Type::kReady);
  EXPECT_EQ(ready->requests, 7);
  EXPECT_EQ(parse_worker_message("ready 0")->requests, 0);
  EXPECT_EQ(parse_worker_message("counting")->type, Type::kCounting);
  const auto arrived = parse_worker_message("arrived 3 1500");
  ASSERT_TRUE(arrived);
  EXPECT_EQ(arrived->type, Type::kArrived);
  EXPECT_EQ(arrived->requests, 3);
  EXPECT_DOUBLE_EQ(arrived->age_s, 0.0015);
}

TEST(Protocol, NothingElseIsAMessage) {
  for (const char* line : {"",
                           " ",
                           "ready ",
                           " ready",
                           "READY",
                           "hello",
                           "hello 1 training",
                           "hello 2 training a",
                           "hello 1 training a b",
                           "hello 1 other a",
                           "hello 1 training a/b",
                           "hello 1 training \x1b[2J",
                           "hello 1 training 123456789012345678901234567890123",
                           "done",
                           "done x",
                           "done -1",
                           "done 1 ",
                           "done 18446744073709551616",
                           "done 0x1",
                           "grant 1 1",
                           "ready -1",
                           "ready 1000001",
                           "ready 1 1",
                           "counting 1",
                           "arrived",
                           "arrived 1",
                           "arrived 0 0",
                           "arrived 1 -1",
                           "arrived 1000001 0",
                           "arrived 1 1.5",
                           "arrived 1 3600000001",
                           "arrived 1 0 0",
                           "arrived 99999999999999999999 0"}) {
    EXPECT_FALSE(parse_worker_message(line)) << line;
  }
  EXPECT_FALSE(parse_worker_message(std::string("ready\0", 6)));
}

TEST(Protocol, LinesAreBounded) {
  LineBuffer buffer;
  buffer.feed("rea");
  EXPECT_FALSE(buffer.next());
  buffer.feed("dy\nbye\n");
  EXPECT_EQ(buffer.next()->text, "ready");
  EXPECT_EQ(buffer.next()->text, "bye");
  for (int i = 0; i < 1000; ++i) {
    buffer.feed(std::string(100, 'x'));
    while (buffer.next()) {
    }
    ASSERT_LE(buffer.buffered(), kLongestLine);
  }
  buffer.feed("\nready\n");  // the end of the long line, and a valid line
  EXPECT_EQ(buffer.next()->text, "ready");
}

}  // namespace
}  // namespace ridgewatt::schedule
