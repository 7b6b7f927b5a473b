// Numbers in sentences for people: sentence() is fmt::format, but a number has no exponent from
// 0.001 to 1e15.
//
//   sentence("{:.3g} ms", 1034.2);  // "1034 ms", where fmt::format gives "1.03e+03 ms"
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <string_view>
#include <type_traits>

namespace ridgewatt {

struct SentenceNumber {
  explicit SentenceNumber(double number) : value(number) {}
  double value = 0;
};

template <class T>
using SentencePart = std::conditional_t<std::is_floating_point_v<T>, SentenceNumber, const T&>;

template <class... Args>
std::string sentence(fmt::format_string<SentencePart<Args>...> text, const Args&... args) {
  return fmt::format(text, SentencePart<Args>(args)...);
}

}  // namespace ridgewatt

template <>
struct fmt::formatter<ridgewatt::SentenceNumber> : fmt::formatter<double> {
  constexpr auto parse(fmt::format_parse_context& context) {
    const auto* const begin = context.begin();
    const auto* const end = fmt::formatter<double>::parse(context);
    specs_ = {begin, static_cast<std::size_t>(end - begin)};
    return end;
  }
  template <class Context>
  auto format(const ridgewatt::SentenceNumber& number, Context& context) const {
    constexpr double kMost = 1e15;  // above it, not every whole number is a double
    const std::string format = "{:" + std::string(specs_) + "}";
    std::string text = fmt::format(fmt::runtime(format), number.value);
    const double size = std::abs(number.value);
    if (size >= 1 && size < kMost && text.find('e') != std::string::npos) {
      text = fmt::format("{:.0f}", number.value);
    }
    return fmt::format_to(context.out(), "{}", text);
  }

 private:
  std::string_view specs_;
};
