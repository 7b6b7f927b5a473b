// The parameters of a request as a command line of the program, or a refusal.
//
//   const Question question = make_question(*find_endpoint("estimate"), parameters, places);
//   question.words;    // {"estimate", "zoo:resnet50", "--device", "agx-orin", "--format", "json"}
//   question.shown();  // as one would type it
//
// Every value is held against the kind that its parameter has (ask/endpoints.h) before it becomes a
// word of the command line; none can become an option, or the name of a file.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ridgewatt/serve/ask/endpoints.h"
#include "ridgewatt/serve/ask/uploads.h"
#include "ridgewatt/serve/http/query.h"

namespace ridgewatt::serve {

struct Question {
  const Endpoint* endpoint = nullptr;
  std::vector<std::string> words = {};  // uploads as /dev/fd/N
  std::vector<std::string> typed = {};  // uploads as upload:ID: distinguishes questions
  std::vector<std::shared_ptr<const Upload>> uploads = {};  // descriptors 3, 4, ..
  bool csv = false;

  std::string shown() const;  // "ridgewatt estimate zoo:resnet50 ..", uploads by their files' names
};

// What a question may refer to.
struct QuestionPlaces {
  std::function<std::shared_ptr<const Upload>(const std::string& id)> upload;
  std::vector<std::string> stores = {};
  // Whether a command of the program has that option.
  std::function<bool(std::string_view command, std::string_view option)> has_option;
};

// Throws HttpError 400, or 404 for an upload that is gone.
Question make_question(const Endpoint& endpoint, const Parameters& parameters,
                       const QuestionPlaces& places);

}  // namespace ridgewatt::serve
