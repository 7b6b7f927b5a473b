#include "ridgewatt/measure/token_server.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <exception>
#include <iostream>
#include <mutex>
#include <thread>
#include <utility>

#include "ridgewatt/base/check_option.h"
#include "ridgewatt/base/clock.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/progress.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/base/thread.h"
#include "ridgewatt/measure/sampling/marked_command.h"
#include "ridgewatt/measure/sampling/recording.h"
#include "ridgewatt/measure/tokens/result_fields.h"
#include "ridgewatt/measure/tokens/server_client.h"

namespace ridgewatt::measure {
namespace {

constexpr double kServerTickS = 0.05;
constexpr double kServerPatienceS = 10;  // between SIGTERM and SIGKILL
constexpr double kAgreement = 0.1;       // maximum relative difference of pieces and tokens

void sleep_s(double time_s) {
  std::this_thread::sleep_for(std::chrono::duration<double>(time_s));
}

// Sends requests concurrently, with one thread for each concurrent request.
class AskingThreads {
 public:
  AskingThreads(const ServerClient& client, int requests, int concurrency, std::uint64_t first)
      : client_(client), requests_(static_cast<std::uint64_t>(requests)), first_(first) {
    try {
      for (int i = 0; i < std::min(requests, concurrency); ++i) {
        threads_.push_back(quiet_thread([this] { work(); }));
      }
    } catch (...) {
      stop_ = true;
      join();
      throw;
    }
  }
  ~AskingThreads() {
    stop_ = true;
    join();
  }
  AskingThreads(const AskingThreads&) = delete;
  AskingThreads& operator=(const AskingThreads&) = delete;

  bool ended() const { return ended_.load() == threads_.size(); }
  void join() {
    for (auto& thread : threads_) {
      if (thread.joinable()) thread.join();
    }
  }
  std::vector<ServerClient::Answer> answers;
  std::size_t failed = 0;
  std::exception_ptr failure;

 private:
  void work() {
    for (std::uint64_t i = next_++; i < requests_ && !stop_; i = next_++) {
      try {
        auto answer = client_.ask(first_ + i, stop_);
        const std::lock_guard lock(mutex_);
        answers.push_back(std::move(answer));
      } catch (...) {
        const std::lock_guard lock(mutex_);
        ++failed;
        if (!failure) failure = std::current_exception();
      }
    }
    ++ended_;
  }

  const ServerClient& client_;
  std::uint64_t requests_, first_;
  std::atomic<std::uint64_t> next_{0};
  std::atomic<bool> stop_{false};
  std::atomic<std::size_t> ended_{0};
  std::mutex mutex_;
  std::vector<std::thread> threads_;
};

void add_server_notes(const std::vector<ServerClient::Answer>& answers, TokenRun& run) {
  double prompt_s = 0, token_s = 0, pieces = 0, tokens = 0, prompts = 0, cached = 0;
  bool counted = true;
  for (const auto& answer : answers) {
    prompt_s += answer.server_prompt_s;
    token_s += answer.server_token_s;
    pieces += static_cast<double>(answer.request.token_times_s.size());
    tokens += answer.request.output_tokens;
    prompts += answer.request.prompt_tokens;
    cached += answer.cached_tokens;
    counted = counted && answer.counted;
  }
  const auto count = static_cast<double>(answers.size());
  if (prompt_s > 0 && token_s > 0) {
    run.notes.push_back(
        fmt::format("the server itself states {:.4g} ms for the prompt and {:.4g} ms per token",
                    prompt_s / count * 1e3, token_s / count * 1e3));
  }
  if (cached > 0) {
    run.notes.push_back(fmt::format(
        "the server took {:.0f} of {:.0f} prompt tokens from its cache, so that the time "
        "to the first token is too short: restart it, or choose another --seed",
        cached, prompts));
  }
  if (!counted)
    run.notes.emplace_back(
        "the server does not count tokens, so each piece of text counts as one token");
  if (std::abs(pieces - tokens) > kAgreement * tokens) {
    run.notes.push_back(
        fmt::format("{:.0f} tokens came in {:.0f} pieces, so the gaps are those between pieces",
                    tokens, pieces));
  }
}

TokenRun run_requests(const ServerClient& client, int requests, int concurrency,
                      std::uint64_t first, const std::function<void()>& tick) {
  AskingThreads asking(client, requests, concurrency, first);
  while (!asking.ended()) {
    if (tick) tick();
    check_work();
    sleep_s(kServerTickS);
  }
  asking.join();
  if (asking.answers.empty()) std::rethrow_exception(asking.failure);
  TokenRun run = client.described();
  std::sort(asking.answers.begin(), asking.answers.end(),
            [](const auto& a, const auto& b) { return a.request.begin_s < b.request.begin_s; });
  for (const auto& answer : asking.answers) run.timeline.push_back(answer.request);
  run.failed = asking.failed;
  summarize(run);
  add_server_notes(asking.answers, run);
  return run;
}

// The warm-up and each run in this process use different request numbers, and thus different
// prompts, so that the prompt cache of a server never contains them.
constexpr std::uint64_t kWarmUpNumbers = std::uint64_t{1} << 40;
std::uint64_t new_numbers(const ServerQuestion& question) {
  static std::atomic<std::uint64_t> next{0};
  return next.fetch_add(static_cast<std::uint64_t>(question.requests));
}

void warm_up(const ServerClient& client, const ServerQuestion& question,
             const std::function<void()>& tick) {
  if (question.warm_up == 0) return;
  run_requests(client, question.warm_up, question.concurrency, kWarmUpNumbers, tick);
}

// `result` must contain its begin and end.
void add_costs_of(Recording& recording, const WindowOptions& window, Measurement& result,
                  std::vector<TokenRun>& runs, const std::vector<TimedMark>& marks) {
  recording.stop();
  recording.add_costs(marks, window, /*steady=*/true, result);
  if (!result.total) return;
  const PowerTrace total = total_of(result.traces);
  for (TokenRun& run : runs) {
    if (run.timeline.empty()) continue;
    run.cost = split_energy(run.timeline, total, result.idle_w);
  }
}

void let_idle(double idle_s, Recording& recording) {
  const double end_s = monotonic_s() + idle_s;
  for (double left_s = idle_s; left_s > 0; left_s = end_s - monotonic_s()) {
    sleep_s(std::min(left_s, kServerTickS));
    recording.drain();
    check_work();
  }
}

// Reads lines of a program's output with their times of arrival, and copies them to standard error.
class TimedLines {
 public:
  struct Line {
    std::string text;
    double time_s = 0;
  };
  TimedLines() : reader_(quiet_thread([this] { read(); })) {}
  ~TimedLines() { end(); }
  TimedLines(const TimedLines&) = delete;
  TimedLines& operator=(const TimedLines&) = delete;
  int descriptor() const { return pipe_.write_end.get(); }
  // Call it after the program has ended. Does not wait for the end of the pipe, because processes
  // that the program left running may hold it open.
  void end() {
    pipe_.write_end.reset();
    over_ = true;
    if (reader_.joinable()) reader_.join();
  }
  std::vector<Line> lines;
  std::string text;

 private:
  static constexpr std::size_t kMostOutputBytes = std::size_t{64} << 20;

  void read() {
    char buffer[4096];
    std::size_t begun = 0;  // start of the incomplete line
    for (;;) {
      pollfd wait{pipe_.read_end.get(), POLLIN, 0};
      if (::poll(&wait, 1, 100) == 0) {
        if (over_) return;
        continue;
      }
      const ssize_t count = ::read(pipe_.read_end.get(), buffer, sizeof buffer);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return;
      const double now_s = monotonic_s();
      const std::string_view piece(buffer, static_cast<std::size_t>(count));
      std::cerr << escape_lines(piece) << std::flush;
      if (text.size() + piece.size() > kMostOutputBytes) continue;
      text += piece;
      for (auto end = text.find('\n', begun); end != std::string::npos;
           end = text.find('\n', begun)) {
        lines.push_back({text.substr(begun, end - begun), now_s});
        begun = end + 1;
      }
    }
  }
  // Replaces the control characters for a terminal by blanks.
  static std::string escape_lines(std::string_view piece) {
    std::string shown(piece);
    for (char& c : shown) {
      if (static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\t') c = ' ';
    }
    return shown;
  }

  Pipe pipe_;
  std::atomic<bool> over_{false};
  std::thread reader_;
};

// Adds the repetitions of a test, which ran one after the other. The last one ended when the line
// of the test was printed.
void place_in_time(const Json& test, double end_s, TokenRun& run) {
  const ResultFields fields(test, "llama-bench");
  auto samples_ns = fields.numbers("samples_ns");
  if (run.output_tokens > 0 && run.prompt_tokens > 0) return;  // only their total time is known
  std::reverse(samples_ns.begin(), samples_ns.end());
  for (const double sample_ns : samples_ns) {
    const double begin_s = end_s - sample_ns * 1e-9;
    const double first_s = run.prompt_tokens > 0 ? end_s : begin_s;
    run.timeline.insert(run.timeline.begin(),
                        {begin_s, first_s, end_s, run.prompt_tokens, run.output_tokens, {}});
    end_s = begin_s;
  }
  if (!run.timeline.empty()) run.clock = TokenClock::kMonotonic;
}

// `end_s`: end of the program. Limits the times of lines that were read after it.
std::vector<TokenRun> runs_of_output(const TimedLines& output, double end_s) {
  std::vector<TokenRun> runs;
  for (const auto& line : output.lines) {
    const std::string_view text = trim(line.text);
    if (!text.starts_with('{') || text.find("\"avg_ns\"") == std::string_view::npos) continue;
    const Json test = parse_result_json(text, "the output of llama-bench");
    runs.push_back(llama_bench_test(test, "the output of llama-bench"));
    place_in_time(test, std::min(line.time_s, end_s), runs.back());
  }
  if (!runs.empty()) return runs;
  runs = parse_token_runs(output.text, "the output of llama-bench");
  for (TokenRun& run : runs) {
    run.notes.emplace_back(
        "the output has no time stamps, so the energy cannot be divided; run llama-bench with -o "
        "jsonl");
  }
  return runs;
}

}  // namespace

void ServerQuestion::check() const {
  if (url.empty()) throw UsageError("--server needs the URL of a server", "");
  require_option(prompt_tokens >= 1 && prompt_tokens <= 1 << 20, "prompt_tokens", prompt_tokens,
                 "1 to 1048576");
  require_option(output_tokens >= 1 && output_tokens <= 1 << 20, "output_tokens", output_tokens,
                 "1 to 1048576");
  require_option(concurrency >= 1 && concurrency <= 1024, "concurrency", concurrency, "1 to 1024");
  require_option(requests >= 1 && requests <= 1000000, "requests", requests, "1 to 1000000");
  require_option(warm_up >= 0 && warm_up <= 1000000, "warm_up", warm_up, "0 to 1000000");
  require_option(timeout_s > 0 && timeout_s <= 1e6, "timeout_s", timeout_s, "more than 0 s");
  require_option(ready_s > 0 && ready_s <= 1e6, "ready_s", ready_s, "more than 0 s");
}

TokenRun ask_server(const ServerQuestion& question, const std::function<void()>& tick) {
  question.check();
  const ServerClient client(question);
  warm_up(client, question, tick);
  return run_requests(client, question.requests, question.concurrency, new_numbers(question), tick);
}

class ServerProgram::State {
 public:
  State(const std::vector<std::string>& command, const ServerQuestion& question)
      : started_(start_marked_command(command, CommandTie::kEndsWithUs)) {
    try {
      wait_until_ready(command[0], question);
    } catch (...) {
      end();
      throw;
    }
  }
  ~State() { end(); }

 private:
  void wait_until_ready(const std::string& name, const ServerQuestion& question) {
    const Stopwatch waited;
    while (!ServerClient::ready(question)) {
      if (ended())
        throw IoError("the server process ended before it was ready", name,
                      "start it by hand to see why");
      if (waited.s() > question.ready_s) {
        throw IoError(fmt::format("the server was not ready within {:g} s", question.ready_s),
                      question.url);
      }
      check_work();
      sleep_s(2 * kServerTickS);
    }
    if (ended()) {  // another server answers
      throw IoError("the server process ended, but a server answers", name,
                    "is another server running at that address?");
    }
  }
  bool ended() {
    if (!reaped_ && ::waitpid(started_.process, nullptr, WNOHANG) == started_.process) {
      reaped_ = true;
    }
    return reaped_;
  }
  void end() {
    if (ended()) return;
    signal_tree(started_.process, SIGTERM);
    const Stopwatch waited;
    while (!ended()) {
      if (waited.s() > kServerPatienceS) signal_tree(started_.process, SIGKILL);
      sleep_s(0.01);
    }
  }

  StartedCommand started_;
  bool reaped_ = false;
};

ServerProgram::ServerProgram(const std::vector<std::string>& command,
                             const ServerQuestion& question)
    : state_(std::make_unique<State>(command, question)) {}

ServerProgram::~ServerProgram() = default;

TokenMeasurement measure_server(const platform::Sysfs& sysfs, const MeasureOptions& options,
                                const ServerQuestion& question, platform::PowerMeter& meter) {
  question.check();
  MeasureOptions checked = options;
  if (checked.command.empty()) checked.command = {question.url};
  checked.check();
  std::unique_ptr<ServerProgram> program;
  if (!options.command.empty())
    program = std::make_unique<ServerProgram>(options.command, question);
  const ServerClient client(question);
  warm_up(client, question, {});
  Recording recording(sysfs, meter, checked);
  if (recording.has_power() || !checked.meter.empty()) let_idle(checked.idle_s, recording);
  recording.begin();
  TokenMeasurement result;
  Measurement& measurement = result.measurement;
  measurement.begin_s = monotonic_s();
  result.runs.push_back(run_requests(client, question.requests, question.concurrency,
                                     new_numbers(question), [&] { recording.drain(); }));
  measurement.end_s = monotonic_s();
  add_costs_of(recording, checked.window, measurement, result.runs, {});
  return result;
}

TokenMeasurement measure_llama_bench(const platform::Sysfs& sysfs, const MeasureOptions& options,
                                     platform::PowerMeter& meter) {
  options.check();
  Recording recording(sysfs, meter, options);
  if (recording.has_power() || !options.meter.empty()) let_idle(options.idle_s, recording);
  recording.begin();
  TimedLines output;
  const CommandRun run = run_marked_command(
      options.command,
      [&](const auto&) {
        recording.drain();
        return true;
      },
      output.descriptor());
  output.end();
  TokenMeasurement result;
  Measurement& measurement = result.measurement;
  measurement.status = run.status;
  measurement.begin_s = run.begin_s;
  measurement.end_s = run.end_s;
  measurement.user_s = run.user_s;
  measurement.system_s = run.system_s;
  measurement.peak_memory_bytes = run.peak_memory_bytes;
  measurement.io = run.io;
  if (run.status == 0) result.runs = runs_of_output(output, run.end_s);
  add_costs_of(recording, options.window, measurement, result.runs, run.marks);
  return result;
}

std::vector<TokenRun> marked_token_runs(const Measurement& measurement) {
  TokenRun run;
  run.source = "marks of the program";
  run.timeline = measurement.token_requests;
  if (run.timeline.empty()) return {};
  const auto& values = measurement.words.values;
  if (const auto prompt = values.find("prompt_tokens"); prompt != values.end()) {
    for (auto& request : run.timeline) {
      if (request.first_s > request.begin_s) request.prompt_tokens = prompt->second;
    }
  }
  run.clock = TokenClock::kMonotonic;
  run.concurrency = 1;
  summarize(run);
  if (measurement.total) {
    run.cost = split_energy(run.timeline, total_of(measurement.traces), measurement.idle_w);
  }
  return {run};
}

}  // namespace ridgewatt::measure
