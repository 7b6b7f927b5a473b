#include "ridgewatt/report/layer_sums.h"

#include <algorithm>
#include <cctype>
#include <map>

#include "ridgewatt/base/text.h"

namespace ridgewatt::report {
namespace {

constexpr std::size_t kDeepestBlock = 2;  // parts of a block's name if no part has a number

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

// True for a part with a number: "layer.3", "layer1.0", "block_12" or "3".
bool counts(const std::string& part) {
  const std::size_t end = part.find_last_not_of("0123456789");
  if (end == std::string::npos) return true;  // for example, "3"
  return end + 1 < part.size() && (part[end] == '.' || part[end] == '_') && is_digit(part.back());
}

struct Group {
  std::string name;
  std::int64_t layers = 0;
  std::vector<double> sums;
};

}  // namespace

std::string block_of(const std::string& node) {
  std::vector<std::string> parts = split(node, '/');
  parts.pop_back();  // the name of the operator
  std::string block;
  std::size_t taken = 0;
  for (const auto& part : parts) {
    block += part + "/";
    if (part.empty()) continue;
    if (counts(part)) return block;
    ++taken;
  }
  if (taken <= kDeepestBlock) return taken == 0 ? "" : block;
  block.clear();
  taken = 0;
  for (const auto& part : parts) {
    block += part + "/";
    if (!part.empty() && ++taken == kDeepestBlock) break;
  }
  return block;
}

Table sum_layers(const Table& layers, const Column& key,
                 const std::function<std::string(const std::string&, const std::string&)>& key_of,
                 const std::vector<std::string>& summed, const std::string& by) {
  std::vector<Column> columns = {key, {.name = "layers"}};
  std::vector<std::size_t> places;
  std::vector<bool> whole, has_numbers;
  for (const auto& name : summed) {
    for (std::size_t c = 0; c < layers.columns().size(); ++c) {
      if (layers.columns()[c].name != name) continue;
      columns.push_back(layers.columns()[c]);
      places.push_back(c);
      whole.push_back(std::none_of(layers.rows().begin(), layers.rows().end(), [c](const auto& r) {
        return std::holds_alternative<double>(r[c]);
      }));
      has_numbers.push_back(
          std::any_of(layers.rows().begin(), layers.rows().end(),
                      [c](const auto& r) { return cell_number(r[c]).has_value(); }));
    }
  }
  std::vector<Group> groups;  // in order of first occurrence
  std::map<std::string, std::size_t> known;
  for (const auto& row : layers.rows()) {
    const auto name = key_of(std::get<std::string>(row[0]), std::get<std::string>(row[1]));
    const auto [at, added] = known.emplace(name, groups.size());
    if (added) groups.emplace_back().name = name;
    Group& group = groups[at->second];
    group.sums.resize(places.size());
    ++group.layers;
    for (std::size_t i = 0; i < places.size(); ++i)
      group.sums[i] += cell_number(row[places[i]]).value_or(0);
  }
  Table table(std::move(columns));
  for (const auto& group : groups) {
    std::vector<Cell> row = {group.name, group.layers};
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (!has_numbers[i]) {
        row.emplace_back();
      } else if (whole[i]) {
        row.emplace_back(static_cast<std::int64_t>(group.sums[i]));
      } else {
        row.emplace_back(group.sums[i]);
      }
    }
    table.add_row(std::move(row));
  }
  if (!table.rows().empty()) table.sort(by);
  return table;
}

Table sums_by_operator(const Table& layers, const std::vector<std::string>& summed,
                       const std::string& by) {
  return sum_layers(
      layers, {.name = "op", .heading = "operator"},
      [](const std::string&, const std::string& op) { return op; }, summed, by);
}

Table sums_by_block(const Table& layers, const std::vector<std::string>& summed,
                    const std::string& by) {
  const bool blocks = std::any_of(layers.rows().begin(), layers.rows().end(), [](const auto& row) {
    return !block_of(std::get<std::string>(row[0])).empty();
  });
  const auto key = [](const std::string& name, const std::string&) {
    const std::string block = block_of(name);
    return block.empty() ? std::string("(no block)") : block;
  };
  if (!blocks) return Table({{.name = "block"}});
  return sum_layers(layers, {.name = "block"}, key, summed, by);
}

}  // namespace ridgewatt::report
