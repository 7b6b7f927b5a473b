// Tests what a process in the sandbox can and cannot do, by trying it (seccomp(2), setrlimit(2)).
#include "ridgewatt/io/sandbox.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <thread>
#include <vector>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/fd.h"
#include "ridgewatt/base/test_support.h"

namespace ridgewatt {
namespace {

struct Ended {
  int status = 0;  // as of waitpid
  std::string errors = {};
};

// Runs `body` in the sandbox, in a new process. The exit status is the result of `body`.
Ended in_sandbox(const SandboxOptions& options, const std::function<int()>& body) {
  Pipe pipe;
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(pipe.write_end.get(), STDERR_FILENO);
    enter_sandbox(options);
    ::_exit(body());
  }
  pipe.write_end.reset();
  Ended ended;
  char piece[256];
  for (ssize_t got; (got = ::read(pipe.read_end.get(), piece, sizeof piece)) > 0;) {
    ended.errors.append(piece, static_cast<std::size_t>(got));
  }
  ::waitpid(child, &ended.status, 0);
  return ended;
}

int result_of(const std::function<int()>& body) {
  const Ended ended = in_sandbox({.memory_bytes = 0}, body);
  return WIFEXITED(ended.status) ? WEXITSTATUS(ended.status) : -1;
}

// The errno of a system call that must fail; 0 if it succeeds.
int error_of(const std::function<long()>& call) {
  return result_of([&] { return call() < 0 ? errno : 0; });
}

class Sandbox : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!sandbox_fault().empty()) GTEST_SKIP() << "skipped: " << sandbox_fault();
  }
};

TEST_F(Sandbox, NoSocketIsOpened) {
  for (const int family : {AF_INET, AF_INET6, AF_UNIX, AF_NETLINK}) {
    EXPECT_EQ(error_of([&] { return ::socket(family, SOCK_STREAM, 0); }), EPERM) << family;
  }
  EXPECT_EQ(error_of([] {
              int ends[2];
              return ::socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
            }),
            EPERM);
}

TEST_F(Sandbox, NoProgramOrProcessIsStarted) {
  EXPECT_EQ(error_of([] {
              char name[] = "/bin/true";
              char* words[] = {name, nullptr};
              return ::execv(name, words);
            }),
            EPERM);
  EXPECT_EQ(error_of([] { return static_cast<long>(::fork()); }), EPERM);
  EXPECT_EQ(error_of([] { return ::kill(::getppid(), 0); }), EPERM);
}

TEST_F(Sandbox, NoFileIsWrittenMadeMovedOrRemoved) {
  const testing::TemporaryFolder folder;
  const std::string there = folder.write("there", "content");
  const std::string none = (folder.path() / "none").string();
  for (const int flags : {O_WRONLY, O_RDWR, O_RDONLY | O_TRUNC, O_WRONLY | O_APPEND}) {
    EXPECT_EQ(error_of([&] { return ::open(there.c_str(), flags); }), EPERM) << flags;
  }
  EXPECT_EQ(error_of([&] { return ::open(none.c_str(), O_WRONLY | O_CREAT, 0600); }), EPERM);
  EXPECT_EQ(error_of([&] { return ::open(none.c_str(), O_RDONLY | O_CREAT, 0600); }), EPERM);
  EXPECT_EQ(error_of([&] { return ::open(folder.path().c_str(), O_TMPFILE | O_WRONLY, 0600); }),
            EPERM);
  EXPECT_EQ(error_of([&] { return ::unlink(there.c_str()); }), EPERM);
  EXPECT_EQ(error_of([&] { return ::rename(there.c_str(), none.c_str()); }), EPERM);
  EXPECT_EQ(error_of([&] { return ::symlink(there.c_str(), none.c_str()); }), EPERM);
  EXPECT_EQ(error_of([&] { return ::mkdir(none.c_str(), 0700); }), EPERM);
  EXPECT_EQ(error_of([&] { return ::chmod(there.c_str(), 0777); }), EPERM);
  EXPECT_EQ(error_of([&] { return ::truncate(there.c_str(), 0); }), EPERM);
  EXPECT_EQ(std::filesystem::file_size(there), 7U);
  EXPECT_FALSE(std::filesystem::exists(none));
}

TEST_F(Sandbox, FilesAreReadAndThreadsRun) {
  const testing::TemporaryFolder folder;
  const std::string there = folder.write("there", "content");
  EXPECT_EQ(result_of([&] {
              const OwnedFd file(::open(there.c_str(), O_RDONLY | O_CLOEXEC));
              char bytes[16];
              return static_cast<int>(::read(file.get(), bytes, sizeof bytes));
            }),
            7);
  EXPECT_EQ(result_of([] {
              int sum = 0;
              std::thread thread([&] { sum = 42; });
              thread.join();
              return sum;
            }),
            42);
}

TEST_F(Sandbox, AThreadIsLockedInToo) {
  EXPECT_EQ(result_of([] {
              int error = 0;
              std::thread thread([&] {
                if (::socket(AF_INET, SOCK_STREAM, 0) < 0) error = errno;
              });
              thread.join();
              return error;
            }),
            EPERM);
}

TEST_F(Sandbox, TimeEndsItWithOneLine) {
  const Ended ended = in_sandbox({.memory_bytes = 0, .time_s = 0.2}, [] {
    while (true) ::usleep(1000);
    return 0;
  });
  EXPECT_TRUE(WIFEXITED(ended.status));
  EXPECT_EQ(WEXITSTATUS(ended.status), 1);
  EXPECT_EQ(ended.errors, "ridgewatt: the time limit of the sandbox was reached: see --time\n");
}

#if !defined(__SANITIZE_ADDRESS__)  // the sanitizer reserves terabytes
TEST_F(Sandbox, MemoryBeyondTheLimitIsNotThere) {
  const Ended ended = in_sandbox({.memory_bytes = std::size_t{512} << 20}, [] {
    try {
      const std::vector<char> large(std::size_t{1} << 30);
      return static_cast<int>(large[1]);
    } catch (const std::bad_alloc&) {
      return 42;
    }
  });
  EXPECT_TRUE(WIFEXITED(ended.status));
  EXPECT_EQ(WEXITSTATUS(ended.status), 42);
}
#endif

TEST(SandboxOptions, ATimeThatIsNoneIsRefused) {
  EXPECT_THROW(enter_sandbox({.time_s = 0}), UsageError);
  EXPECT_THROW(enter_sandbox({.time_s = -1}), UsageError);
}

}  // namespace
}  // namespace ridgewatt
