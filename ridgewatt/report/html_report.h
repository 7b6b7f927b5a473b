// One self-contained HTML file: text, sortable tables and charts, offline. Charts are interactive
// where Apache ECharts was there at build, and the static SVG else; points and table rows that
// belong together are selected together. Light and dark; prints well. Text is escaped.
//
//   HtmlReport report("ResNet-50 on AGX Orin");
//   report.paragraph("modelled: twin of agx-orin, fit error 9 %");
//   const int layers = report.table("Layers", table);
//   report.figure(plot, layers);   // a Series' rows point into that table
//   write_file_atomically("report.html", report.html());
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/report/figure.h"
#include "ridgewatt/report/table.h"

namespace ridgewatt {

class HtmlReport {
 public:
  explicit HtmlReport(std::string title) : title_(std::move(title)) {}
  void heading(std::string_view text);
  void paragraph(std::string_view text);
  // Returns the table's number, for `figure`.
  int table(std::string_view caption, const Table& table);
  // `linked_table`: the table that the rows of the figure's points count in; -1: none.
  void figure(const Figure& figure, int linked_table = -1);
  std::string html() const;

 private:
  std::string title_;
  std::string body_;
  std::vector<std::string> options_;  // of the charts, as JSON text safe inside <script>
  int tables_ = 0;
};

// Whether the build embedded the chart code.
bool has_interactive_charts();

}  // namespace ridgewatt
