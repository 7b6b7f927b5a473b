// 200 random writes each, while the client is killed, the server is killed, and the network is cut.
// No acknowledged point may be lost, and none may be duplicated.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/store/postgresql/test_stores.h"

namespace ridgewatt::store {
namespace {

constexpr int kWrites = 200;

// A point whose content follows from its number, with up to 400 samples.
PointRecord numbered_point(int number) {
  PointRecord point = some_point(number);
  point.started_unix_s = 1000 + number;
  point.slot = "chaos/b/" + std::to_string(number);
  point.samples.clear();
  for (int i = 0; i < number * 7919 % 401; ++i) {
    point.samples.push_back({i % 2 == 0 ? "even" : "odd", i * 0.01, number + i * 0.5});
  }
  return point;
}

void expect_all_once(const std::string& location) {
  Store store(location, Database::Access::kReadOnly);
  const auto points = store.points(store.series(kSome), true);
  std::set<int> seen;
  for (const auto& point : points) {
    const int number = point.observation.point.batch;
    EXPECT_TRUE(seen.insert(number).second) << number << " is doubled";
    const auto wanted = numbered_point(number);
    EXPECT_EQ(point.slot, wanted.slot);
    ASSERT_EQ(point.samples.size(), wanted.samples.size());
    for (const auto& sample : point.samples) {
      EXPECT_EQ(sample.value, number + std::round(sample.time_s / 0.01) * 0.5);
    }
  }
  EXPECT_EQ(seen.size(), std::size_t{kWrites});
  EXPECT_EQ(store.size(), kWrites);
}

// A process that writes the points that are not in `done`, in random order. It reports the number
// of each acknowledged point, negated if the store already had the point, which can happen only
// after a broken attempt.
class Writer {
 public:
  Writer(const std::string& location, const std::set<int>& done, unsigned seed) {
    int ends[2];
    if (pipe(ends) != 0) throw IoError("pipe");
    process_ = fork();
    if (process_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      _exit(write_all(location, done, seed, ends[1]));
    }
    close(ends[1]);
    answers_ = ends[0];
  }
  ~Writer() {
    end(SIGKILL);
    close(answers_);
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  // The next reported number; 0 if the process has ended.
  int next() const {
    int number = 0;
    return read(answers_, &number, sizeof number) == sizeof number ? number : 0;
  }
  // The exit status of the process, or 128 + signal.
  int end(int signal = 0) {
    if (process_ == 0) return status_;
    if (signal != 0) kill(process_, signal);
    int status = 0;
    waitpid(process_, &status, 0);
    process_ = 0;
    status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return status_;
  }

 private:
  static int write_all(const std::string& location, const std::set<int>& done, unsigned seed,
                       int answers) {
    std::vector<int> order;
    for (int number = 1; number <= kWrites; ++number) {
      if (!done.contains(number)) order.push_back(number);
    }
    Random random(seed);
    for (std::size_t i = order.size(); i > 1; --i) {
      std::swap(order[i - 1], order[static_cast<std::size_t>(random.uniform() * i)]);
    }
    std::unique_ptr<Store> store;
    for (const int number : order) {
      bool broken = false;
      for (int attempt = 0;; ++attempt) {
        if (attempt == 100) return 7;
        try {
          if (!store) store = std::make_unique<Store>(location);
          const bool added = store->add_if_absent(store->series(kSome), numbered_point(number));
          if (!added && !broken) return 6;
          const int answer = added ? number : -number;
          if (write(answers, &answer, sizeof answer) != sizeof answer) return 5;
          break;
        } catch (const IoError&) {
          broken = true;  // not acknowledged: try again
        }
      }
    }
    return 0;
  }

  pid_t process_ = 0;
  int answers_ = -1, status_ = 0;
};

// Forwards connections from its own socket to the server's, and cuts each connection after some
// bytes. Sometimes it leaves the server's side open, like a router that has forgotten the
// connection.
class CuttingProxy {
 public:
  explicit CuttingProxy(const std::string& server) : server_(server) {
    listener_ = ::socket(AF_UNIX, SOCK_STREAM, 0);
    const auto here = address_of((folder_.path() / ".s.PGSQL.5432").string());
    if (bind(listener_, reinterpret_cast<const sockaddr*>(&here), sizeof here) != 0 ||
        listen(listener_, 20) != 0) {
      throw IoError("proxy");
    }
    process_ = fork();
    if (process_ != 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGCHLD, SIG_IGN);
    for (unsigned number = 0;; ++number) {
      const int client = accept(listener_, nullptr, nullptr);
      if (client < 0) _exit(1);
      if (fork() == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        forward(client, number);
        _exit(0);
      }
      close(client);
    }
  }
  ~CuttingProxy() {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
    close(listener_);
  }
  CuttingProxy(const CuttingProxy&) = delete;
  CuttingProxy& operator=(const CuttingProxy&) = delete;
  std::string folder() const { return folder_.path().string(); }

 private:
  static sockaddr_un address_of(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    return address;
  }
  void forward(int client, unsigned number) const {
    Random random(number + 1);
    // The limit counts only the bytes of answers, or those of requests too. Counting both would
    // place most cuts in requests, but the interesting case is a lost answer, because then the
    // result is unknown.
    const bool answers_alone = random.uniform() < 0.6;
    auto left = static_cast<ssize_t>(random.uniform() * (answers_alone ? 3'000 : 20'000));
    const bool half = random.uniform() < 0.3;
    const int server = ::socket(AF_UNIX, SOCK_STREAM, 0);
    const auto there = address_of(server_);
    if (connect(server, reinterpret_cast<const sockaddr*>(&there), sizeof there) != 0) return;
    pollfd ends[2] = {{client, POLLIN, 0}, {server, POLLIN, 0}};
    char bytes[4096];
    while (poll(ends, 2, -1) > 0) {
      for (int i = 0; i < 2; ++i) {
        if (ends[i].revents == 0) continue;
        const ssize_t count = read(ends[i].fd, bytes, sizeof bytes);
        if (count <= 0) return;
        const bool counted = i == 1 || !answers_alone;
        const ssize_t passed = counted ? std::min(count, left) : count;
        if (write(ends[1 - i].fd, bytes, static_cast<std::size_t>(passed)) != passed) return;
        if (counted) left -= passed;
        if (left > 0) continue;
        close(client);
        if (half) usleep(3'000'000);
        return;
      }
    }
  }

  testing::TemporaryFolder folder_;
  std::string server_;
  int listener_ = -1;
  pid_t process_ = 0;
};

class PostgresqlChaos : public ::testing::Test {
 protected:
  void SetUp() override { RIDGEWATT_REQUIRE_POSTGRESQL(); }
  TestServer& server() { return *TestServer::get(); }
};

// label: waits
TEST_F(PostgresqlChaos, TheClientIsKilled) {
  const std::string location = server().fresh();
  Store{location};
  Random random(1);
  std::set<int> acknowledged;
  int kills = 0;
  while (acknowledged.size() < kWrites) {
    std::set<int> there;
    {
      Store store(location);
      if (const auto id = store.find_series(kSome)) {
        for (const auto& point : store.points(*id)) there.insert(point.observation.point.batch);
      }
    }
    EXPECT_TRUE(
        std::includes(there.begin(), there.end(), acknowledged.begin(), acknowledged.end()));
    acknowledged = there;
    if (there.size() == kWrites) break;
    Writer writer(location, there, static_cast<unsigned>(++kills));
    for (int i = static_cast<int>(random.uniform() * 25); i >= 0; --i) {
      const int number = writer.next();
      if (number == 0) break;
      EXPECT_GT(number, 0);
      acknowledged.insert(number);
    }
    usleep(static_cast<useconds_t>(random.uniform() * 2000));
    writer.end(SIGKILL);
    for (int number = writer.next(); number != 0; number = writer.next()) {
      acknowledged.insert(number);
    }
  }
  EXPECT_GT(kills, 5);
  expect_all_once(location);
}

// label: waits
TEST_F(PostgresqlChaos, TheServerIsKilled) {
  const std::string location = server().fresh();
  Writer writer(location, {}, 2);
  Random random(3);
  int next_kill = 20;
  int kills = 0;
  std::set<int> acknowledged;
  for (int number = writer.next(); number != 0; number = writer.next()) {
    EXPECT_GT(number, 0);
    acknowledged.insert(number);
    if (static_cast<int>(acknowledged.size()) < next_kill) continue;
    usleep(static_cast<useconds_t>(random.uniform() * 3000));
    server().kill_server();
    server().start();
    ++kills;
    next_kill += 20 + static_cast<int>(random.uniform() * 40);
  }
  EXPECT_EQ(writer.end(), 0);
  EXPECT_GE(kills, 3);
  EXPECT_EQ(acknowledged.size(), std::size_t{kWrites});
  expect_all_once(location);
}

// label: waits
TEST_F(PostgresqlChaos, TheNetworkIsCut) {
  const std::string location = server().fresh();
  Store{location};
  const CuttingProxy proxy(server().socket());
  const std::string through = location.substr(0, location.find('?')) + "?host=" + proxy.folder();
  Writer writer(through, {}, 4);
  int answers = 0;
  for (int number = writer.next(); number != 0; number = writer.next()) ++answers;
  EXPECT_EQ(writer.end(), 0);
  EXPECT_EQ(answers, kWrites);
  expect_all_once(location);
}

}  // namespace
}  // namespace ridgewatt::store
