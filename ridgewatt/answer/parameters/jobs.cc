// What a user may say about a job, a period or a day of `tune`.
#include "ridgewatt/answer/jobs.h"

#include "ridgewatt/answer/parameters/access.h"

namespace ridgewatt::answer {
namespace {

using Job = JobQuestion;

constexpr Parameter kJobRows[] = {
    {.name = "deadline",
     .help = "Time within which the job is to be done",
     .access = access<&Job::deadline_s>,
     .quantity = units::seconds().positive()},
    {.name = "max-job-energy",
     .help = "Energy that the job may take",
     .access = access<&Job::job_energy_j>,
     .quantity = units::joules().positive()},
    {.name = "period",
     .help = "A minibatch every so often: what to do in between",
     .access = access<&Job::period_s>,
     .quantity = units::seconds().positive()},
    {.name = "day-energy",
     .help = "Energy of a day: how much work that is",
     .access = access<&Job::day_energy_j>,
     .quantity = units::joules().positive()},
    {.name = "battery",
     .help = "Capacity of a battery, for a day or with --solar",
     .access = access<&Job::battery_j>,
     .quantity = units::joules().positive()},
    {.name = "solar",
     .help = "Power of the sun over a day, CSV: hour, power_w",
     .access = access_as<&Job::solar>(Input::kFile)},
    {.name = "sleep-power",
     .help = "Power while suspended; without it nothing sleeps",
     .access = access<&Job::sleep_power_w>,
     .quantity = units::watts()},
    {.name = "sleep-time",
     .help = "Time to suspend and to wake, both together",
     .access = access<&Job::sleep_s>,
     .quantity = units::seconds()},
    {.name = "sleep-energy",
     .help = "Energy that this takes; without it power at rest",
     .access = access<&Job::sleep_energy_j>,
     .quantity = units::joules()},
};

}  // namespace

std::span<const Parameter> job_rows() {
  return kJobRows;
}

}  // namespace ridgewatt::answer
