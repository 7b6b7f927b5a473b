// The options of the server. `ridgewatt serve` passes them to the program `ridgewatt-serve` as a
// JSON object whose keys are the names of the members.
//
//   const ServeOptions options = serve_options_from_json(argv[1]);
//   Server server(options);
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace ridgewatt::serve {

struct ServeOptions {
  std::string program = {};  // path of the program `ridgewatt`, which answers questions
  std::string device = "local";
  std::string sysroot = {};
  std::string listen = "127.0.0.1";
  int port = 8470;              // 0: any free port
  std::string token_file = {};  // empty: no token on loopback, otherwise a generated one
  // PEM files for TLS. Empty: no TLS.
  std::string cert = {}, key = {};
  // Clients may set the power mode.
  bool allow_control = false;
  std::vector<std::string> stores = {};
  std::size_t max_upload_bytes = std::size_t{64} << 20;
  int children = 2;    // maximum number of questions answered at the same time
  int streams = 200;   // maximum number of clients of event streams
  double rate = 200;   // maximum requests per second of one client
  double time_s = 20;  // time limit of a question
  std::size_t memory_bytes = std::size_t{4} << 30;  // address space of a question
  std::size_t cache_bytes = std::size_t{64} << 20;  // size of the cache of answers
  bool app = true;           // Serve the pages of the application. False: only the API.
  bool unsandboxed = false;  // run without seccomp if the kernel lacks it
  double rate_hz = 20;       // samples of power per second
  double look_s = 1;         // time between two readings of the monitor

  // Throws UsageError for an invalid option.
  void check() const;
  bool on_loopback() const;
};

// Calls field(key, member) for each option, to write or read the JSON object.
template <class Options, class Field>
void for_each_option(Options& options, const Field& field) {
  field("program", options.program);
  field("device", options.device);
  field("sysroot", options.sysroot);
  field("listen", options.listen);
  field("port", options.port);
  field("token_file", options.token_file);
  field("cert", options.cert);
  field("key", options.key);
  field("allow_control", options.allow_control);
  field("unsandboxed", options.unsandboxed);
  field("app", options.app);
  field("stores", options.stores);
  field("max_upload_bytes", options.max_upload_bytes);
  field("children", options.children);
  field("streams", options.streams);
  field("rate", options.rate);
  field("time_s", options.time_s);
  field("memory_bytes", options.memory_bytes);
  field("cache_bytes", options.cache_bytes);
  field("rate_hz", options.rate_hz);
  field("look_s", options.look_s);
}

// Throws UsageError if `text` is not a JSON object with these keys.
ServeOptions serve_options_from_json(const std::string& text);

}  // namespace ridgewatt::serve
