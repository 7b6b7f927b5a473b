// One self-contained HTML file: text, sortable tables and charts, offline. Charts are interactive
// where Apache ECharts was there at build, and static SVG else and on paper; each carries its
// title, source, legend and data as text. Points and table rows that belong together are selected
// together. Light and dark; any width; prints well. Text is escaped.
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

namespace ridgewatt::report {

class HtmlReport {
 public:
  explicit HtmlReport(std::string title) : title_(std::move(title)) {}
  void heading(std::string_view text);
  void paragraph(std::string_view text);
  // The answer in short: what, and its value, in boxes side by side.
  struct Fact {
    std::string name;
    std::string value;
    std::string remark = {};  // its interval, or a comparison
  };
  void facts(const std::vector<Fact>& facts);
  // A line of the answer: larger than a paragraph.
  void lead(std::string_view text);
  // Any JSON as nested lists, what lies deep folded away; long arrays are cut, which is said.
  void tree(const Json& json);
  // Returns the table's number, for `figure`.
  int table(std::string_view caption, const Table& table);
  // The number that the next table will have, for figures before it.
  int next_table() const { return tables_; }
  // `linked_table`: the table that the rows of the figure's points count in; -1: none.
  void figure(const Figure& figure, int linked_table = -1);
  std::string html() const;
  // The figures alone, for a page that draws them by itself: objects with title, source, note,
  // legend (name, color, mark: dot, area, dashed or line), height (px), option (to_echarts) and
  // data (caption, columns, rows) for who cannot see them.
  Json figures() const;
  // The figures below each other in one SVG document, or the `number`th alone (from 1; 0: all).
  // NotFoundError when there is none.
  std::string svg(std::size_t number = 0) const;

 private:
  void end_charts();  // what is no figure ends the row of figures
  std::string title_;
  std::string body_;
  struct Shown {
    Figure figure;
    int linked_table = -1;
    std::size_t place = 0;  // in the body
  };
  std::vector<Shown> shown_;
  int tables_ = 0;
  bool in_charts_ = false;
};

// Whether the build embedded the chart code.
bool has_interactive_charts();

}  // namespace ridgewatt::report
