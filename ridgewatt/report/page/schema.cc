#include "ridgewatt/report/result.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "ridgewatt/base/text.h"

namespace ridgewatt::report {

Table Result::with_all_columns(bool csv) const {
  Table own = table, other = stream ? stream->table() : rows();
  if (csv) std::swap(own, other);
  if (own.columns().empty() || own.rows().size() != other.rows().size()) return own;
  std::vector<Column> columns = own.columns();
  std::vector<std::size_t> more;
  for (std::size_t c = 0; c < other.columns().size(); ++c) {
    const auto& name = other.columns()[c].name;
    if (std::any_of(columns.begin(), columns.end(),
                    [&](const Column& column) { return column.name == name; })) {
      continue;
    }
    more.push_back(c);
    columns.push_back(other.columns()[c]);
  }
  Table joined(std::move(columns));
  for (std::size_t r = 0; r < own.rows().size(); ++r) {
    std::vector<Cell> row = own.rows()[r];
    for (const std::size_t c : more) row.push_back(other.rows()[r][c]);
    joined.add_row(std::move(row));
  }
  return joined;
}

void Result::lines_before(const std::vector<std::string>& lines, const std::string& indent) {
  std::string text;
  for (const auto& line : lines) text += indent + escape_terminal(line) + '\n';
  before.push_back({std::move(text)});
}

void Result::add_sums(LayerSums sums) {
  after.push_back({"\nBy operator:\n\n", std::move(sums.by_operator)});
  add("By block:", std::move(sums.by_block));
}

namespace {

// The current version of a command's result. Results that never changed have version 1.
int version_of(std::string_view command) {
  constexpr std::string_view kSecond[] = {"estimate", "evaluate.estimate", "evaluate.pipeline",
                                          "pipeline", "roofline"};
  return std::ranges::find(kSecond, command) == std::end(kSecond) ? 1 : 2;
}

}  // namespace

std::string schema_name(std::string_view command) {
  std::string name(command);
  std::ranges::replace(name, ' ', '.');
  return "ridgewatt." + name + "/" + std::to_string(version_of(name));
}

Json with_schema(std::string_view command, Json result) {
  Json json;
  json["schema"] = schema_name(command);
  if (!result.is_object()) {
    json["rows"] = std::move(result);
    return json;
  }
  for (auto& [key, value] : result.items()) json[key] = std::move(value);
  return json;
}

bool has_schema(const Json& result) {
  const auto schema = result.is_object() ? result.find("schema") : result.end();
  return schema != result.end() && schema->is_string() &&
         schema->get_ref<const std::string&>().starts_with("ridgewatt.");
}

Json without_schema(Json result) {
  if (!result.is_object() || result.erase("schema") == 0) return result;
  return result.size() == 1 && result.contains("rows") ? Json(std::move(result["rows"])) : result;
}

}  // namespace ridgewatt::report
