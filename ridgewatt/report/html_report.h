// Builds one self-contained HTML file with text, sortable tables and charts. The file works offline
// and prints well. Charts are interactive if the build had Apache ECharts, and static SVG otherwise
// and in print. Each chart has its title, source, legend and data as text. Selecting a point
// selects its table row, and vice versa. Text is escaped.
//
//   HtmlReport report("ResNet-50 on AGX Orin");
//   report.paragraph("modelled: twin of agx-orin, fit error 9 %");
//   const int layers = report.table("Layers", table);
//   report.figure(plot, layers);   // Series::rows are rows of that table
//   write_file_atomically("report.html", report.html());
//
// Also adds any result file of the program, as sortable tables and as the figures that its columns
// allow.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/io/json.h"
#include "ridgewatt/report/figure.h"
#include "ridgewatt/report/table.h"

namespace ridgewatt::report {

class HtmlReport {
 public:
  explicit HtmlReport(std::string title) : title_(std::move(title)) {}
  void heading(std::string_view text);
  void paragraph(std::string_view text);
  // A part of the summary: name and value, shown in boxes side by side.
  struct Fact {
    std::string name;
    std::string value;
    std::string remark = {};  // an interval, or a comparison
  };
  void facts(const std::vector<Fact>& facts);
  // A line of the summary, larger than a paragraph.
  void lead(std::string_view text);
  // Any JSON as nested lists. Deep levels are collapsed. Long arrays are cut, with a note.
  void tree(const Json& json);
  // Returns the number of the table, for `figure`.
  int table(std::string_view caption, const Table& table);
  // The number of the next table, for figures before it.
  int next_table() const { return tables_; }
  // `linked_table`: number of the table to which the rows of the figure's points refer; -1: none.
  void figure(const Figure& figure, int linked_table = -1);
  std::string html() const;
  // Only the figures, for a page that draws them itself: objects with title, source, note, legend
  // (name, color, mark: dot, area, dashed or line), height (px), option (to_echarts) and data
  // (caption, columns, rows) for readers who cannot see the chart.
  Json figures() const;
  // One SVG document with figure `number` (from 1), or with all figures below each other if
  // `number` is 0. Throws NotFoundError if there is none.
  std::string svg(std::size_t number = 0) const;

 private:
  void end_charts();  // closes the row of figures before other content
  std::string title_;
  std::string body_;
  struct Shown {
    Figure figure;
    int linked_table = -1;
    std::size_t place = 0;  // position in the body
  };
  std::vector<Shown> shown_;
  int tables_ = 0;
  bool in_charts_ = false;
};

// Whether the build embedded the chart code.
bool has_interactive_charts();

// Maximum number of table rows in a report. A page with more would have tens of megabytes.
inline constexpr std::size_t kMostTableRows = 100'000;

// For CSV, adds one table. Operating points (time_ms, power_w and knobs) also get the energy
// figures, and columns of error or penalty over a number of profiled modes get curves. For JSON,
// adds the page for its kind (result_json.h). `name` is for headings and messages. Throws
// InputError if `content` is neither CSV nor JSON.
void add_result(HtmlReport& report, const std::string& name, std::string_view content);
// The figures for a JSON result, in the form of HtmlReport::figures.
Json result_figures(const Json& result);

}  // namespace ridgewatt::report
