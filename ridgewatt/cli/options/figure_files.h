// --figures FILE.svg or FILE.html: where a command writes what it draws.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ridgewatt/cli/command.h"

namespace ridgewatt::cli {

enum class FigureForms { kFiles, kFilesOrFolder };

class FigureFiles {
 public:
  // `what` is drawn, for the help. The option may be repeated, for both forms.
  void add_to(CLI::App& command, const std::string& what, FigureForms forms = FigureForms::kFiles);
  bool empty() const { return files_.empty(); }
  // Calls `svg` or `html` for each file, by the end of its name.
  void write(const std::function<std::string()>& svg,
             const std::function<std::string()>& html) const;
  // What is named without such an end, where a folder is one of the forms.
  std::vector<std::string> folders() const;

 private:
  std::vector<std::string> files_;
};

}  // namespace ridgewatt::cli
