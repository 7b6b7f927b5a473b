// What a measured program reports about itself, on the descriptor in $RIDGEWATT_MARK_FD, one line
// each; TIME is CLOCK_MONOTONIC in seconds and may be left out (then the time of arrival counts):
//   minibatch [TIME]     a minibatch ended
//   fetched [TIME]       its data had come: the time since the last minibatch is fetch stall
//   begin NAME [TIME]    a phase (load, warm-up, infer, ..) begins
//   end NAME [TIME]
//   note TEXT            in words, for the report: "runs on the CPU"
//   value NAME NUMBER    a number of the program's own: accuracy
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
  std::string name;  // of a phase
  double time_s = 0;
};

// What a program reports about itself in addition to its marks. Notes are there once each; of a
// value the last number counts.
struct ProgramWords {
  std::vector<std::string> notes;
  std::map<std::string, double> values;
};

// Puts lines together from pieces as they arrive. Lines that are not a mark, or whose time is not
// within [start, arrival], are counted and skipped; memory is bounded.
class MarkReader {
 public:
  explicit MarkReader(double start_s) : start_s_(start_s) {}
  void add(std::string_view piece, double arrival_s);
  const std::vector<TimedMark>& marks() const { return marks_; }
  const ProgramWords& words() const { return words_; }
  // Hands them over, so that a reader of days holds none.
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

struct MarkedMinibatch {
  double begin_s = 0;
  double end_s = 0;
  double fetch_s = 0;    // of it; 0 when the program does not mark it
  double energy_j = 0;   // 0 without a power source
  bool slow = false;     // against the others of its window; it counts all the same
  std::string excluded;  // the outside cause for which it does not count; empty: it counts
  double time_s() const { return end_s - begin_s; }
};
// The first minibatch is not counted: it has no beginning, and warms up.
std::vector<MarkedMinibatch> minibatches_of(const std::vector<TimedMark>& marks);

struct PhaseSpan {
  std::string name;
  double begin_s = 0;
  double end_s = 0;
};
// In order of their beginning; a phase that never ended ends at `end_s`.
std::vector<PhaseSpan> phases_of(const std::vector<TimedMark>& marks, double end_s);

}  // namespace ridgewatt::measure
