// Addresses to answers: the application, the questions, uploads and what is said of the machine.
//
//   Api api(options, guard);
//   api.answer(connection, body, response);
#pragma once

#include <chrono>
#include <map>
#include <set>
#include <string>

#include "ridgewatt/serve/api/machine_api.h"
#include "ridgewatt/serve/app/files.h"
#include "ridgewatt/serve/ask/answers.h"
#include "ridgewatt/serve/http/connection.h"
#include "ridgewatt/serve/security/guard.h"
#include "ridgewatt/serve/serve_options.h"

namespace ridgewatt::serve {

class Api {
 public:
  // Asks the program which options its commands have.
  Api(const ServeOptions& options, Guard& guard);

  void answer(Connection& client, const std::string& body, httplib::Response& answer);
  // How questions are kept in their place: "seccomp", or why they are not.
  const std::string& sandbox() const { return sandbox_; }

 private:
  void answer_api(Connection& client, const std::string& body, httplib::Response& answer);
  void answer_question(const Endpoint& endpoint, Connection& client, httplib::Response& answer);
  void answer_stores(httplib::Response& answer) const;
  void answer_upload(const std::string& body, httplib::Response& answer);
  void answer_file(const RequestHead& head, httplib::Response& answer) const;
  void answer_health(httplib::Response& answer) const;
  void learn_options();

  ServeOptions options_;
  MachineApi machine_;  // first: it forks before threads are there
  Guard& guard_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::string sandbox_;
  Json openapi_;
  AppFiles files_;
  Uploads uploads_;
  std::map<std::string, std::set<std::string, std::less<>>, std::less<>> options_of_;
  Answers answers_;
};

}  // namespace ridgewatt::serve
