// Distributes work over threads so that the result does not depend on the number of threads.
#pragma once

#include <cstddef>
#include <functional>

namespace ridgewatt {

// Returns the number of processors that this process may use, at least 1.
int available_threads();

// Calls body(i) once for each i in [0, count), on up to `threads` threads (0: all available). The
// calls must be independent of each other. If calls throw, rethrows the exception of the lowest i.
// Between calls and while it waits, the calling thread calls its WatchedWork (base/progress.h). If
// that throws, the other threads end at their next check_work().
void parallel_for(std::size_t count, const std::function<void(std::size_t)>& body, int threads = 0);

}  // namespace ridgewatt
