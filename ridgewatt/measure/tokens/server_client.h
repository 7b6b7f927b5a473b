// One server of language models: what it speaks, and a request to it with the time of every piece.
#pragma once

#include <atomic>
#include <string>

#include "ridgewatt/measure/token_server.h"

namespace ridgewatt::measure {

class ServerClient {
 public:
  // Asks the server what it is where the question leaves that open. IoError where it does not
  // answer, InputError where what it says is no answer.
  explicit ServerClient(const ServerQuestion& question);

  // What runs against it begin with: source, engine, model, quantization.
  const TokenRun& described() const { return described_; }

  struct Answer {
    TokenRequest request;
    double server_prompt_s = 0;  // by the server's own clock; 0: it does not tell
    double server_token_s = 0;   // the same, of one token
    bool counted = false;        // the server reported how many tokens it wrote
  };
  // The request of this number; safe to call from several threads. Throws IoError where it fails,
  // or is stopped.
  Answer ask(std::uint64_t number, const std::atomic<bool>& stop) const;

  // Whether a server answers that it is ready; never throws for a server that is not there.
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
