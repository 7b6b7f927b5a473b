// Tests the journal of old values and the child process that restores them, under all kinds of
// failures.
#include <gmock/gmock.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>

#include "ridgewatt/base/error.h"
#include "ridgewatt/platform/fake_board_support.h"
#include "ridgewatt/platform/mode_control.h"

namespace ridgewatt::platform {
namespace {

using GuardedBoard = testing::FakeBoard;

template <typename Function>
std::string fault_of(Function function) {
  try {
    function();
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(ModeJournal, AHalfWrittenJournalIsDropped) {
  const GuardedBoard board("nano");
  const std::string folder = board.root + ".ridgewatt";
  const std::string journal = folder + "/mode.journal";
  ModeJournal writer(*board.sysfs, folder);
  EXPECT_FALSE(writer.pending());
  writer.begin({{"/a", "1"}, {"/b", "2"}});
  EXPECT_EQ(writer.pending(), (ModeSnapshot{{"/a", "1"}, {"/b", "2"}}));
  const std::string whole = read_file(journal);
  for (std::size_t size = 0; size + 1 < whole.size(); ++size) {
    std::ofstream(journal) << whole.substr(0, size);
    EXPECT_FALSE(writer.pending()) << size;
  }
}

// A file that is not a valid journal holds no values. It is renamed and kept when the next journal
// is written.
TEST(ModeJournal, DamagedFilesAreRenamedAndKept) {
  const GuardedBoard board("nano");
  const std::string folder = board.root + ".ridgewatt";
  const std::string journal = folder + "/mode.journal";
  ModeJournal writer(*board.sysfs, folder);
  const std::string head = "ridgewatt mode journal 1\nboot -\n";
  for (const std::string& text :
       {head + "/a\t1\n/a\t2\nend 2\n",  // duplicate path
        head + "/a\tb\t1\nend 1\n",      // path with a tab
        head + "/a\t1\nend 2\n",         // wrong count
        head + "/a\t1\nend 1\nmore\n",   // text after the end
        head + "a\t1\nend 1\n",          // not a path
        std::string("\0\xff\n\n\n", 5),  // not text
        head + "/a\t" + std::string((4 << 20) + 1 - head.size() - 4, 'x')}) {
    std::ofstream(journal, std::ios::binary) << text;
    EXPECT_FALSE(writer.pending()) << text.substr(0, 60);
    std::filesystem::remove(journal + ".damaged");
    writer.begin({{"/a", "1"}});
    EXPECT_EQ(std::filesystem::file_size(journal + ".damaged"), text.size());
    EXPECT_EQ(writer.pending(), (ModeSnapshot{{"/a", "1"}}));
    writer.end();
    EXPECT_FALSE(writer.pending());
  }
  EXPECT_THROW(writer.begin({{"/a\tb", "1"}}), InputError);
  EXPECT_THROW(writer.begin({{"/a", "1\n2"}}), InputError);
  EXPECT_FALSE(std::filesystem::exists(journal));
  // Values from an earlier boot are obsolete.
  std::ofstream(journal) << "ridgewatt mode journal 1\nboot other\n/a\t1\nend 1\n";
  EXPECT_FALSE(writer.pending());
}

// For a journal of another version, the fault is reported, nothing changes, and the file stays.
TEST(ModeJournal, AnotherVersionIsSaidAndKept) {
  for (const char* name : {"/mode.journal", "/mode.saved"}) {
    const GuardedBoard board("orin-nano");
    const auto first = board.content();
    const std::string path = board.root + ".ridgewatt" + name;
    std::filesystem::create_directories(board.root + ".ridgewatt");
    const std::string text = "ridgewatt mode journal 2\nboot - wall 17\n/a = 1\n";
    std::ofstream(path) << text;
    {
      JetsonModeControl control(*board.sysfs);
      EXPECT_GT(control.space().size(), 1u);  // reading still works
      const bool pending = std::string(name) == "/mode.journal";
      EXPECT_EQ(control.warning().empty(), !pending);
      EXPECT_THAT(fault_of([&] {
                    control.apply({2, 0, 0, 0, ""});
                  }),
                  ::testing::HasSubstr("another version of ridgewatt"));
    }
    EXPECT_EQ(read_file(path), text);
    EXPECT_EQ(board.changes(first), "");
  }
}

// The number of shared mappings of this process. The guardian's flag is one.
std::size_t shared_mappings() {
  std::ifstream maps("/proc/self/maps");
  std::size_t count = 0;
  for (std::string line; std::getline(maps, line);) {
    count += line.find("/dev/zero") != std::string::npos ? 1 : 0;
  }
  return count;
}

// A guardian that gets no descriptor for its child leaves nothing behind: no mapping, no journal.
TEST(ModeGuardian, WithoutDescriptorsNothingIsLeft) {
  const GuardedBoard board("nano");
  const std::string folder = board.root + ".ridgewatt";
  const JetsonLayout layout = find_jetson_layout(*board.sysfs);
  const pid_t child = ::fork();
  if (child == 0) {
    const std::size_t before = shared_mappings();
    const int next = ::dup(0);
    ::close(next);
    // The lock keeps one descriptor open, writing the journal needs one or two more, and the
    // child's socket needs two.
    std::string error;
    for (rlim_t more = 1; more < 8 && error.find("socketpair") == std::string::npos; ++more) {
      rlimit few{};
      ::getrlimit(RLIMIT_NOFILE, &few);
      few.rlim_cur = static_cast<rlim_t>(next) + more;
      ::setrlimit(RLIMIT_NOFILE, &few);
      error = fault_of([&] { const ModeGuardian guardian(*board.sysfs, layout, folder); });
    }
    int fault = error.find("socketpair") == std::string::npos ? 1 : 0;
    if (shared_mappings() != before) fault += 2;
    if (std::filesystem::exists(folder + "/mode.journal")) fault += 4;
    const int again = ::dup(0);
    if (again != next) fault += 8;  // a descriptor is still open
    ::_exit(fault);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0) << WEXITSTATUS(status);
}

// If the child ends before it is ready, there is an error before anything changes, and no zombie
// remains.
TEST(ModeGuardian, AChildThatIsNotReadyIsNoticed) {
  const GuardedBoard board("nano");
  const std::string folder = board.root + ".ridgewatt";
  const JetsonLayout layout = find_jetson_layout(*board.sysfs);
  const pid_t child = ::fork();
  if (child == 0) {
    // The kernel kills any process that calls setsid(2), which the guardian's child does first.
    sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_setsid, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const sock_fprog program{4, rules};
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
      ::_exit(77);
    }
    const std::string error =
        fault_of([&] { const ModeGuardian guardian(*board.sysfs, layout, folder); });
    int fault = error.find("ended at once") == std::string::npos ? 1 : 0;
    if (std::filesystem::exists(folder + "/mode.journal")) fault += 2;
    if (::waitpid(-1, nullptr, WNOHANG) != -1 || errno != ECHILD) fault += 4;
    ::_exit(fault);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77) GTEST_SKIP() << "skipped: no seccomp";
  EXPECT_EQ(status, 0) << WEXITSTATUS(status);
}

// Both the program and its guardian are killed, as by a power failure: the next start restores.
TEST(ModeJournal, TheNextStartRestores) {
  const GuardedBoard board("xavier-nx-jp5");
  const auto first = board.content();
  const pid_t child = ::fork();
  if (child == 0) {
    const JetsonLayout layout = find_jetson_layout(*board.sysfs);
    ModeJournal journal(*board.sysfs, board.root + ".ridgewatt");
    journal.begin(take_snapshot(*board.sysfs, layout));
    board.sysfs->write("/sys/devices/system/cpu/cpu5/online", "0");
    board.sysfs->write("/sys/class/devfreq/17000000.gv11b/max_freq", "510000000");
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
  EXPECT_NE(board.changes(first), "");
  JetsonModeControl control(*board.sysfs);
  EXPECT_EQ(board.changes(first), "");
}

JetsonModeControl::Options full_fan_without_idle_states() {
  JetsonModeControl::Options options;
  options.full_fan = options.no_idle_states = true;
  return options;
}

// The guardian leaves signals alone that the program handles: an interpreter turns Ctrl+C into an
// exception.
TEST(ModeGuardian, LeavesHandledSignalsAlone) {
  const GuardedBoard board("orin-nano");
  const auto handler = [](int) {};
  const auto handler_of = [](int number) {
    struct sigaction now {};
    ::sigaction(number, nullptr, &now);
    return now.sa_handler;
  };
  ::signal(SIGINT, handler);
  ::signal(SIGHUP, SIG_IGN);
  JetsonModeControl control(*board.sysfs);
  control.apply({2, 0, 0, 0, ""});
  EXPECT_EQ(handler_of(SIGINT), static_cast<sighandler_t>(handler));
  EXPECT_EQ(handler_of(SIGHUP), SIG_IGN);
  EXPECT_NE(handler_of(SIGTERM), SIG_DFL);
  control.restore();
  EXPECT_EQ(handler_of(SIGINT), static_cast<sighandler_t>(handler));
  EXPECT_EQ(handler_of(SIGTERM), SIG_DFL);
  ::signal(SIGINT, SIG_DFL);
  ::signal(SIGHUP, SIG_DFL);
}

// Worker processes that outlive a killed owner hold neither the mode nor the lock.
TEST(ModeGuardian, AWorkerOfAKilledOwnerHoldsNothing) {
  const GuardedBoard board("orin-nano");
  const auto first = board.content();
  Pipe applied, number;
  const pid_t owner = ::fork();
  if (owner == 0) {
    JetsonModeControl control(*board.sysfs);
    control.apply({2, 0, 0, 0, ""});
    const pid_t worker = ::fork();
    if (worker == 0) {
      control.restore();  // the worker does not own the mode: no effect
      const bool sent = ::write(applied.write_end.get(), "w", 1) == 1;
      ::pause();
      ::_exit(sent ? 0 : 1);
    }
    const bool sent = ::write(number.write_end.get(), &worker, sizeof worker) == sizeof worker;
    ::pause();
    ::_exit(sent ? 0 : 1);
  }
  char letter = 0;
  pid_t worker = 0;
  ASSERT_EQ(::read(applied.read_end.get(), &letter, 1), 1);
  ASSERT_EQ(::read(number.read_end.get(), &worker, sizeof worker), sizeof worker);
  EXPECT_EQ(board.sysfs->text("/sys/devices/system/cpu/cpu5/online"), "0");  // still applied
  ::kill(owner, SIGKILL);
  ASSERT_EQ(::waitpid(owner, nullptr, 0), owner);
  for (int i = 0; i < 500 && !board.changes(first).empty(); ++i) ::usleep(20'000);
  EXPECT_EQ(board.changes(first), "");
  EXPECT_NO_THROW(ModeJournal(*board.sysfs, ModeJournal::default_folder(*board.sysfs), 5));
  ::kill(worker, SIGKILL);
}

// Every mode also sets fan and idle states. They are restored together with the original mode, on
// all boards.
// label: slow
TEST(Held, FanAndIdleStatesComeBack) {
  for (const auto& name : fake_board_names()) {
    const GuardedBoard board(name);
    const auto first = board.content();
    JetsonModeControl control(*board.sysfs, full_fan_without_idle_states());
    PowerMode mode;
    mode.cpu_cores = 2;
    control.apply(mode);
    int fans = 0, states = 0;
    for (const auto& [path, value] : board.content()) {
      const bool fan = path.ends_with("/pwm1") || path.ends_with("/target_pwm");
      const bool state = path.ends_with("/disable");
      fans += fan && value == "255\n" ? 1 : 0;
      states += state && value == "1\n" ? 1 : 0;
      EXPECT_TRUE(!state || value == "1\n") << path << ": " << value;
    }
    EXPECT_EQ(fans, 1) << name;
    EXPECT_GE(states, 8) << name;
    mode.cpu_cores = 3;
    control.apply(mode);
    control.restore();
    EXPECT_EQ(board.changes(first), "") << name;
  }
}

TEST(Held, ComeBackAfterAKill) {
  const GuardedBoard board("agx-orin-jp6");
  const auto first = board.content();
  const pid_t child = ::fork();
  if (child == 0) {
    JetsonModeControl control(*board.sysfs, full_fan_without_idle_states());
    control.apply({4, 729.6e6, 306e6, 2133e6, ""});
    const bool held =
        board.sysfs->text("/sys/class/hwmon/hwmon3/pwm1") == "255" &&
        board.sysfs->text("/sys/devices/system/cpu/cpu3/cpuidle/state1/disable") == "1";
    if (held) ::kill(::getpid(), SIGKILL);
    ::_exit(1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  for (int i = 0; i < 500 && !board.changes(first).empty(); ++i) ::usleep(20'000);
  EXPECT_EQ(board.changes(first), "");
}

TEST(Held, AServiceThatTakesTheFanBackIsNamed) {
  const GuardedBoard board("agx-orin-jp6");
  JetsonModeControl control(*board.sysfs, full_fan_without_idle_states());
  control.apply({4, 729.6e6, 306e6, 2133e6, ""});
  board.set("/sys/class/hwmon/hwmon3/pwm1", "90");
  EXPECT_THAT(fault_of([&] { control.check_safety(); }), ::testing::HasSubstr("nvfancontrol"));
  EXPECT_EQ(board.sysfs->text("/sys/class/hwmon/hwmon3/pwm1"), "80");
  EXPECT_EQ(board.sysfs->text("/sys/class/hwmon/hwmon3/pwm1_enable"), "2");
  std::filesystem::remove(board.root + "/sys/class/hwmon/hwmon3/name");
  EXPECT_THROW(JetsonModeControl(*board.sysfs, full_fan_without_idle_states()), NotSupportedError);
}

}  // namespace
}  // namespace ridgewatt::platform
