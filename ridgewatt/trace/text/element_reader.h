// Reads JSON one element of a long array at a time, in bounded memory, and accepts names that
// trtexec writes without escapes.
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
  // A quote ends a text only if the object or the array continues after it; a backslash that is not
  // part of an escape is literal. Escaped text reads the same.
  kRaw,
};

class ElementReader {
 public:
  // `input` must outlive this.
  ElementReader(TraceInput& input, Quotes quotes) : input_(input), quotes_(quotes) {}

  // Switches to escaped text, as seen in the input.
  void trust_quotes() { quotes_ = Quotes::kEscaped; }
  // The first `count` bytes that are not blank, or fewer at the end; nothing is consumed.
  std::string_view begins_with(std::size_t count);
  // Calls `use` with every element of the top-level array, or of the array under `key` in the
  // top-level object. Returns false if the object has no such array. Throws InputError with the
  // byte position if the text is not JSON, is cut off, is nested too deep, or has an element that
  // is too large.
  bool for_each(std::string_view key, const std::function<void(const Json&)>& use);

 private:
  enum class Within { kObject, kArray };
  int peek(std::size_t ahead = 0);  // -1: the end
  int take();
  int skip_blanks();                           // returns the next byte, not consumed
  std::size_t blanks_from(std::size_t ahead);  // offset of the next byte that is not blank
  void expect(char wanted);
  bool next_of(char end);  // after an element: true if another follows
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
  [[noreturn]] void fail(const std::string& what) const;

  TraceInput& input_;
  Quotes quotes_;
  std::vector<char> buffer_;
  std::size_t at_ = 0;      // in the buffer
  std::size_t before_ = 0;  // bytes of the input before the buffer
  bool ended_ = false;
  std::size_t spent_ = 0;  // of the element's bound
};

}  // namespace ridgewatt::trace
