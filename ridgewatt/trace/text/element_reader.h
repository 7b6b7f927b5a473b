// Reads JSON one element of a long array at a time, in bounded memory. Accepts names that trtexec
// writes without escapes.
//
//   ElementReader reader(input, Quotes::kRaw);
//   reader.for_each("Layers", [&](const Json& layer) { ... });
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/io/json.h"
#include "ridgewatt/trace/text/trace_input.h"

namespace ridgewatt::trace {

enum class Quotes {
  kEscaped,  // as JSON requires
  // A quote ends a string only if the object or array continues after it. A backslash that does not
  // start an escape is literal. Correctly escaped strings have the same result as with kEscaped.
  kRaw,
};

class ElementReader {
 public:
  // `input` must outlive this.
  ElementReader(TraceInput& input, Quotes quotes) : input_(input), quotes_(quotes) {}

  // Switches to Quotes::kEscaped, for input that is known to be escaped.
  void trust_quotes() { quotes_ = Quotes::kEscaped; }
  // Returns the first `count` bytes that are not blank, or fewer at the end. Consumes nothing.
  std::string_view begins_with(std::size_t count);
  // Calls `use` with every element of the top-level array, or of the array `key` in the top-level
  // object. Returns false if the object has no such array. Throws InputError with the byte position
  // if the text is not JSON, is truncated or nested too deeply, or has an element that is too
  // large.
  bool for_each(std::string_view key, const std::function<void(const Json&)>& use);

 private:
  enum class Within { kObject, kArray };
  int peek(std::size_t ahead = 0);  // -1: end of input
  int take();
  int skip_blanks();                           // returns the next byte without consuming it
  std::size_t blanks_from(std::size_t ahead);  // offset of the next byte that is not blank
  void expect(char wanted);
  bool next_of(char end);  // after an element: true if another one follows
  void elements(const std::function<void(const Json&)>& use);
  Json value(Within within, int depth);
  Json object(int depth);
  Json array(int depth);
  Json number_or_word();
  std::string key_text();
  std::string text(Within within, bool key);
  void escape(std::string& into);
  void unicode(std::string& into);
  bool ends_text(std::size_t quote, Within within, bool key);
  void spend(std::size_t bytes);
  [[noreturn]] void fail(std::string_view what) const;

  TraceInput& input_;
  Quotes quotes_;
  std::vector<char> buffer_;
  std::size_t at_ = 0;      // position in the buffer
  std::size_t before_ = 0;  // number of input bytes before the buffer
  bool ended_ = false;
  std::size_t spent_ = 0;  // bytes counted toward the limit of the current element
};

}  // namespace ridgewatt::trace
