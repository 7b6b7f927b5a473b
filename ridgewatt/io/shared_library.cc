#include "ridgewatt/io/shared_library.h"

#ifndef RIDGEWATT_STATIC
#include <dlfcn.h>
#endif

namespace ridgewatt {

#ifdef RIDGEWATT_STATIC
void* open_library(const std::string&) {
  return nullptr;
}

std::string no_library(const std::string& path) {
  return path + " cannot be opened: this build of ridgewatt is linked statically";
}
#else
void* open_library(const std::string& path) {
  return ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
}

std::string no_library(const std::string& path) {
  return path + " is not installed";
}
#endif

}  // namespace ridgewatt
