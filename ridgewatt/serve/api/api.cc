#include "ridgewatt/serve/api/api.h"

#include <fmt/format.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/version.h"
#include "ridgewatt/io/sandbox.h"
#include "ridgewatt/serve/api/openapi.h"
#include "ridgewatt/serve/api/reply.h"
#include "ridgewatt/store/location.h"

namespace ridgewatt::serve {
namespace {

constexpr std::string_view kApi = "/api/v1/";

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

// The server ends a question itself; the sandbox's time is for one whose server was killed.
std::vector<std::string> sandboxed(const ServeOptions& options) {
  static constexpr double kLater = 2;
  std::vector<std::string> words = {options.program, "sandbox",
                                    "--memory",      std::to_string(options.memory_bytes),
                                    "--time",        fmt::format("{}", options.time_s + kLater)};
  if (options.unsandboxed) words.emplace_back("--limits-alone");
  words.emplace_back("--");
  return words;
}

// "seccomp", or why not. Throws NotSupportedError where that may not be.
std::string sandbox_of(const ServeOptions& options) {
  const std::string fault = sandbox_fault();
  if (fault.empty()) return "seccomp";
  if (!options.unsandboxed) {
    throw NotSupportedError("there is no sandbox for questions", fault,
                            "--allow-unsandboxed goes on with limits of memory and time");
  }
  return "limits alone: " + fault;
}

}  // namespace

Api::Api(const ServeOptions& options, Guard& guard)
    : options_(options),
      machine_(options),
      guard_(guard),
      sandbox_(sandbox_of(options)),
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
  const Json commands = Json::parse(help.output);
  learn(commands, options_of_);
  openapi_ = describe_api(commands);
}

void Api::answer(Connection& client, const std::string& body, httplib::Response& answer) {
  answer.status = 200;
  set_safe_headers(answer);
  const auto path = client.head().path();
  if (path.starts_with(kApi)) return answer_api(client, body, answer);
  need_method(client.head(), {"GET"});
  if (path == "/healthz") return answer_health(answer);
  if (path == "/metrics") return machine_.answer_metrics(answer);
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

void Api::answer_stores(httplib::Response& answer) const {
  Json rows = Json::array();
  for (std::size_t i = 0; i < options_.stores.size(); ++i) {
    const std::string path = store::shown_location(options_.stores[i]);
    rows.push_back({{"store", i}, {"name", path.substr(path.rfind('/') + 1)}});
  }
  reply_json(answer, {{"schema", "ridgewatt.stores/1"}, {"rows", rows}});
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
  if (machine_.answer(name, client, body, answer)) return;
  if (name == "stores") {
    need_method(head, {"GET"});
    return answer_stores(answer);
  }
  if (name == "openapi.json") {
    need_method(head, {"GET"});
    return reply_json(answer, openapi_);
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
