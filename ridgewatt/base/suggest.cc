#include "ridgewatt/base/suggest.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace ridgewatt {
namespace {

constexpr std::size_t kLongestWord = 64;  // what is longer is no slip of the finger

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

}  // namespace

int edit_distance(std::string_view a_text, std::string_view b_text) {
  const std::string a = lower(a_text), b = lower(b_text);
  std::vector<std::vector<int>> cost(a.size() + 1, std::vector<int>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) cost[i][0] = static_cast<int>(i);
  for (std::size_t j = 0; j <= b.size(); ++j) cost[0][j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int replaced = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

std::string closest_word(std::string_view word, std::span<const std::string> known) {
  if (word.size() > kLongestWord) return "";
  const int allowed = std::max(1, static_cast<int>(word.size()) / 3);
  int least = allowed + 1;
  std::string best, begins;
  int beginnings = 0;
  for (const auto& candidate : known) {
    if (candidate.size() > kLongestWord) continue;
    const int distance = edit_distance(word, candidate);
    if (distance < least) {
      least = distance;
      best = candidate;
    }
    if (word.size() > 1 && candidate.starts_with(word)) {
      ++beginnings;
      begins = candidate;
    }
  }
  return best.empty() && beginnings == 1 ? begins : best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> known,
                         const std::string& otherwise) {
  const std::string closest = closest_word(word, known);
  return closest.empty() ? otherwise : "did you mean " + closest + "?";
}

}  // namespace ridgewatt
