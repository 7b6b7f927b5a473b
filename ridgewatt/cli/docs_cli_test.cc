// Runs every `ridgewatt` command in the README and docs/ in an empty folder, after the previous
// commands on its page. docs/README.md explains the comments that mark the requirements of a
// command.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <regex>
#include <sstream>

#include "ridgewatt/base/test_support.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/io/json.h"

namespace ridgewatt::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// A printed command with its comment; it has several lines if they end in a backslash.
struct PrintedCommand {
  std::string text;
  std::string needs;     // "a board": not run here
  int status = 0;        // stated on the page
  bool endless = false;  // runs until Ctrl+C
};

PrintedCommand printed_command(const std::string& text) {
  static const std::regex kNeeds("#[^#\n]*\\bneeds ([^\n]*)\n?$");
  static const std::regex kEnds("#[^#\n]*\\bends with ([0-9]+)");
  static const std::regex kEndless("#[^#\n]*\\buntil Ctrl\\+C\n?$");
  PrintedCommand command{text, "", 0, false};
  std::smatch match;
  if (std::regex_search(text, match, kNeeds)) command.needs = match[1];
  if (std::regex_search(text, match, kEnds)) command.status = std::stoi(match[1]);
  // A command with --duration ends by itself.
  command.endless = std::regex_search(text, kEndless) && text.find("--duration") == text.npos;
  return command;
}

// True if the first word of a line is the program.
bool calls_program(const std::string& line) {
  static const std::regex kCall("^ *(sudo )?ridgewatt( |$)");
  return std::regex_search(line, kCall);
}

// The blocks of a page that may be commands: text indented by four, and ```sh.
std::vector<std::vector<std::string>> printed_blocks(const fs::path& page) {
  std::vector<std::vector<std::string>> blocks(1);
  std::string fence;
  std::istringstream lines(read_file(page.string()));
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("```", 0) == 0) {
      fence = fence.empty() ? line : "";
      blocks.emplace_back();
    } else if (fence == "```sh") {
      blocks.back().push_back(line);
    } else if (fence.empty() && line.rfind("    ", 0) == 0) {
      blocks.back().push_back(line.substr(4));
    } else {
      blocks.emplace_back();
    }
  }
  return blocks;
}

std::vector<PrintedCommand> printed_commands(const fs::path& page) {
  std::vector<PrintedCommand> commands;
  for (const auto& block : printed_blocks(page)) {
    if (std::none_of(block.begin(), block.end(), calls_program)) continue;
    std::string text;
    for (const std::string& line : block) {
      text += line + "\n";
      if (!line.empty() && line.back() == '\\') continue;
      if (line != "") commands.push_back(printed_command(text));
      text.clear();
    }
    if (!text.empty()) commands.push_back(printed_command(text));
  }
  return commands;
}

// Runs `script` in `folder`, which also has the fake boards, for at most five minutes; if endless,
// for one second.
testing::ProgramResult run_in(const fs::path& folder, const std::string& script,
                              bool endless = false) {
  const fs::path file = folder.string() + ".sh";
  const fs::path output = folder.string() + ".out";
  write_file_atomically(file.string(), script);
  const int status =
      std::system(("cd '" + folder.string() + "' && RIDGEWATT_FAKE='" + (folder / "fake").string() +
                   "' HOME='" + folder.string() + "' PATH='" + testing::build_folder().string() +
                   "':$PATH timeout " + (endless ? "-s INT 1" : "300") + " sh '" + file.string() +
                   "' > '" + output.string() + "' 2>&1 < /dev/null")
                      .c_str());
  const testing::ProgramResult result{WIFEXITED(status) ? WEXITSTATUS(status) : 255,
                                      read_file(output.string())};
  fs::remove(file);
  fs::remove(output);
  return result;
}

// Runs the commands in order, and reports what ran and what was left out.
void run_commands(const std::vector<PrintedCommand>& commands, const fs::path& folder) {
  int ran = 0;
  const bool has_server = fs::exists(testing::build_folder() / "ridgewatt-serve");
  for (const PrintedCommand& command : commands) {
    if (!has_server && command.text.find("ridgewatt serve") != std::string::npos) {
      std::cout << "not run, built without the server: " << command.text;
      continue;
    }
    if (!command.needs.empty()) {
      std::cout << "not run, needs " << command.needs << ": " << command.text;
      continue;
    }
    const auto result = run_in(folder, command.text, command.endless);
    const int expected = command.endless ? 124 : command.status;  // the status of timeout
    EXPECT_EQ(result.status, expected) << command.text << result.output.substr(0, 600);
    ++ran;
  }
  std::cout << ran << " of " << commands.size() << " commands ran\n";
}

constexpr const char* kTutorial = "docs/guide/tutorial.md";

// README and every page of docs/ that prints a command. The tutorial has its own test below.
std::vector<std::string> documented_pages() {
  std::vector<std::string> pages{"README.md", "CONTRIBUTING.md"};
  const fs::path root = testing::source_folder();
  for (const auto& entry : fs::recursive_directory_iterator(root / "docs")) {
    const std::string name = fs::relative(entry.path(), root).generic_string();
    if (entry.path().extension() == ".md" && name != kTutorial) pages.push_back(name);
  }
  pages.erase(
      std::remove_if(pages.begin(), pages.end(),
                     [&](const auto& page) { return printed_commands(root / page).empty(); }),
      pages.end());
  std::sort(pages.begin(), pages.end());
  return pages;
}

class PrintedCommands : public ::testing::TestWithParam<std::string> {};

// label: slow
TEST_P(PrintedCommands, RunInAnEmptyFolder) {
  const testing::TemporaryFolder folder;
  const fs::path here = folder.path() / "here";
  fs::create_directory(here);
  const auto commands = printed_commands(testing::source_folder() / GetParam());
  const bool examples = std::any_of(commands.begin(), commands.end(), [](const auto& command) {
    return command.needs.empty() && command.text.find("python3 examples/") != std::string::npos;
  });
  if (examples) {
    if (::access("/usr/bin/python3", X_OK) != 0) GTEST_SKIP() << "skipped: no python3";
    fs::create_directory_symlink(testing::source_folder() / "examples", here / "examples");
  }
  run_commands(commands, here);
}

INSTANTIATE_TEST_SUITE_P(Docs, PrintedCommands, ::testing::ValuesIn(documented_pages()),
                         [](const auto& page) {
                           std::string name = page.param.substr(0, page.param.find('.'));
                           std::replace(name.begin(), name.end(), '/', '_');
                           return name;
                         });

TEST(PrintedCommand, IsReadWithItsMark) {
  const testing::TemporaryFolder folder;
  const std::string page =
      folder.write("page.md",
                   "text\n\n    ridgewatt a \\\n        b   # slow; needs a GPU\n"
                   "    echo c\n\n    Plot plot;\n\n```sh\nridgewatt d  # ends with 3\n"
                   "ridgewatt e  # until Ctrl+C\n```\n    ridgewatt::f();\n");
  const auto commands = printed_commands(page);
  ASSERT_EQ(commands.size(), 4u);
  EXPECT_EQ(commands[0].text, "ridgewatt a \\\n    b   # slow; needs a GPU\n");
  EXPECT_EQ(commands[0].needs, "a GPU");
  EXPECT_EQ(commands[1].text, "echo c\n");
  EXPECT_EQ(commands[2].status, 3);
  EXPECT_TRUE(commands[3].endless);
}

// docs/README.md must explain every requirement that a command is marked with, so that no failure
// is hidden.
TEST(PrintedCommand, NeedsOnlyWhatTheDocumentationExplains) {
  const std::string legend = read_file((testing::source_folder() / "docs/README.md").string());
  for (const std::string& page : documented_pages()) {
    for (const auto& command : printed_commands(testing::source_folder() / page)) {
      if (command.needs.empty()) continue;
      EXPECT_THAT(legend, HasSubstr("| `# needs " + command.needs + "` |")) << page;
    }
  }
}

// tools/cli_reference.py generates the page from the program's own help.
TEST(CommandReference, IsWhatTheProgramSays) {
  const testing::TemporaryFolder folder;
  const std::string script = (testing::source_folder() / "tools/cli_reference.py").string();
  const auto page = run_in(folder.path(), "/usr/bin/python3 '" + script + "' ridgewatt");
  ASSERT_EQ(page.status, 0) << page.output;
  EXPECT_EQ(page.output, read_file((testing::source_folder() / "docs/reference/cli.md").string()))
      << "run 'tools/cli_reference.py build/ridgewatt/ridgewatt > docs/reference/cli.md'";
}

// label: slow
TEST(LanguageGuides, TablesAreWhatTheProgramSays) {
  const testing::TemporaryFolder folder;
  const std::string script = (testing::source_folder() / "tools/language_tables.py").string();
  const auto checked = run_in(folder.path(), "/usr/bin/python3 '" + script + "' ridgewatt --check");
  EXPECT_EQ(checked.status, 0) << checked.output;
}

std::string with_board(const std::string& text, const std::string& board) {
  return std::regex_replace(text, std::regex("fake:agx-orin"), "fake:" + board);
}

// label: waits
TEST(Tutorial, RunsAsPrinted) {
  const testing::TemporaryFolder folder;
  const fs::path here = folder.path() / "here";
  fs::create_directory(here);
  const auto commands = printed_commands(testing::source_folder() / kTutorial);
  for (const auto& command : commands) EXPECT_EQ(command.needs, "");
  run_commands(commands, here);
  ASSERT_FALSE(HasFailure());
  const Json answer = Json::parse(read_file((here / "answer.json").string()));
  EXPECT_EQ(answer["feasible"], true);
  EXPECT_EQ(answer["provenance"], "fake");
  EXPECT_LE(answer["power_w"].get<double>(), 30);
  EXPECT_LE(answer["profiled"].size(), 6u);
  // After applying, the measured power equals the power in the search, except for noise, heat and
  // the load of the machine.
  const Json check = Json::parse(read_file((here / "check.json").string()));
  EXPECT_NEAR(check["minibatches"]["power_w"].get<double>() / answer["power_w"].get<double>(), 1,
              0.1);
  // The header and one line per mode of the grid.
  const std::string predicted = read_file((here / "predicted.csv").string());
  EXPECT_EQ(std::count(predicted.begin(), predicted.end(), '\n'), 15313);
  // The board has its original mode, so there is nothing to restore.
  EXPECT_THAT(run_in(here, "ridgewatt mode restore --device fake:agx-orin").output,
              HasSubstr("no saved power mode"));
}

// The page says that another board's name may replace the AGX Orin's. The test runs the page with
// fewer profiles, and with the limit and the preset of the smaller board.
class TutorialOn : public ::testing::TestWithParam<std::pair<std::string, std::string>> {};

// label: slow
TEST_P(TutorialOn, AnotherBoard) {
  const auto& [board, preset] = GetParam();
  const testing::TemporaryFolder folder;
  const fs::path here = folder.path() / "here";
  fs::create_directory(here);
  auto commands = printed_commands(testing::source_folder() / kTutorial);
  for (auto& command : commands) {
    std::string& text = command.text;
    text = with_board(text, board);
    text = std::regex_replace(text, std::regex("--suggest 20"), "--suggest 5");
    text = std::regex_replace(text, std::regex("--window 20"), "--window 5");
    text = std::regex_replace(text, std::regex("--profiles 6"), "--profiles 2");
    text = std::regex_replace(text, std::regex("--max-power 30"), "--max-power 13");
    text = std::regex_replace(text, std::regex("MODE_30W"), preset);
  }
  run_commands(commands, here);
  EXPECT_EQ(Json::parse(read_file((here / "answer.json").string()))["provenance"], "fake");
}

INSTANTIATE_TEST_SUITE_P(Boards, TutorialOn,
                         ::testing::Values(std::pair{"orin-nano", "15W"},
                                           std::pair{"xavier-nx", "MODE_15W_6CORE"}),
                         [](const auto& board) {
                           std::string name = board.param.first;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace ridgewatt::cli
