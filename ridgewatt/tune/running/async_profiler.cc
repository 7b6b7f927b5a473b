#include "ridgewatt/tune/async_profiler.h"

#include "ridgewatt/base/error.h"

namespace ridgewatt::tune {

FinishedRun finished_run(std::size_t run, Profiler& profiler, const OperatingPoint& point) {
  try {
    return {run, FinishedRun::End::kMeasured, profiler.profile(point), {}};
  } catch (const NotFoundError& error) {
    return {run, FinishedRun::End::kCannotRun, {}, error.what()};
  } catch (const NotSupportedError& error) {
    return {run, FinishedRun::End::kDoesNotFit, {}, error.what()};
  }
}

std::optional<FinishedRun> OneAtATime::next(double /*until_s*/) {
  if (waiting_.empty()) throw Error("the profiler has no running profile to wait for");
  const auto [run, point] = waiting_.front();
  waiting_.pop_front();
  return finished_run(run, profiler_, point);
}

}  // namespace ridgewatt::tune
