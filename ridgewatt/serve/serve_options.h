// The options of the server: `ridgewatt serve` passes them to the program `ridgewatt-serve` as one
// JSON object, whose keys are the names of these fields.
//
//   const ServeOptions options = serve_options_from_json(argv[1]);
//   Server server(options);
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace ridgewatt::serve {

struct ServeOptions {
  std::string program = {};  // the ridgewatt that is asked
  std::string device = "local";
  std::string sysroot = {};
  std::string listen = "127.0.0.1";
  int port = 8470;              // 0: any free one
  std::string token_file = {};  // empty: none on loopback, a made one elsewhere
  std::string cert = {}, key = {};
  bool allow_control = false;
  std::vector<std::string> stores = {};
  std::size_t max_upload_bytes = std::size_t{64} << 20;
  int children = 2;                                 // questions answered at once
  int streams = 200;                                // clients that listen to events
  double rate = 200;                                // requests per second of one client
  double time_s = 20;                               // of one question
  std::size_t memory_bytes = std::size_t{4} << 30;  // of one question, address space
  std::size_t cache_bytes = std::size_t{64} << 20;  // of answers that are kept
  bool app = true;                                  // the pages, not the API alone
  bool unsandboxed = false;                         // goes on where there is no seccomp
  double rate_hz = 20;                              // of power
  double look_s = 1;                                // between two looks

  // Throws UsageError.
  void check() const;
  bool on_loopback() const;
};

// Throws UsageError for what is not such an object.
ServeOptions serve_options_from_json(const std::string& text);

}  // namespace ridgewatt::serve
