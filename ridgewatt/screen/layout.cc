#include "ridgewatt/screen/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "ridgewatt/screen/blocks/block.h"
#include "ridgewatt/screen/blocks/frame.h"

namespace ridgewatt::screen {
namespace {

constexpr std::size_t kTwoColumns = 60, kThreeColumns = 150, kGap = 2;
constexpr std::size_t kMostTrendRows = 6;

// A block with the number of lines that it can use, including its title.
struct Part {
  std::function<Block(std::size_t lines)> make;  // may draw more detail if there is space
  Wish wish;
  std::size_t width = 0;
};

struct Placed {
  std::vector<Line> lines;
  bool cut = false;  // something is not shown
};

using PartMaker = Block (*)(const Scene&, std::size_t);

Part part_of(const Scene& scene, PartMaker maker, std::size_t width) {
  const Block block = maker(scene, width);
  const std::size_t title = block.title.cells() > 0 ? 1 : 0;
  return {[&scene, maker, width](std::size_t) { return maker(scene, width); },
          {block.lines.empty() ? 0 : title + block.least, block.lines.size() + title},
          width};
}

Part trend_part(const Scene& scene, std::size_t width) {
  const std::size_t count = trend_count(scene);
  return {[&scene, width, count](std::size_t lines) {
            const std::size_t rows = count > 0 && lines > count ? (lines - 1) / count : 1;
            return trend_block(scene, width, std::clamp<std::size_t>(rows, 1, kMostTrendRows));
          },
          {count > 0 ? std::size_t{2} : 0, count > 0 ? 1 + count * kMostTrendRows : 0},
          width};
}

// Cuts the block to `height` lines, but keeps the pinned lines at its end.
Placed cut_block(Block block, std::size_t height) {
  Placed placed;
  const std::size_t title = block.title.cells() > 0 ? 1 : 0;
  if (height <= title || block.lines.empty()) {  // a title alone is useless
    placed.cut = !block.lines.empty();
    return placed;
  }
  if (title > 0) placed.lines.push_back(block.title);
  const std::size_t space = height - placed.lines.size();
  if (block.lines.size() > space) {
    placed.cut = true;
    const std::size_t pinned = std::min(block.pinned, space);
    const auto end = block.lines.end() - static_cast<std::ptrdiff_t>(block.pinned);
    std::vector<Line> kept(block.lines.begin(),
                           block.lines.begin() + static_cast<std::ptrdiff_t>(space - pinned));
    kept.insert(kept.end(), end, end + static_cast<std::ptrdiff_t>(pinned));
    block.lines = std::move(kept);
  }
  placed.lines.insert(placed.lines.end(), block.lines.begin(), block.lines.end());
  return placed;
}

// Places blocks from top to bottom in `height` lines.
Placed stack(const std::vector<Part>& parts, std::size_t height) {
  std::vector<Wish> wishes;
  for (const auto& part : parts) wishes.push_back(part.wish);
  const auto shares = share_lines(wishes, height);
  Placed all;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].wish.most == 0) continue;
    Placed one = cut_block(parts[i].make(shares[i]), shares[i]);
    all.cut = all.cut || one.cut;
    all.lines.insert(all.lines.end(), one.lines.begin(), one.lines.end());
  }
  return all;
}

Wish wish_of(const std::vector<Part>& parts) {
  Wish sum;
  for (const auto& part : parts) sum = {sum.least + part.wish.least, sum.most + part.wish.most};
  return sum;
}

// Places columns next to each other, each with its own width, in `height` lines.
Placed side_by_side(const std::vector<std::vector<Part>>& columns, std::size_t height) {
  Placed all;
  std::size_t used = 0;
  for (const auto& column : columns) {
    const Placed one = stack(column, height);
    all.cut = all.cut || one.cut;
    const std::size_t width = column.empty() ? 0 : column[0].width;
    const std::size_t gap = used > 0 ? kGap : 0;
    for (std::size_t row = 0; row < std::max(all.lines.size(), one.lines.size()); ++row) {
      if (row == all.lines.size()) all.lines.push_back(Line().fit(used));
      all.lines[row].add(std::string(gap, ' '));
      Line part = row < one.lines.size() ? one.lines[row] : Line();
      all.lines[row].add(part.fit(width));
    }
    used += gap + width;
  }
  return all;
}

// The parts of a view in one column.
std::vector<Part> parts_of(const Scene& scene, std::size_t width) {
  const View view = scene.view;
  std::vector<Part> parts;
  const auto add = [&](PartMaker maker) { parts.push_back(part_of(scene, maker, width)); };
  const bool all = view == View::kAll;
  if (all || view == View::kPower) {
    add(power_block);
    parts.push_back(trend_part(scene, width));
    if (!scene.windows.empty() || scene.now.minibatches > 0) add(window_block);
  }
  if (all || view == View::kClocks) {
    add(clock_block);
    add(load_block);
    add(heat_block);
    add(throttling_block);
  }
  if (all || view == View::kProcesses) add(process_block);
  return parts;
}

// Power and trends at full width; below them, clocks and loads in two columns.
Placed two_columns(const Scene& scene, Size size) {
  const std::size_t half = (size.width - kGap) / 2;
  std::vector<Part> parts{part_of(scene, power_block, size.width), trend_part(scene, size.width)};
  const std::vector<std::vector<Part>> middle{
      {part_of(scene, clock_block, half), part_of(scene, heat_block, half)},
      {part_of(scene, load_block, size.width - kGap - half)}};
  std::vector<Part> rest{part_of(scene, throttling_block, size.width)};
  if (!scene.windows.empty() || scene.now.minibatches > 0) {
    rest.push_back(part_of(scene, window_block, size.width));
  }
  rest.push_back(part_of(scene, process_block, size.width));
  const Wish left_wish = wish_of(middle[0]), right_wish = wish_of(middle[1]);
  // Each trend gets one line before other blocks grow, and the remaining lines at the end.
  const std::size_t trends = trend_count(scene);
  std::vector<Wish> wishes{
      parts[0].wish,
      {parts[1].wish.least, trends > 0 ? trends + 1 : 0},
      {std::max(left_wish.least, right_wish.least), std::max(left_wish.most, right_wish.most)}};
  for (const auto& part : rest) wishes.push_back(part.wish);
  wishes.back().least = 0;  // processes get only the remaining lines
  auto shares = share_lines(wishes, size.height);
  std::size_t used = 0;
  for (const std::size_t share : shares) used += share;
  if (size.height > used) shares[1] = std::min(shares[1] + size.height - used, parts[1].wish.most);
  Placed all;
  const auto append = [&](Placed one) {
    all.cut = all.cut || one.cut;
    all.lines.insert(all.lines.end(), one.lines.begin(), one.lines.end());
  };
  append(cut_block(parts[0].make(shares[0]), shares[0]));
  append(cut_block(parts[1].make(shares[1]), shares[1]));
  append(side_by_side(middle, shares[2]));
  for (std::size_t i = 0; i < rest.size(); ++i) {
    append(cut_block(rest[i].make(shares[3 + i]), shares[3 + i]));
  }
  return all;
}

Placed three_columns(const Scene& scene, Size size) {
  const std::size_t side = (size.width - 2 * kGap) * 3 / 10;
  const std::size_t first = size.width - 2 * kGap - 2 * side;
  std::vector<std::vector<Part>> columns(3);
  columns[0] = {part_of(scene, power_block, first), trend_part(scene, first)};
  if (!scene.windows.empty() || scene.now.minibatches > 0) {
    columns[0].insert(columns[0].begin() + 1, part_of(scene, window_block, first));
  }
  columns[1] = {part_of(scene, clock_block, side), part_of(scene, heat_block, side),
                part_of(scene, throttling_block, side)};
  columns[2] = {part_of(scene, load_block, side), part_of(scene, process_block, side)};
  return side_by_side(columns, size.height);
}

Placed body(const Scene& scene, Size size) {
  if (scene.view == View::kAll && size.width >= kThreeColumns) return three_columns(scene, size);
  if (scene.view == View::kAll && size.width >= kTwoColumns) return two_columns(scene, size);
  return stack(parts_of(scene, size.width), size.height);
}

}  // namespace

std::vector<std::size_t> share_lines(const std::vector<Wish>& wishes, std::size_t total) {
  std::vector<std::size_t> shares(wishes.size(), 0);
  for (std::size_t i = 0; i < wishes.size(); ++i) {
    if (wishes[i].least > total) continue;
    shares[i] = wishes[i].least;
    total -= wishes[i].least;
  }
  for (std::size_t i = 0; i < wishes.size(); ++i) {
    if (shares[i] == 0 && wishes[i].least > 0) continue;  // its minimum does not fit
    const std::size_t most = std::max(wishes[i].most, shares[i]);
    const std::size_t more = std::min(total, most - shares[i]);
    shares[i] += more;
    total -= more;
  }
  return shares;
}

std::vector<Line> lay_out(const Scene& scene, const Dialog& dialog, const Message& message,
                          Size size) {
  std::vector<Line> lines;
  if (size.width == 0 || size.height == 0) return lines;
  const std::size_t frame = size.height >= 4 ? 3 : size.height - 1;  // lines of header and footer
  for (auto& line : header_lines(scene, size.width)) lines.push_back(line);
  lines.resize(std::min(lines.size(), size.height >= 4 ? std::size_t{2} : std::size_t{1}));
  const Size inside{size.width, size.height - std::min(size.height, frame)};
  Placed shown;
  if (dialog.page() == Dialog::Page::kHelp || dialog.page() == Dialog::Page::kMode) {
    shown.lines = page_lines(scene, dialog, inside.width);
  } else if (inside.height > 0) {
    shown = body(scene, inside);
  }
  shown.lines.resize(std::min(shown.lines.size(), inside.height));
  lines.insert(lines.end(), shown.lines.begin(), shown.lines.end());
  if (size.height >= 4) {
    lines.resize(size.height - 1);
    lines.push_back(footer_line(scene, dialog, message, shown.cut, size));
  }
  lines.resize(size.height);
  for (auto& line : lines) line.fit(size.width);
  return lines;
}

std::string plain_text(const Scene& scene, std::size_t width) {
  std::string text;
  const auto add = [&](const Line& line) {
    std::string one = line.text();
    one.erase(one.find_last_not_of(' ') + 1);
    text += one + '\n';
  };
  for (const auto& line : header_lines(scene, width)) add(line);
  for (const auto& part : parts_of(scene, width)) {
    const Block block = part.make(0);
    if (block.lines.empty()) continue;
    text += '\n';
    if (block.title.cells() > 0) add(block.title);
    for (const auto& line : block.lines) add(line);
  }
  return text;
}

}  // namespace ridgewatt::screen
