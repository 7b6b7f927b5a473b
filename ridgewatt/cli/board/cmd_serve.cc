// ridgewatt serve: passes its options to the program ridgewatt-serve, which links libraries that no
// other command needs (HTTP, TLS).
#include <filesystem>
#include <thread>

#include "ridgewatt/cli/companion.h"
#include "ridgewatt/cli/options/option_adder.h"
#include "ridgewatt/io/path.h"
#include "ridgewatt/serve/serve_options.h"
#include "ridgewatt/store/location.h"
#include "ridgewatt/store/store.h"

namespace ridgewatt::cli {
namespace {

namespace fs = std::filesystem;

struct ServeCommand {
  serve::ServeOptions server = {.children = 0};
  double max_upload_bytes = static_cast<double>(server.max_upload_bytes);
  double memory_bytes = static_cast<double>(server.memory_bytes);
  bool no_app = false;
};

// Throws InputError if the store is a file of another kind. A run may create the store later.
void require_store(const std::string& location) {
  store::refuse_password(location);
  std::error_code absent;
  const bool begun = !store::is_postgresql(location) && fs::file_size(location, absent) > 0;
  if (begun && !absent) store::Store(location, store::Database::Access::kReadOnly).all_series();
}

// Makes paths absolute, because child processes of the server run in the folder "/".
Json as_json(const ServeCommand& options, const fs::path& program) {
  serve::ServeOptions server = options.server;
  server.program = program.string();
  server.app = !options.no_app;
  server.max_upload_bytes = static_cast<std::size_t>(options.max_upload_bytes);
  server.memory_bytes = static_cast<std::size_t>(options.memory_bytes);
  for (auto* path : {&server.sysroot, &server.token_file, &server.cert, &server.key}) {
    *path = absolute_path(*path);
  }
  for (auto& store : server.stores) {
    require_store(store);
    if (!store::is_postgresql(store)) store = absolute_path(store);
  }
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  if (server.children == 0) server.children = std::max(1, std::min(cores, 64));
  Json json;
  serve::for_each_option(server, [&](const char* name, const auto& value) { json[name] = value; });
  return json;
}

void run(const Context&, const ServeCommand& options) {
  become("ridgewatt-serve", {as_json(options, own_program()).dump()},
         "it needs Boost (libboost-dev) and OpenSSL (libssl-dev)");
}

void add_limits(const OptionAdder& add, ServeCommand& options) {
  add.optional("--max-upload", options.max_upload_bytes, bytes().within(0, 2147483648.0),
               "Maximum size of an upload [64 MiB]");
  add.number("--children", options.server.children, count().within(0, 64),
             "Maximum number of questions answered at the same time (0: one per core)");
  add.number("--streams", options.server.streams, count().within(1, 800),
             "Maximum number of clients that listen to events");
  add.number("--rate", options.server.rate, hertz().positive(),
             "Maximum requests per second of one client");
  add.number("--time", options.server.time_s, seconds().within(0.1, 600),
             "Time limit of one question");
  add.optional("--memory", options.memory_bytes, bytes().within(64 << 20, 1e13),
               "Limit on the address space of one question [4 GiB]");
  add.sampling(options.server.rate_hz);
  add.number("--every", options.server.look_s, seconds().within(0.1, 60),
             "Seconds between two readings of everything except power");
}

void add_security(const OptionAdder& add, ServeCommand& options) {
  add.named("--listen", options.server.listen,
            "Address to listen on; any other than loopback requires a token");
  add.input("--token-file", options.server.token_file,
            "File with the token [generated at the start, if one is required]");
  add.input("--cert", options.server.cert, "Certificate (PEM); enables HTTPS");
  add.input("--key", options.server.key, "Private key of the certificate (PEM)");
  add.flag("--allow-control", options.server.allow_control,
           "Clients may set the power mode; it is restored at the end");
  add.flag(
      "--allow-unsandboxed", options.server.unsandboxed,
      "Serve even if the kernel has no seccomp, with only memory and time limits for questions");
}

}  // namespace

void add_serve(CLI::App& app, Context& context) {
  const auto [command, options, add] = define<ServeCommand>(
      app, context, "serve", "Web pages, HTTP API and metrics of this machine",
      "ridgewatt serve\n  ridgewatt serve --device fake:agx-orin --port 0\n  ridgewatt serve "
      "--listen 0.0.0.0 --token-file token --cert cert.pem --key key.pem",
      run);
  add.words("--device", options.server.device, {answer::live_boards},
            "Board to watch: local, or fake:BOARD for a fake board")
      ->capture_default_str();
  add.sysroot(options.server.sysroot);
  add.number("--port", options.server.port, count().within(0, 65535), "Port (0: any that is free)");
  add.input("--store", options.server.stores, "Store of runs to show");
  add.flag("--no-app", options.no_app, "Serve only the API, without the web pages");
  add_security(add, options);
  add_limits(add, options);
}

}  // namespace ridgewatt::cli
