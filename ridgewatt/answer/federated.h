// A round of federated learning: several boards train one model, each on its own data, and wait for
// each other. In which mode should each run so that the round costs least energy?
//
//   FederatedQuestion question;
//   question.boards = {parse_federated_board("A=agx-orin,samples=5000"),
//                      parse_federated_board("B=nano,samples=1000")};
//   const FederatedAnswer found = federated_round(question, workload);
//   found.least_energy.time_s;  // of the round that costs least
//
// Board i in mode j trains for t_ij seconds and e_ij joules, its upload included, and then idles at
// p_ij watts until the round ends. Of a round of T seconds
//   E(T) = sum_i min over {j: t_ij <= T} of e_ij + p_ij (T - t_ij).
// Between two of the times t_ij every term rises with T or stays, so a round of least energy,
// within any deadline, ends when some board does: the times t_ij are all that is tried, and the
// answer is exact. Modes are not mixed within a round.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/device/power_mode.h"
#include "ridgewatt/sweep/provenance.h"
#include "ridgewatt/workload/deployed_workload.h"

namespace ridgewatt::answer {

// One mode of a board: its part of a round, and what it draws while it waits for the others.
struct RoundOption {
  PowerMode mode;
  double time_s = 0;    // training and upload
  double energy_j = 0;  // over that time
  double idle_power_w = 0;
};

// A choice for every board.
struct Round {
  double time_s = 0;                 // until the last board has ended
  double energy_j = 0;               // of all boards, waits included
  std::vector<std::size_t> choices;  // index of each board's option
};

// Options that may be part of a round of least energy, by rising time: those that no other matches
// from their own time on. Indices into `options`.
std::vector<std::size_t> useful_options(const std::vector<RoundOption>& options);

// `boards`: the options of each, none of them empty. UsageError on an empty list, a time, energy or
// power that is not finite or negative.
//
// All rounds that cost less than every faster one, by rising time: energy over time.
std::vector<Round> round_front(const std::vector<std::vector<RoundOption>>& boards);
// What a choice of options costs when the round ends with the last board.
Round round_of(const std::vector<std::vector<RoundOption>>& boards,
               const std::vector<std::size_t>& choices);

// A board that takes part.
struct FederatedBoard {
  std::string name;
  std::string device;                  // board or board file
  double samples = 0;                  // that it holds
  std::string sweep;                   // its measured modes; empty: the board's twin
  double upload_s = 0;                 // of the model, once per round, both ways
  double upload_j = 0;                 // of it, beyond the power at rest
  std::optional<double> idle_power_w;  // while it waits; nothing: the twin's at rest in the mode

  bool operator==(const FederatedBoard&) const = default;
};

// "NAME=DEVICE,samples=N[,sweep=FILE][,upload=SECONDS][,upload-energy=JOULES][,idle=WATTS]".
// UsageError on anything else.
FederatedBoard parse_federated_board(const std::string& text);
// The same as rows of a CSV file with the columns name, device and samples, and where they are
// there sweep, upload_s, upload_j and idle_w. InputError names file, line and column; a name that
// comes twice is one.
std::vector<FederatedBoard> parse_federated_boards(std::string_view csv, const std::string& source);
// The boards of a file (none where `path` is empty) and of texts. UsageError: there are none.
std::vector<FederatedBoard> federated_boards(const std::string& path,
                                             const std::vector<std::string>& texts);

struct FederatedQuestion {
  std::vector<FederatedBoard> boards;
  int batch = 16;
  double epochs = 1;                      // that each board trains on its data in a round
  int workers = 4;                        // loader workers, on a twin
  bool keep_outliers = false;             // rows of sweeps that the quality check flags
  std::optional<double> deadline_s = {};  // the round is wanted within
};

// One board in the round that was chosen.
struct FederatedPart {
  FederatedBoard board;
  RoundOption option;
  double wait_s = 0;    // idle, until the round ends
  double energy_j = 0;  // waiting included
  // 90 % bounds of option.time_s and option.energy_j; of sweeps they are those values.
  double time_lo_s = 0, time_hi_s = 0;
  double energy_lo_j = 0, energy_hi_j = 0;
  double fastest_s = 0;    // in its fastest mode
  bool straggler = false;  // even that mode takes within 1 % of the fastest round
  RowOrigin origin;
};

struct FederatedAnswer {
  Round fastest;                 // the round of least time, at the least energy for it
  Round least_energy;            // of any time
  std::optional<Round> in_time;  // least energy within the deadline, where there is one
  Round all_highest;             // every board in its highest mode
  Round all_default;             // every board in the mode that it ships with
  std::vector<Round> front;
  std::vector<FederatedPart> parts;  // of in_time, else of least_energy
  // The fastest round without the stragglers; nothing when all boards are.
  std::optional<double> without_stragglers_s;
  std::optional<workload::CostCaveats> caveats;  // of the model, where a twin was asked
  std::vector<std::string> remarks;              // what was left out of sweeps

  const Round& chosen() const { return in_time ? *in_time : least_energy; }
};

// `workload`: null where every board has a sweep. NoSolutionError when the deadline is too short,
// naming the stragglers; NotSupportedError when a minibatch does not fit a board's memory;
// InputError when a sweep is of inference or of another board.
FederatedAnswer federated_round(const FederatedQuestion& question,
                                const std::shared_ptr<const workload::DeployedWorkload>& workload);

}  // namespace ridgewatt::answer
