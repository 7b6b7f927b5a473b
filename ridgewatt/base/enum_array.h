// An array with one entry per value of an enum, indexed by the enum without casts.
//
//   using KnobArray = EnumArray<Knob, T, 4>;   // the enum has the values 0, 1, 2, 3
//   KnobArray<double> clocks{{0, 1.1e9, 6e8, 2.1e9}};
//   clocks[Knob::kGpuClock] = 7e8;
#pragma once

#include <cstddef>

#pragma GCC visibility push(default)

namespace ridgewatt {

template <class Enum, class T, std::size_t kCount>
struct EnumArray {  // NOLINT(readability-identifier-naming): the loop variable of its implicit copy
  T entries[kCount];

  constexpr T& operator[](Enum index) { return entries[static_cast<std::size_t>(index)]; }
  constexpr const T& operator[](Enum index) const {
    return entries[static_cast<std::size_t>(index)];
  }
  static constexpr std::size_t size() { return kCount; }
  constexpr T* begin() { return entries; }
  constexpr T* end() { return entries + kCount; }
  constexpr const T* begin() const { return entries; }
  constexpr const T* end() const { return entries + kCount; }
  bool operator==(const EnumArray&) const = default;
};

}  // namespace ridgewatt

#pragma GCC visibility pop
