#include "ridgewatt/campaign/engine/program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/fd.h"
#include "ridgewatt/base/process.h"
#include "ridgewatt/base/text.h"

namespace ridgewatt::campaign {
namespace {

constexpr std::size_t kMostErrors = std::size_t{64} << 20;

}  // namespace

std::string ProgramOutput::line() const {
  const std::string_view text = trim(trim(errors).empty() ? output : errors);
  return std::string(text.substr(0, std::min(text.find('\n'), std::size_t{300})));
}

ProgramOutput run_program(const std::vector<std::string>& words, const std::string& input,
                          double patience_s) {
  const ChildResult said =
      run_child({.words = words, .without = {"PGPASSWORD"}},
                {.input = input, .time_s = patience_s, .errors_bytes = kMostErrors});
  if (said.end == ChildEnd::kTooLate) {
    throw IoError(fmt::format("does not answer within {:g} s", patience_s), words[0],
                  "run it by hand to see why");
  }
  if (said.end == ChildEnd::kTooLarge)
    throw IoError("the output of the command is larger than 64 MiB", words[0]);
  return {said.end == ChildEnd::kSignaled ? 128 + said.status : said.status, said.output,
          said.errors};
}

std::string ask_program(const std::vector<std::string>& words, const std::string& input) {
  const auto result = run_program(words, input);
  if (result.status != 0) {
    throw IoError(fmt::format("{} ended with status {}", words[0], result.status), result.line());
  }
  return result.output;
}

int start_program(const std::vector<std::string>& words, const std::string& log) {
  const OwnedFd file(::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!file) throw_errno(errno, "cannot write", log);
  return ChildProcess({.words = words,
                       .output = file.get(),
                       .errors = file.get(),
                       .group = ChildGroup::kSession})
      .release();
}

long long process_start(int process) {
  const OwnedFd file(::open(fmt::format("/proc/{}/stat", process).c_str(), O_RDONLY | O_CLOEXEC));
  char text[1024] = {};
  if (!file || ::read(file.get(), text, sizeof text - 1) <= 0) return 0;
  const std::string_view line(text);
  const auto close = line.rfind(')');  // the name may contain any character
  if (close == std::string_view::npos) return 0;
  const auto words = words_of(line.substr(close + 1));
  if (words.size() < 20 || words[0] == "Z" || words[0] == "X") return 0;
  return parse_int(words[19]).value_or(0);
}

}  // namespace ridgewatt::campaign
