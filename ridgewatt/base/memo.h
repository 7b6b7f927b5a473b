// Values that are computed when they are first needed, and kept.
//
//   Memo<int, Table> tables;
//   const Table& table = tables.at(16, [&] { return std::make_unique<const Table>(make(16)); });
//
// Any thread may call at(). A key that was used recently takes no lock, so threads that read the
// same few keys do not wait for each other. References stay valid until the memo is destroyed.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <type_traits>
#include <utility>

namespace ridgewatt {

// `Key` is a number or an array of numbers.
template <class Key, class Value>
class Memo {
  static_assert(std::is_trivially_copyable_v<Key>);

 public:
  Memo() = default;
  // No other thread may use `other`.
  Memo(Memo&& other) noexcept : known_(std::move(other.known_)) {}

  // Returns the value of `key`. If it is not known, calls `make`, which returns a pointer to it.
  // `make` runs under the lock, once per key, and must not call at() of the same memo.
  template <class Make>
  const Value& at(const Key& key, const Make& make) const {
    std::atomic<const Entry*>& recent = recent_[slot(key)];
    const Entry* entry = recent.load(std::memory_order_acquire);
    if (entry == nullptr || entry->first != key) {
      entry = &find(key, make);
      recent.store(entry, std::memory_order_release);
    }
    return *entry->second;
  }

 private:
  using Entry = std::pair<const Key, std::unique_ptr<const Value>>;
  static constexpr std::size_t kSlots = 128;  // chosen: 1 KB; the clocks of most boards fit

  static std::size_t slot(const Key& key) {
    const std::string_view bytes(reinterpret_cast<const char*>(&key), sizeof key);
    return std::hash<std::string_view>()(bytes) % kSlots;
  }

  template <class Make>
  const Entry& find(const Key& key, const Make& make) const {
    const std::lock_guard lock(mutex_);
    const auto known = known_.find(key);
    if (known != known_.end()) return *known;
    return *known_.emplace(key, make()).first;
  }

  mutable std::mutex mutex_;
  mutable std::map<Key, std::unique_ptr<const Value>> known_;
  mutable std::array<std::atomic<const Entry*>, kSlots> recent_{};
};

}  // namespace ridgewatt
