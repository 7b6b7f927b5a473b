// Test helpers: a private PostgreSQL server, and a fixture that runs tests on each kind of store.
// The server listens only on a socket in a temporary folder, runs as an unprivileged user, and ends
// with the program. If PostgreSQL is not installed, the tests are skipped with a message.
#pragma once

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/fd.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/io/path.h"
#include "ridgewatt/store/postgresql/session.h"
#include "ridgewatt/store/store.h"

namespace ridgewatt::store {

inline const Series kSome{"b", "w", "training", Provenance::kMeasured};

// Runs `body` in a child process, as `user` if that is not 0. Returns the exit status of the child:
// 9 after an exception, 128 + N after signal N.
template <typename Body>
int in_child(Body body, uid_t user = 0) {
  const pid_t child = fork();
  if (child == 0) {
    if (user != 0 && (setgid(user) != 0 || setuid(user) != 0)) _exit(8);
    try {
      _exit(body());
    } catch (const std::exception& error) {
      fprintf(stderr, "%s\n", error.what());
      _exit(9);
    }
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

inline PointRecord some_point(int batch) {
  PointRecord point;
  point.observation = {{{12, 2201.6e6, 1300.5e6, 3199e6, ""}, batch}, 0.1 * batch, 20.0 + batch};
  point.energy_j = 42;
  point.power_samples = 2;
  point.flags.add(PointFlag::kThrottled);
  point.samples = {{"power:VDD_IN", 0.0, 20.5}, {"minibatch", 0.1, 0.1}};
  return point;
}

class TestServer {
 public:
  // Returns null if no server is installed.
  static TestServer* get() {
    static const std::string programs = find_programs();
    static const std::unique_ptr<TestServer> server(programs.empty() ? nullptr
                                                                     : new TestServer(programs));
    return server.get();
  }
  ~TestServer() {
    if (getpid() != owner_) return;
    kill(server_, SIGQUIT);  // ends the server's processes immediately
    waitpid(server_, nullptr, 0);
  }
  TestServer(const TestServer&) = delete;
  TestServer& operator=(const TestServer&) = delete;

  // Returns the address of a database for `user`.
  std::string address(const std::string& database, const std::string& user = "tester") const {
    return "postgresql://" + user + "@localhost/" + database + "?host=" + folder_.path().string();
  }
  std::string socket() const { return (folder_.path() / ".s.PGSQL.5432").string(); }
  std::string folder() const { return folder_.path().string(); }
  // Returns the address of a new, empty database.
  std::string fresh() {
    const std::string name = "d" + std::to_string(getpid()) + "_" + std::to_string(++databases_);
    execute("CREATE DATABASE " + name);
    return address(name);
  }
  void execute(const std::string& sql, const std::string& database = "postgres") {
    PostgresqlSession(address(database), false).execute(sql);
  }
  // Kills the server without a shutdown. Everything in its memory is lost.
  void kill_server() {
    kill(server_, SIGKILL);  // its other processes end when they notice
    waitpid(server_, nullptr, 0);
  }
  void start() {
    launch();
    for (int i = 0; i < 300; ++i) {
      try {
        PostgresqlSession(address("postgres"), true);
        return;
      } catch (const Error&) {
        usleep(50'000);
        // The server does not start while a process of the previous one is alive.
        if (waitpid(server_, nullptr, WNOHANG) == server_) launch();
      }
    }
    throw IoError("the test's server did not start", folder());
  }

 private:
  explicit TestServer(std::string programs) : programs_(std::move(programs)), owner_(getpid()) {
    give_to_server(folder());
    copy_new_cluster();
    std::ofstream(data() + "/pg_hba.conf") << "local all locked scram-sha-256\n"
                                              "local all all trust\n";
    start();
  }
  static void give_to_server(const std::string& path) {
    if (geteuid() == 0 && chown(path.c_str(), kServerUser, kServerUser) != 0) throw IoError("");
  }
  // Fills data() with a copy of the cluster that the first test of this build created, because
  // initdb takes six times as long. Other tests wait while it is created.
  void copy_new_cluster() const {
    namespace fs = std::filesystem;
    const fs::path version = fs::path(folder_of(programs_)).filename();
    const fs::path kept =
        testing::build_folder() / fmt::format("postgresql-{}-{}", version.string(), geteuid());
    {
      const OwnedFd lock(
          ::open((kept.string() + ".lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600));
      if (flock(lock.get(), LOCK_EX) != 0) throw IoError("cannot be locked", kept.string());
      if (!fs::exists(kept)) {
        initialize();
        fs::remove_all(kept.string() + ".new");
        fs::copy(data(), kept.string() + ".new", fs::copy_options::recursive);
        fs::rename(kept.string() + ".new", kept);
        fs::remove_all(data());
      }
    }
    fs::copy(kept, data(), fs::copy_options::recursive);
    give_to_server(data());
    fs::permissions(data(), fs::perms::owner_all);
    for (const auto& entry : fs::recursive_directory_iterator(data())) {
      give_to_server(entry.path().string());
    }
  }
  void initialize() const {
    const pid_t child = fork();
    if (child == 0) {
      become_unprivileged();
      run_program({programs_ + "/initdb", "-D", data(), "-U", "tester", "-A", "trust", "--no-sync",
                   "--no-locale", "-E", "UTF8"});
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0) throw IoError("initdb failed", folder());
  }
  void launch() {
    server_ = fork();
    if (server_ != 0) return;
    become_unprivileged();
    prctl(PR_SET_PDEATHSIG, SIGQUIT);
    run_program({programs_ + "/postgres", "-D", data(), "-k", folder(), "-c", "listen_addresses=",
                 "-c", "max_connections=60", "-c", "recovery_init_sync_method=syncfs"});
  }
  static std::string find_programs() {
    for (const char* version : {"17", "16", "15", "14"}) {
      const std::string folder = std::string("/usr/lib/postgresql/") + version + "/bin";
      if (access((folder + "/postgres").c_str(), X_OK) == 0) return folder;
    }
    return {};
  }
  static void become_unprivileged() {
    if (geteuid() == 0 && (setgid(kServerUser) != 0 || setuid(kServerUser) != 0)) _exit(8);
  }
  [[noreturn]] static void run_program(std::vector<std::string> words) {
    if (freopen("/dev/null", "w", stdout) == nullptr ||
        freopen("/dev/null", "w", stderr) == nullptr || chdir("/") != 0) {
      _exit(8);
    }
    std::vector<char*> arguments;
    for (auto& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    execv(arguments[0], arguments.data());
    _exit(8);
  }
  std::string data() const { return (folder_.path() / "data").string(); }

  static constexpr uid_t kServerUser = 65534;
  testing::TemporaryFolder folder_;
  std::string programs_;
  pid_t owner_, server_ = 0;
  int databases_ = 0;
};

#define RIDGEWATT_REQUIRE_POSTGRESQL()                  \
  if (::ridgewatt::store::TestServer::get() == nullptr) \
  GTEST_SKIP() << "skipped: no PostgreSQL server installed"

// Runs a test on each kind of store.
class StoreOn : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (on_server()) {
      RIDGEWATT_REQUIRE_POSTGRESQL();
    }
  }
  bool on_server() const { return std::string(GetParam()) == "Postgresql"; }
  // Returns the location of a store that does not exist yet.
  std::string fresh() {
    if (on_server()) return TestServer::get()->fresh();
    return (folder_.path() / ("s" + std::to_string(++files_) + ".db")).string();
  }
  const testing::TemporaryFolder folder_;

 private:
  int files_ = 0;
};

inline const auto kBackends = ::testing::Values("Sqlite", "Postgresql");
inline std::string backend_name(const ::testing::TestParamInfo<const char*>& backend) {
  return backend.param;
}

}  // namespace ridgewatt::store
