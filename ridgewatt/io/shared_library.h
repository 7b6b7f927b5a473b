// Libraries that are opened at run time, if they are installed: NVML, XGBoost, the CUDA
// microbenchmarks. The statically linked build (docs/guide/old_boards.md) opens none and reports
// that.
//
//   void* handle = open_library("libnvidia-ml.so.1");
//   if (handle == nullptr) throw NotSupportedError(no_library("libnvidia-ml.so.1"));
#pragma once

#include <string>

namespace ridgewatt {

// The handle for dlsym; null if there is no such library or this build opens none.
void* open_library(const std::string& path);
// The reason why open_library returned null: "PATH is not installed", or that this build opens no
// libraries.
std::string no_library(const std::string& path);

}  // namespace ridgewatt
