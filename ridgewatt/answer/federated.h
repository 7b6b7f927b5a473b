// Finds the power mode of each board in a round of federated learning, so that the round costs the
// least energy. In a round, several boards train one model, each on its own data, and every board
// waits until the last one has ended.
//
//   FederatedQuestion question;
//   question.boards = {parse_federated_board("A=agx-orin,samples=5000"),
//                      parse_federated_board("B=nano,samples=1000")};
//   const FederatedAnswer found = federated_round(question, workload);
//   found.least_energy.time_s;  // duration of the round with the least energy
//
// Let board i in mode j need t_ij seconds and e_ij joules, including its upload, and then idle at
// p_ij watts until the round ends. A round of T seconds costs
//   E(T) = sum_i min over {j: t_ij <= T} of e_ij + p_ij (T - t_ij).
// Between two successive values of t_ij, no term decreases with T. Therefore the optimal T, with or
// without a deadline, is one of the t_ij. All of them are tried, so the answer is exact. A board
// does not change its mode within a round.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/device/power_mode.h"
#include "ridgewatt/sweep/provenance.h"
#include "ridgewatt/twin/minibatch_cost.h"
#include "ridgewatt/workload/deployed_workload.h"

namespace ridgewatt::answer {

// The cost of a round for one board in one mode, and the board's power while it waits for the
// others.
struct RoundOption {
  PowerMode mode;
  double time_s = 0;    // training and upload
  double energy_j = 0;  // over `time_s`
  double idle_power_w = 0;
};

// One option for each board, and the cost of that round.
struct Round {
  double time_s = 0;                 // until the last board has ended
  double energy_j = 0;               // of all boards, including waits
  std::vector<std::size_t> choices;  // by board: index of its option
};

// Returns indices of the options that a round of least energy may contain, in ascending order of
// time. An option is left out if, at every round duration that it allows, another option costs at
// most the same energy.
std::vector<std::size_t> useful_options(const std::vector<RoundOption>& options);

// In both functions, `boards` has the options of each board. They throw UsageError if either list
// is empty, or if a time, energy or power is negative or not finite.
//
// Returns the Pareto front of time and energy in ascending order of time: every round that costs
// less energy than all faster rounds.
std::vector<Round> round_front(const std::vector<std::vector<RoundOption>>& boards);
// Returns the cost of a round with these choices. The round ends when its last board has ended.
// `choices` has an index per board.
Round round_of(const std::vector<std::vector<RoundOption>>& boards,
               const std::vector<std::size_t>& choices);

// A board that takes part in the round.
struct FederatedBoard {
  std::string name;
  std::string device;                  // name or board file
  double samples = 0;                  // number of samples that it holds
  std::string sweep;                   // CSV file of its measured modes; empty: its twin
  double upload_s = 0;                 // to send and receive the model once per round
  double upload_j = 0;                 // energy of the transfer above idle power
  std::optional<double> idle_power_w;  // while it waits; absent: the twin's idle power in that mode

  bool operator==(const FederatedBoard&) const = default;
};

// Parses "NAME=DEVICE,samples=N[,sweep=FILE][,upload=SECONDS][,upload-energy=JOULES][,idle=WATTS]".
// Throws UsageError for other text.
FederatedBoard parse_federated_board(const std::string& text);
// Parses a CSV file with the columns name, device and samples, and optionally sweep, upload_s,
// upload_j and idle_w. Throws InputError with file, line and column, also for a duplicate name.
// `source`: name of the file for messages.
std::vector<FederatedBoard> parse_federated_boards(std::string_view csv, const std::string& source);
// Returns the boards in the CSV file `path`, then the boards in `texts`. Empty `path`: no file.
// Throws UsageError if there is no board.
std::vector<FederatedBoard> federated_boards(const std::string& path,
                                             const std::vector<std::string>& texts);

struct FederatedQuestion {
  std::vector<FederatedBoard> boards;
  int batch = 16;
  double epochs = 1;                      // passes of each board over its data per round
  int workers = 4;                        // workers that load data; only for twins
  bool keep_outliers = false;             // keeps the rows of sweeps that the quality check flags
  std::optional<double> deadline_s = {};  // longest allowed round
};

// One board in the chosen round.
struct FederatedPart {
  FederatedBoard board;
  RoundOption option;
  double wait_s = 0;    // idle time until the round ends
  double energy_j = 0;  // including the wait
  // 90 % intervals of option.time_s and option.energy_j. With a sweep, both bounds equal the value.
  double time_lo_s = 0, time_hi_s = 0;
  double energy_lo_j = 0, energy_hi_j = 0;
  double fastest_s = 0;    // `time_s` in its fastest mode
  bool straggler = false;  // `fastest_s` is within 1 % of the duration of the fastest round
  RowOrigin origin;
  std::string ground;      // what the figures are based on; empty: a sweep
  twin::TwinFitError fit;  // of the twin
};

struct FederatedAnswer {
  Round fastest;                     // shortest round, with the least energy at that duration
  Round least_energy;                // without regard to the deadline
  std::optional<Round> in_time;      // least energy within the deadline; absent without one
  Round all_highest;                 // every board in its highest mode
  Round all_default;                 // every board in its default preset, or else its highest mode
  std::vector<Round> front;          // see round_front()
  std::vector<FederatedPart> parts;  // of the chosen round
  // Duration of the fastest round without the stragglers. Absent if every board is a straggler.
  std::optional<double> without_stragglers_s;
  std::optional<workload::CostCaveats> caveats;  // of the model; absent if no twin was used
  std::vector<std::string> remarks;              // which rows of sweeps were left out

  // The round within the deadline if there is a deadline, otherwise the round of least energy.
  const Round& chosen() const { return in_time ? *in_time : least_energy; }
};

// Answers the question. `workload` may be null if every board has a sweep. Throws NoSolutionError,
// which names the stragglers, if the deadline is too short; NotSupportedError if a minibatch does
// not fit the memory of a board; InputError if a sweep is of inference or from another board;
// UsageError for an invalid question.
FederatedAnswer federated_round(const FederatedQuestion& question,
                                const std::shared_ptr<const workload::DeployedWorkload>& workload);

}  // namespace ridgewatt::answer
