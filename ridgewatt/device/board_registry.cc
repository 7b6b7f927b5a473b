// Finding boards: by name, by file, by what a device tree says.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/suggest.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/io/embedded.h"
#include "ridgewatt/io/file.h"

namespace ridgewatt {
namespace {

constexpr std::string_view kSuffix = ".toml";
constexpr std::size_t kBoardFileLimitBytes = std::size_t{1} << 20;

std::string_view stem(std::string_view file_name) {
  return file_name.substr(0, file_name.size() - kSuffix.size());
}

// An embedded board, read at its first use and kept: its file is part of the program.
const Board& embedded_board(std::size_t index) {
  struct Kept {
    std::once_flag read;
    std::optional<Board> board;
  };
  static std::vector<Kept> boards(embedded::boards().size());
  Kept& kept = boards[index];
  std::call_once(kept.read, [&] {
    const EmbeddedFile& file = embedded::boards()[index];
    kept.board = parse_board(file.content, "embedded " + std::string(file.name));
  });
  return *kept.board;
}

const Board& find_embedded(const std::string& name) {
  const auto files = embedded::boards();
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (stem(files[i].name) == name) return embedded_board(i);
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    const Board& board = embedded_board(i);
    if (std::find(board.aliases.begin(), board.aliases.end(), name) != board.aliases.end()) {
      return board;
    }
  }
  const auto names = list_boards();
  throw NotFoundError(fmt::format("no board '{}'", name), "",
                      did_you_mean(name, names,
                                   fmt::format("choose one of {}, or give the path of a board file",
                                               fmt::join(names, ", "))));
}

bool matches(std::string_view pattern, std::string_view text) {
  if (!pattern.empty() && pattern.back() == '*') {
    return text.starts_with(pattern.substr(0, pattern.size() - 1));
  }
  return text == pattern;
}

// "p3767-0005" of "nvidia,p3768-0000+p3767-0005-super"; the module decides, not the carrier.
std::string_view module_of(std::string_view compatible) {
  const auto plus = compatible.rfind('+');
  return plus == std::string_view::npos ? "" : compatible.substr(plus + 1, 10);
}

bool is_board(const Board& board, const std::string& compatible) {
  return std::any_of(board.compatible.begin(), board.compatible.end(),
                     [&](const auto& pattern) { return matches(pattern, compatible); }) ||
         std::find(board.modules.begin(), board.modules.end(), module_of(compatible)) !=
             board.modules.end();
}

}  // namespace

std::vector<std::string> list_boards() {
  std::vector<std::string> names;
  for (const auto& file : embedded::boards()) names.emplace_back(stem(file.name));
  std::sort(names.begin(), names.end());
  return names;
}

Board load_board(const std::string& name_or_path) {
  if (name_or_path.find('/') != std::string::npos || name_or_path.ends_with(kSuffix)) {
    return parse_board(read_file(name_or_path, kBoardFileLimitBytes), name_or_path);
  }
  const auto at = name_or_path.find('@');
  Board board = find_embedded(name_or_path.substr(0, at));
  if (at != std::string::npos) board.bsp = board.find_bsp(name_or_path.substr(at + 1)).name;
  return board;
}

std::optional<std::string> find_board(std::span<const std::string> compatible) {
  for (const auto& text : compatible) {
    for (std::size_t i = 0; i < embedded::boards().size(); ++i) {
      const Board& board = embedded_board(i);
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
