#include "ridgewatt/cli/options/figure_files.h"

#include "ridgewatt/cli/options/option_adder.h"
#include "ridgewatt/cli/result_files.h"

namespace ridgewatt::cli {
namespace {

enum class FigureForm { kSvg, kHtml, kNone };

// The prefix of "svg:FILE" or "html:FILE" sets the form of a file with another suffix.
FigureForm form_of(const std::string& file) {
  if (file.starts_with("svg:") || file.ends_with(".svg")) return FigureForm::kSvg;
  if (file.starts_with("html:") || file.ends_with(".html")) return FigureForm::kHtml;
  return FigureForm::kNone;
}

}  // namespace

void FigureFiles::add_to(CLI::App& command, const std::string& what, FigureForms forms) {
  auto* option = OptionAdder(command).output(
      "--figures", files_, "Figures to write to this .svg or .html file: " + what);
  option->allow_extra_args(false);
  if (forms == FigureForms::kFilesOrFolder) {
    output_place(option);
    return;
  }
  option->check(CLI::Validator(
      [](std::string& file) {
        return std::string(form_of(file) == FigureForm::kNone ? "its name must end in .svg or .html"
                                                              : "");
      },
      "", "figure file"));
}

void FigureFiles::write(const std::function<std::string()>& svg,
                        const std::function<std::string()>& html) const {
  for (const auto& file : files_) {
    const FigureForm form = form_of(file);
    if (form == FigureForm::kNone) continue;
    write_output(figure_path(file), form == FigureForm::kSvg ? svg() : html());
  }
}

std::vector<std::string> FigureFiles::folders() const {
  std::vector<std::string> folders;
  for (const auto& file : files_) {
    if (form_of(file) == FigureForm::kNone) folders.push_back(file);
  }
  return folders;
}

}  // namespace ridgewatt::cli
