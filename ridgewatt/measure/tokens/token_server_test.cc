// Tests against examples/language_models/stand_in_server.py. It implements the protocols without a
// model, and logs the times of its tokens and the power of the simulated board.
#include "ridgewatt/measure/token_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <sstream>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/io/free_port_support.h"
#include "ridgewatt/io/shared_library.h"
#include "ridgewatt/measure/tokens/server_client.h"
#include "ridgewatt/platform/fake_board_support.h"
#include "ridgewatt/platform/fake_load.h"

namespace ridgewatt::measure {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

constexpr char kTokenPython[] = "/usr/bin/python3";

class TokenServer : public ::testing::Test {
 protected:
  void SetUp() override {
    if (::access(kTokenPython, X_OK) != 0) GTEST_SKIP() << "skipped: no python3";
    if (open_library("libcurl.so.4") == nullptr) GTEST_SKIP() << "skipped: no libcurl4";
  }
  std::vector<std::string> server(std::vector<std::string> options) const {
    std::vector<std::string> command = {
        kTokenPython,
        (testing::source_folder() / "examples/language_models/stand_in_server.py").string(),
        "--port",
        port_,
        "--log",
        log()};
    command.insert(command.end(), options.begin(), options.end());
    return command;
  }
  ServerQuestion question() const {
    ServerQuestion question;
    question.url = "http://127.0.0.1:" + port_;
    question.prompt_tokens = 200;
    question.output_tokens = 21;
    question.requests = 3;
    question.warm_up = 0;
    return question;
  }
  std::string log() const { return (folder_.path() / "log").string(); }
  // The server's log: start, first and last token of each request, and the changes of power as
  // multiples of the idle power.
  struct Known {
    struct Change {
      double begin_s = 0, end_s = 0, factor = 1;
    };
    std::vector<TokenRequest> requests;
    std::vector<Change> changes;

    // Energy of a window in units of the idle power. Adds to `open` the uncertainty from the
    // duration of the changes.
    double energy(double begin_s, double end_s, double& open) const {
      double sum = 0, last_s = begin_s, factor = 1;
      for (const Change& change : changes) {
        const double at_s = std::clamp(change.begin_s, last_s, end_s);
        sum += factor * (at_s - last_s);
        if (change.end_s > begin_s && change.begin_s < end_s) {
          open += std::abs(change.factor - factor) * (change.end_s - change.begin_s);
        }
        last_s = at_s, factor = change.factor;
      }
      return sum + factor * (end_s - last_s);
    }
  };
  Known known() const {
    Known all;
    std::istringstream lines(read_file(log()));
    std::string what;
    while (lines >> what) {
      double a = 0, b = 0, c = 0;
      lines >> a >> b >> c;
      if (what == "request") {
        all.requests.push_back({a, b, c, 0, 0, {}});
      } else {
        all.changes.push_back({a, b, c});
      }
    }
    return all;
  }
  testing::TemporaryFolder folder_;
  const std::string port_ = std::to_string(testing::free_port());
};

// label: waits
TEST_F(TokenServer, TimesAndEnergiesOfBothPhases) {
  const testing::FakeBoard board("agx-orin");
  platform::FakeRails(*board.sysfs).set(6);
  MeasureOptions options;
  options.idle_s = 0.5;
  options.command = server({"--prompt-ms", "2", "--token-ms", "20", "--sysroot", board.root,
                            "--prefill-power", "5", "--decode-power", "3"});
  platform::PowerMeter meter(*board.sysfs);
  const auto measured = measure_server(*board.sysfs, options, question(), meter);
  ASSERT_EQ(measured.runs.size(), 1u);
  const TokenRun& run = measured.runs[0];
  EXPECT_EQ(run.engine, "llama.cpp");
  EXPECT_EQ(run.quantization, "q4_k_m");
  EXPECT_EQ(run.prompt_tokens, 200);
  EXPECT_EQ(run.output_tokens, 21);
  const Known server_says = known();
  ASSERT_EQ(server_says.requests.size(), 3u);
  ASSERT_EQ(run.timeline.size(), 3u);
  // The client's time stamp cannot be earlier than the server's. The load of the machine determines
  // the delay.
  double ttft_s = 0, tpot_s = 0, prefill = 0, decode = 0, prefill_open = 0, decode_open = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const TokenRequest& ours = run.timeline[i];
    const TokenRequest& theirs = server_says.requests[i];
    EXPECT_LE(ours.begin_s, theirs.begin_s);
    EXPECT_GE(ours.first_s, theirs.first_s - 1e-3);
    EXPECT_GE(ours.first_s, ours.begin_s + 0.4 - 1e-3);
    EXPECT_GE(ours.end_s, theirs.end_s - 1e-3);
    EXPECT_EQ(ours.token_times_s.size(), 21u);
    ttft_s += (ours.first_s - ours.begin_s) / 3;
    tpot_s += (ours.end_s - ours.first_s) / 20 / 3;
    prefill += server_says.energy(ours.begin_s, ours.first_s, prefill_open);
    decode += server_says.energy(ours.first_s, ours.end_s, decode_open);
  }
  EXPECT_NEAR(run.ttft->mean_s, ttft_s, 1e-9);
  EXPECT_NEAR(run.tpot->mean_s, tpot_s, 1e-9);
  // The energy of the board in the client's windows must agree within the stated bound and the
  // rounding of the sensor (2 %).
  ASSERT_TRUE(run.cost);
  const TokenCost& cost = *run.cost;
  EXPECT_NEAR(*cost.idle_w, 6, 0.05);
  EXPECT_NEAR(cost.prefill.energy_j, 6 * prefill,
              cost.prefill.error_j + 6 * prefill_open + 0.02 * cost.prefill.energy_j);
  EXPECT_NEAR(cost.decode.energy_j, 6 * decode,
              cost.decode.error_j + 6 * decode_open + 0.02 * cost.decode.energy_j);
  std::cout << "prefill " << cost.prefill.energy_j << " J, known " << 6 * prefill << ", bound "
            << cost.prefill.error_j << "; decode " << cost.decode.energy_j << " J, known "
            << 6 * decode << ", bound " << cost.decode.error_j << "\n";
  EXPECT_EQ(run.cost->decoded_tokens, 60);
  EXPECT_EQ(run.cost->both.time_s, 0);
  EXPECT_THAT(
      run.notes,
      Contains(HasSubstr("the server itself states 400 ms for the prompt and 20 ms per token")));
}

// label: waits
TEST_F(TokenServer, OpenAiProtocolsAndRequestsAtOnce) {
  for (const TokenApi api : {TokenApi::kAuto, TokenApi::kOpenAiChat}) {
    ServerQuestion asked = question();
    asked.api = api;
    asked.concurrency = 3;
    asked.requests = 6;
    const ServerProgram program(
        server({"--api", "openai", "--prompt-ms", "0.5", "--token-ms", "5"}), asked);
    const TokenRun run = ask_server(asked);
    EXPECT_EQ(run.engine, "vllm");
    EXPECT_EQ(run.model, "stand-in-q4_k_m.gguf");
    EXPECT_EQ(run.requests, 6u);
    EXPECT_EQ(run.failed, 0u);
    EXPECT_EQ(run.prompt_tokens, 200);
    EXPECT_EQ(run.output_tokens, 21);
    EXPECT_GT(run.tpot->mean_s, 0.0049);
    EXPECT_GT(run.ttft->mean_s, 0.099);
    EXPECT_TRUE(run.notes.empty()) << run.notes[0];
  }
}

// label: waits
TEST_F(TokenServer, RequestsThatFailAreCounted) {
  ServerQuestion asked = question();
  asked.requests = 4;
  {
    const ServerProgram program(server({"--fail-every", "2", "--token-ms", "1"}), asked);
    const TokenRun run = ask_server(asked);
    EXPECT_EQ(run.requests, 2u);
    EXPECT_EQ(run.failed, 2u);
  }
  const ServerProgram program(server({"--fail-every", "1"}), asked);
  try {
    ask_server(asked);
    FAIL() << "all failed";
  } catch (const IoError& error) {
    EXPECT_THAT(error.what(), HasSubstr("status 500"));
    EXPECT_THAT(error.what(), HasSubstr("set to fail"));
  }
}

// label: waits
TEST_F(TokenServer, KeySlotsAndStatedQuantization) {
  ServerQuestion asked = question();
  asked.concurrency = 3;
  const ServerProgram program(
      server({"--api-key", "secret", "--slots", "2", "--model", "m.gguf", "--ftype",
              "Q4_K - Medium", "--token-ms", "1", "--cached", "50"}),
      asked);
  try {
    ask_server(asked);
    FAIL() << "no key";
  } catch (const IoError& error) {
    EXPECT_THAT(error.what(), HasSubstr("status 401"));
  }
  asked.api_key = "secret";
  for (const TokenApi api : {TokenApi::kAuto, TokenApi::kOpenAi}) {
    asked.api = api;
    const TokenRun run = ask_server(asked);
    EXPECT_EQ(run.engine, "llama.cpp");
    EXPECT_EQ(run.quantization, "q4_k_m");
    EXPECT_EQ(run.failed, 0u);
    EXPECT_THAT(run.notes, Contains(HasSubstr("took 150 of 600 prompt tokens from its cache")));
    const auto waits = Contains(HasSubstr("works on only 2 requests at a time"));
    if (api == TokenApi::kAuto) {
      EXPECT_THAT(run.notes, waits);
    } else {
      EXPECT_THAT(run.notes, ::testing::Not(waits));
    }
  }
}

TEST_F(TokenServer, ServersThatAreNotThere) {
  ServerQuestion asked = question();
  EXPECT_THROW(ask_server(asked), IoError);
  EXPECT_THROW(ServerProgram({"/bin/false"}, asked), IoError);
  asked.ready_s = 0.2;
  EXPECT_THROW(ServerProgram({"/bin/sleep", "100"}, asked), IoError);
  asked.url = "file:///etc/passwd";
  EXPECT_THROW(ask_server(asked), UsageError);
  asked.requests = 0;
  EXPECT_THROW(asked.check(), UsageError);
}

// A shell script replaces llama-bench. It prints the lines of a test when the test is over.
// label: waits
TEST(TokenBench, RepetitionsArePlacedInTime) {
  const testing::FakeBoard board("orin-nano");
  platform::FakeRails(*board.sysfs).set(8);
  MeasureOptions options;
  options.idle_s = 0;
  const std::string lines =
      R"(sleep 0.4; echo '{"model_filename": "m-Q8_0.gguf", "n_prompt": 64, "n_gen": 0, "avg_ns": 150000000, "samples_ns": [ 150000000, 150000000 ]}'; )"
      R"(sleep 0.3; echo '{"model_filename": "m-Q8_0.gguf", "n_prompt": 0, "n_gen": 10, "n_depth": 64, "avg_ns": 200000000, "samples_ns": [ 200000000 ]}')";
  options.command = {"/bin/sh", "-c", lines};
  platform::PowerMeter meter(*board.sysfs);
  const auto measured = measure_llama_bench(*board.sysfs, options, meter);
  ASSERT_EQ(measured.runs.size(), 2u);
  const TokenCost& prompt = *measured.runs[0].cost;
  const TokenCost& answer = *measured.runs[1].cost;
  EXPECT_NEAR(prompt.prefill.time_s, 0.3, 1e-9);
  EXPECT_NEAR(prompt.prefill.energy_j, 8 * 0.3, 0.02);
  EXPECT_EQ(prompt.decode.time_s, 0);
  EXPECT_NEAR(answer.decode.time_s, 0.2, 1e-9);
  EXPECT_NEAR(answer.joules_per_token()->energy_j, 8 * 0.02, 0.002);
  EXPECT_GE(measured.runs[0].timeline[0].begin_s, measured.measurement.begin_s);
  EXPECT_LE(measured.runs[1].timeline[0].end_s, measured.measurement.end_s);
  const auto joined = with_joined_phases(measured.runs);
  ASSERT_EQ(joined.size(), 1u);
  EXPECT_NEAR(joined[0].cost->prefill.power_w(), 8, 0.05);
  EXPECT_NEAR(joined[0].cost->decode.power_w(), 8, 0.05);
  // The reader accepts another layout, but without times of the repetitions. It rejects text
  // without results.
  options.command[2] = "printf '| model | test | t/s |\\n| llama 1B Q8_0 | tg8 | 40 |\\n'";
  const auto table = measure_llama_bench(*board.sysfs, options, meter);
  EXPECT_FALSE(table.runs.at(0).cost);
  EXPECT_THAT(table.runs[0].notes, Contains(HasSubstr("-o jsonl")));
  options.command[2] = "echo nothing";
  EXPECT_THROW(measure_llama_bench(*board.sysfs, options, meter), InputError);
  options.command[2] = "exit 3";
  EXPECT_EQ(measure_llama_bench(*board.sysfs, options, meter).measurement.status, 3);
}

// label: waits
TEST(TokenMarks, PhasesOfAProgram) {
  if (::access(kTokenPython, X_OK) != 0) GTEST_SKIP() << "skipped: no python3";
  const testing::FakeBoard board("orin-nano");
  platform::FakeRails(*board.sysfs).set(8);
  MeasureOptions options;
  options.idle_s = 0;
  // The marks state their own time, because their arrival depends on the load of the machine.
  options.command = {
      kTokenPython, "-c",
      "import os, time\n"
      "def m(text): os.write(int(os.environ['RIDGEWATT_MARK_FD']), "
      "f'{text} {time.monotonic():.6f}\\n'.encode())\n"
      "os.write(int(os.environ['RIDGEWATT_MARK_FD']), b'value prompt_tokens 32\\n')\n"
      "m('begin prefill'); time.sleep(0.2); m('end prefill'); m('begin decode')\n"
      "for i in range(4): time.sleep(0.05); m('minibatch')\n"
      "m('end decode')\n"};
  const auto runs = marked_token_runs(measure_command(*board.sysfs, options));
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].prompt_tokens, 32);
  EXPECT_EQ(runs[0].output_tokens, 5);
  EXPECT_GE(runs[0].ttft->mean_s, 0.199);
  EXPECT_GE(runs[0].tpot->mean_s, 0.049);
  EXPECT_NEAR(runs[0].cost->decode.power_w(), 8, 0.05);
  EXPECT_EQ(runs[0].cost->decoded_tokens, 4);
  options.command[2] = "";
  EXPECT_TRUE(marked_token_runs(measure_command(*board.sysfs, options)).empty());
}

}  // namespace
}  // namespace ridgewatt::measure
