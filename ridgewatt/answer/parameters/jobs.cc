// The parameters of `tune` for a job, a period or a day.
#include "ridgewatt/answer/jobs.h"

#include "ridgewatt/answer/parameters/access.h"

namespace ridgewatt::answer {
namespace {

using Job = JobQuestion;

constexpr Parameter kJobRows[] = {
    {.name = "deadline",
     .help = "Time limit of the whole job",
     .access = access<&Job::deadline_s>,
     .quantity = units::seconds().positive()},
    {.name = "max-job-energy",
     .help = "Energy limit of the whole job",
     .access = access<&Job::job_energy_j>,
     .quantity = units::joules().positive()},
    {.name = "period",
     .help =
         "One minibatch is due per period of this length: find what the board should do in between",
     .access = access<&Job::period_s>,
     .quantity = units::seconds().positive()},
    {.name = "day-energy",
     .help = "Energy available in a day: find how much work it allows",
     .access = access<&Job::day_energy_j>,
     .quantity = units::joules().positive()},
    {.name = "battery",
     .help =
         "Capacity of the battery: the energy of a day or, with --solar, the store for the night",
     .access = access<&Job::battery_j>,
     .quantity = units::joules().positive()},
    {.name = "solar",
     .help = "CSV file of solar power over a day, with columns hour and power_w",
     .access = access_as<&Job::solar>(Input::kFile)},
    {.name = "idle-power",
     .help =
         "Power of the board while nothing runs, in every mode [from the twin, with the GPU on]",
     .access = access<&Job::idle_power_w>,
     .quantity = units::watts()},
    {.name = "sleep-power",
     .help = "Power while the board is suspended; without it the board is never suspended",
     .access = access<&Job::sleep_power_w>,
     .quantity = units::watts()},
    {.name = "sleep-time",
     .help = "Time to suspend plus time to wake",
     .access = access<&Job::sleep_s>,
     .quantity = units::seconds(),
     .needs = {.name = "sleep-power"}},
    {.name = "sleep-energy",
     .help = "Energy to suspend and wake [idle power times --sleep-time]",
     .access = access<&Job::sleep_energy_j>,
     .quantity = units::joules(),
     .needs = {.name = "sleep-power"}},
};

}  // namespace

std::span<const Parameter> job_rows() {
  return kJobRows;
}

}  // namespace ridgewatt::answer
