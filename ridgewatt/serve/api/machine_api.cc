#include "ridgewatt/serve/api/machine_api.h"

#include <charconv>

#include "ridgewatt/base/error.h"
#include "ridgewatt/serve/api/reply.h"
#include "ridgewatt/serve/http/query.h"

namespace ridgewatt::serve {
namespace {

constexpr double kLookS = 0.25;  // chosen: how soon a stream sees that its client is gone
constexpr int kQuietLooks = 60;  // chosen: 15 s without an event, then a sign of life
constexpr std::size_t kNameBytes = 100;

// The one member of a small object in JSON: {"name": "epoch 1"}.
std::string text_member(const Connection& client, const std::string& body, const char* name) {
  if (!client.head().header("content-type").starts_with("application/json")) {
    throw HttpError(415, "the body is JSON: Content-Type: application/json");
  }
  std::string text;
  try {
    const Json json = Json::parse(body);
    if (!json.is_object() || json.size() != 1 || !json.contains(name)) {
      throw HttpError(400, std::string("the body is {\"") + name + "\": \"..\"}");
    }
    text = json.at(name).get<std::string>();
  } catch (const nlohmann::json::exception&) {
    throw HttpError(400, std::string("the body is not {\"") + name + "\": \"..\"}");
  }
  if (text.empty() || text.size() > kNameBytes || !is_clean_text(text)) {
    throw HttpError(400, std::string(name) + ": 1 to 100 bytes of text");
  }
  return text;
}

// A stream of looks to one client; the place that it takes is given back with it.
class LookStream {
 public:
  LookStream(MachineWatch& watch, std::shared_ptr<std::atomic<int>> streams)
      : watch_(watch), streams_(std::move(streams)) {}
  ~LookStream() { --*streams_; }
  LookStream(const LookStream&) = delete;
  LookStream& operator=(const LookStream&) = delete;

  // Waits a little, sends what there is; false ends the stream.
  bool go_on(httplib::DataSink& sink) {
    if (!sink.is_writable()) return false;
    const auto look = watch_.next(after_, kLookS);
    if (look) {
      after_ = look->number;
      quiet_ = 0;
      return sink.write(look->event.data(), look->event.size());
    }
    if (++quiet_ % kQuietLooks != 0) return true;
    static constexpr std::string_view kAlive = ": alive\n\n";
    return sink.write(kAlive.data(), kAlive.size());
  }

 private:
  MachineWatch& watch_;
  std::shared_ptr<std::atomic<int>> streams_;
  std::uint64_t after_ = 0;
  int quiet_ = 0;
};

}  // namespace

MachineApi::MachineApi(const ServeOptions& options) : options_(options), watch_(options) {}

bool MachineApi::answer(std::string_view path, Connection& client, const std::string& body,
                        httplib::Response& answer) {
  const RequestHead& head = client.head();
  const std::string top = "ridgewatt top --device " + options_.device + " --once --format json";
  if (path == "events") {
    need_method(head, {"GET"});
    answer_events(client, answer);
  } else if (path == "monitor") {
    need_method(head, {"GET"});
    answer.set_header("X-Ridgewatt-Command", top);
    reply_json(answer, watch_.snapshot());
  } else if (path == "sensors") {
    need_method(head, {"GET"});
    answer.set_header("X-Ridgewatt-Command",
                      "ridgewatt sensors --device " + options_.device + " --format json");
    reply_json(answer, watch_.sensors());
  } else if (path == "history") {
    need_method(head, {"GET"});
    reply_json(answer, watch_.history());
  } else if (path == "marks") {
    need_method(head, {"POST"});
    reply_json(answer, watch_.mark());
  } else if (path == "mode") {
    answer_mode(client, body, answer);
  } else if (path == "windows" || path.starts_with("windows/")) {
    answer_windows(path, client, body, answer);
  } else {
    return false;
  }
  return true;
}

void MachineApi::answer_metrics(httplib::Response& answer) const {
  answer.set_header("Cache-Control", "no-store");
  answer.set_content(watch_.metrics(), "text/plain; version=0.0.4; charset=utf-8");
}

void MachineApi::answer_events(Connection& client, httplib::Response& answer) {
  if (++*streams_ > options_.streams) {
    --*streams_;
    throw HttpError(503, "all " + std::to_string(options_.streams) + " streams are taken");
  }
  answer.set_header("Cache-Control", "no-store");
  answer.set_header("X-Accel-Buffering", "no");  // proxies pass each event on
  client.stream_without_end();
  const auto stream = std::make_shared<LookStream>(watch_, streams_);
  answer.set_chunked_content_provider(
      "text/event-stream",
      [stream](std::size_t, httplib::DataSink& sink) { return stream->go_on(sink); });
}

void MachineApi::answer_windows(std::string_view path, Connection& client, const std::string& body,
                                httplib::Response& answer) {
  const RequestHead& head = client.head();
  static constexpr std::string_view kOne = "windows/", kEnd = "/end";
  if (path == "windows") {
    need_method(head, {"GET", "POST"});
    if (head.method != "POST") return reply_json(answer, watch_.windows());
    return reply_json(answer, watch_.begin_window(text_member(client, body, "name")));
  }
  if (!path.ends_with(kEnd) || path.size() <= kOne.size() + kEnd.size()) {
    throw HttpError(404, "the API has no such address");
  }
  need_method(head, {"POST"});
  const auto text = path.substr(kOne.size(), path.size() - kOne.size() - kEnd.size());
  std::size_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) {
    throw HttpError(404, "a window has a number");
  }
  reply_json(answer, watch_.end_window(number));
}

void MachineApi::answer_mode(Connection& client, const std::string& body,
                             httplib::Response& answer) {
  const RequestHead& head = client.head();
  need_method(head, {"GET", "POST", "DELETE"});
  if (head.method == "GET" || head.method == "HEAD") return reply_json(answer, watch_.mode());
  if (!watch_.can_control()) {
    throw HttpError(403, "the server may look and not set: start it with --allow-control");
  }
  reply_json(answer, head.method == "DELETE" ? watch_.restore_mode()
                                             : watch_.set_mode(text_member(client, body, "mode")));
}

}  // namespace ridgewatt::serve
