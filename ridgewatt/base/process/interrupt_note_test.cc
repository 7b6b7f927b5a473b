#include "ridgewatt/base/interrupt_note.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>

#include "ridgewatt/base/fd.h"

namespace ridgewatt {
namespace {

// What a child prints to standard error that sends itself a signal; and its wait status.
template <typename Function>
std::pair<std::string, int> said(Function function) {
  Pipe pipe;
  const pid_t child = fork();
  if (child == 0) {
    dup2(pipe.write_end.get(), STDERR_FILENO);
    function();
    _exit(0);
  }
  pipe.write_end.reset();
  std::string text;
  char block[512];
  for (ssize_t count = 0; (count = read(pipe.read_end.get(), block, sizeof block)) > 0;) {
    text.append(block, static_cast<std::size_t>(count));
  }
  int status = 0;
  waitpid(child, &status, 0);
  return {text, status};
}

TEST(InterruptNote, TheLastTextIsSaidAndTheSignalEndsTheProcess) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    const auto [text, status] = said([&] {
      InterruptNote note;
      for (const char* now : {"0 of 3 runs", "1 of 3 runs", "2 of 3 runs"}) note.set(now);
      raise(number);
    });
    EXPECT_EQ(text, "ridgewatt: interrupted: 2 of 3 runs\n");
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == number);
  }
  const auto [long_text, status] = said([&] {
    InterruptNote note;
    note.set(std::string(10'000, 'a'));
    raise(SIGINT);
  });
  EXPECT_EQ(long_text, "ridgewatt: interrupted: " + std::string(400, 'a') + "\n");
  EXPECT_TRUE(WIFSIGNALED(status));
}

TEST(InterruptNote, OutsideOfItsLifeAndForIgnoredSignalsNothingIsSaid) {
  const auto after = said([] {
    {
      InterruptNote note;
      note.set("text");
    }
    raise(SIGINT);
  });
  EXPECT_EQ(after.first, "");
  EXPECT_TRUE(WIFSIGNALED(after.second));
  const auto ignored = said([] {
    signal(SIGHUP, SIG_IGN);
    InterruptNote note;
    note.set("text");
    raise(SIGHUP);
  });
  EXPECT_EQ(ignored.first, "");
  EXPECT_TRUE(WIFEXITED(ignored.second));
  EXPECT_TRUE(InterruptNote::ends_process(SIG_DFL));
  EXPECT_FALSE(InterruptNote::ends_process(SIG_IGN));
  EXPECT_EQ(InterruptNote::handler(), SIG_DFL);
}

}  // namespace
}  // namespace ridgewatt
