// Conditions of a run in addition to the power mode: fan speed and content of the page cache. They
// are undone after the run.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ridgewatt/measure/live_profiler.h"
#include "ridgewatt/pipeline/page_cache.h"
#include "ridgewatt/platform/mode_control.h"

namespace ridgewatt::measure {

// The conditions in words for a report: "fan at full speed", "page cache without /data/samples".
std::vector<std::string> condition_words(bool full_fan, const CacheOptions& cache);

// Fills the page cache with files, or drops them from it, before each run.
class RunCache {
 public:
  // Throws NotFoundError if there is no file at the path.
  explicit RunCache(const CacheOptions& options);
  void prepare() const;  // call before each run

 private:
  CacheOptions options_;
  std::unique_ptr<pipeline::PageCacheState> state_;
};

// Sets the fan to full speed until this object is destroyed. The original speed is recorded in the
// mode journal, so it is restored even if the program is killed. Throws NotSupportedError without a
// fan and PermissionError.
class FullFan {
 public:
  FullFan(platform::Sysfs& sysfs, const std::string& state_folder);
  // Throws IoError if another program has changed the fan speed.
  void check() { control_.check_safety(); }

 private:
  platform::JetsonModeControl control_;
};

}  // namespace ridgewatt::measure
