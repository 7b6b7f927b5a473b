// Converts the parameters of a request into a command line of the program, or rejects the request.
//
//   const Question question = make_question(*find_endpoint("estimate"), parameters, places);
//   question.words;    // {"estimate", "zoo:resnet50", "--device", "agx-orin", "--format", "json"}
//   question.shown();  // the command as a user would type it
//
// Every value is checked against the kind of its parameter (ask/endpoints.h) before it becomes a
// word of the command line. No value can become an option or the name of a file.
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
  std::vector<std::string> words = {};  // with uploads as /dev/fd/N
  // `words`, but with uploads as upload:ID. Identifies the question in the cache.
  std::vector<std::string> typed = {};
  std::vector<std::shared_ptr<const Upload>> uploads = {};  // descriptors 3, 4, .. of the child
  bool csv = false;

  // "ridgewatt estimate zoo:resnet50 ..", with the names of the uploaded files.
  std::string shown() const;
};

// The things to which a question may refer.
struct QuestionPlaces {
  // Returns an upload by its ID; null if there is none.
  std::function<std::shared_ptr<const Upload>(const std::string& id)> upload;
  // Paths or addresses of the stores.
  std::vector<std::string> stores = {};
  // Returns whether a command of the program has an option.
  std::function<bool(std::string_view command, std::string_view option)> has_option;
};

// Throws HttpError 400 for an invalid parameter, and 404 for an upload that does not exist any
// more.
Question make_question(const Endpoint& endpoint, const Parameters& parameters,
                       const QuestionPlaces& places);

}  // namespace ridgewatt::serve
