// The hash FNV-1a of Fowler, Noll and Vo, with 32 or 64 bits. It finds texts that differ, but does
// not protect against an attack. Files and stores hold its values, so it must not change.
//
//   fnv1a("foobar");                     // 0x85944171f73967e8
//   fnv1a<std::uint32_t>("foobar");      // 0xbf9cf968
//   fnv1a("bar", fnv1a("foo"));          // continues: the hash of "foobar"
#pragma once

#include <cstdint>
#include <string_view>

namespace ridgewatt {

template <class Word>
struct Fnv1a;
template <>
struct Fnv1a<std::uint32_t> {
  static constexpr std::uint32_t kStart = 0x811c9dc5U, kPrime = 0x01000193U;
};
template <>
struct Fnv1a<std::uint64_t> {
  static constexpr std::uint64_t kStart = 0xcbf29ce484222325U, kPrime = 0x100000001b3U;
};

template <class Word = std::uint64_t>
constexpr Word fnv1a(std::string_view text, Word hash = Fnv1a<Word>::kStart) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * Fnv1a<Word>::kPrime;
  return hash;
}

}  // namespace ridgewatt
