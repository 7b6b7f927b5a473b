#include "ridgewatt/measure/watched/code_samples.h"

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <iterator>
#include <sstream>

#include "ridgewatt/base/text.h"
#include "ridgewatt/measure/seen_run.h"

namespace ridgewatt::measure {
namespace {

constexpr std::uint64_t kPeriodNs = 1'000'000;
constexpr std::size_t kDataPages = 4;  // half a second of samples; must be a power of two
constexpr std::uint64_t kFewest = 50;  // samples

std::size_t page_bytes() {
  static const auto bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return bytes;
}
std::size_t ring_bytes() {
  return (1 + kDataPages) * page_bytes();
}

int open_event(pid_t thread) {
  perf_event_attr wanted{};
  wanted.size = sizeof wanted;
  wanted.type = PERF_TYPE_SOFTWARE;
  wanted.config = PERF_COUNT_SW_CPU_CLOCK;
  wanted.sample_period = kPeriodNs;
  wanted.sample_type = PERF_SAMPLE_IP;
  wanted.exclude_kernel = 1;
  wanted.exclude_hv = 1;
  return static_cast<int>(
      ::syscall(SYS_perf_event_open, &wanted, thread, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

std::uint64_t hexadecimal(std::string_view text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return value;
}

bool is_runtime(const std::string& line) {
  return std::any_of(
      std::begin(kKnownLibraries), std::end(kKnownLibraries), [&](const KnownLibrary& library) {
        return library.name != "Python" && line.find(library.file) != std::string::npos;
      });
}

}  // namespace

AddressRanges runtime_code(const std::string& maps) {
  AddressRanges ranges;
  std::istringstream lines(maps);
  std::string line;
  while (std::getline(lines, line)) {
    const auto dash = line.find('-'), space = line.find(' ');
    if (dash == std::string::npos || space == std::string::npos || dash > space) continue;
    if (!is_runtime(line)) continue;
    ranges.emplace_back(hexadecimal(line.substr(0, dash)),
                        hexadecimal(line.substr(dash + 1, space - dash - 1)));
  }
  return ranges;
}

void CodeSamples::Unmap::operator()(void* ring) const {
  ::munmap(ring, ring_bytes());
}

CodeSamples::CodeSamples(pid_t thread) : event_(open_event(thread)) {
  if (!event_) return;
  void* ring = ::mmap(nullptr, ring_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, event_.get(), 0);
  if (ring != MAP_FAILED) ring_.reset(ring);
}

void CodeSamples::take(const AddressRanges& code) {
  if (!ring_) return;
  auto& page = *static_cast<perf_event_mmap_page*>(ring_.get());
  const auto* data = static_cast<const std::byte*>(ring_.get()) + page_bytes();
  const std::uint64_t size = kDataPages * page_bytes();
  // A record consists of 8-byte words: a header and, for a sample, the address.
  const auto word_at = [&](std::uint64_t at) {
    return *reinterpret_cast<const std::uint64_t*>(data + at % size);
  };
  const std::uint64_t head = std::atomic_ref(page.data_head).load(std::memory_order_acquire);
  std::uint64_t at = page.data_tail;
  while (at < head) {
    const std::uint64_t first = word_at(at);
    perf_event_header header{};
    static_assert(sizeof header == sizeof first);
    std::copy_n(reinterpret_cast<const std::byte*>(&first), sizeof first,
                reinterpret_cast<std::byte*>(&header));
    if (header.size == 0) break;
    if (header.type == PERF_RECORD_SAMPLE) {
      const std::uint64_t address = word_at(at + sizeof header);
      ++all_;
      inside_ += std::any_of(code.begin(), code.end(), [&](const auto& range) {
        return address >= range.first && address < range.second;
      });
    }
    at += header.size;
  }
  std::atomic_ref(page.data_tail).store(at, std::memory_order_release);
}

std::optional<double> CodeSamples::runtime_share() const {
  if (all_ < kFewest) return {};
  return static_cast<double>(inside_) / static_cast<double>(all_);
}

}  // namespace ridgewatt::measure
