// ridgewatt serve: hands its options to the program ridgewatt-serve, which links what no other
// command needs (HTTP, TLS).
#include <filesystem>
#include <thread>

#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/companion.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/io/path.h"
#include "ridgewatt/store/location.h"

namespace ridgewatt::cli {
namespace {

namespace fs = std::filesystem;

struct ServeCommand {
  std::string device = "local", sysroot;
  std::string listen = "127.0.0.1";
  int port = 8470;
  std::string token_file, cert, key;
  bool allow_control = false, no_app = false, unsandboxed = false;
  std::vector<std::string> stores;
  double max_upload_bytes = 64 << 20;
  int children = 0;
  int streams = 200;
  double rate = 200;
  double time_s = 20;
  double memory_bytes = 4.0 * (1 << 30);
  double sampling_hz = 20, look_s = 1;
};

// Files are named from the folder that the user is in; the server leaves it.
Json as_json(const ServeCommand& options, const fs::path& program) {
  Json stores = Json::array();
  for (const auto& store : options.stores) {
    store::refuse_password(store);
    stores.push_back(store::is_postgresql(store) ? store : absolute_path(store));
  }
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  return {{"program", program.string()},
          {"device", options.device},
          {"sysroot", absolute_path(options.sysroot)},
          {"listen", options.listen},
          {"port", options.port},
          {"token_file", absolute_path(options.token_file)},
          {"cert", absolute_path(options.cert)},
          {"key", absolute_path(options.key)},
          {"allow_control", options.allow_control},
          {"unsandboxed", options.unsandboxed},
          {"app", !options.no_app},
          {"stores", stores},
          {"max_upload_bytes", static_cast<std::uint64_t>(options.max_upload_bytes)},
          {"children", options.children > 0 ? options.children : std::max(1, std::min(cores, 64))},
          {"streams", options.streams},
          {"rate", options.rate},
          {"time_s", options.time_s},
          {"memory_bytes", static_cast<std::uint64_t>(options.memory_bytes)},
          {"rate_hz", options.sampling_hz},
          {"look_s", options.look_s}};
}

void run(const ServeCommand& options) {
  become("ridgewatt-serve", {as_json(options, own_program()).dump()},
         "it needs Boost (libboost-dev) and OpenSSL (libssl-dev)");
}

void add_limits(CLI::App& command, ServeCommand& options) {
  quantity(
      command.add_option("--max-upload", options.max_upload_bytes, "Size of an upload [64 MiB]"),
      bytes().within(0, 2147483648.0));
  quantity(command.add_option("--children", options.children,
                              "Questions answered at once (0: one per core)"),
           count().within(0, 64))
      ->capture_default_str();
  quantity(command.add_option("--streams", options.streams, "Clients that listen to events"),
           count().within(1, 800))
      ->capture_default_str();
  quantity(command.add_option("--rate", options.rate, "Requests per second of one client"),
           hertz().positive())
      ->capture_default_str();
  quantity(command.add_option("--time", options.time_s, "Time of one question"),
           seconds().within(0.1, 600))
      ->capture_default_str();
  quantity(
      command.add_option("--memory", options.memory_bytes, "Address space of one question [4 GiB]"),
      bytes().within(64 << 20, 1e13));
  quantity(command.add_option("--sampling-hz", options.sampling_hz, "Power sampling rate"),
           hertz().within(1, 1000))
      ->capture_default_str();
  quantity(command.add_option("--every", options.look_s, "Seconds between two looks at all else"),
           seconds().within(0.1, 60))
      ->capture_default_str();
}

void add_security(CLI::App& command, ServeCommand& options) {
  command
      .add_option("--listen", options.listen,
                  "Address to listen on; another than loopback needs a token")
      ->capture_default_str();
  input_file(command.add_option("--token-file", options.token_file,
                                "File with the token [made at the start, where one is needed]"));
  input_file(command.add_option("--cert", options.cert, "Certificate (PEM): HTTPS"));
  input_file(command.add_option("--key", options.key, "Its private key (PEM)"));
  command.add_flag("--allow-control", options.allow_control,
                   "Clients may set the power mode; it is restored at the end");
  command.add_flag("--allow-unsandboxed", options.unsandboxed,
                   "Go on where the kernel has no seccomp: questions keep their limits of memory "
                   "and time alone");
}

}  // namespace

void add_serve(CLI::App& app, Context& context) {
  auto* command = add_command(
      app, context, "serve", "Web pages, HTTP API and metrics of this machine",
      "ridgewatt serve\n  ridgewatt serve --device fake:agx-orin --port 0\n  ridgewatt serve "
      "--listen 0.0.0.0 --token-file token --cert cert.pem --key key.pem");
  auto options = std::make_shared<ServeCommand>();
  command
      ->add_option("--device", options->device,
                   "What is watched: local, or fake:BOARD for a fake board")
      ->capture_default_str();
  command->add_option("--sysroot", options->sysroot, "Root of a recorded or fake board's tree");
  quantity(command->add_option("--port", options->port, "Port (0: any that is free)"),
           count().within(0, 65535))
      ->capture_default_str();
  input_file(command->add_option("--store", options->stores, "Store whose runs are shown"));
  command->add_flag("--no-app", options->no_app, "The API alone, without the pages");
  add_security(*command, *options);
  add_limits(*command, *options);
  command->callback([options] { run(*options); });
}

}  // namespace ridgewatt::cli
