// What is held for a run in addition to a power mode, and taken back after it: the fan, the page
// cache.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ridgewatt/measure/live_profiler.h"
#include "ridgewatt/pipeline/page_cache.h"
#include "ridgewatt/platform/mode_control.h"

namespace ridgewatt::measure {

// "fan at full speed", "page cache without /data/samples": for reports.
std::vector<std::string> condition_words(bool full_fan, const CacheOptions& cache);

// What the page cache holds of files when a run begins.
class RunCache {
 public:
  // Throws NotFoundError for a path without files.
  explicit RunCache(const CacheOptions& options);
  void prepare() const;  // before each run

 private:
  CacheOptions options_;
  std::unique_ptr<pipeline::PageCacheState> state_;
};

// The fan at full speed as long as this lives; journaled like a mode, so that a killed program
// leaves no fan behind. NotSupportedError where there is none, PermissionError.
class FullFan {
 public:
  FullFan(platform::Sysfs& sysfs, const std::string& state_folder);
  // Throws IoError when somebody took the fan back.
  void check() { control_.check_safety(); }

 private:
  platform::JetsonModeControl control_;
};

}  // namespace ridgewatt::measure
