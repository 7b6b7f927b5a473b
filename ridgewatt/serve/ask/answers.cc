#include "ridgewatt/serve/ask/answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <csignal>
#include <span>

#include "ridgewatt/serve/http/gzip.h"
#include "ridgewatt/serve/http/query.h"
#include "ridgewatt/serve/security/secret.h"

namespace ridgewatt::serve {
namespace {

// Replaces the descriptor paths of uploads in `text` by the names from the client.
std::string with_upload_names(std::string text, const Question& question) {
  for (std::size_t i = 0; i < question.uploads.size(); ++i) {
    const std::string path = "/dev/fd/" + std::to_string(3 + i);
    const std::string name = question.uploads[i]->label();
    for (auto at = text.find(path); at != std::string::npos; at = text.find(path, at)) {
      text.replace(at, path.size(), name);
      at += name.size();
    }
  }
  return text;
}

// Replaces the options of the command in `text` by the parameters of the endpoint: "--batch" by
// "batch". Keeps options of command lines in quotes. Removes the reference to the command's help.
std::string with_parameter_names(std::string text, const Endpoint& endpoint) {
  if (text.ends_with(" --help'"))
    text.erase(std::min(text.rfind(": see 'ridgewatt "), text.size()));
  const auto in_command = [&](std::size_t at) {
    return std::ranges::any_of(std::string_view("'`"), [&](char quote) {
      const auto begin = text.rfind(quote + std::string("ridgewatt "), at);
      return begin != std::string::npos && text.find(quote, begin + 1) > at;
    });
  };
  const auto in_word = [&](std::size_t at) {
    return at < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '-');
  };
  for (const auto options : {std::span(endpoint.options), common_options()}) {
    for (const EndpointOption& option : options) {
      const std::string name(option.name), typed = "--" + name;
      for (auto at = text.find(typed); at != std::string::npos; at = text.find(typed, at)) {
        const bool whole = (at == 0 || !in_word(at - 1)) && !in_word(at + typed.size());
        if (whole && !in_command(at)) text.erase(at, 2);
        at += name.size();
      }
    }
  }
  return text;
}

[[noreturn]] void refuse_result(const AskedResult& result, double time_s) {
  const auto too_late = [&] {
    return HttpError(504, fmt::format("the answer took longer than {:g} s; the server's option "
                                      "--time raises this limit",
                                      time_s));
  };
  switch (result.end) {
    case ChildEnd::kTooLate:
      throw too_late();
    case ChildEnd::kTooLarge:
      throw HttpError(413, "the answer is too large; ask for fewer rows");
    case ChildEnd::kUnwanted:
      throw HttpError(503, "the client closed the connection before the answer");
    case ChildEnd::kSignaled:
      if (result.status == SIGXCPU || result.status == SIGALRM) {
        throw too_late();
      }
      throw HttpError(500, "signal ended the command that computes the answer: " +
                               std::to_string(result.status));
    case ChildEnd::kExited:
      break;
  }
  throw HttpError(result.status == 3 ? 422 : 400, result.last_line.empty()
                                                      ? "the command failed without a message"
                                                      : result.last_line);
}

std::string key_of(const Question& question) {
  std::string key;
  for (const auto& word : question.typed) key += word + '\0';
  return key;
}

}  // namespace

// One of the limited number of simultaneous questions.
class Answers::Turn {
 public:
  Turn(Answers& answers, const std::function<bool()>& wanted) : answers_(answers) {
    static constexpr std::chrono::milliseconds kLook(50);
    std::unique_lock<std::mutex> lock(answers_.mutex_);
    if (answers_.waiting_ >= answers_.limits_.waiting) refuse();
    const auto deadline =
        std::chrono::steady_clock::now() + std::chrono::duration<double>(answers_.limits_.wait_s);
    ++answers_.waiting_;
    while (answers_.running_ >= answers_.limits_.children) {
      answers_.child_ended_.wait_for(lock, kLook);
      const bool late = std::chrono::steady_clock::now() > deadline;
      if (!late && wanted()) continue;
      --answers_.waiting_;
      refuse();
    }
    --answers_.waiting_;
    ++answers_.running_;
  }
  ~Turn() {
    {
      const std::lock_guard<std::mutex> lock(answers_.mutex_);
      --answers_.running_;
    }
    answers_.child_ended_.notify_one();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  [[noreturn]] void refuse() {
    ++answers_.counts_.refused;
    throw HttpError(503, "too many questions at the same time: try again later");
  }
  Answers& answers_;
};

std::shared_ptr<const StoredAnswer> Answers::kept(const Question& question) {
  return question.endpoint->lasting ? find(key_of(question)) : nullptr;
}

std::shared_ptr<const StoredAnswer> Answers::ask(const Question& question,
                                                 const std::function<bool()>& wanted) {
  if (auto answer = kept(question)) return answer;
  auto answer = ask_program(question, wanted);
  if (question.endpoint->lasting) keep(key_of(question), answer);
  return answer;
}

std::shared_ptr<const StoredAnswer> Answers::ask_program(const Question& question,
                                                         const std::function<bool()>& wanted) {
  const Turn turn(*this, wanted);
  auto words = question.endpoint->lasting ? before_ : before_store_;
  words.insert(words.end(), question.words.begin(), question.words.end());
  std::vector<int> descriptors;
  for (const auto& upload : question.uploads) descriptors.push_back(upload->fd.get());
  AskedResult result = ask_child(words, descriptors, limits_.child, wanted);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++counts_.asked;
    if (result.end == ChildEnd::kUnwanted) ++counts_.abandoned;
  }
  if (!question.uploads.empty()) {
    result.output = with_upload_names(std::move(result.output), question);
    result.last_line = with_upload_names(std::move(result.last_line), question);
  }
  result.last_line = with_parameter_names(std::move(result.last_line), *question.endpoint);
  // "No solution" is an answer as well if the command prints one.
  const bool answered = result.end == ChildEnd::kExited &&
                        (result.status == 0 || (result.status == 3 && !result.output.empty()));
  if (!answered) refuse_result(result, limits_.child.time_s);
  auto answer = std::make_shared<StoredAnswer>();
  answer->status = result.status == 0 ? 200 : 422;
  answer->content_type = question.csv ? "text/csv; charset=utf-8" : "application/json";
  answer->body = as_utf8(std::move(result.output));
  answer->gzip = gzip_worthwhile(answer->body);
  answer->etag = "\"" + content_hash(answer->body) + "\"";
  return answer;
}

std::shared_ptr<const StoredAnswer> Answers::find(const std::string& key) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto place = places_.find(key);
  if (place == places_.end()) return nullptr;
  ++counts_.from_cache;
  kept_.splice(kept_.begin(), kept_, place->second);
  return kept_.front().second;
}

void Answers::keep(const std::string& key, std::shared_ptr<const StoredAnswer> answer) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const std::size_t bytes = answer->bytes() + key.size();
  if (bytes > limits_.cache_bytes / 4 || places_.contains(key)) return;
  kept_.emplace_front(key, std::move(answer));
  places_[key] = kept_.begin();
  kept_bytes_ += bytes;
  while (kept_bytes_ > limits_.cache_bytes) {
    kept_bytes_ -= kept_.back().second->bytes() + kept_.back().first.size();
    places_.erase(kept_.back().first);
    kept_.pop_back();
  }
}

AnswerCounts Answers::counts() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return counts_;
}

}  // namespace ridgewatt::serve
