// Finds boards by name, by file, or by the strings of a device tree.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ridgewatt/base/contains.h"
#include "ridgewatt/base/environment.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/suggest.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/device/board_names.h"
#include "ridgewatt/io/embedded.h"
#include "ridgewatt/io/file.h"

namespace ridgewatt {
namespace {

constexpr std::string_view kSuffix = ".toml";
constexpr std::size_t kBoardFileLimitBytes = std::size_t{1} << 20;

std::string_view stem(std::string_view file_name) {
  return file_name.substr(0, file_name.size() - kSuffix.size());
}

// An embedded board, which is parsed once, at its first use.
struct KeptBoard {
  std::once_flag read;
  std::optional<Board> board;

  // Parses the text before `end`.
  const Board& get(std::size_t index, std::string_view end = {}) {
    std::call_once(read, [&] {
      const EmbeddedFile& file = embedded::boards()[index];
      const std::string text = unpacked(file.content);
      board =
          parse_board(std::string_view(text).substr(0, end.empty() ? text.npos : text.find(end)),
                      "embedded " + std::string(file.name));
    });
    return *board;
  }
};

const Board& embedded_board(std::size_t index) {
  static std::vector<KeptBoard> boards(embedded::boards().size());
  return boards[index].get(index);
}

// Returns the board without its twin, which is most of the text. Enough for names and detection.
const Board& embedded_head(std::size_t index) {
  static std::vector<KeptBoard> heads(embedded::boards().size());
  return heads[index].get(index, "\n[twin]\n");
}

const Board* find_embedded(std::string_view name) {
  const auto files = embedded::boards();
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (stem(files[i].name) == name) return &embedded_board(i);
  }
  return nullptr;
}

// Returns "agx-orin" or, for a BSP other than the default, "agx-orin@jp5.1".
std::string name_with_bsp(const Board& board, const std::string& name, const Bsp& bsp) {
  return bsp.name == board.default_bsp ? name : name + "@" + bsp.name;
}

// Adds the names of one board and their synonyms. An alias "WORD@BSP" means the board with that
// BSP.
void add_names(const Board& board, NameSet& set) {
  for (const Bsp& bsp : board.bsps) {
    const std::string name = name_with_bsp(board, board.name, bsp);
    set.names.push_back(name);
    set.synonyms.push_back({board.name + "@" + bsp.name, name});
    for (const auto& alias : board.aliases) {
      const auto at = alias.find('@');
      if (at == std::string::npos) {
        set.synonyms.push_back({alias + "@" + bsp.name, name});
      } else if (alias.substr(at + 1) == bsp.name) {
        set.synonyms.push_back({alias.substr(0, at), name});
      }
    }
  }
  for (const auto& alias : board.aliases) {
    if (alias.find('@') == std::string::npos) set.synonyms.push_back({alias, board.name});
  }
}

const NameSet& all_board_names() {
  static const NameSet kNames = [] {
    NameSet set;
    std::vector<const Board*> heads;
    for (std::size_t i = 0; i < embedded::boards().size(); ++i) heads.push_back(&embedded_head(i));
    std::sort(heads.begin(), heads.end(),
              [](const Board* a, const Board* b) { return a->name < b->name; });
    for (const Board* head : heads) add_names(*head, set);
    return set;
  }();
  return kNames;
}

// The error for an unknown BSP of a known board, such as "agx-orin@jp9".
NotFoundError unknown_bsp(const std::string& text, const Board& board) {
  std::vector<std::string> names;
  for (const Bsp& bsp : board.bsps) names.push_back(board.name + "@" + bsp.name);
  const std::string asked = text.substr(text.find('@') + 1);
  return NotFoundError(
      fmt::format("there is no BSP '{}' of board {}", escape_terminal(asked), board.name), "",
      "choose one of " + joined_names(names));
}

// Returns the advice for an unknown board. For "fake:agx-orn", it suggests names like "agx-orn".
std::string board_hint(const std::string& text) {
  if (text == kLocalBoard) {
    return "this machine is not a board of `ridgewatt device list`. Run `ridgewatt calibrate "
           "--device local` once to measure its processor and describe it as a board. Without "
           "this, only roofline, microbench, measure, sensors, top, and tune and profile with a "
           "program after -- work on this machine";
  }
  const auto colon = text.find(':');  // fake:agx-orin
  const std::string name = text.substr(colon == std::string::npos ? 0 : colon + 1);
  return did_you_mean(
      name, all_board_names(),
      "choose one of " + joined_names(list_boards()) + ", or give the path of a board file");
}

// Returns the name of the embedded board for which `text` is a name or a synonym.
std::string board_meant(const std::string& text) {
  if (find_embedded(text) != nullptr) return text;  // without parsing the other boards
  if (auto name = find_meant(text, all_board_names())) return *name;
  if (text.find(',') != std::string::npos) {
    throw NotFoundError(fmt::format("there is no board '{}'", escape_terminal(text)), "",
                        "name one board, or all; llm, tune llm and fits take several boards");
  }
  if (text.find('@') != std::string::npos) {
    const auto board = find_meant(text.substr(0, text.find('@')), all_board_names());
    if (board) throw unknown_bsp(text, *find_embedded(board->substr(0, board->find('@'))));
  }
  throw NotFoundError(fmt::format("there is no board '{}'", escape_terminal(text)), "",
                      board_hint(text));
}

bool matches(std::string_view pattern, std::string_view text) {
  if (!pattern.empty() && pattern.back() == '*') {
    return text.starts_with(pattern.substr(0, pattern.size() - 1));
  }
  return text == pattern;
}

// Returns the module, "p3767-0005" of "nvidia,p3768-0000+p3767-0005-super". The part before "+" is
// the carrier board.
std::string_view module_of(std::string_view compatible) {
  const auto plus = compatible.rfind('+');
  return plus == std::string_view::npos ? "" : compatible.substr(plus + 1, 10);
}

bool is_board(const Board& board, const std::string& compatible) {
  return std::any_of(board.compatible.begin(), board.compatible.end(),
                     [&](const auto& pattern) { return matches(pattern, compatible); }) ||
         contains(board.modules, module_of(compatible));
}

}  // namespace

std::vector<std::string> list_boards() {
  std::vector<std::string> names;
  for (const auto& file : embedded::boards()) names.emplace_back(stem(file.name));
  std::sort(names.begin(), names.end());
  return names;
}

std::string local_board_path() {
  constexpr char kFile[] = "/ridgewatt/local.toml";
  if (const auto data = environment_variable("XDG_DATA_HOME")) return *data + kFile;
  if (const auto home = environment_variable("HOME")) return *home + "/.local/share" + kFile;
  return "";
}

bool has_local_board() {
  std::error_code failed;
  const std::string path = local_board_path();
  return !path.empty() && std::filesystem::is_regular_file(path, failed);
}

Board load_board(const std::string& name_or_path) {
  if (name_or_path == kLocalBoard && has_local_board()) return load_board(local_board_path());
  if (name_or_path.find('/') != std::string::npos || name_or_path.ends_with(kSuffix)) {
    return parse_board(read_file(name_or_path, kBoardFileLimitBytes), name_or_path);
  }
  const std::string name = board_meant(name_or_path);
  const auto at = name.find('@');
  Board board = *find_embedded(name.substr(0, at));
  if (at != std::string::npos) board.bsp = board.find_bsp(name.substr(at + 1)).name;
  return board;
}

const NameSet& board_names() {
  return all_board_names();
}

std::optional<std::string> find_board(std::span<const std::string> compatible) {
  for (const auto& text : compatible) {
    for (std::size_t i = 0; i < embedded::boards().size(); ++i) {
      const Board& board = embedded_head(i);
      if (!is_board(board, text)) continue;
      const bool super = text.ends_with("-super") &&
                         std::any_of(board.bsps.begin(), board.bsps.end(),
                                     [](const Bsp& bsp) { return bsp.name == "super"; });
      return board.name + (super ? "@super" : "");
    }
  }
  return std::nullopt;
}

}  // namespace ridgewatt
