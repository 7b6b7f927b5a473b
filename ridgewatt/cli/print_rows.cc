#include "ridgewatt/cli/print_rows.h"

#include <utility>

namespace ridgewatt::cli {

void print(const Context& context, const report::Rows& rows) {
  const bool in_order = context.sort.empty() && context.top == 0 && context.columns.empty();
  if (context.csv() && in_order) return report::write_csv(std::cout, rows);
  if (context.json()) return print(context, report::streamed(nullptr, "rows", rows));
  print(context, rows.table());
}

void print(const Context& context, report::StreamedJson result) {
  // Figures are drawn of the whole result.
  if (context.with_figures) return print(context, result.whole());
  result.head = schema_first(context, result.head);
  result.write(std::cout);
  std::cout << '\n';
}

}  // namespace ridgewatt::cli
