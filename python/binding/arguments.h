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
#include "ridgewatt/base/quantity.h"
#include "ridgewatt/base/suggest.h"

namespace ridgewatt::python {

// Ranges that several questions have, in SI.
inline constexpr Quantity kWatts = units::watts().positive();
inline constexpr Quantity kIdleWatts = units::watts();
inline constexpr Quantity kSeconds = units::seconds().positive();
inline constexpr Quantity kJoules = units::joules().positive();
inline constexpr Quantity kHertz = units::hertz().positive();
inline constexpr Quantity kClock = units::megahertz().in_si().positive();
inline constexpr Quantity kShare = units::share();
inline constexpr Quantity kSlowdown = units::share().within(0, 1e6);
inline constexpr Quantity kConfidence = units::share().within(0.5, 0.9999);
inline constexpr Quantity kInterval = units::share().within(0.01, 0.999);
inline constexpr Quantity kWeight = units::number();
inline constexpr Quantity kPositive = units::number().positive();
inline constexpr Quantity kBytes = units::bytes();
inline constexpr Quantity kBatches = units::count().within(1, 1 << 20);
inline constexpr Quantity kCounts = units::count().within(1, 1e6);
inline constexpr Quantity kCores = units::count().within(1, 1024);

// The number that a Python object is; UsageError where it is none, or is out of range.
double read_number(const std::string& name, py::handle value, const Quantity& range);
std::int64_t read_whole(const std::string& name, py::handle value, const Quantity& range);
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
  std::optional<double> quantity(const char* name, const Quantity& range);
  double quantity(const char* name, const Quantity& range, double otherwise) {
    return quantity(name, range).value_or(otherwise);
  }
  std::optional<std::int64_t> whole(const char* name, const Quantity& range);
  int whole(const char* name, const Quantity& range, int otherwise) {
    return static_cast<int>(whole(name, range).value_or(otherwise));
  }
  std::vector<int> wholes(const char* name, const Quantity& range);  // one, or a list of them
  std::vector<double> quantities(const char* name, const Quantity& range);  // the same
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
