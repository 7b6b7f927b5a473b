#include "ridgewatt/serve/serve_options.h"

#include <filesystem>

#include "ridgewatt/base/error.h"
#include "ridgewatt/io/json.h"

namespace ridgewatt::serve {
namespace {

void need(bool holds, const std::string& what) {
  if (!holds) throw UsageError(what);
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
    for_each_option(options, [&](const char* name, auto& value) {
      if (json.contains(name)) json.at(name).get_to(value);
    });
  } catch (const nlohmann::json::exception&) {
    throw UsageError("the options of ridgewatt-serve are not JSON", "",
                     "start the server with `ridgewatt serve`");
  }
  options.check();
  return options;
}

}  // namespace ridgewatt::serve
