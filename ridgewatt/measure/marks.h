// What a measured program reports about itself: lines of text on the file descriptor in
// $RIDGEWATT_MARK_FD. TIME is CLOCK_MONOTONIC in seconds; default: the time of arrival.
//   minibatch [TIME]     a minibatch ended
//   fetched [TIME]       the data of the next minibatch arrived: the wait for it is fetch stall
//   begin NAME [TIME]    a phase (load, warm-up, infer, ..) begins
//   end NAME [TIME]      the phase ends
//   note TEXT            a remark for the report: "runs on the CPU"
//   value NAME NUMBER    a result of the program, such as its accuracy
// include/ridgewatt_mark.h and python/ridgewatt/worker.py write these lines.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ridgewatt::measure {

struct TimedMark {
  enum class Kind { kMinibatch, kFetched, kBegin, kEnd };
  Kind kind = Kind::kMinibatch;
  std::string name;  // name of the phase; empty for a minibatch
  double time_s = 0;
};

// Notes and values of a program. Equal notes appear once. For each value, the last number
// counts.
struct ProgramWords {
  std::vector<std::string> notes;
  std::map<std::string, double> values;
};

// Assembles lines from the pieces in which they arrive. A line that is not a valid mark, or whose
// time is outside [start, arrival], is counted and skipped. Memory is bounded.
class MarkReader {
 public:
  explicit MarkReader(double start_s) : start_s_(start_s) {}
  void add(std::string_view piece, double arrival_s);
  const std::vector<TimedMark>& marks() const { return marks_; }
  const ProgramWords& words() const { return words_; }
  // Returns the marks so far and removes them, so that a long run does not accumulate them.
  std::vector<TimedMark> take() { return std::exchange(marks_, {}); }
  std::size_t malformed() const { return malformed_; }

 private:
  void line(std::string_view text, double arrival_s);
  bool take_words(std::string_view text);

  double start_s_;
  std::string rest_;
  std::vector<TimedMark> marks_;
  ProgramWords words_;
  std::size_t malformed_ = 0;
};

// Returns the remark about `count` lines that a MarkReader skipped; none if `count` is 0.
std::vector<std::string> skipped_marks_remarks(std::size_t count);

struct MarkedMinibatch {
  double begin_s = 0;
  double end_s = 0;
  // Time from the beginning until the data arrived; 0 if the program does not mark it.
  double fetch_s = 0;
  double energy_j = 0;   // 0 without a power source
  bool slow = false;     // much slower than the window's median; counts anyway
  std::string excluded;  // external reason why the minibatch does not count; empty: it counts
  double time_s() const { return end_s - begin_s; }
};
// Minibatches from one mark to the next. The first mark only begins a minibatch.
std::vector<MarkedMinibatch> minibatches_of(const std::vector<TimedMark>& marks);

struct PhaseSpan {
  std::string name;
  double begin_s = 0;
  double end_s = 0;
};
// Phases in the order of their beginning. A phase without an end ends at `end_s`.
std::vector<PhaseSpan> phases_of(const std::vector<TimedMark>& marks, double end_s);

}  // namespace ridgewatt::measure
