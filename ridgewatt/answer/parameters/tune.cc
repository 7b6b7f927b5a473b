// The parameters of `tune`.
#include "ridgewatt/answer/parameters/access.h"
#include "ridgewatt/answer/parameters/shared_rows.h"
#include "ridgewatt/answer/tune_request.h"
#include "ridgewatt/tune/strategy.h"

namespace ridgewatt::answer {
namespace {

using G = GoalQuestion;
using Sought = TuneQuestion;
using Asked = TuneRequest;
using Ways = TuneForms;

void set_objective(void* part, const Parameter&, const Given& given) {
  static_cast<G*>(part)->minimize = tune::parse_objective(given.words.front());
}

std::vector<std::string> strategies_named() {
  const auto all = tune::strategy_names();
  return {all.begin(), all.end()};
}

bool makes_cost_least(const void* question) {
  return static_cast<const Asked*>(question)->goal.minimize == tune::Objective::kCost;
}

constexpr Needs kOfCost = {.name = "minimize", .value = "cost", .met = &makes_cost_least};

constexpr Parameter kGoalRows[] = {
    {.name = "minimize",
     .help =
         "Quantity to minimize, per sample (edp: energy-delay product; throughput: as time, but "
         "larger batches are tried) [time, or latency if an arrival rate is given]",
     .access = {.set = &set_objective, .choices = &names<tune::Objective>},
     .idle_in = Ways::kJobs},
    {.name = "max-power",
     .help = "Power limit",
     .access = access<&G::limits, &tune::Limits::power_w>,
     .quantity = units::watts().positive()},
    {.name = "max-time",
     .help = "Time limit of a minibatch",
     .access = access<&G::limits, &tune::Limits::time_s>,
     .quantity = units::milliseconds().positive(),
     .idle_in = Ways::kJobs},
    {.name = "max-energy",
     .help = "Energy limit of a minibatch",
     .access = access<&G::limits, &tune::Limits::energy_j>,
     .quantity = units::joules().positive(),
     .idle_in = Ways::kJobs},
    {.name = "max-slowdown",
     .help =
         "Limit on the slowdown relative to MAXN, or the highest mode of a sweep, at the largest "
         "batch (0.05: 5 %)",
     .access = access<&G::limits, &tune::Limits::slowdown>,
     .quantity = units::share().within(0, 1e6),
     .idle_in = Ways::kJobs},
    {.name = "max-latency",
     .help = "Limit on the worst latency of a request",
     .access = access<&G::limits, &tune::Limits::latency_s>,
     .quantity = units::milliseconds().positive(),
     .needs =
         {.name = "arrival-rate",
          .how = " of its own",
          .advice =
              "it includes the time in which a batch is collected; --max-time limits a minibatch"},
     .idle_in = Ways::kJobs},
    {.name = "arrival-rate",
     .help = "Requests per second that must be served",
     .access = access<&G::rate_hz>,
     .quantity = units::hertz().positive(),
     .idle_in = Ways::kJobs},
    {.name = "energy-weight",
     .help = "Weight of a joule in `cost`",
     .access = access<&G::energy_weight>,
     .quantity = units::number(),
     .needs = kOfCost,
     .idle_in = Ways::kJobs},
    {.name = "time-weight",
     .help = "Weight of a second in `cost`",
     .access = access<&G::time_weight>,
     .quantity = units::number(),
     .needs = kOfCost,
     .idle_in = Ways::kJobs},
};

constexpr Parameter kSourceRows[] = {
    {.name = "device",
     .help = "Board whose twin gives the answer; all: rank the boards; replay:FILE.csv: a recorded "
             "sweep; "
             "local or fake:BOARD: measure on this board",
     .access = access_as<&Asked::device>(Input::kBoard),
     .presence = Presence::kLocal,
     .idle_in = Ways::kCampaign,
     .words = {boards, all_boards, live_boards}},
    {.name = "sweep",
     .help = "Recorded sweep that takes the place of the board",
     .access = access_as<&Asked::sweep>(Input::kSweep),
     .idle_in = Ways::kCampaign | Ways::kBoard | Ways::kJobs},
    {.name = "samples",
     .help = "Sweep CSV of profiled points; all other points are predicted from them, nothing is "
             "profiled",
     .access = access_as<&Asked::samples>(Input::kSweep),
     .idle_in = Ways::kCampaign | Ways::kBoard | Ways::kJobs},
    idle_in(sweep_name_row(access_as<&Asked::sweep_name>(Input::kText)),
            Ways::kCampaign | Ways::kTwin | Ways::kJobs),
    {.name = "reference",
     .help = "Sweep of another workload to learn from",
     .access = access_as<&Asked::references>(Input::kSweep),
     .python = "references",
     .idle_in = Ways::kCampaign | Ways::kBoard | Ways::kTwin | Ways::kVerification | Ways::kJobs |
                Ways::kWithoutPrior},
    idle_in(keep_outliers_row(access<&Asked::keep_outliers>),
            Ways::kCampaign | Ways::kBoard | Ways::kTwin | Ways::kJobs),
};

constexpr Parameter kSearchRows[] = {
    {.name = "batch",
     .help =
         "Minibatch sizes to choose from; for a running program, its batch size [16 for training; "
         "1 for inference or, with an arrival rate or an energy or throughput goal, powers of two "
         "up to 128]",
     .access = access<&Asked::question, &Sought::batches>,
     .quantity = units::count().within(1, 1 << 20)},
    idle_in(confidence_row(access<&Asked::question, &Sought::confidence>),
            Ways::kCampaign | Ways::kBoard | Ways::kInPlace | Ways::kTwinSearch | Ways::kSweep |
                Ways::kVerification | Ways::kJobs),
    {.name = "dataset-size",
     .help = "Samples of the job",
     .access = access<&Asked::dataset_size>,
     .quantity = units::count().within(1, 1e12),
     .idle_in = Ways::kPeriod | Ways::kDay},
    idle_in(epochs_row(access<&Asked::epochs>), Ways::kPeriod | Ways::kDay),
    {.name = "strategy",
     .help = "Method that chooses the points to profile",
     .access = access_named<&strategies_named, &Asked::question, &Sought::strategy>(),
     .idle_in = Ways::kSamples | Ways::kVerification | Ways::kJobs},
    {.name = "profiles",
     .help = "Maximum number of operating points to profile",
     .access = access<&Asked::question, &Sought::budget, &tune::SearchBudget::profiles>,
     .quantity = units::count().within(1, 1e6),
     .idle_in = Ways::kNoSearch | Ways::kVerification | Ways::kExhaustive},
    {.name = "verify",
     .help = "Verify the answer of MODEL's twin with N profiles (usually 4) of the most promising "
             "modes, and of MAXN if a limit depends on its time",
     .access = access<&Asked::question, &Sought::verify>,
     .quantity = units::count().within(0, 1000),
     .idle_in = Ways::kCampaign | Ways::kInPlace | Ways::kJobs},
    {.name = "time-budget",
     .help = "Limit on the total time of the profiles on the board; no profile begins after it",
     .access = access<&Asked::question, &Sought::budget, &tune::SearchBudget::time_s>,
     .quantity = units::seconds().positive(),
     .idle_in = Ways::kNoSearch},
    {.name = "minibatches",
     .help = "Minibatches per profiled point",
     .access = access<&Asked::question, &Sought::budget, &tune::SearchBudget::minibatches>,
     .quantity = units::count().within(1, 1e6),
     .idle_in = Ways::kNoSearch | Ways::kCampaign | Ways::kInPlace | Ways::kWindows},
    {.name = "min-gain",
     .help = "Strategy auto stops if the expected relative gain of every point is below this value",
     .access = access<&Asked::question, &Sought::min_gain>,
     .quantity = units::share(),
     .idle_in = Ways::kNoSearch | Ways::kInPlace | Ways::kNeverStops},
    {.name = "near-best",
     .help = "Strategy auto stops when its answer is within 1 % of the best point with this "
             "probability",
     .access = access<&Asked::question, &Sought::near_best>,
     .quantity = units::share(),
     .idle_in = Ways::kNoSearch | Ways::kInPlace | Ways::kVerification | Ways::kNeverStops},
    {.name = "noise",
     .help = "Relative standard deviation of a measurement, for strategy auto",
     .access = access<&Asked::question, &Sought::noise>,
     .quantity = units::share(),
     .idle_in = Ways::kNoSearch | Ways::kExhaustive},
    seed_row(access<&Asked::question, &Sought::seed>),
};

void* loader_of(void* question) {
  return &static_cast<Asked*>(question)->question.run;
}

}  // namespace

const ParameterTable& tune_parameters() {
  const auto training = workload_rows().first(1);  // the other rows need a model
  static const ParameterTable table = table_of<Asked>(
      "tune",
      {{optional_model_rows(), &member_part<&Asked::workload>, Ways::kCampaign | Ways::kRowsAlone},
       {kSourceRows, &whole},
       {training, &member_part<&Asked::workload>, Ways::kCampaign | Ways::kSweep | Ways::kSamples},
       {workload_rows().subspan(1), &member_part<&Asked::workload>, Ways::kProgram},
       {all_runtimes_rows(), &member_part<&Asked::workload>, Ways::kProgram},
       {loader_rows(), &loader_of, Ways::kProgram},
       {kGoalRows, &member_part<&Asked::goal>},
       {kSearchRows, &whole},
       {heat_rows(), &member_part<&Asked::heat>}},
      "The best power mode and batch within limits",
      "ridgewatt tune zoo:resnet50 --device agx-orin --max-power 30 --minimize time\n"
      "  ridgewatt tune zoo:resnet50 --device agx-orin --max-power 30 --runtime all\n"
      "  ridgewatt tune --sweep sweep.csv --max-power 30 --profiles 15 --trace\n"
      "  ridgewatt tune zoo:resnet50 --batch 16 --device agx-orin --minimize energy "
      "--max-slowdown 5% --verify 4\n"
      "  ridgewatt tune zoo:resnet50 --training --batch 16 --device agx-orin "
      "--dataset-size 50000 --deadline 1h\n"
      "  ridgewatt tune --device local --max-power 30 -- python3 train.py\n"
      "  ridgewatt tune --device local --in-place --max-power 30 -- python3 train.py",
      {}, "sweep");
  return table;
}

const ParameterTable& search_parameters() {
  static const ParameterTable table =
      table_of<Asked>("", {{kGoalRows, &member_part<&Asked::goal>}, {kSearchRows, &whole}});
  return table;
}

tune::Goal GoalQuestion::goal() const {
  tune::Goal goal;
  goal.objective =
      minimize.value_or(rate_hz > 0 ? tune::Objective::kLatency : tune::Objective::kTime);
  goal.limits = limits;
  goal.rate_hz = rate_hz;
  goal.energy_weight = energy_weight;
  goal.time_weight = time_weight;
  goal.check();
  return goal;
}

TuneQuestion TuneRequest::asked() const {
  TuneQuestion whole = question;
  whole.goal = goal.goal();
  whole.job_samples = job_samples();
  if (whole.verify > 0) whole.budget.profiles = whole.verify;
  return whole;
}

}  // namespace ridgewatt::answer
