#include "ridgewatt/serve/api/api.h"

#include <fmt/format.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/version.h"
#include "ridgewatt/io/path.h"
#include "ridgewatt/io/sandbox.h"
#include "ridgewatt/serve/api/openapi.h"
#include "ridgewatt/serve/api/paths.h"
#include "ridgewatt/serve/api/reply.h"
#include "ridgewatt/serve/http/gzip.h"
#include "ridgewatt/serve/http/query.h"
#include "ridgewatt/serve/security/secret.h"
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

// The server ends a question itself. The sandbox has a longer limit, in case the server is killed.
std::vector<std::string> sandboxed(const ServeOptions& options) {
  static constexpr double kLater = 2;
  std::vector<std::string> words = {options.program, "sandbox",
                                    "--memory",      std::to_string(options.memory_bytes),
                                    "--time",        fmt::format("{}", options.time_s + kLater)};
  if (options.unsandboxed) words.emplace_back("--limits-alone");
  words.emplace_back("--");
  return words;
}

// "seccomp", or the reason why there is no sandbox. Throws NotSupportedError if that is not
// allowed.
std::string sandbox_of(const ServeOptions& options) {
  const std::string fault = sandbox_fault();
  if (fault.empty()) return "seccomp";
  if (!options.unsandboxed) {
    throw NotSupportedError(
        "the sandbox for questions is not available", fault,
        "give --allow-unsandboxed to answer questions with only memory and time limits");
  }
  return "limits alone: " + fault;
}

// The name of an uploaded file: ?name=model.onnx.
std::string upload_name(const RequestHead& head) {
  std::string name;
  for (const auto& [key, value] : parse_query(head.query())) {
    if (key != "name")
      throw HttpError(400, key + ": /api/v1/uploads has no parameter of this name");
    name = value;
  }
  return name;
}

Reply stored_reply(const RequestHead& head, const Question& question, const StoredAnswer& stored) {
  Reply reply =
      content_reply(head, {stored.body, stored.gzip, stored.content_type, stored.etag},
                    question.endpoint->lasting ? "private, no-cache" : "no-store", stored.status);
  reply.set("X-Ridgewatt-Command", question.shown());
  return reply;
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
      ask_child({options_.program, "help", "--format", "json"}, {}, {}, [] { return true; });
  if (help.end != ChildEnd::kExited || help.status != 0) {
    throw IoError("the program ridgewatt, which answers questions, does not run", options_.program,
                  help.last_line);
  }
  const Json commands = Json::parse(help.output);
  learn(commands, options_of_);
  openapi_.content_type = "application/json";
  openapi_.body = dump_json(describe_api(commands)) + "\n";
  openapi_.gzip = gzip_worthwhile(openapi_.body);
  openapi_.etag = "\"" + content_hash(openapi_.body) + "\"";
}

const AppFile* Api::file_at(std::string_view path) const {
  return options_.app ? files_.find(path) : nullptr;
}

std::optional<Reply> Api::admit(const Client& client) {
  const RequestHead& head = client.head;
  const std::string path(head.path());
  const std::string methods = file_at(path) != nullptr ? "GET, HEAD" : methods_of(path);
  if (methods.empty()) {
    throw HttpError(404, path.starts_with(kApi) ? "the API has no resource at this address"
                                                : "there is nothing at this address");
  }
  if ((", " + methods + ",").find(", " + head.method + ",") == std::string::npos) {
    throw HttpError(405, path + " only allows " + methods, {"Allow", methods});
  }
  if (head.content_length > kSmallBodyBytes && path != "/api/v1/uploads") {
    throw HttpError(413, fmt::format("the body is larger than {} bytes", kSmallBodyBytes));
  }
  return answer_at_once(head);
}

std::optional<Reply> Api::answer_at_once(const RequestHead& head) {
  const auto path = head.path();
  if (const AppFile* file = file_at(path)) {
    return content_reply(head, {file->content, file->gzip, file->type, file->etag}, "no-cache");
  }
  if (path == "/healthz") return answer_health();
  const Endpoint* endpoint =
      path.starts_with(kApi) ? find_endpoint(path.substr(kApi.size())) : nullptr;
  if (endpoint == nullptr) return std::nullopt;
  const Question question = question_of(*endpoint, head);
  const auto kept = answers_.kept(question);
  if (kept == nullptr) return std::nullopt;
  return stored_reply(head, question, *kept);
}

std::shared_ptr<const LookEvent> Api::next_event(std::uint64_t after, double wait_s) {
  return machine_.next_event(after, wait_s);
}

Reply Api::answer_health() const {
  const std::chrono::duration<double> up = std::chrono::steady_clock::now() - begin_;
  return json_reply(json_object({{"schema", "ridgewatt.health/1"},
                                 {"status", "ok"},
                                 {"version", version()},
                                 {"uptime_s", up.count()},
                                 {"sandbox", sandbox_},
                                 {"control", options_.allow_control},
                                 {"token", guard_.asks_for_token()}}));
}

Reply Api::answer_stores() const {
  Json rows = Json::array();
  for (std::size_t i = 0; i < options_.stores.size(); ++i) {
    rows.push_back(json_object(
        {{"store", i}, {"name", file_name(store::shown_location(options_.stores[i]))}}));
  }
  return json_reply(json_object({{"schema", "ridgewatt.stores/1"}, {"rows", rows}}));
}

Reply Api::answer_session(const Client& client, const std::string& body) const {
  Reply reply = json_reply(json_object({{"schema", "ridgewatt.session/1"}, {"ok", true}}));
  const auto cookie = guard_.open_session(body, client.is_secure);
  if (!cookie.empty()) reply.set("Set-Cookie", cookie);
  return reply;
}

Reply Api::answer(const Client& client, const std::string& body) {
  if (client.head.path() == "/metrics") return machine_.metrics();
  const auto name = client.head.path().substr(kApi.size());
  if (const Endpoint* endpoint = find_endpoint(name)) return answer_question(*endpoint, client);
  if (name == "stores") return answer_stores();
  if (name == "openapi.json") {
    const auto& [status, type, text, packed, etag] = openapi_;
    return content_reply(client.head, {text, packed, type, etag}, "no-cache", status);
  }
  if (name == "session") return answer_session(client, body);
  if (name != "uploads") return machine_.answer(name, client.head, body);
  const auto upload = uploads_.add(body, upload_name(client.head));
  return json_reply(json_object({{"schema", "ridgewatt.upload/1"},
                                 {"upload", upload->id},
                                 {"name", upload->name},
                                 {"bytes", upload->bytes}}));
}

Question Api::question_of(const Endpoint& endpoint, const RequestHead& head) {
  QuestionPlaces places;
  places.upload = [this](const std::string& id) { return uploads_.find(id); };
  places.stores = options_.stores;
  places.has_option = [this](std::string_view command, std::string_view option) {
    const auto found = options_of_.find(command);
    return found != options_of_.end() && found->second.contains(option);
  };
  return make_question(endpoint, parse_query(head.query()), places);
}

Reply Api::answer_question(const Endpoint& endpoint, const Client& client) {
  const Question question = question_of(endpoint, client.head);
  try {
    return stored_reply(client.head, question, *answers_.ask(question, client.is_there));
  } catch (const HttpError& error) {
    Reply reply = error_reply(error);
    reply.set("X-Ridgewatt-Command", question.shown());
    return reply;
  }
}

}  // namespace ridgewatt::serve
