// Prints tables in the width of the terminal, with the requested order and number of rows.
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <optional>

#include "ridgewatt/base/environment.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/plural.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/cli/command.h"
#include "ridgewatt/cli/options/option_adder.h"
#include "ridgewatt/report/columns.h"

namespace ridgewatt::cli {
namespace {

constexpr std::size_t kUsualWidth = 120;  // if unknown: a pipe or a file
constexpr std::size_t kLeastWidth = 20;

std::size_t terminal_width() {
  winsize size{};
  if (::isatty(STDOUT_FILENO) != 0 && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 &&
      size.ws_col > 0) {
    return std::max<std::size_t>(size.ws_col, kLeastWidth);
  }
  const auto columns = environment_variable("COLUMNS");
  const auto width = columns ? parse_int(*columns) : std::nullopt;
  if (!width || *width <= 0) return kUsualWidth;
  return std::max(static_cast<std::size_t>(*width), kLeastWidth);
}

// "3 columns hidden: a, b, c; --wide shows all", with as many names as fit on the line.
std::string hidden_note(const report::TableCut& cut, std::size_t width) {
  const std::size_t count = cut.hidden.size();
  if (count == 0) return cut.shortened ? "long texts are shortened; --wide shows all" : "";
  std::string names;
  std::string note;
  for (std::size_t named = 0; named < count; ++named) {
    names += (named == 0 ? "" : ", ") + cut.hidden[named];
    const std::size_t more = count - named - 1;
    const std::string next = fmt::format("hidden: {}{}; --wide shows all", names,
                                         more == 0 ? "" : fmt::format(" and {} more", more));
    if (next.size() <= width) note = next;
  }
  const std::string brief = fmt::format("{} hidden: --wide", counted(count, "column"));
  return note.empty() ? brief.substr(0, width) : note;
}

void print_fitted(const Context& context, const report::Table& table) {
  const std::size_t width = context.wide ? 0 : terminal_width();
  const report::TableCut cut = table.print_terminal(std::cout, width);
  const std::string note = hidden_note(cut, width);
  if (!note.empty()) std::cout << note << '\n';
}

// Returns the first option about rows or columns that was given; null: none.
const char* table_option(const Context& context) {
  return context.top > 0            ? "--top"
         : !context.sort.empty()    ? "--sort"
         : !context.columns.empty() ? "--columns"
                                    : nullptr;
}

}  // namespace

void add_table_options(CLI::App& command, Context& context) {
  const OptionAdder add(command, "Tables");
  add.flag("--wide", context.wide, "Print every column, even if the terminal is too narrow");
  add.optional("--top", context.top, count().within(1, 1e9), "Print only the first N rows");
  add.text("--sort", context.sort,
           "Sort the rows by this column (its name or heading); -COLUMN or COLUMN:desc sorts from "
           "large to small");
  add.list("--columns", context.columns, "Print only these columns, given by name or heading");
}

void check_table_options(const Context& context) {
  if (context.with_figures && !context.json()) {
    throw UsageError("--with-figures needs --format json", "");
  }
  if (!context.json()) return;
  const char* asked = table_option(context);
  if (asked == nullptr) return;
  throw UsageError(std::string(asked) + " has no effect on JSON", "",
                   "use --format csv, or omit the option");
}

void check_table_options(const Context& context, report::Table table) {
  if (!context.sort.empty()) table.sort(context.sort);
  if (!context.columns.empty()) table.keep_columns(context.columns);
}

void refuse_table_options(const Context& context, const std::string& when) {
  const char* asked = table_option(context);
  if (asked == nullptr) return;
  throw UsageError(std::string(asked) + " has no effect " + when, "", "omit it");
}

void refuse_all_but_csv(const Context& context) {
  if (context.json())
    throw UsageError("--format json has no effect: the result is always CSV", "", "omit it");
  refuse_table_options(context, "on a CSV of all points");
}

namespace {

// The table to print with --columns, which may name columns of the table and of the CSV.
report::Table table_with_columns(const Context& context, const report::Result& result) {
  const auto rows = [&] { return result.stream ? result.stream->table() : result.rows(); };
  auto own = context.csv() ? rows() : result.table;
  try {
    check_table_options(context, own);
    return own;
  } catch (const UsageError&) {
    auto all = result.with_all_columns(context.csv());
    check_table_options(context, all);
    return all;
  }
}

}  // namespace

void check_table_options(const Context& context, const report::Result& result) {
  if (context.columns.empty()) {
    return check_table_options(context, context.csv() ? result.rows() : result.table);
  }
  table_with_columns(context, result);
}

report::Table with_origin(const Context& context, const report::Table& table,
                          const RowOrigin& origin) {
  const bool people = !context.csv() && !context.json() && context.columns.empty();
  return !people ? report::with_origin(table, {origin}) : table;
}

void print(const Context& context, const report::Table& table, const std::string& order) {
  if (context.json()) return print(context, table.to_json());
  const std::string by = context.sort.empty() && !context.csv() ? order : context.sort;
  if (by.empty() && context.top == 0 && context.columns.empty()) return print_aside(context, table);
  report::Table shown = table;
  if (!by.empty()) shown.sort(by);
  if (context.top > 0) shown.keep_first(context.top);
  if (!context.columns.empty()) shown.keep_columns(context.columns);
  print_aside(context, shown);
  const std::size_t rows = shown.rows().size(), all = table.rows().size();
  if (rows == all) return;
  const std::string note =
      fmt::format("{} of {}", rows, counted(static_cast<std::int64_t>(all), "row"));
  if (context.csv())
    remark(context, note);
  else
    std::cout << note << '\n';
}

void print(const Context& context, const report::Result& result) {
  const auto print_pieces = [&](const std::vector<report::Result::Piece>& pieces) {
    for (const auto& piece : pieces) {
      std::cout << piece.text;
      if (piece.table) print_aside(context, *piece.table);
    }
  };
  const bool asked = !context.json() && !context.columns.empty();
  const auto chosen = asked ? std::optional(table_with_columns(context, result)) : std::nullopt;
  if (context.json()) {
    if (result.streamed)
      print(context, *result.streamed);
    else
      print(context, result.json.is_null() ? result.rows().to_json() : result.json);
  } else if (context.csv()) {
    chosen          ? print(context, *chosen)
    : result.stream ? print(context, *result.stream)
                    : print(context, result.rows());
  } else {
    const bool nothing = result.none && result.table.rows().empty();
    const bool with_table = !result.table.columns().empty() && !nothing;
    if (with_table && !context.sort.empty()) {
      check_table_options(context, chosen ? *chosen : result.table);  // before anything is printed
    }
    print_pieces(result.before);
    if (with_table) print(context, chosen ? *chosen : result.table, result.order);
    print_pieces(result.after);
  }
  for (const auto& text : result.remarks) remark(context, text);
  if (!context.json()) {
    for (const auto& text : result.notes) remark(context, text);
  }
  if (!result.none) return;
  throw NoSolutionError(result.none->what, result.none->where, result.none->advice);
}

void print_aside(const Context& context, const report::Table& table) {
  if (context.json())
    print(context, table.to_json());
  else if (context.csv())
    table.print_csv(std::cout);
  else
    print_fitted(context, table);
}

void print(const Context& context, const report::Rows& rows) {
  const bool in_order = context.sort.empty() && context.top == 0 && context.columns.empty();
  if (context.csv() && in_order) return report::write_csv(std::cout, rows);
  if (context.json()) return print(context, report::streamed(nullptr, "rows", rows));
  print(context, rows.table());
}

void print(const Context& context, report::StreamedJson result) {
  // Figures need the whole result.
  if (context.with_figures) return print(context, result.whole());
  result.head = schema_first(context, result.head);
  result.write(std::cout);
  std::cout << '\n';
}

}  // namespace ridgewatt::cli
