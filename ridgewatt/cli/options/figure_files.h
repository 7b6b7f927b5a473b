// --figures FILE.svg or FILE.html: the files to which a command writes its figures.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ridgewatt/cli/command.h"

namespace ridgewatt::cli {

enum class FigureForms { kFiles, kFilesOrFolder };

class FigureFiles {
 public:
  // Adds the option, which may be repeated. `what`: content of the figures, for the help.
  void add_to(CLI::App& command, const std::string& what, FigureForms forms = FigureForms::kFiles);
  bool empty() const { return files_.empty(); }
  // Calls `svg` or `html` for each file, depending on its suffix, and writes the returned text.
  void write(const std::function<std::string()>& svg,
             const std::function<std::string()>& html) const;
  // Returns the values without these suffixes; only with FigureForms::kFilesOrFolder.
  std::vector<std::string> folders() const;

 private:
  std::vector<std::string> files_;
};

}  // namespace ridgewatt::cli
