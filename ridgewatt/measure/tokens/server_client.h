// A client of one language model server. It determines the protocol, sends requests, and records
// the arrival time of each piece of a reply.
#pragma once

#include <atomic>
#include <string>

#include "ridgewatt/measure/token_server.h"

namespace ridgewatt::measure {

class ServerClient {
 public:
  // Determines the protocol and the model from the server unless `question` states them. Throws
  // IoError if the server does not answer and InputError if its answer is invalid.
  explicit ServerClient(const ServerQuestion& question);

  // A run with source, engine, model and quantization filled in.
  const TokenRun& described() const { return described_; }

  struct Answer {
    TokenRequest request;
    double server_prompt_s = 0;  // by the server's own clock; 0: not reported
    double server_token_s = 0;   // by the server's own clock, per token; 0: not reported
    double cached_tokens = 0;    // prompt tokens that the server took from its cache
    bool counted = false;        // the server reported the number of output tokens
  };
  // Sends the request with this number, which determines its prompt. Thread-safe. Throws IoError if
  // the request fails or `stop` becomes true.
  Answer ask(std::uint64_t number, const std::atomic<bool>& stop) const;

  // Whether the server reports that it is ready; false if there is no server.
  static bool ready(const ServerQuestion& question);

 private:
  void find_api();
  void describe_llama_cpp();
  void describe_openai();
  std::string body(std::uint64_t number) const;

  ServerQuestion question_;
  std::string url_;  // without the path
  TokenRun described_;
};

}  // namespace ridgewatt::measure
