#include "ridgewatt/measure/tokens/server_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ridgewatt/base/clock.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/io/http_get.h"
#include "ridgewatt/io/http_stream.h"
#include "ridgewatt/io/path.h"
#include "ridgewatt/measure/tokens/result_fields.h"

namespace ridgewatt::measure {
namespace {

// Token numbers that every vocabulary contains and that are not special tokens.
constexpr std::uint64_t kLowestToken = 256, kTokens = 3744;
constexpr std::size_t kMostReplyBytes = std::size_t{1} << 22;
constexpr std::array kWords = {"river",  "stone",  "window", "market", "paper",  "garden",
                               "engine", "winter", "letter", "bridge", "candle", "valley"};

std::string server_root(std::string url) {
  while (url.ends_with('/')) url.pop_back();
  if (url.ends_with("/v1")) url.resize(url.size() - 3);
  return url;
}

std::vector<std::string> headers_of(const ServerQuestion& question) {
  if (question.api_key.empty()) return {};
  return {"Authorization: Bearer " + question.api_key};
}

std::string reply_of(const ServerQuestion& question, const std::string& url) {
  return http_get(
      url, {.timeout_s = 10, .limit_bytes = kMostReplyBytes, .headers = headers_of(question)});
}

// The contents of one event of the stream.
struct StreamEvent {
  bool piece = false;  // contains at least one token
  std::optional<double> prompt_tokens, output_tokens;
  double server_prompt_s = 0, server_token_s = 0, cached_tokens = 0;
};

// llama-server adds timings to the last event in both protocols.
void read_timings(const ResultFields& event, StreamEvent& out) {
  const ResultFields timings = event.at("timings");
  out.server_prompt_s = timings.number_or_zero("prompt_ms") * 1e-3;
  out.server_token_s = timings.number_or_zero("predicted_per_token_ms") * 1e-3;
  out.cached_tokens = timings.number_or_zero("cache_n");
}

void read_llama_cpp(const ResultFields& event, StreamEvent& out) {
  const Json* tokens = event.find("tokens");
  out.piece = !event.text("content").empty() ||
              (tokens != nullptr && tokens->is_array() && !tokens->empty());
  const Json* stop = event.find("stop");
  if (stop == nullptr || !stop->is_boolean() || !stop->get<bool>()) return;
  out.prompt_tokens = event.number("tokens_evaluated");
  out.output_tokens = event.number("tokens_predicted");
  read_timings(event, out);
}

void read_openai(const ResultFields& event, StreamEvent& out) {
  read_timings(event, out);
  if (event.has("usage")) {
    const ResultFields usage = event.at("usage");
    out.prompt_tokens = usage.number("prompt_tokens");
    out.output_tokens = usage.number("completion_tokens");
    out.cached_tokens = std::max(out.cached_tokens,
                                 usage.at("prompt_tokens_details").number_or_zero("cached_tokens"));
  }
  const Json* choices = event.find("choices");
  if (choices == nullptr || !choices->is_array() || choices->empty()) return;
  const ResultFields choice(choices->front(), event.where());
  if (choice.has("delta")) {  // the first delta has only the role, the last is empty
    const ResultFields delta = choice.at("delta");
    out.piece = !delta.text("content").empty() || !delta.text("reasoning_content").empty() ||
                (delta.has("content") && !delta.has("role") && !choice.has("finish_reason"));
  } else {
    out.piece =
        !choice.text("text").empty() || (choice.has("text") && !choice.has("finish_reason"));
  }
}

StreamEvent stream_event(const std::string& data, bool llama_cpp) {
  const std::string where = "an event of the server";
  const Json json = parse_result_json(data, where);
  const ResultFields event(json, where);
  if (const Json* error = event.find("error")) {
    const std::string text = error->is_object()   ? ResultFields(*error, where).text("message")
                             : error->is_string() ? error->get<std::string>().substr(0, 200)
                                                  : "";
    throw IoError("the server reported an error", "", text);
  }
  StreamEvent out;
  llama_cpp ? read_llama_cpp(event, out) : read_openai(event, out);
  return out;
}

}  // namespace

ServerClient::ServerClient(const ServerQuestion& question)
    : question_(question), url_(server_root(question.url)) {
  find_api();
  if (question_.api == TokenApi::kLlamaCpp) {
    describe_llama_cpp();
  } else {
    describe_openai();
  }
  const std::string named = quantization_named(described_.model);
  if (!named.empty()) described_.quantization = named;
  described_.clock = TokenClock::kMonotonic;
  described_.concurrency = std::min(question.concurrency, question.requests);
}

bool ServerClient::ready(const ServerQuestion& question) {
  const std::string url = server_root(question.url);
  for (const char* path : {"/health", "/v1/models"}) {
    try {
      reply_of(question, url + path);
      return true;
    } catch (const IoError&) {
      continue;
    }
  }
  return false;
}

void ServerClient::find_api() {
  if (question_.api != TokenApi::kAuto) return;
  question_.api = TokenApi::kOpenAi;
  try {
    const Json props = parse_result_json(reply_of(question_, url_ + "/props"), url_ + "/props");
    if (props.is_object() && props.contains("default_generation_settings")) {
      question_.api = TokenApi::kLlamaCpp;
    }
  } catch (const IoError&) {  // not llama.cpp, or no server: the next request finds out
  } catch (const InputError&) {
  }
}

void ServerClient::describe_llama_cpp() {
  described_.source = "llama.cpp server";
  described_.engine = "llama.cpp";
  const std::string url = url_ + "/props";
  const Json json = parse_result_json(reply_of(question_, url), url);
  const ResultFields props(json, url);
  described_.model =
      question_.model.empty() ? file_name(props.text("model_path")) : question_.model;
  described_.quantization = quantization_named(props.text("model_ftype"));
  const double slots = props.number_or_zero("total_slots");
  if (slots > 0 && slots < std::min(question_.concurrency, question_.requests)) {
    described_.notes.push_back(fmt::format(
        "the server works on only {:.0f} requests at a time; other requests wait", slots));
  }
}

void ServerClient::describe_openai() {
  described_.source = "OpenAI server";
  const std::string url = url_ + "/v1/models";
  const Json json = parse_result_json(reply_of(question_, url), url);
  const Json* models = ResultFields(json, url).find("data");
  if (models != nullptr && models->is_array() && !models->empty()) {
    const ResultFields first(models->front(), url);
    if (question_.model.empty()) question_.model = first.text("id");
    const std::string owner = first.text("owned_by");
    if (owner == "vllm" || owner == "sglang") described_.engine = owner;
    if (owner == "llamacpp") described_.engine = "llama.cpp";
    described_.quantization = quantization_named(first.at("meta").text("ftype"));
  }
  if (question_.model.empty()) {
    throw InputError("the server does not report the name of its model", url,
                     "give its name with --model");
  }
  described_.model = question_.model;
}

std::string ServerClient::body(std::uint64_t number) const {
  Random random = Random(question_.seed).fork(number);
  Json body;
  if (question_.api == TokenApi::kOpenAiChat) {
    std::string words;
    for (int i = 0; i < question_.prompt_tokens; ++i) {
      words += (i > 0 ? " " : "") + std::string(kWords[random.below(kWords.size())]);
    }
    body["messages"] = Json::array({{{"role", "user"}, {"content", words}}});
  } else {
    Json tokens = Json::array();
    for (int i = 0; i < question_.prompt_tokens; ++i) {
      tokens.push_back(kLowestToken + random.below(kTokens));
    }
    body["prompt"] = std::move(tokens);
  }
  body["stream"] = true;
  body["ignore_eos"] = true;
  body["temperature"] = 0;
  // llama-server otherwise reuses prompts of other slots and of earlier runs.
  if (described_.engine == "llama.cpp") body["cache_prompt"] = false;
  if (question_.api == TokenApi::kLlamaCpp) {
    body["n_predict"] = question_.output_tokens;
    return body.dump();
  }
  body["model"] = question_.model;
  body["max_tokens"] = question_.output_tokens;
  body["stream_options"] = json_object({{"include_usage", true}});
  return body.dump();
}

ServerClient::Answer ServerClient::ask(std::uint64_t number, const std::atomic<bool>& stop) const {
  const bool llama_cpp = question_.api == TokenApi::kLlamaCpp;
  const char* path = llama_cpp                                ? "/completion"
                     : question_.api == TokenApi::kOpenAiChat ? "/v1/chat/completions"
                                                              : "/v1/completions";
  const std::string text = body(number);
  const HttpStreamOptions options{
      .timeout_s = question_.timeout_s, .headers = headers_of(question_), .stop = &stop};
  Answer answer;
  TokenRequest& request = answer.request;
  std::optional<double> prompt, output;
  ServerEvents events;
  request.begin_s = monotonic_s();
  http_post_stream(
      url_ + path, text,
      [&](std::string_view bytes) {
        const double now_s = monotonic_s();
        events.add(bytes, [&](const std::string& data) {
          if (data == "[DONE]") return;
          const StreamEvent event = stream_event(data, llama_cpp);
          if (event.piece) request.token_times_s.push_back(now_s);
          if (event.prompt_tokens) prompt = event.prompt_tokens;
          if (event.output_tokens) output = event.output_tokens;
          answer.server_prompt_s = std::max(answer.server_prompt_s, event.server_prompt_s);
          answer.server_token_s = std::max(answer.server_token_s, event.server_token_s);
          answer.cached_tokens = std::max(answer.cached_tokens, event.cached_tokens);
        });
        return true;
      },
      options);
  if (request.token_times_s.empty())
    throw IoError("the answer of the server has no token", url_ + path);
  request.first_s = request.token_times_s.front();
  request.end_s = request.token_times_s.back();
  answer.counted = output.has_value();
  request.prompt_tokens = prompt.value_or(question_.prompt_tokens);
  request.output_tokens = output.value_or(static_cast<double>(request.token_times_s.size()));
  return answer;
}

}  // namespace ridgewatt::measure
