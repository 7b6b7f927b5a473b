#include "ridgewatt/serve/api/api.h"

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/version.h"
#include "ridgewatt/serve/api/reply.h"

namespace ridgewatt::serve {
namespace {

constexpr std::string_view kApi = "/api/v1/";

// A question has no body, and reading is all that it does.
void need_method(const RequestHead& head, std::initializer_list<std::string_view> methods) {
  for (const auto method : methods) {
    if (head.method == method || (method == "GET" && head.method == "HEAD")) return;
  }
  throw HttpError(405, std::string(head.path()) + " does not know " + head.method);
}

void learn(const Json& command,
           std::map<std::string, std::set<std::string, std::less<>>, std::less<>>& options_of) {
  std::string name = command.at("name").get<std::string>();
  static constexpr std::string_view kProgram = "ridgewatt ";
  if (name.starts_with(kProgram)) name.erase(0, kProgram.size());
  for (const auto& option : command.at("options")) {
    for (const auto& word : option.at("names")) {
      const auto text = word.get<std::string>();
      if (text.starts_with("--")) options_of[name].insert(text.substr(2));
    }
  }
  for (const auto& inner : command.at("commands")) learn(inner, options_of);
}

AnswerLimits answer_limits(const ServeOptions& options) {
  AnswerLimits limits;
  limits.children = options.children;
  limits.cache_bytes = options.cache_bytes;
  limits.child.time_s = options.time_s;
  return limits;
}

std::vector<std::string> sandboxed(const ServeOptions& options) {
  return {options.program};
}

// The --store files by the number that /runs takes; of a path the file's name alone.
Json stores_json(const std::vector<std::string>& stores) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < stores.size(); ++i) {
    rows.push_back({{"store", i}, {"name", stores[i].substr(stores[i].rfind('/') + 1)}});
  }
  return {{"schema", "ridgewatt.stores/1"}, {"rows", rows}};
}

}  // namespace

Api::Api(const ServeOptions& options, Guard& guard)
    : options_(options),
      guard_(guard),
      sandbox_("none"),
      uploads_({.each_bytes = options.max_upload_bytes, .all_bytes = 4 * options.max_upload_bytes}),
      answers_(sandboxed(options), {options.program}, answer_limits(options)) {
  learn_options();
}

void Api::learn_options() {
  const auto help =
      run_child({options_.program, "help", "--format", "json"}, {}, {}, [] { return true; });
  if (help.end != ChildEnd::kExited || help.status != 0) {
    throw IoError("the program does not answer", options_.program, help.last_line);
  }
  learn(Json::parse(help.output), options_of_);
}

void Api::answer(Connection& client, const std::string& body, httplib::Response& answer) {
  answer.status = 200;
  set_safe_headers(answer);
  const auto path = client.head().path();
  if (path.starts_with(kApi)) return answer_api(client, body, answer);
  need_method(client.head(), {"GET"});
  if (path == "/healthz") return answer_health(answer);
  answer_file(client.head(), answer);
}

void Api::answer_file(const RequestHead& head, httplib::Response& answer) const {
  const AppFile* file = options_.app ? files_.find(head.path()) : nullptr;
  if (file == nullptr) throw HttpError(404, "there is nothing at this address");
  reply_content(head, answer, {file->content, file->gzip, file->type, file->etag}, "no-cache");
}

void Api::answer_health(httplib::Response& answer) const {
  const std::chrono::duration<double> up = std::chrono::steady_clock::now() - begin_;
  reply_json(answer, {{"schema", "ridgewatt.health/1"},
                      {"status", "ok"},
                      {"version", version()},
                      {"uptime_s", up.count()},
                      {"sandbox", sandbox_},
                      {"control", options_.allow_control},
                      {"token", guard_.asks_for_token()}});
}

void Api::answer_upload(const std::string& body, httplib::Response& answer) {
  const auto upload = uploads_.add(body);
  reply_json(answer,
             {{"schema", "ridgewatt.upload/1"}, {"upload", upload->id}, {"bytes", upload->bytes}});
}

void Api::answer_api(Connection& client, const std::string& body, httplib::Response& answer) {
  const RequestHead& head = client.head();
  const auto name = head.path().substr(kApi.size());
  if (const Endpoint* endpoint = find_endpoint(name)) {
    return answer_question(*endpoint, client, answer);
  }
  if (name == "stores") {
    need_method(head, {"GET"});
    return reply_json(answer, stores_json(options_.stores));
  }
  if (name == "uploads") {
    need_method(head, {"POST"});
    return answer_upload(body, answer);
  }
  if (name == "session") {
    need_method(head, {"POST"});
    const auto cookie = guard_.open_session(body, client.secure());
    if (!cookie.empty()) answer.set_header("Set-Cookie", cookie);
    return reply_json(answer, {{"schema", "ridgewatt.session/1"}, {"ok", true}});
  }
  throw HttpError(404, "the API has no such address");
}

void Api::answer_question(const Endpoint& endpoint, Connection& client, httplib::Response& answer) {
  const RequestHead& head = client.head();
  need_method(head, {"GET"});
  QuestionPlaces places;
  places.upload = [this](const std::string& id) { return uploads_.find(id); };
  places.stores = options_.stores;
  places.has_option = [this](std::string_view command, std::string_view option) {
    const auto found = options_of_.find(command);
    return found != options_of_.end() && found->second.contains(option);
  };
  const Question question = make_question(endpoint, parse_query(head.query()), places);
  answer.set_header("X-Ridgewatt-Command", question.shown());
  const auto stored = answers_.ask(question, [&] { return client.client_is_there(); });
  answer.status = stored->status;
  reply_content(head, answer, {stored->body, stored->gzip, stored->content_type, stored->etag},
                endpoint.lasting ? "private, no-cache" : "no-store");
}

}  // namespace ridgewatt::serve
