#include "ridgewatt/schedule/executor.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include <chrono>
#include <mutex>
#include <thread>

#include "include/ridgewatt_worker.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/schedule/interference.h"
#include "ridgewatt/schedule/worker_socket.h"

namespace ridgewatt::schedule {
namespace {

void sleep_s(double seconds) {
  timespec time{
      static_cast<time_t>(seconds),
      static_cast<long>((seconds - static_cast<double>(static_cast<time_t>(seconds))) * 1e9)};
  nanosleep(&time, nullptr);
}

bool connect_soon(ridgewatt_worker* worker, const char* path, const char* kind, const char* name) {
  for (int i = 0; i < 500; ++i) {
    if (ridgewatt_worker_connect(worker, path, kind, name) == 0) return true;
    sleep_s(0.01);
  }
  return false;
}

// An executor in a thread, and worker processes. The processes are created before the thread.
class ExecutorTest : public ::testing::Test {
 protected:
  ~ExecutorTest() override {
    for (const pid_t child : children_) {
      ::kill(child, SIGKILL);
      ::waitpid(child, nullptr, 0);
    }
  }
  std::string path() const { return (folder_.path() / "s").string(); }

  // Connects a worker in a new process and runs `body(worker)` there.
  template <typename Body>
  pid_t worker_process(const char* kind, const char* name, Body body) {
    const pid_t child = fork();
    if (child == 0) {
      ridgewatt_worker worker;
      if (connect_soon(&worker, path().c_str(), kind, name)) body(worker);
      _exit(0);
    }
    children_.push_back(child);
    return child;
  }

  void serve(double seconds) {
    options_.socket_path = path();
    options_.duration_s = seconds;
    options_.on_grant = [this](const GrantRecord& record) { records_.push_back(record); };
    Executor executor(options_);
    summary_ = executor.run();
  }

  void expect_never_two_holders() const {
    for (std::size_t i = 1; i < records_.size(); ++i) {
      EXPECT_GE(records_[i].granted_s, records_[i - 1].released_s);
    }
  }

  testing::TemporaryFolder folder_;
  std::vector<pid_t> children_;
  ExecutorOptions options_;
  ExecutorSummary summary_;
  std::vector<GrantRecord> records_;
};

void work(ridgewatt_worker& worker, double busy_s, double gather_s = 0) {
  while (true) {
    if (gather_s > 0) sleep_s(gather_s);
    if (ridgewatt_worker_begin(&worker) != 0) return;
    sleep_s(busy_s);
    if (ridgewatt_worker_end(&worker) != 0) return;
  }
}

// label: waits
TEST_F(ExecutorTest, KeepsTheCycle) {
  worker_process("inference", "i", [](auto& w) { work(w, 0.01, 0.06); });
  worker_process("training", "a", [](auto& w) { work(w, 0.005); });
  worker_process("training", "b", [](auto& w) { work(w, 0.005); });
  options_.period_s = 0.1;
  options_.training_per_cycle = 3;
  serve(2);
  expect_never_two_holders();
  ASSERT_GT(summary_.inference_minibatches, 10u);
  // At most three training minibatches between two inference minibatches, and the two workers
  // alternate.
  int between = 0, most = 0, a = 0, b = 0;
  bool began = false;
  for (const auto& record : records_) {
    EXPECT_EQ(record.outcome, "done");
    if (record.kind == WorkloadKind::kInference) {
      between = 0;
      began = true;
    } else if (began) {
      most = std::max(most, ++between);
      ++(record.worker == "a" ? a : b);
    }
  }
  EXPECT_EQ(most, 3);
  EXPECT_NEAR(a, b, 0.1 * (a + b) + 4);
}

// Programs that sleep do not slow each other down: sharing the device, both run at full speed,
// twice as fast as with time slicing.
// label: waits
TEST_F(ExecutorTest, NativeSharingAndItsInterference) {
  worker_process("inference", "i", [](auto& w) { work(w, 0.1); });
  worker_process("training", "t", [](auto& w) { work(w, 0.15); });
  options_.training_per_cycle = 1;
  options_.native_from_s = 1.5;
  serve(3);
  int before = 0, after = 0;  // grants of one program that overlap grants of the other
  for (const auto& grant : records_) {
    for (const auto& other : records_) {
      if (grant.worker == other.worker || other.granted_s <= grant.granted_s) continue;
      if (other.granted_s < grant.released_s) ++(other.granted_s < 1.5 ? before : after);
    }
  }
  EXPECT_EQ(before, 0);
  EXPECT_GT(after, 0);
  // On a busy machine, the programs may overlap for less than half of the time; then there is no
  // result.
  if (const auto measured = measure_interference(records_, 1.5)) {
    EXPECT_LT(measured->factor, 0.9);  // programs that sleep do not interfere: about 0.5
    EXPECT_GT(measured->factor, 0.2);
    EXPECT_GE(measured->programs[0].alone_s, 0.1);
    EXPECT_GE(measured->programs[1].alone_s, 0.15);
  }
}

// Computed by hand: 10 and 20 ms alone, 30 and 60 ms while sharing, that is a third of the speed.
TEST(Interference, IsWhatTheSpeedsLackOfOne) {
  std::vector<GrantRecord> grants;
  const auto grant = [&](const char* worker, double from_s, double to_s) {
    GrantRecord record;
    record.worker = worker;
    record.granted_s = from_s;
    record.released_s = to_s;
    record.outcome = "done";
    grants.push_back(record);
  };
  grant("a", 0, 0.01);
  grant("b", 0.01, 0.03);
  for (int i = 0; i < 20; ++i) grant("a", 1 + 0.03 * i, 1 + 0.03 * (i + 1));
  for (int i = 0; i < 10; ++i) grant("b", 1 + 0.06 * i, 1 + 0.06 * (i + 1));
  const auto measured = measure_interference(grants, 1);
  ASSERT_TRUE(measured);
  EXPECT_NEAR(measured->programs[0].speed, 1.0 / 3, 1e-9);
  EXPECT_NEAR(measured->programs[1].speed, 1.0 / 3, 1e-9);
  EXPECT_NEAR(measured->factor, 1.5, 1e-9);
  grants.resize(2);
  EXPECT_FALSE(measure_interference(grants, 1));
}

// label: waits
TEST_F(ExecutorTest, DeadWorkerIsNoticedAndTheDeviceGoesOn) {
  const pid_t victim = worker_process("training", "victim", [](auto& w) { work(w, 30); });
  worker_process("training", "other", [](auto& w) { work(w, 0.005); });
  options_.least_deadline_s = 60;
  bool noticed = false;
  options_.on_event = [&](double, const std::string& text) {
    noticed = noticed || text.find("victim ended during") != std::string::npos;
  };
  std::thread killer([&] {
    sleep_s(0.7);  // the victim holds the device by now
    ::kill(victim, SIGKILL);
  });
  serve(1.5);
  killer.join();
  expect_never_two_holders();
  EXPECT_EQ(summary_.deaths, 1u);
  EXPECT_TRUE(noticed);  // detected long before its deadline of a minute
  EXPECT_EQ(records_.back().worker, "other");
  EXPECT_GT(records_.size(), 20u);
}

// label: waits
TEST_F(ExecutorTest, HungWorkerIsRevokedThenKilledAndOnlyThenReplaced) {
  const pid_t hung = worker_process("inference", "hung", [](auto& w) { work(w, 1000); });
  worker_process("training", "other", [](auto& w) {
    sleep_s(0.2);
    work(w, 0.005);
  });
  options_.least_deadline_s = 0.3;
  options_.infer_time_s = 0.01;
  options_.grace_s = 0.2;
  serve(1.5);
  expect_never_two_holders();
  ASSERT_FALSE(records_.empty());
  const auto killed = std::find_if(records_.begin(), records_.end(),
                                   [](const auto& r) { return r.outcome == "killed"; });
  ASSERT_NE(killed, records_.end());
  EXPECT_EQ(killed->pid, hung);
  EXPECT_GE(killed->released_s - killed->granted_s, 0.5 - 1e-3);  // deadline and grace period
  EXPECT_EQ(summary_.revocations, 1u);
  EXPECT_EQ(records_.back().worker, "other");
}

// label: waits
TEST_F(ExecutorTest, HangingUpWhileHoldingDoesNotFreeTheDevice) {
  worker_process("training", "leaver", [](auto& w) {
    if (ridgewatt_worker_begin(&w) != 0) return;
    close(w.fd);  // but the process and its work on the device continue
    sleep_s(30);
  });
  worker_process("training", "other", [](auto& w) {
    sleep_s(0.3);
    work(w, 0.005);
  });
  options_.grace_s = 0.4;
  serve(1.5);
  expect_never_two_holders();
  ASSERT_GT(records_.size(), 1u);
  EXPECT_EQ(records_[0].worker, "leaver");
  EXPECT_EQ(records_[0].outcome, "killed");
  EXPECT_GE(records_[0].released_s - records_[0].granted_s, 0.4);
}

// label: waits
TEST_F(ExecutorTest, MalformedMessagesDoNoHarm) {
  worker_process("training", "good", [](auto& w) { work(w, 0.002); });
  const pid_t flooder = fork();
  if (flooder == 0) {
    Random random(1);
    int sent = 0;
    while (sent < 10'000) {
      ridgewatt_worker worker;
      if (!connect_soon(&worker, path().c_str(), "training", "flood")) _exit(1);
      while (sent < 10'000) {  // until the executor closes the connection
        std::string line;
        static const char* const kSamples[] = {"ready x",   "done 7",  "hello 1 training flood",
                                               "grant 1 1", "done -1", "hello 9 9 9"};
        if (random.below(2) == 0) {
          line = kSamples[random.below(6)];
        } else {
          const auto length = random.below(300);
          for (std::size_t i = 0; i < length; ++i) line += static_cast<char>(random.below(256));
        }
        ++sent;
        line += '\n';
        if (ridgewatt_send_(&worker, line.c_str()) != 0) break;
      }
      close(worker.fd);
    }
    _exit(0);
  }
  options_.max_workers = 16;
  std::thread flood_end([&] {
    int status = 0;
    ::waitpid(flooder, &status, 0);
    EXPECT_EQ(WEXITSTATUS(status), 0);
  });
  serve(4);
  flood_end.join();
  expect_never_two_holders();
  EXPECT_GT(summary_.faults, 0u);  // the number of lines per connection depends on timing
  EXPECT_GT(summary_.training_minibatches, 100u);  // the good worker continued
  for (const auto& record : records_) EXPECT_EQ(record.worker, "good");
}

// label: waits
TEST_F(ExecutorTest, SocketIsPrivateAndHasOneController) {
  options_.socket_path = path();
  const Executor executor(options_);
  struct stat status {};
  ASSERT_EQ(::stat(path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  EXPECT_THROW(Executor second(options_), Error);
  options_.socket_path = folder_.write("file", "not a socket");
  EXPECT_THROW(Executor third(options_), InputError);
  options_.socket_path = std::string(300, 'x');
  EXPECT_THROW(Executor fourth(options_), UsageError);
}

// label: waits
TEST_F(ExecutorTest, SocketOfADeadControllerIsReplaced) {
  options_.socket_path = path();
  const pid_t child = fork();
  if (child == 0) {
    const auto* leaked = new Executor(options_);
    (void)leaked;
    _exit(0);
  }
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(std::filesystem::exists(path()));
  EXPECT_NO_THROW(Executor again(options_));
}

// Runs `body` as another user in a new process. Returns the process id; the exit status is the
// result of `body`.
template <typename Body>
pid_t as_nobody(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    if (setgid(65534) != 0 || setuid(65534) != 0) _exit(8);
    _exit(body());
  }
  return child;
}

// Another user creates the socket first: workers must not talk to it.
// label: waits
TEST_F(ExecutorTest, WorkersTalkToTheirOwnUserOnly) {
  if (geteuid() != 0) GTEST_SKIP() << "skipped: needs root to become another user";
  chmod(folder_.path().c_str(), 0777);
  int said[2];
  ASSERT_EQ(pipe(said), 0);
  const pid_t other = as_nobody([&] {
    close(said[0]);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    strcpy(address.sun_path, path().c_str());
    const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    if (bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return 1;
    chmod(address.sun_path, 0777);
    listen(listener, 4);
    if (write(said[1], "y", 1) != 1) return 1;
    for (int turn = 0; turn < 2; ++turn) {  // received bytes go into the pipe
      const int worker = accept(listener, nullptr, nullptr);
      char buffer[64];
      const ssize_t count = read(worker, buffer, sizeof buffer);
      if (count > 0 && write(said[1], buffer, static_cast<std::size_t>(count)) < 0) return 1;
      close(worker);
    }
    return 0;
  });
  children_.push_back(other);
  close(said[1]);
  char buffer[64];
  ASSERT_EQ(read(said[0], buffer, 1), 1);
  ridgewatt_worker worker;
  EXPECT_EQ(ridgewatt_worker_connect(&worker, path().c_str(), "training", "w"), -1);
  EXPECT_EQ(errno, EPERM);
  const std::string python = "PYTHONPATH='" + (testing::source_folder() / "python").string() +
                             "' /usr/bin/python3 -c 'import ridgewatt, sys\ntry:\n  "
                             "ridgewatt.Worker(\"training\", \"w\", \"" +
                             path() + "\")\nexcept PermissionError as e:\n  sys.exit(42)' 2>&1";
  EXPECT_EQ(WEXITSTATUS(std::system(python.c_str())), 42);
  EXPECT_EQ(read(said[0], buffer, sizeof buffer), 0) << "a worker spoke to another user";
  close(said[0]);
}

// This must hold even if the mode of the socket admits another user.
// label: waits
TEST_F(ExecutorTest, WorkersOfOtherUsersAreRefused) {
  if (geteuid() != 0) GTEST_SKIP() << "skipped: needs root to become another user";
  chmod(folder_.path().c_str(), 0777);
  const pid_t other = as_nobody([&] {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    strcpy(address.sun_path, path().c_str());
    for (int i = 0; i < 500; ++i) {
      const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
      char answer[64] = "";
      if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) {
        if (read(fd, answer, sizeof answer - 1) < 0) return 1;
        return std::string(answer) == "error another user\n" ? 0 : 2;
      }
      close(fd);
      sleep_s(0.01);
    }
    return 3;
  });
  options_.socket_path = path();
  options_.duration_s = 1.5;
  Executor executor(options_);
  chmod(path().c_str(), 0777);
  executor.run();
  int status = 0;
  ::waitpid(other, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

// label: waits
TEST_F(ExecutorTest, TheDefaultSocketIsInAFolderOfTheUser) {
  const char* before = std::getenv("XDG_RUNTIME_DIR");
  const std::string kept = before != nullptr ? before : "";
  const auto in = [](const std::filesystem::path& folder) {
    setenv("XDG_RUNTIME_DIR", folder.c_str(), 1);
    return default_worker_socket();
  };
  EXPECT_EQ(in(folder_.path()), (folder_.path() / "ridgewatt.sock").string());
  char same[108];
  EXPECT_EQ(ridgewatt_default_socket_(same, sizeof same), 0);
  EXPECT_EQ(same, default_worker_socket());
  const auto link = folder_.path() / "link";
  std::filesystem::create_directory_symlink(folder_.path(), link);
  EXPECT_THROW(in(link), PermissionError);
  EXPECT_THROW(in(link.string() + "/"), PermissionError);
  EXPECT_THROW(in(folder_.path() / "no"), NotFoundError);
  EXPECT_THROW(in(folder_.write("file", "")), PermissionError);
  const auto open = folder_.path() / "open";
  std::filesystem::create_directory(open);
  chmod(open.c_str(), 0777);
  EXPECT_THROW(in(open), PermissionError);
  if (geteuid() == 0) {
    chmod(open.c_str(), 0700);
    EXPECT_NO_THROW(in(open));
    ASSERT_EQ(chown(open.c_str(), 65534, 65534), 0);
    EXPECT_THROW(in(open), PermissionError);
  }
  // Without XDG_RUNTIME_DIR, the socket is in a private folder in the user's home.
  chmod(folder_.path().c_str(), 0755);
  const auto home = folder_.path() / "home";
  std::filesystem::create_directory(home);
  chmod(home.c_str(), 0777);
  unsetenv("XDG_RUNTIME_DIR");
  if (geteuid() == 0) {
    int status = 0;
    ::waitpid(as_nobody([&] {
                setenv("HOME", home.c_str(), 1);
                const std::string socket = default_worker_socket();
                struct stat folder {};
                stat(std::filesystem::path(socket).parent_path().c_str(), &folder);
                char worker[200];
                const bool agree =
                    ridgewatt_default_socket_(worker, sizeof worker) == 0 && worker == socket;
                return agree && (folder.st_mode & 0777) == 0700 ? 0 : 1;
              }),
              &status, 0);
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
  if (before != nullptr) setenv("XDG_RUNTIME_DIR", kept.c_str(), 1);
}

}  // namespace
}  // namespace ridgewatt::schedule
