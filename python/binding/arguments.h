// The keyword arguments of a question, read as the command line reads its options: the same ranges,
// the same words for what is wrong, and the name of the argument in front.
//
//   Arguments asked(kwargs);
//   question.limits.power_w = asked.quantity("max_power_w", watts()).value_or(kNone);
//   question.batches = asked.wholes("batch", kBatches);
//   asked.done();  // UsageError for a name that nobody read
//
// None stands for an argument that is not given. Every fault is a UsageError of one line:
// "max_power_w: must be above 0 W and at most 1000000 W, is -1". All calls need the GIL.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "python/binding/binding.h"
#include "ridgewatt/base/suggest.h"

namespace ridgewatt::python {

// What a number means and where it may lie.
struct Range {
  const char* kind;  // "power", for messages
  const char* unit;  // SI; empty: it has none
  double least, most;
  bool open = false;  // `least` itself is refused
};

// The ranges of the command line's options, in SI.
inline constexpr Range kWatts = {"power", "W", 0, 1e6, true};
inline constexpr Range kIdleWatts = {"power", "W", 0, 1e6};
inline constexpr Range kSeconds = {"duration", "s", 0, 1e9, true};
inline constexpr Range kLoaderSeconds = {"duration", "s", 0, 1e9};
inline constexpr Range kJoules = {"energy", "J", 0, 1e12, true};
inline constexpr Range kHertz = {"rate", "Hz", 0, 1e9, true};
inline constexpr Range kClock = {"clock", "Hz", 0, 1e11, true};
inline constexpr Range kShare = {"share", "", 0, 1};
inline constexpr Range kSlowdown = {"share", "", 0, 1e6};
inline constexpr Range kConfidence = {"share", "", 0.5, 0.9999};
inline constexpr Range kInterval = {"share", "", 0.01, 0.999};
inline constexpr Range kWeight = {"number", "", 0, 1e15};
inline constexpr Range kPositive = {"number", "", 0, 1e15, true};
inline constexpr Range kBytes = {"size", "B", 0, 1e15};
inline constexpr Range kBatches = {"whole number", "", 1, 1 << 20};
inline constexpr Range kCounts = {"whole number", "", 1, 1e6};
inline constexpr Range kCores = {"whole number", "", 1, 1024};

// The number that a Python object is; UsageError where it is none, or is out of range.
double read_number(const std::string& name, py::handle value, const Range& range);
std::int64_t read_whole(const std::string& name, py::handle value, const Range& range);
// A str; where `path`, also what os.fspath() takes. UsageError else, also for an empty one.
std::string read_text(const std::string& name, py::handle value, bool path = false);
// The members of a list, a tuple or an array; UsageError of what is none, or is empty.
std::vector<py::object> read_list(const std::string& name, py::handle value);

class Arguments {
 public:
  explicit Arguments(py::kwargs given) : given_(std::move(given)) {}

  // None where it is not given.
  py::object object(const char* name);
  bool has(const char* name) { return !object(name).is_none(); }
  std::string text(const char* name, const std::string& otherwise = "");
  std::optional<std::string> maybe_text(const char* name);
  std::string path(const char* name);                // "" where it is not given
  std::vector<std::string> texts(const char* name);  // one text, or a list of them
  std::optional<double> quantity(const char* name, const Range& range);
  double quantity(const char* name, const Range& range, double otherwise) {
    return quantity(name, range).value_or(otherwise);
  }
  std::optional<std::int64_t> whole(const char* name, const Range& range);
  int whole(const char* name, const Range& range, int otherwise) {
    return static_cast<int>(whole(name, range).value_or(otherwise));
  }
  std::vector<int> wholes(const char* name, const Range& range);  // one, or a list of them
  std::uint64_t seed();
  bool flag(const char* name);
  std::map<std::string, std::int64_t> dims();  // symbolic extents by name
  template <typename E>
  std::optional<E> choice(const char* name, const std::string& what) {
    const auto given = maybe_text(name);
    return given ? std::optional(parse_word<E>(*given, what)) : std::nullopt;
  }
  void replace(const char* name, const py::object& value) { given_[name] = value; }
  py::object progress();  // a callable or None
  // UsageError for arguments that have no effect then, as the command line refuses options.
  void refuse(std::initializer_list<const char*> names, const std::string& when,
              const std::string& advice = "");
  void done() const;

 private:
  py::kwargs given_;
  std::set<std::string> known_;
};

}  // namespace ridgewatt::python
