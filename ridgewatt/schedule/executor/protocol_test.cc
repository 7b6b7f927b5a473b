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
                           "grant 1 1"}) {
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
  buffer.feed("\nready\n");  // the end of the long line, and a good one
  EXPECT_EQ(buffer.next()->text, "ready");
}

}  // namespace
}  // namespace ridgewatt::schedule
