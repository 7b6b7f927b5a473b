#include "ridgewatt/serve/api/machine_api.h"

#include <charconv>

#include "ridgewatt/base/error.h"
#include "ridgewatt/serve/api/reply.h"
#include "ridgewatt/serve/http/query.h"

namespace ridgewatt::serve {
namespace {

constexpr std::size_t kNameBytes = 100;

// The text of the only member of a JSON object: {"name": "epoch 1"}.
std::string text_member(const RequestHead& head, const std::string& body, const char* name) {
  if (!head.header("content-type").starts_with("application/json")) {
    throw HttpError(415, "the body must be JSON: Content-Type: application/json");
  }
  std::string text;
  try {
    const Json json = Json::parse(body);
    if (!json.is_object() || json.size() != 1 || !json.contains(name)) {
      throw HttpError(400, std::string("the body must be {\"") + name + "\": \"..\"}");
    }
    text = json.at(name).get<std::string>();
  } catch (const nlohmann::json::exception&) {
    throw HttpError(400, std::string("the body must be {\"") + name + "\": \"..\"}");
  }
  if (text.empty() || text.size() > kNameBytes || !is_clean_text(text)) {
    throw HttpError(400, std::string(name) + ": must be 1 to 100 bytes of text");
  }
  return text;
}

}  // namespace

MachineApi::MachineApi(const ServeOptions& options) : options_(options), watch_(options) {}

Reply MachineApi::answer(std::string_view path, const RequestHead& head, const std::string& body) {
  if (path == "events") return begin_events();
  if (path == "history") return json_reply(watch_.history());
  if (path == "marks") return json_reply(watch_.mark());
  if (path == "mode") return answer_mode(head, body);
  if (path == "windows") return answer_windows(head, body);
  if (path.starts_with("windows/")) return end_window(path);
  const bool newest = path == "monitor";
  if (!newest && path != "sensors") throw HttpError(404, "the API has no resource at this address");
  Reply reply = json_reply(newest ? watch_.snapshot() : watch_.sensors());
  reply.set("X-Ridgewatt-Command", std::string("ridgewatt ") + (newest ? "top" : "sensors") +
                                       " --device " + options_.device + (newest ? " --once" : "") +
                                       " --format json");
  return reply;
}

Reply MachineApi::metrics() const {
  Reply reply{.body = as_utf8(watch_.metrics())};
  reply.set("Cache-Control", "no-store");
  reply.set("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
  return reply;
}

// Begins with the newest reading. The server publishes later ones.
Reply MachineApi::begin_events() {
  // chosen: without a reading in this time, the stream begins with the next one
  static constexpr double kFirstLookS = 0.25;
  const auto look = watch_.next(0, kFirstLookS);
  Reply reply{.body = look ? look->event : ": alive\n\n", .stream_after = look ? look->number : 0};
  reply.set("Cache-Control", "no-store");
  reply.set("Content-Type", "text/event-stream");
  reply.set("X-Accel-Buffering", "no");  // makes proxies forward each event at once
  return reply;
}

Reply MachineApi::answer_windows(const RequestHead& head, const std::string& body) {
  if (head.method != "POST") return json_reply(watch_.windows());
  return json_reply(watch_.begin_window(text_member(head, body, "name")));
}

Reply MachineApi::end_window(std::string_view path) {
  const auto text = path.substr(path.find('/') + 1);
  std::size_t number = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc()) {
    try {
      return json_reply(watch_.end_window(number));
    } catch (const NotFoundError&) {
      // Treated like an invalid number.
    }
  }
  throw HttpError(404, "there is no window with this number");
}

Reply MachineApi::answer_mode(const RequestHead& head, const std::string& body) {
  if (head.method == "GET" || head.method == "HEAD") return json_reply(watch_.mode());
  if (!watch_.can_control()) {
    throw HttpError(403, "this server may not set power modes; start it with --allow-control");
  }
  return json_reply(head.method == "DELETE" ? watch_.restore_mode()
                                            : watch_.set_mode(text_member(head, body, "mode")));
}

}  // namespace ridgewatt::serve
