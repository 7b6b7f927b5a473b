// Reads the keyword arguments of a question. Ranges and error messages are the same as for options
// of the command line; a message begins with the name of the argument.
//
//   Arguments asked(kwargs);
//   question.limits.power_w = asked.quantity("max_power_w", watts()).value_or(kNone);
//   question.batches = asked.wholes("batch", kBatches);
//   asked.done();  // throws UsageError for an argument that was not read
//
// None means that an argument is not given. Every wrong argument throws a UsageError of one line:
// "max_power_w: must be above 0 W and at most 1000000 W, but is -1". All calls need the GIL.
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

// Ranges that several questions use, in SI units.
inline constexpr Quantity kWatts = units::watts().positive();
inline constexpr Quantity kSeconds = units::seconds().positive();
inline constexpr Quantity kJoules = units::joules().positive();
inline constexpr Quantity kClock = units::megahertz().in_si().positive();
inline constexpr Quantity kShare = units::share();
inline constexpr Quantity kSlowdown = units::share().within(0, 1e6);
inline constexpr Quantity kInterval = units::share().within(0.01, 0.999);
inline constexpr Quantity kWeight = units::number();
inline constexpr Quantity kBytes = units::bytes();
inline constexpr Quantity kBatches = units::count().within(1, 1 << 20);
inline constexpr Quantity kCounts = units::count().within(1, 1e6);
inline constexpr Quantity kCores = units::count().within(1, 1024);

// Converts a Python number. Throws UsageError if `value` is not a number or is out of range.
double read_number(const std::string& name, py::handle value, const Quantity& range);
std::int64_t read_whole(const std::string& name, py::handle value, const Quantity& range);
// Converts a str or, if `path` is true, any object that os.fspath() accepts. Throws UsageError for
// other values and for empty text.
std::string read_text(const std::string& name, py::handle value, bool path = false);
// Returns the members of a list, tuple, range or one-dimensional array. Throws UsageError for other
// values and if there are no members.
std::vector<py::object> read_list(const std::string& name, py::handle value,
                                  const std::string& kind = "list");

class Arguments {
 public:
  explicit Arguments(py::kwargs given) : given_(std::move(given)) {}

  // Returns None if the argument is not given.
  py::object object(const char* name);
  bool has(const char* name) { return !object(name).is_none(); }
  std::string text(const char* name, const std::string& otherwise = "");
  std::optional<std::string> maybe_text(const char* name);
  std::string path(const char* name);                 // empty if it is not given
  std::vector<std::string> texts(const char* name);   // a text or a list
  std::vector<py::object> objects(const char* name);  // an object or a list; empty without a value
  std::optional<double> quantity(const char* name, const Quantity& range);
  double quantity(const char* name, const Quantity& range, double otherwise) {
    return quantity(name, range).value_or(otherwise);
  }
  std::optional<std::int64_t> whole(const char* name, const Quantity& range);
  int whole(const char* name, const Quantity& range, int otherwise) {
    return static_cast<int>(whole(name, range).value_or(otherwise));
  }
  std::vector<int> wholes(const char* name, const Quantity& range);         // a number or a list
  std::vector<double> quantities(const char* name, const Quantity& range);  // a number or a list
  std::uint64_t seed();
  bool flag(const char* name);
  std::map<std::string, std::int64_t> dims();  // sizes of symbolic axes by name
  template <typename E>
  std::optional<E> choice(const char* name, const std::string& what) {
    const auto given = maybe_text(name);
    return given ? std::optional(parse_word<E>(*given, what)) : std::nullopt;
  }
  void replace(const char* name, const py::object& value) { given_[name] = value; }
  py::object progress();  // a callable or None
  // Keeps a remark on the given values for the answer; an empty text is ignored. `warns`: also
  // issues a RuntimeWarning.
  void remark(const std::string& text, bool warns = false);
  const std::vector<std::string>& remarks() const { return remarks_; }
  // Throws UsageError if one of the arguments is given. `when` names the situation in which they
  // have no effect.
  void refuse(std::initializer_list<const char*> names, const std::string& when,
              const std::string& advice = "");
  void done() const;

 private:
  py::kwargs given_;
  std::set<std::string> known_;
  std::vector<std::string> remarks_;
};

}  // namespace ridgewatt::python
