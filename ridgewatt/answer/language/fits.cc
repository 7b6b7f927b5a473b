#include "ridgewatt/answer/fits.h"

#include "ridgewatt/answer/language.h"

namespace ridgewatt::answer {

FitsAnswer fits_on_boards(const FitsQuestion& question) {
  FitsAnswer found;
  found.model = llm::read_language_model(question.model);
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
