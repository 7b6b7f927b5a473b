#include "ridgewatt/answer/fits.h"

#include "ridgewatt/base/text.h"
#include "ridgewatt/device/board.h"

namespace ridgewatt::answer {
namespace {

std::vector<Board> boards_named(const std::string& device) {
  if (device != "all") return {load_board(device)};
  std::vector<Board> boards;
  for (const auto& name : list_boards()) boards.push_back(load_board(name));
  return boards;
}

std::vector<std::string> quantizations_named(const llm::LanguageModel& model,
                                             const std::string& text) {
  std::vector<std::string> names;
  if (text.empty()) return names;
  if (text != "all") {
    for (const auto& name : split(text, ',')) names.emplace_back(trim(name));
    return names;
  }
  if (!model.tensors.empty()) names.emplace_back("stored");
  if (!model.weights_known) return names;
  for (const llm::Recipe& recipe : llm::recipes()) names.push_back(recipe.name);
  return names;
}

}  // namespace

FitsAnswer fits_on_boards(const FitsQuestion& question, const std::string& path_or_zoo) {
  FitsAnswer found;
  found.model = llm::read_language_model(path_or_zoo);
  found.options = question.options;
  found.options.quantizations = quantizations_named(found.model, question.quantization);
  found.rows = llm::fits(found.model, boards_named(question.device), found.options);
  const auto trained = found.model.description.context;
  if (trained > 0 && found.options.context > trained) {
    found.model.remarks.push_back("the model was trained for a context of " +
                                  std::to_string(trained));
  }
  return found;
}

}  // namespace ridgewatt::answer
