// The parameters of `schedule plan` and `schedule simulate`. Other questions share groups of them.
#include "ridgewatt/answer/parameters/access.h"
#include "ridgewatt/answer/parameters/shared_rows.h"
#include "ridgewatt/answer/simulate.h"

namespace ridgewatt::answer {
namespace {

using Shared = ScheduleRequest;
using Model = ScheduledModels;
using Planned = PlanRequest;
using Simulated = SimulateRequest;
using Simulation = schedule::SimulationOptions;

constexpr Needs kOfInference = {.name = "inference"};
constexpr Needs kOfTraining = {.name = "training"};
constexpr Needs kOfUrgent = {.name = "inference-sweep", .or_name = "inference"};
constexpr Needs kOfNonUrgent = {.name = "non-urgent"};
constexpr Needs kOfModels = {.name = "inference", .or_name = "training"};

constexpr Parameter kProgramRows[] = {
    {.name = "inference-sweep",
     .help = "Sweep of the urgent inference",
     .access = access_as<&Shared::inference_sweep>(Input::kSweep),
     .python = "inference"},
    {.name = "training-sweep",
     .help = "Sweep of the training workload; several training workloads take turns",
     .access = access_as<&Shared::training_sweeps>(Input::kSweep),
     .python = "training"},
    {.name = "non-urgent",
     .help = "Sweep of a non-urgent inference that runs in place of training",
     .access = access_as<&Shared::non_urgent>(Input::kSweep)},
    {.name = "switch-cost",
     .help = "Extra time of a program's first minibatch after another program ran; schedule run "
             "and measure-sharing measure it",
     .access = access<&Shared::switch_s>,
     .quantity = units::milliseconds()},
    keep_outliers_row(access<&Shared::keep_outliers>),
};

constexpr Parameter kDemandRows[] = {
    {.name = "non-urgent-rate",
     .help = "Requests per second that each non-urgent inference must serve",
     .access = access<&Shared::non_urgent_rates_hz>,
     .quantity = units::hertz().positive(),
     .needs = kOfNonUrgent},
    {.name = "arrival-rate",
     .help = "Arrival rate of the urgent inference, in requests per second",
     .access = access<&Shared::problem, &schedule::PlanProblem::arrival_rate_hz>,
     .quantity = units::hertz().positive(),
     .needs = kOfUrgent},
    {.name = "max-latency",
     .help = "Limit on the worst latency",
     .access = access<&Shared::problem, &schedule::PlanProblem::max_latency_s>,
     .quantity = units::milliseconds().positive(),
     .needs = kOfUrgent},
    {.name = "max-power",
     .help = "Power budget",
     .access = access<&Shared::problem, &schedule::PlanProblem::max_power_w>,
     .quantity = units::watts().positive()},
    {.name = "bound",
     .help = "Formula of the worst latency",
     .access = access<&Shared::problem, &schedule::PlanProblem::bound>,
     .needs = kOfUrgent},
};

constexpr Parameter kScheduledModelRows[] = {
    {.name = "inference",
     .help = "Model of the urgent inference, in place of a sweep: ONNX file or zoo:NAME",
     .access = access_as<&Model::inference>(Input::kModel),
     .python = "inference_model"},
    {.name = "training",
     .help = "Model of the training workload, in place of a sweep; several training workloads take "
             "turns",
     .access = access_as<&Model::training>(Input::kModel),
     .python = "training_model"},
    {.name = "device",
     .help = "Board whose twin estimates time and power of the models; default: this machine",
     .access = access_as<&Model::device>(Input::kBoard),
     .needs = kOfModels},
    {.name = "modes",
     .help = "Power modes to choose from if models are given",
     .access = access_as<&Model::modes>(Input::kModes),
     .needs = kOfModels},
    {.name = "inference-batch",
     .help = "Batch sizes of the inference model to choose from [1,2,4,8,16,32]",
     .access = access<&Model::inference_batches>,
     .quantity = units::count().within(1, 65536),
     .needs = kOfInference},
    {.name = "training-batch",
     .help = "Batch of the training model [16]",
     .access = access<&Model::training_batch>,
     .quantity = units::count().within(1, 65536),
     .needs = kOfTraining},
    {.name = "inference-runtime",
     .help = "Runtime of the inference model",
     .access = access<&Model::inference_runtime>,
     .needs = kOfInference},
    {.name = "inference-precision",
     .help = "Number format in which the inference model computes (formats other than fp32 are "
             "modelled by "
             "ratios of peak rates and are not validated)",
     .access = access<&Model::inference_precision>,
     .needs = kOfInference},
    {.name = "training-precision",
     .help = "Number format in which the training model computes",
     .access = access<&Model::training_precision>,
     .needs = kOfTraining},
};

constexpr Parameter kIdlePowerRows[] = {
    {.name = "idle-power",
     .help =
         "Idle power [from the twin of the sweeps' board, or else the least power in the sweeps]",
     .access = access<&Shared::idle_power_w>,
     .quantity = units::watts()}};

constexpr Parameter kBusyShareRows[] = {
    {.name = "busy-share",
     .help = "Share of time in which each program, running alone, keeps the device busy; the "
             "inference first [with models: from the twin]",
     .access = access<&Shared::busy_shares>,
     .quantity = units::share()}};

std::vector<std::string> plan_strategies_named() {
  const auto& all = schedule::plan_strategy_names();
  return {all.begin(), all.end()};
}

constexpr Parameter confidence_of_models() {
  Parameter row = confidence_row(access<&Planned::confidence>);
  row.needs = kOfModels;
  return row;
}

constexpr Parameter kPlanRows[] = {
    {.name = "strategy",
     .help = "Search strategy (exhaustive uses all points of the sweeps, the others only a few)",
     .access = access_named<&plan_strategies_named, &Planned::strategy>()},
    {.name = "profiles",
     .help =
         "Maximum number of operating points (mode and batch) to profile, both workloads together",
     .access = access<&Planned::profiles>,
     .quantity = units::count().within(1, 1000000)},
    {.name = "training-reference",
     .help = "Sweep of another training workload, from which the strategies auto and als learn",
     .access = access_as<&Planned::training_references>(Input::kSweep),
     .python = "training_references"},
    {.name = "inference-reference",
     .help = "Sweep of another inference workload, from which the strategies auto and als learn",
     .access = access_as<&Planned::inference_references>(Input::kSweep),
     .python = "inference_references"},
    confidence_of_models(),
    seed_row(access<&Planned::seed>),
};

bool arrives_in_bursts(const void* question) {
  return static_cast<const Simulated*>(question)->process() == schedule::ArrivalProcess::kBursty;
}
constexpr Needs kOfBursts = {.name = "arrivals", .value = "bursty", .met = &arrives_in_bursts};

constexpr Parameter kPlanFileRows[] = {
    {.name = "plan",
     .help = "Result of `schedule plan --format json`, in place of the options that make a plan",
     .access = access_as<&Simulated::plan>(Input::kFile),
     .positional = "PLAN"}};

constexpr Parameter kSimulateRows[] = {
    {.name = "arrivals",
     .help = "How requests arrive, or a CSV of their times (column time_s)",
     .access =
         access_suggesting<&names<schedule::ArrivalProcess>, &Simulated::arrivals>(Input::kWord)},
    {.name = "burst-rates",
     .help = "Rates of the bursty process",
     .access = access<&Simulated::bursty, &schedule::BurstyOptions::rates_hz>,
     .quantity = units::hertz().positive(),
     .needs = kOfBursts},
    {.name = "burst-dwell",
     .help = "Mean time between two changes of the rate",
     .access = access<&Simulated::bursty, &schedule::BurstyOptions::mean_dwell_s>,
     .quantity = units::seconds().positive(),
     .needs = kOfBursts},
    {.name = "duration",
     .help = "Time to simulate; a recorded trace may end earlier",
     .access = access<&Simulated::simulation, &Simulation::duration_s>,
     .quantity = units::seconds().positive()},
    {.name = "sharing",
     .help =
         "Ways of sharing the device to simulate (native: time slicing by the driver; "
         "no-interference: by a driver that loses nothing when it switches); CSV files show the "
         "first",
     .access = access<&Simulated::sharing>},
    {.name = "full-batches",
     .help = "Always wait for a full batch, even if requests then miss the latency limit",
     .access = access<&Simulated::full_batches>},
    {.name = "late-last",
     .help = "Serve late requests last: those that can no longer meet the latency limit",
     .access = access<&Simulated::simulation, &Simulation::late_last>},
    {.name = "fill-idle",
     .help = "Train whenever no inference batch is due, even after the planned minibatches of the "
             "cycle",
     .access = access<&Simulated::simulation, &Simulation::fill_idle>},
    {.name = "jitter",
     .help = "Coefficient of variation of minibatch times",
     .access = access<&Simulated::simulation, &Simulation::jitter>,
     .quantity = units::number().within(0, 10)},
    {.name = "mode-change",
     .help = "Time of a mode change",
     .access = access<&Simulated::simulation, &Simulation::mode_change_s>,
     .quantity = units::milliseconds()},
    {.name = "interference",
     .help = "Interference factor X of native sharing: two programs that run at the same time each "
             "have 1 / (2 X) of their speed alone; schedule run --measure-interference measures X "
             "[from the busy shares, or else from a published measurement]",
     .access = access<&Simulated::interference>,
     .quantity = units::number().within(0.51, 100)},
    {.name = "power-bin",
     .help = "Time step of --power-csv and of the power figure",
     .access = access<&Simulated::simulation, &Simulation::power_bin_s>,
     .quantity = units::seconds().positive()},
};

template <class Question>
void* models_of(void* question) {
  return &static_cast<Question*>(question)->schedule.models;
}

// The parts that make a plan, between the question's own rows.
template <class Question>
std::vector<Part> parts_around(std::span<const Parameter> before,
                               std::span<const Parameter> after) {
  constexpr auto kSchedule = &member_part<&Question::schedule>;
  std::vector<Part> parts = {{kProgramRows, kSchedule},
                             {kDemandRows, kSchedule},
                             {kScheduledModelRows, &models_of<Question>},
                             {kIdlePowerRows, kSchedule},
                             {kBusyShareRows, kSchedule},
                             {after, &whole}};
  if (!before.empty()) parts.insert(parts.begin(), {before, &whole});
  return parts;
}

}  // namespace

std::span<const Parameter> program_rows() {
  return kProgramRows;
}
std::span<const Parameter> demand_rows() {
  return kDemandRows;
}
std::span<const Parameter> scheduled_model_rows() {
  return kScheduledModelRows;
}
std::span<const Parameter> idle_power_rows() {
  return kIdlePowerRows;
}
std::span<const Parameter> busy_share_rows() {
  return kBusyShareRows;
}

const ParameterTable& plan_parameters() {
  static const ParameterTable table = table_of<Planned>(
      "schedule plan", parts_around<Planned>({}, kPlanRows),
      "Mode, batch and training minibatches per cycle",
      "ridgewatt schedule plan --training-sweep T.csv --inference-sweep I.csv "
      "--arrival-rate 60 --max-latency 500 --max-power 30 --strategy auto --profiles 15");
  return table;
}

const ParameterTable& simulate_parameters() {
  static const ParameterTable table = table_of<Simulated>(
      "schedule simulate", parts_around<Simulated>(kPlanFileRows, kSimulateRows),
      "Simulate the plan with random or recorded arrivals",
      "ridgewatt schedule simulate --training-sweep T.csv --inference-sweep I.csv "
      "--arrival-rate 60 --max-latency 500 --max-power 30 --arrivals poisson --duration 3600\n"
      "  ridgewatt schedule simulate plan.json --arrivals bursty");
  return table;
}

}  // namespace ridgewatt::answer
