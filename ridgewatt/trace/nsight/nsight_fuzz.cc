// Fuzz target: any bytes, read as a recording of Nsight Systems, end in a result or in an error.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/fd.h"
#include "ridgewatt/trace/layer_trace.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ridgewatt;
  const OwnedFd file(::memfd_create("fuzz", 0));
  if (::write(file.get(), data, size) != static_cast<ssize_t>(size)) return 0;
  try {
    trace::read_layer_trace("/proc/self/fd/" + std::to_string(file.get()));
  } catch (const Error&) {
    return 0;
  }
  return 0;
}
