// Work shared between threads such that the result cannot depend on how many there are.
#pragma once

#include <cstddef>
#include <functional>

namespace ridgewatt {

// Processors that this process may use, at least 1.
int available_threads();

// Calls body(i) once for every i in [0, count), on up to `threads` threads (0: all available).
// Bodies must not depend on each other. The exception of the lowest failing i is rethrown. Between
// bodies, and while it waits for those of others, the watch of the calling thread is asked
// (base/progress.h); when it ends the work, bodies of other threads end where they ask.
void parallel_for(std::size_t count, const std::function<void(std::size_t)>& body, int threads = 0);

}  // namespace ridgewatt
