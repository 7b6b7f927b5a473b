// ridgewatt report: one self-contained HTML file of any results, or their figures as SVG.
#include <vector>

#include "ridgewatt/base/error.h"
#include "ridgewatt/cli/options/option_adder.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/report/html_report.h"

namespace ridgewatt::cli {
namespace {

struct ReportCommand {
  std::vector<std::string> files;
  std::string output;
  std::string title = "Ridgewatt report";
  std::size_t figure = 0;  // 1: the first; 0: all
};

void refuse_other_ending(const std::string& path) {
  for (const char* other : {".csv", ".json", ".png", ".jpg", ".pdf"}) {
    if (!path.ends_with(other)) continue;
    throw UsageError("a report is written as HTML or SVG", path,
                     "give a file name that ends in .html or .svg");
  }
}

void run(const Context&, const ReportCommand& options) {
  refuse_other_ending(options.output);
  report::HtmlReport report(options.title);
  for (const auto& file : options.files) report::add_result(report, file, read_file(file));
  const bool svg = options.output.ends_with(".svg");
  if (options.figure > 0 && !svg) {
    throw UsageError("--figure needs an SVG file", "", "give -o FILE.svg");
  }
  write_output(options.output, svg ? report.svg(options.figure) : report.html());
}

}  // namespace

void add_report(CLI::App& app, Context& context) {
  const auto [command, options, add] = define<ReportCommand>(
      app, context, "report", "One HTML file, or SVG, of any results (CSV, JSON)",
      "ridgewatt estimate zoo:resnet50 --device agx-orin --modes all --format csv > "
      "modes.csv\n  ridgewatt report modes.csv -o modes.html\n  ridgewatt report "
      "modes.csv --figure 3 -o "
      "front.svg",
      run);
  add.input("FILES", options.files, "Result files of this program")->required();
  add.output("-o,--output", options.output,
             "File to write: .svg for only the figures, otherwise HTML (default: standard output)");
  add.optional("--figure", options.figure, count().within(1, 1e6),
               "With -o FILE.svg: write only the N-th figure");
  add.named("--title", options.title, "Title of the page");
}

}  // namespace ridgewatt::cli
