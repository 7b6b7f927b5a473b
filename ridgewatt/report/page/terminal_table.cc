// A table for a terminal of a given width: chooses the columns and their widths, and prints them.
#include <algorithm>
#include <map>

#include "ridgewatt/base/contains.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/report/table.h"

namespace ridgewatt::report {
namespace {

constexpr std::size_t kGap = 2;        // spaces between columns
constexpr std::size_t kLeastText = 8;  // texts are not shortened below this width
constexpr std::size_t kComfort = 40;   // prose is wrapped to this width before columns are hidden
constexpr std::size_t kLeastProse = 12;

bool is_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

// The width of a string on the terminal, assuming one column per code point.
std::size_t text_width(const std::string& text) {
  return text.size() -
         static_cast<std::size_t>(std::count_if(text.begin(), text.end(), is_continuation));
}

// The code points from `from` up to, but without, `to`.
std::string part(const std::string& text, std::size_t from, std::size_t to) {
  std::string result;
  std::size_t at = 0;
  for (const char c : text) {
    if (!is_continuation(c)) ++at;
    if (at > from && at <= to) result += c;
  }
  return result;
}

std::string shorten_middle(const std::string& text, std::size_t width) {
  const std::size_t whole = text_width(text);
  if (whole <= width) return text;
  const std::size_t head = width / 2, tail = width - head - 1;
  return part(text, 0, head) + "…" + part(text, whole - tail, whole);
}

std::vector<std::string> wrapped(const std::string& text, std::size_t width) {
  if (text_width(text) <= width) return {text};
  std::vector<std::string> lines(1);
  for (const auto& word : words_of(text)) {
    const std::size_t used = text_width(lines.back());
    if (used > 0 && used + 1 + text_width(word) > width) lines.emplace_back();
    lines.back() += (lines.back().empty() ? "" : " ") + shorten_middle(word, width);
  }
  return lines;
}

// Splits a heading into two lines of similar length. A heading without spaces stays on one line.
std::vector<std::string> broken(const std::string& heading) {
  std::vector<std::string> best = {heading};
  std::size_t least = text_width(heading);
  for (auto at = heading.find(' '); at != std::string::npos; at = heading.find(' ', at + 1)) {
    const std::string first = heading.substr(0, at), second = heading.substr(at + 1);
    const std::size_t longest = std::max(text_width(first), text_width(second));
    if (longest >= least) continue;
    least = longest;
    best = {first, second};
  }
  return best;
}

struct ShownColumn {
  std::string heading;
  int rank = 0;
  bool text = false;
  bool wrap = false;
  std::vector<std::string> cells;  // numbers are aligned at their decimal points
  std::size_t cell_width = 0;      // width of the longest cell
  std::size_t width = 0;           // set by Page
};

// Appends spaces so that the decimal points of a column are aligned.
void align_points(std::vector<std::string>& cells) {
  const auto behind = [](const std::string& cell) {
    return text_width(cell.substr(std::min(cell.find('.'), cell.size())));
  };
  std::size_t most = 0;
  for (const auto& cell : cells) most = std::max(most, behind(cell));
  for (auto& cell : cells) cell.append(most - behind(cell), ' ');
}

ShownColumn shown_column(const Table& table, std::size_t c) {
  const Column& column = table.columns()[c];
  ShownColumn shown;
  shown.heading = escape_terminal(column_heading(column));
  shown.rank = column.rank;
  for (const auto& row : table.rows()) {
    shown.text = shown.text || std::holds_alternative<std::string>(row[c]);
    shown.cells.push_back(escape_terminal(cell_text(row[c], column)));
  }
  shown.wrap = shown.text && column.wrap;
  if (!shown.text) align_points(shown.cells);
  for (const auto& cell : shown.cells) {
    shown.cell_width = std::max(shown.cell_width, text_width(cell));
  }
  return shown;
}

// Chooses the shown columns and their widths.
class Page {
 public:
  Page(std::vector<ShownColumn> columns, std::size_t width)
      : columns_(std::move(columns)), width_(width) {
    for (std::size_t c = 0; c < columns_.size(); ++c) chosen_.push_back(c);
    if (width_ == 0) width_ = total(false, true);
    if (total(false, false) > width_) choose();
    const bool in_two = total(false, false) > width_;
    for (const std::size_t c : chosen_) columns_[c].width = natural(columns_[c], in_two, true);
    if (!chosen_.empty()) shrink();
  }

  TableCut print(std::ostream& out) const {
    TableCut cut;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (!contains(chosen_, c)) {
        cut.hidden.push_back(columns_[c].heading);
      }
    }
    print_headings(out);
    const std::size_t rows = columns_.empty() ? 0 : columns_.front().cells.size();
    for (std::size_t r = 0; r < rows; ++r) print_row(out, r, cut);
    return cut;
  }

 private:
  std::size_t heading_width(const ShownColumn& column, bool in_two) const {
    if (!in_two) return text_width(column.heading);
    std::size_t widest = 0;
    for (const auto& line : broken(column.heading)) widest = std::max(widest, text_width(line));
    return widest;
  }
  std::size_t natural(const ShownColumn& column, bool in_two, bool prose_whole) const {
    const std::size_t cells =
        column.wrap && !prose_whole ? std::min(column.cell_width, kComfort) : column.cell_width;
    return std::max(cells, heading_width(column, in_two));
  }
  std::size_t total(bool in_two, bool prose_whole) const {
    std::size_t sum = 0;
    for (const std::size_t c : chosen_) sum += natural(columns_[c], in_two, prose_whole) + kGap;
    return sum < kGap ? 0 : sum - kGap;
  }

  // Shows the columns of the lowest rank, and those of higher ranks that still fit.
  void choose() {
    if (total(true, false) <= width_) return;
    std::map<int, std::vector<std::size_t>> ranks;
    for (std::size_t c = 0; c < columns_.size(); ++c) ranks[columns_[c].rank].push_back(c);
    chosen_ = ranks.empty() ? std::vector<std::size_t>() : ranks.begin()->second;
    if (!ranks.empty()) ranks.erase(ranks.begin());
    for (const auto& [rank, members] : ranks) {
      const auto before = chosen_;
      chosen_.insert(chosen_.end(), members.begin(), members.end());
      if (total(true, false) > width_) chosen_ = before;
    }
    std::sort(chosen_.begin(), chosen_.end());
  }

  std::size_t least(const ShownColumn& column) const {
    if (!column.text) return column.width;
    return std::max(column.wrap ? kLeastProse : kLeastText, heading_width(column, true));
  }

  // Narrows the widest text column, prose first, until all columns fit. If that is not enough,
  // removes columns from the right.
  void shrink() {
    const auto taken = [this] {
      std::size_t sum = 0;
      for (const std::size_t c : chosen_) sum += columns_[c].width + kGap;
      return sum - kGap;
    };
    std::vector<std::size_t> wished;
    for (const auto& column : columns_) wished.push_back(column.width);
    while (taken() > width_) {
      ShownColumn* widest = nullptr;
      const auto consider = [&](ShownColumn& column, std::size_t floor) {
        if (column.width <= std::max(floor, least(column))) return;
        if (widest == nullptr || column.width > widest->width) widest = &column;
      };
      for (const std::size_t c : chosen_) {
        if (columns_[c].wrap) consider(columns_[c], kComfort);
      }
      if (widest == nullptr) {
        for (const std::size_t c : chosen_) {
          if (columns_[c].text) consider(columns_[c], 0);
        }
      }
      if (widest != nullptr) {
        --widest->width;
      } else if (chosen_.size() > 1) {
        chosen_.pop_back();
        for (const std::size_t c : chosen_) columns_[c].width = wished[c];
      } else {
        columns_[chosen_.front()].width = width_;
      }
    }
  }

  std::string padded(const ShownColumn& column, const std::string& text) const {
    const std::size_t used = text_width(text);
    const std::string padding(used < column.width ? column.width - used : 0, ' ');
    return column.text ? text + padding : padding + text;
  }

  static void print_line(std::ostream& out, std::string line) {
    line.erase(line.find_last_not_of(' ') + 1);
    out << line << '\n';
  }

  void print_headings(std::ostream& out) const {
    std::vector<std::vector<std::string>> headings;
    std::size_t lines = 1;
    for (const std::size_t c : chosen_) {
      const ShownColumn& column = columns_[c];
      headings.push_back(text_width(column.heading) > column.width
                             ? broken(column.heading)
                             : std::vector<std::string>{column.heading});
      lines = std::max(lines, headings.back().size());
    }
    for (std::size_t l = 0; l < lines; ++l) {
      std::string text;
      for (std::size_t i = 0; i < chosen_.size(); ++i) {
        const std::size_t above = lines - headings[i].size();  // align at the bottom
        const std::string& word = l < above ? std::string() : headings[i][l - above];
        const ShownColumn& column = columns_[chosen_[i]];
        text += (i > 0 ? std::string(kGap, ' ') : "") +
                padded(column, shorten_middle(word, column.width));
      }
      print_line(out, std::move(text));
    }
  }

  void print_row(std::ostream& out, std::size_t row, TableCut& cut) const {
    std::vector<std::vector<std::string>> cells;
    std::size_t lines = 1;
    for (const std::size_t c : chosen_) {
      const ShownColumn& column = columns_[c];
      const std::string& cell = column.cells[row];
      cells.push_back(column.wrap ? wrapped(cell, column.width)
                                  : std::vector{shorten_middle(cell, column.width)});
      if (!column.wrap) cut.shortened = cut.shortened || cells.back().front() != cell;
      lines = std::max(lines, cells.back().size());
    }
    for (std::size_t l = 0; l < lines; ++l) {
      std::string text;
      for (std::size_t i = 0; i < chosen_.size(); ++i) {
        text += (i > 0 ? std::string(kGap, ' ') : "") +
                padded(columns_[chosen_[i]], l < cells[i].size() ? cells[i][l] : std::string());
      }
      print_line(out, std::move(text));
    }
  }

  std::vector<ShownColumn> columns_;
  std::vector<std::size_t> chosen_;
  std::size_t width_;
};

// False for a column of a rank above 0 without any value.
bool needs_place(const Table& table, std::size_t c) {
  const auto& rows = table.rows();
  return table.columns()[c].rank == 0 || rows.empty() ||
         std::any_of(rows.begin(), rows.end(), [&](const auto& row) {
           return !std::holds_alternative<std::monostate>(row[c]);
         });
}

}  // namespace

TableCut Table::print_terminal(std::ostream& out, std::size_t width) const {
  const Table table = without_empty_columns();
  std::vector<ShownColumn> columns;
  for (std::size_t c = 0; c < table.columns().size(); ++c) {
    if (needs_place(table, c)) columns.push_back(shown_column(table, c));
  }
  return Page(std::move(columns), width).print(out);
}

}  // namespace ridgewatt::report
