// The hash FNV-1a of Fowler, Noll and Vo, with 32 or 64 bits. It detects that texts differ, but
// does not protect against an attack. Files and stores hold its values, so it must not change.
//
//   fnv1a("foobar");                     // 0x85944171f73967e8
//   fnv1a<std::uint32_t>("foobar");      // 0xbf9cf968
//   fnv1a("bar", fnv1a("foo"));          // continues: the hash of "foobar"
#pragma once

#include <cstdint>
#include <string_view>

namespace ridgewatt {

template <class Word>
inline constexpr Word kFnvStart = static_cast<Word>(sizeof(Word) == 4 ? 0x811c9dc5ULL
                                                                      : 0xcbf29ce484222325ULL);
template <class Word>
inline constexpr Word kFnvPrime = static_cast<Word>(sizeof(Word) == 4 ? 0x01000193ULL
                                                                      : 0x100000001b3ULL);

template <class Word = std::uint64_t>
constexpr Word fnv1a(std::string_view text, Word hash = kFnvStart<Word>) {
  static_assert(sizeof(Word) == 4 || sizeof(Word) == 8);
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * kFnvPrime<Word>;
  return hash;
}

}  // namespace ridgewatt
