// Answers questions, from a cache or by running the program in a child process. The number of
// simultaneous child processes is limited.
//
//   const auto answer = answers.ask(question, [&] { return client.client_is_there(); });
//   answer->status, answer->body, answer->etag
#pragma once

#include <condition_variable>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "ridgewatt/serve/ask/child.h"
#include "ridgewatt/serve/ask/question.h"

namespace ridgewatt::serve {

struct StoredAnswer {
  int status = 200;  // HTTP status
  std::string content_type = {};
  std::string body = {};
  std::string gzip = {};  // Compressed body. Empty if compression does not help.
  std::string etag = {};
  std::size_t bytes() const { return body.size() + gzip.size(); }
};

struct AnswerLimits {
  int children = 2;
  int waiting = 64;    // questions that wait for a child process
  double wait_s = 10;  // longest wait for a child process (chosen)
  std::size_t cache_bytes = std::size_t{64} << 20;
  ChildLimits child = {};
};

struct AnswerCounts {
  std::size_t asked = 0, from_cache = 0, refused = 0, abandoned = 0;
};

class Answers {
 public:
  // `before` holds the first words of a command line: the program and its sandbox. `before_store`
  // replaces `before` for questions about stores, because the answers to these questions change.
  Answers(std::vector<std::string> before, std::vector<std::string> before_store,
          AnswerLimits limits)
      : before_(std::move(before)), before_store_(std::move(before_store)), limits_(limits) {}

  // Returns a cached answer; null if there is none.
  std::shared_ptr<const StoredAnswer> kept(const Question& question);
  // Returns the cached answer, or runs the program. Ends the child process when `wanted` returns
  // false. Throws HttpError: 503 (too many questions, or no longer wanted), 504 (time limit), 413
  // (answer too large), 400, 422 or 500 (the command failed).
  std::shared_ptr<const StoredAnswer> ask(const Question& question,
                                          const std::function<bool()>& wanted);
  AnswerCounts counts() const;

 private:
  class Turn;

  std::shared_ptr<const StoredAnswer> find(const std::string& key);
  void keep(const std::string& key, std::shared_ptr<const StoredAnswer> answer);
  std::shared_ptr<const StoredAnswer> ask_program(const Question& question,
                                                  const std::function<bool()>& wanted);

  using Kept = std::pair<std::string, std::shared_ptr<const StoredAnswer>>;

  std::vector<std::string> before_, before_store_;
  AnswerLimits limits_;
  mutable std::mutex mutex_;
  std::condition_variable child_ended_;
  int running_ = 0, waiting_ = 0;
  AnswerCounts counts_;
  std::list<Kept> kept_;  // the most recently used answer first
  std::unordered_map<std::string, std::list<Kept>::iterator> places_;
  std::size_t kept_bytes_ = 0;
};

}  // namespace ridgewatt::serve
