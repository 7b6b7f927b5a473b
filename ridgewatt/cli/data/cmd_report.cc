// ridgewatt report: one self-contained HTML file of any results.
#include <vector>

#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/report/result_report.h"

namespace ridgewatt::cli {
namespace {

struct ReportCommand {
  std::vector<std::string> files;
  std::string output;
  std::string title = "Ridgewatt report";
};

void run(const ReportCommand& options) {
  report::HtmlReport report(options.title);
  for (const auto& file : options.files) report::add_result(report, file, read_file(file));
  write_output(options.output, report.html());
}

}  // namespace

void add_report(CLI::App& app, Context& context) {
  auto options = std::make_shared<ReportCommand>();
  auto* command =
      add_command(app, context, "report", "One HTML file of any results (CSV, JSON)",
                  "ridgewatt estimate zoo:resnet50 --device agx-orin --modes all --format csv > "
                  "modes.csv\n  ridgewatt report modes.csv -o modes.html");
  input_file(command->add_option("FILES", options->files, "Result files of this program"))
      ->required();
  output_file(command->add_option("-o,--output", options->output,
                                  "HTML file to write (default: standard output)"));
  command->add_option("--title", options->title, "Title of the page")->capture_default_str();
  command->callback([options] { run(*options); });
}

}  // namespace ridgewatt::cli
