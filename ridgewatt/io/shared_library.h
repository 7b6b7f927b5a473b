// Opens optional libraries at run time: NVML, XGBoost, the CUDA microbenchmarks. The statically
// linked build (docs/guide/packages.md) opens none; see no_library().
//
//   void* handle = open_library("libnvidia-ml.so.1");
//   if (handle == nullptr) throw NotSupportedError(no_library("libnvidia-ml.so.1"));
#pragma once

#include <string>

namespace ridgewatt {

// Returns the handle for dlsym; null if the library is not installed or this build opens none.
void* open_library(const std::string& path);
// Returns why open_library() returned null: "PATH is not installed", or a note on the static build.
std::string no_library(const std::string& path);

}  // namespace ridgewatt
