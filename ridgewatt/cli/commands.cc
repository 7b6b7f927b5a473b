// The commands of `ridgewatt`, in the order and groups of the help. A question without options
// outside of its table needs only its row here; see ask() in options/parameters.h.
#include "ridgewatt/cli/commands.h"

#include "ridgewatt/answer/fits.h"
#include "ridgewatt/cli/options/parameters.h"
#include "ridgewatt/report/analysis_report.h"

namespace ridgewatt::cli {

AddCommand add_analyze, add_sandbox, add_operators, add_estimate, add_explain, add_roofline,
    add_layers, add_llm, add_calibrate, add_device, add_report, add_sweep, add_store, add_sensors,
    add_export, add_fleet, add_top, add_mode, add_serve, add_fake_board, add_fake_run, add_measure,
    add_profile, add_govern, add_compare, add_soak, add_thermal, add_campaign, add_pareto,
    add_federate, add_predict, add_schedule, add_tune, add_zoo, add_microbench, add_pipeline,
    add_loadbench, add_study, add_completion;

namespace {

constexpr char kModels[] = "Models", kBoards[] = "Boards", kAnswers[] = "Answers",
               kOnABoard[] = "On a board", kFleet[] = "Fleet",
               kScheduling[] = "Scheduling and pipelines", kData[] = "Data";

// clang-format off
constexpr CommandEntry kAll[] = {
    {"analyze", add_analyze, kModels},
    {"zoo", add_zoo, kModels},
    {"operators", add_operators, kModels},
    {"sandbox", add_sandbox, kModels},
    {"device", add_device, kBoards},
    {"calibrate", add_calibrate, kBoards},
    {"estimate", add_estimate, kAnswers},
    {"tune", add_tune, kAnswers},
    {"roofline", add_roofline, kAnswers},
    {"explain", add_explain, kAnswers},
    {"layers", add_layers, kAnswers},
    {"fits", ask<answer::fits_parameters, answer::fits_on_boards, report::fits_result>, kAnswers},
    {"llm", add_llm, kAnswers},
    {"predict", add_predict, kAnswers},
    {"pareto", add_pareto, kAnswers},
    {"federate", add_federate, kAnswers},
    {"thermal", add_thermal, kAnswers},
    {"sensors", add_sensors, kOnABoard},
    {"export", add_export, kOnABoard},
    {"top", add_top, kOnABoard},
    {"fleet", add_fleet, kOnABoard},
    {"mode", add_mode, kOnABoard},
    {"serve", add_serve, kOnABoard},
    {"measure", add_measure, kOnABoard},
    {"profile", add_profile, kOnABoard},
    {"govern", add_govern, kOnABoard},
    {"compare", add_compare, kOnABoard},
    {"soak", add_soak, kOnABoard},
    {"microbench", add_microbench, kOnABoard},
    {"fake-board", add_fake_board, kOnABoard},
    {"fake-run", add_fake_run, kOnABoard},
    {"campaign", add_campaign, kFleet},
    {"schedule", add_schedule, kScheduling},
    {"pipeline", add_pipeline, kScheduling},
    {"loadbench", add_loadbench, kScheduling},
    {"sweep", add_sweep, kData},
    {"store", add_store, kData},
    {"report", add_report, kData},
    {"study", add_study, kLaboratory},
    {"evaluate", nullptr, kLaboratory, kLaboratoryProgram, kEvaluateDescription},
    {"help", add_help, kHelp},
    {"man", add_man, kHelp},
    {"completion", add_completion, kHelp},
    {"complete", add_complete, ""},
};
// clang-format on

}  // namespace

constinit const std::span<const CommandEntry> kCommands(kAll);

}  // namespace ridgewatt::cli
