// Tests that owners of descriptors and shared memory release them.
#include "ridgewatt/base/fd.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <atomic>
#include <new>

namespace ridgewatt {
namespace {

bool is_open(int fd) {
  return ::fcntl(fd, F_GETFD) >= 0;
}

TEST(OwnedFd, ClosesOnceAndOnEveryWayOut) {
  int number = -1;
  {
    OwnedFd first(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    number = first.get();
    const OwnedFd second(std::move(first));
    EXPECT_FALSE(first);  // NOLINT(bugprone-use-after-move): it holds nothing
    EXPECT_EQ(second.get(), number);
    EXPECT_TRUE(is_open(number));
  }
  EXPECT_FALSE(is_open(number));
}

TEST(Pipe, EndsWhenTheWriterCloses) {
  Pipe pipe;
  EXPECT_NE(::fcntl(pipe.read_end.get(), F_GETFD) & FD_CLOEXEC, 0);
  ASSERT_EQ(::write(pipe.write_end.get(), "x", 1), 1);
  pipe.write_end.reset();
  char text[2];
  EXPECT_EQ(::read(pipe.read_end.get(), text, sizeof text), 1);
  EXPECT_EQ(::read(pipe.read_end.get(), text, sizeof text), 0);
}

TEST(SharedMapping, IsZeroAndSeenAcrossAFork) {
  const SharedMapping memory(sizeof(std::atomic<int>));
  EXPECT_EQ(*static_cast<int*>(memory.data()), 0);
  auto* number = new (memory.data()) std::atomic<int>(0);
  const pid_t child = ::fork();
  if (child == 0) {
    number->store(7);
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(number->load(), 7);
}

}  // namespace
}  // namespace ridgewatt
