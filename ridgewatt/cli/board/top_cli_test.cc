// Tests ridgewatt top in a real terminal (tmux): keys, resizing, normal end and kill.
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <functional>
#include <set>
#include <sstream>

#include "ridgewatt/base/text.h"
#include "ridgewatt/io/json.h"
#include "ridgewatt/platform/fake_board_support.h"

namespace ridgewatt::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

bool within_20_s(const std::function<bool()>& condition) {
  for (int i = 0; i < 400; ++i) {
    if (condition()) return true;
    ::usleep(50'000);
  }
  return false;
}

// The output of a command.
std::string output_of(const std::string& command) {
  FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  std::string text;
  char buffer[4096];
  for (std::size_t size = 0; (size = fread(buffer, 1, sizeof buffer, pipe)) > 0;) {
    text.append(buffer, size);
  }
  ::pclose(pipe);
  return text;
}

bool has_tmux() {
  return std::system("tmux -V > /dev/null 2>&1") == 0;
}

// `ridgewatt top` in its own terminal. The folder gets the files `pid`, then `status`, and the
// settings of the terminal `before` and `after`.
class TopInTmux {
 public:
  TopInTmux(const std::string& arguments, int width, int height, const std::string& term = "") {
    const std::string here = folder_.path().string();
    const std::string program = (testing::build_folder() / "ridgewatt").string();
    const std::string set_term = term.empty() ? "" : "TERM=" + term + " ";
    folder_.write("run.sh", "cd '" + here + "'\nstty -g > before\n" + set_term +
                                "sh -c 'echo $$ > pid; exec \"" + program + "\" top " + arguments +
                                "'\necho $? > ended\nsleep 0.5\nstty -g > after\n" +
                                "mv ended status\nexec sleep 100\n");
    tmux("-f /dev/null -u new-session -d -x " + std::to_string(width) + " -y " +
         std::to_string(height) + " \"sh '" + here + "/run.sh'\"");
  }
  ~TopInTmux() { tmux("kill-server"); }
  TopInTmux(const TopInTmux&) = delete;
  TopInTmux& operator=(const TopInTmux&) = delete;

  std::string screen() const { return tmux("capture-pane -p"); }
  void keys(const std::string& names) const { tmux("send-keys " + names); }
  void resize(int width, int height) const {
    tmux("resize-window -x " + std::to_string(width) + " -y " + std::to_string(height));
  }
  bool shows(const std::string& text) const {
    return within_20_s([&] { return screen().find(text) != std::string::npos; });
  }
  pid_t process() const { return static_cast<pid_t>(parse_int(file("pid")).value_or(0)); }
  bool ended() const {
    return within_20_s([&] { return std::filesystem::exists(folder_.path() / "status"); });
  }
  std::string file(const std::string& name) const {
    std::ifstream stream(folder_.path() / name);
    std::string line;
    std::getline(stream, line);
    return line;
  }
  // The previous page and the terminal's settings are restored.
  void expect_clean() const {
    EXPECT_NE(file("before"), "");
    EXPECT_EQ(file("after"), file("before"));
    EXPECT_EQ(tmux("display-message -p '#{alternate_on}'"), "0\n");
    EXPECT_EQ(tmux("display-message -p '#{cursor_flag}'"), "1\n");
  }

 private:
  std::string tmux(const std::string& command) const {
    return output_of("LC_ALL=C.UTF-8 TERM=xterm-256color tmux -S '" +
                     (folder_.path() / "socket").string() + "' " + command);
  }
  testing::TemporaryFolder folder_;
};

// A fake board with a workload that ends with the object.
class LoadedBoard : public testing::FakeBoard {
 public:
  explicit LoadedBoard(const std::string& name) : FakeBoard(name) {
    const std::string program = (testing::build_folder() / "ridgewatt").string();
    process_ = ::fork();
    if (process_ != 0) return;
    ::execl(program.c_str(), "ridgewatt", "fake-run", "zoo:resnet50", "--minibatches", "1000000",
            "--quiet", "--sysroot", root.c_str(), nullptr);
    ::_exit(127);
  }
  ~LoadedBoard() {
    ::kill(process_, SIGTERM);
    ::waitpid(process_, nullptr, 0);
  }
  std::string online(int cpu) const {
    return sysfs->text("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/online")
        .value_or("");
  }

 private:
  pid_t process_ = -1;
};

// The words of the line that starts with `start`.
std::vector<std::string> words_of_line(const std::string& screen, const std::string& start) {
  const auto begin = screen.find("\n" + start);
  if (begin == std::string::npos) return {};
  return words_of(screen.substr(begin + 1, screen.find('\n', begin + 1) - begin - 1));
}

#define RIDGEWATT_REQUIRE_TMUX() \
  if (!has_tmux()) GTEST_SKIP() << "skipped: tmux is not installed"

// label: board
TEST(TopScreen, RailsChangeAModeIsSetAndComesBack) {
  RIDGEWATT_REQUIRE_TMUX();
  const LoadedBoard board("agx-orin");
  const TopInTmux top("--every 0.2 --sysroot " + board.root, 80, 24);
  ASSERT_TRUE(top.shows("= total")) << top.screen();
  std::set<std::string> totals;
  EXPECT_TRUE(within_20_s([&] {
    const auto words = words_of_line(top.screen(), "= total");
    if (words.size() > 3) totals.insert(words[3]);
    return totals.size() > 3;
  })) << top.screen();
  EXPECT_THAT(top.screen(), AllOf(HasSubstr("fake"), HasSubstr("MAXN"), HasSubstr("VDD_GPU_SOC"),
                                  HasSubstr("not throttled")));
  top.keys("m");
  ASSERT_TRUE(top.shows("> MAXN")) << top.screen();
  top.keys("Down");
  ASSERT_TRUE(top.shows("> MODE_15W")) << top.screen();
  top.keys("Enter");
  ASSERT_TRUE(top.shows("set MODE_15W? y/n")) << top.screen();
  EXPECT_EQ(board.online(11), "1");  // nothing changes before the answer
  top.keys("y");
  ASSERT_TRUE(top.shows("set MODE_15W: ")) << top.screen();
  EXPECT_THAT(top.screen(), HasSubstr("MAXN comes back"));
  EXPECT_EQ(board.online(11), "0");
  EXPECT_TRUE(std::filesystem::exists(board.root + ".ridgewatt/mode.journal"));
  top.keys("r");
  ASSERT_TRUE(top.shows("restored: MAXN")) << top.screen();
  EXPECT_EQ(board.online(11), "1");
  // Set a mode again; the end of the program restores the original mode.
  top.keys("m cores=4 Enter y");
  ASSERT_TRUE(top.shows("set cores=4")) << top.screen();  // matches the question too
  EXPECT_TRUE(within_20_s([&] { return board.online(11) == "0"; }));
  top.keys("q");
  ASSERT_TRUE(top.ended());
  EXPECT_EQ(top.file("status"), "0");
  EXPECT_EQ(board.online(11), "1");
  EXPECT_FALSE(std::filesystem::exists(board.root + ".ridgewatt/mode.journal"));
  top.expect_clean();
}

// label: board
TEST(TopScreen, KilledInAnyWayTheModeAndTheTerminalComeBack) {
  RIDGEWATT_REQUIRE_TMUX();
  for (const int signal : {SIGKILL, SIGTERM, SIGHUP, SIGINT}) {
    const LoadedBoard board("orin-nano");
    const TopInTmux top("--every 0.5 --sysroot " + board.root, 80, 24);
    ASSERT_TRUE(top.shows("= total")) << top.screen();
    top.keys("m cores=2 Enter y");
    ASSERT_TRUE(top.shows("set cores=2")) << top.screen();  // matches the question too
    EXPECT_TRUE(within_20_s([&] { return board.online(5) == "0"; })) << signal;
    ::kill(top.process(), signal);
    ASSERT_TRUE(top.ended());
    EXPECT_EQ(top.file("status"), std::to_string(128 + signal));
    EXPECT_TRUE(within_20_s([&] { return board.online(5) == "1"; })) << signal;
    top.expect_clean();
  }
}

// label: board
TEST(TopScreen, FollowsTheSizeOfTheTerminal) {
  RIDGEWATT_REQUIRE_TMUX();
  const testing::FakeBoard board("agx-orin");
  const TopInTmux top("--sysroot " + board.root, 80, 24);
  ASSERT_TRUE(top.shows("= total")) << top.screen();
  EXPECT_FALSE(top.screen().find("processes") != std::string::npos &&
               top.screen().find("80x24") != std::string::npos);
  top.resize(200, 50);
  ASSERT_TRUE(top.shows("processes")) << top.screen();
  top.resize(40, 10);
  ASSERT_TRUE(top.shows("80x24 shows more")) << top.screen();
  EXPECT_THAT(top.screen(), HasSubstr("= total"));
  top.resize(80, 24);
  ASSERT_TRUE(top.shows("clocks")) << top.screen();
  top.keys("t");
  ASSERT_TRUE(within_20_s([&] { return top.screen().find("clocks") == std::string::npos; }));
  top.keys("q");
  ASSERT_TRUE(top.ended());
  top.expect_clean();
}

// label: board
TEST(TopScreen, WindowsMarksPauseAndRate) {
  RIDGEWATT_REQUIRE_TMUX();
  const testing::FakeBoard board("orin-nano");
  const TopInTmux top("--every 0.5 --sysroot " + board.root, 120, 40);
  ASSERT_TRUE(top.shows("= total")) << top.screen();
  top.keys("w 'epoch 1' Enter");
  ASSERT_TRUE(top.shows("1 open: epoch 1")) << top.screen();
  top.keys("Space");
  ASSERT_TRUE(top.shows("marked")) << top.screen();
  top.keys("w");
  ASSERT_TRUE(top.shows("window 'epoch 1': ")) << top.screen();
  top.keys("p");
  ASSERT_TRUE(top.shows("PAUSED")) << top.screen();
  top.keys("p +");
  EXPECT_TRUE(top.shows("every 0.2 s") || top.shows("window '")) << top.screen();
  top.keys("?");
  ASSERT_TRUE(top.shows("Any key closes this page")) << top.screen();
}

// label: board
TEST(TopScreen, ReadOnlyMeansNoMode) {
  RIDGEWATT_REQUIRE_TMUX();
  const testing::FakeBoard board("orin-nano");
  const auto first = board.content();
  const TopInTmux top("--read-only --sysroot " + board.root, 80, 24);
  ASSERT_TRUE(top.shows("= total")) << top.screen();
  top.keys("m");
  ASSERT_TRUE(top.shows("read-only")) << top.screen();
  top.keys("Enter y q");
  ASSERT_TRUE(top.ended());
  EXPECT_EQ(board.changes(first), "");
}

// label: board
TEST(TopScreen, KnowsWhatATerminalCannotDo) {
  RIDGEWATT_REQUIRE_TMUX();
  const testing::FakeBoard board("orin-nano");
  {
    const TopInTmux top("--sysroot " + board.root, 80, 24, "linux");
    ASSERT_TRUE(top.shows("= total")) << top.screen();
    const std::string screen = top.screen();
    EXPECT_TRUE(std::all_of(screen.begin(), screen.end(), [](char c) {
      return static_cast<unsigned char>(c) < 0x80;
    })) << screen;
    top.keys("q");
    ASSERT_TRUE(top.ended());
    top.expect_clean();
  }
  for (const std::string term : {"dumb", "no-such-terminal"}) {
    const TopInTmux top("--count 1 --sysroot " + board.root, 100, 60, term);
    ASSERT_TRUE(top.ended());
    EXPECT_EQ(top.file("status"), "0");
    EXPECT_THAT(top.screen(), HasSubstr("= total"));
  }
  const TopInTmux top("--sysroot " + board.root, 100, 60, "dumb");
  ASSERT_TRUE(top.shows("cannot move its cursor")) << top.screen();
  ASSERT_TRUE(top.shows("= total")) << top.screen();
}

// A machine without power sensors and modes is watched, and the reason for the missing values is
// shown.
// label: board
TEST(TopScreen, PlainLinux) {
  RIDGEWATT_REQUIRE_TMUX();
  const testing::TemporaryFolder folder;
  std::filesystem::create_directories(folder.path() / "proc");
  folder.write("proc/meminfo", "MemTotal: 2048 kB\nMemAvailable: 1024 kB\n");
  const TopInTmux top("--sysroot " + folder.path().string(), 80, 24);
  ASSERT_TRUE(top.shows("no power: ")) << top.screen();
  top.keys("m");
  ASSERT_TRUE(top.shows("no power-mode knobs")) << top.screen();
  top.keys("x q");
  ASSERT_TRUE(top.ended());
  EXPECT_EQ(top.file("status"), "0");
}

// label: board
TEST(TopCommand, WithoutATerminalItIsText) {
  const testing::FakeBoard board("agx-orin");
  const std::string where = " --every 0.3 --sysroot " + board.root;
  for (const std::string words : {"top --once", "top --count 2", "top --once --quiet"}) {
    const auto result = testing::run_program(words + where);
    EXPECT_EQ(result.status, 0);
    EXPECT_THAT(result.output, AllOf(HasSubstr("= total"), HasSubstr("fake"), HasSubstr("MAXN"),
                                     HasSubstr("clocks"), Not(HasSubstr("\x1b"))));
    // The idle board's power is constant, so the total and its mean are equal.
    const auto words_of_total = words_of_line(result.output, "= total");
    ASSERT_GE(words_of_total.size(), 5u);
    const auto now = parse_double(words_of_total[words_of_total.size() - 7]);
    const auto mean = parse_double(words_of_total[words_of_total.size() - 6]);
    ASSERT_TRUE(now && mean) << result.output;
    EXPECT_NEAR(*mean / *now, 1, 0.25);  // the first sample is taken 50 ms after the start
  }
}

// One object per look. The total's energy is the sum of the rails of the total.
// label: board
TEST(TopCommand, LooksForPrograms) {
  const testing::FakeBoard board("agx-orin");
  const std::string where = " --count 2 --every 0.3 --sysroot " + board.root;
  std::istringstream lines(testing::run_program("top --format json" + where).output);
  double since_s = 0;
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const Json look = Json::parse(line);
    EXPECT_EQ(look["schema"], "ridgewatt.monitor/1");
    EXPECT_EQ(look["provenance"], "fake");
    EXPECT_GT(look["since_s"].get<double>(), since_s);
    since_s = look["since_s"].get<double>();
    double energy_j = 0;
    for (const auto& rail : look["power"]["rails"]) {
      if (rail["in_total"].get<bool>()) energy_j += rail["energy_j"].get<double>();
    }
    EXPECT_GT(energy_j, 0);
    EXPECT_NEAR(look["power"]["energy_j"].get<double>(), energy_j, 1e-6 * energy_j);
  }
  EXPECT_EQ(count, 2);
  const auto csv = split(testing::run_program("top --format csv" + where).output, '\n');
  ASSERT_EQ(csv.size(), 4u);  // a header, two looks and the end
  EXPECT_THAT(csv[0], HasSubstr("total_w,energy_j,energy_error_j,VDD_GPU_SOC_w,VDD_GPU_SOC_j"));
  for (const int line : {1, 2}) {
    EXPECT_EQ(split(csv[static_cast<std::size_t>(line)], ',').size(), split(csv[0], ',').size());
  }
}

TEST(TopCommand, WrongOptionsAreOneLine) {
  for (const std::string words : {"--every 0", "--every 100", "--sampling-hz 0", "--once --count 3",
                                  "--device fake:nothing"}) {
    const auto result = testing::run_program("top " + words);
    EXPECT_NE(result.status, 0) << words;
    EXPECT_EQ(std::count(result.output.begin(), result.output.end(), '\n'), 1) << result.output;
  }
}

}  // namespace
}  // namespace ridgewatt::cli
