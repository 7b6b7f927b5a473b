#include "ridgewatt/measure/run_conditions.h"

namespace ridgewatt::measure {

std::vector<std::string> condition_words(bool full_fan, const CacheOptions& cache) {
  std::vector<std::string> words;
  if (full_fan) words.emplace_back("fan at full speed");
  if (cache.start == CacheOptions::Start::kFilled) words.push_back("page cache with " + cache.path);
  if (cache.start == CacheOptions::Start::kDropped) {
    words.push_back("page cache without " + cache.path);
  }
  return words;
}

RunCache::RunCache(const CacheOptions& options) : options_(options) {
  if (options.start == CacheOptions::Start::kAsItIs) return;
  state_ = std::make_unique<pipeline::PageCacheState>(pipeline::files_below(options.path));
}

void RunCache::prepare() const {
  if (options_.start == CacheOptions::Start::kFilled) state_->fill();
  if (options_.start == CacheOptions::Start::kDropped) state_->drop();
}

FullFan::FullFan(platform::Sysfs& sysfs, const std::string& state_folder)
    : control_(sysfs, {.state_folder = state_folder, .full_fan = true}) {
  control_.apply(PowerMode{});
}

}  // namespace ridgewatt::measure
