// Answers all HTTP requests: pages of the application, questions, uploads and the state of the
// machine. A question is a request to run one command of the program `ridgewatt`.
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

inline constexpr std::size_t kSmallBodyBytes = 65536;  // limit for all bodies except uploads

class Api {
 public:
  // Runs the program to learn the options of its commands. `guard` must outlive this. Throws
  // NotSupportedError if the sandbox is not available and options.unsandboxed is false, and IoError
  // if the program does not answer.
  Api(const ServeOptions& options, Guard& guard);

  // Called before a body is read; does not block. Returns an answer that is already available: a
  // file of the application, or a cached answer. Empty: call answer(). Throws HttpError 404, 405 or
  // 413, and 400 for invalid parameters.
  std::optional<Reply> admit(const Client& client);
  // Answers a request that admit() did not answer.
  Reply answer(const Client& client, const std::string& body);
  // Waits at most `wait_s` for the next event after number `after` of the stream /api/v1/events.
  // Null if there is none.
  std::shared_ptr<const LookEvent> next_event(std::uint64_t after, double wait_s);
  // "seccomp" if commands run in the sandbox, or the reason why only limits apply.
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
  MachineApi machine_;  // first member: it forks before threads start
  Guard& guard_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::string sandbox_;
  StoredAnswer openapi_;
  AppFiles files_;
  Uploads uploads_;
  // Options of the program, by command.
  std::map<std::string, std::set<std::string, std::less<>>, std::less<>> options_of_;
  Answers answers_;
};

}  // namespace ridgewatt::serve
