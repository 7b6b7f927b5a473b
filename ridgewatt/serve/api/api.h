// Addresses to answers: the application, the questions, uploads and the state of the machine.
//
//   Api api(options, guard);
//   api.admit(client);
//   const Reply reply = api.answer(client, body);
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "ridgewatt/serve/api/machine_api.h"
#include "ridgewatt/serve/app/files.h"
#include "ridgewatt/serve/ask/answers.h"
#include "ridgewatt/serve/http/gate.h"
#include "ridgewatt/serve/security/guard.h"
#include "ridgewatt/serve/serve_options.h"

namespace ridgewatt::serve {

inline constexpr std::size_t kSmallBodyBytes = 65536;  // of all bodies but uploads

class Api {
 public:
  // Asks the program which options its commands have.
  Api(const ServeOptions& options, Guard& guard);

  // Before a body is read, without waiting. HttpError 404, 405 and 413; an answer where it is
  // known: a page's file, what was asked before.
  std::optional<Reply> admit(const Client& client);
  // To all that admit() did not answer.
  Reply answer(const Client& client, const std::string& body);
  // The next event of the stream at /api/v1/events after event `after`, waiting so long; null:
  // none.
  std::shared_ptr<const LookEvent> next_event(std::uint64_t after, double wait_s);
  // How questions are kept in their place: "seccomp", or why they are not.
  const std::string& sandbox() const { return sandbox_; }

 private:
  Reply answer_question(const Endpoint& endpoint, const Client& client);
  std::optional<Reply> answer_at_once(const RequestHead& head);
  Question question_of(const Endpoint& endpoint, const RequestHead& head);
  Reply answer_session(const Client& client, const std::string& body) const;
  Reply answer_health() const;
  Reply answer_stores() const;
  const AppFile* file_at(std::string_view path) const;
  void learn_options();

  ServeOptions options_;
  MachineApi machine_;  // first: it forks before threads are there
  Guard& guard_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::string sandbox_;
  StoredAnswer openapi_;
  AppFiles files_;
  Uploads uploads_;
  std::map<std::string, std::set<std::string, std::less<>>, std::less<>> options_of_;
  Answers answers_;
};

}  // namespace ridgewatt::serve
