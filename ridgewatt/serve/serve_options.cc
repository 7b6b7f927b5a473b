#include "ridgewatt/serve/serve_options.h"

#include <filesystem>

#include "ridgewatt/base/error.h"
#include "ridgewatt/io/json.h"

namespace ridgewatt::serve {
namespace {

void need(bool holds, const std::string& what) {
  if (!holds) throw UsageError(what);
}

template <typename Value>
void take(const Json& json, const char* name, Value& value) {
  if (json.contains(name)) value = json.at(name).get<Value>();
}

void take_limits(const Json& json, ServeOptions& options) {
  take(json, "max_upload_bytes", options.max_upload_bytes);
  take(json, "children", options.children);
  take(json, "streams", options.streams);
  take(json, "rate", options.rate);
  take(json, "time_s", options.time_s);
  take(json, "memory_bytes", options.memory_bytes);
  take(json, "cache_bytes", options.cache_bytes);
  take(json, "rate_hz", options.rate_hz);
  take(json, "look_s", options.look_s);
}

}  // namespace

bool ServeOptions::on_loopback() const {
  return listen == "127.0.0.1" || listen == "::1" || listen == "localhost";
}

void ServeOptions::check() const {
  need(port >= 0 && port <= 65535, "--port must be 0 to 65535");
  need(!listen.empty(), "--listen needs an address");
  need(cert.empty() == key.empty(), "--cert and --key belong together");
  need(children >= 1 && children <= 64, "--children must be 1 to 64");
  need(streams >= 1 && streams <= 800, "--streams must be 1 to 800");
  need(rate > 0 && rate <= 1e6, "--rate must be above 0");
  need(time_s > 0 && time_s <= 600, "--time must be above 0, 600 s at most");
  need(memory_bytes >= std::size_t{64} << 20, "--memory must be 64 MiB or more");
  need(max_upload_bytes <= std::size_t{2} << 30, "--max-upload is 2 GiB at most");
  for (const auto& path : {token_file, cert, key}) {  // reading a pipe could block forever
    std::error_code absent;
    if (!path.empty() && std::filesystem::exists(path, absent)) {
      need(std::filesystem::is_regular_file(path, absent), "not a regular file: " + path);
    }
  }
}

ServeOptions serve_options_from_json(const std::string& text) {
  ServeOptions options;
  try {
    const Json json = Json::parse(text);
    take(json, "program", options.program);
    take(json, "device", options.device);
    take(json, "sysroot", options.sysroot);
    take(json, "listen", options.listen);
    take(json, "port", options.port);
    take(json, "token_file", options.token_file);
    take(json, "cert", options.cert);
    take(json, "key", options.key);
    take(json, "allow_control", options.allow_control);
    take(json, "stores", options.stores);
    take(json, "app", options.app);
    take(json, "unsandboxed", options.unsandboxed);
    take_limits(json, options);
  } catch (const nlohmann::json::exception&) {
    throw UsageError("the options of ridgewatt-serve are not JSON", "",
                     "start the server with `ridgewatt serve`");
  }
  options.check();
  return options;
}

}  // namespace ridgewatt::serve
