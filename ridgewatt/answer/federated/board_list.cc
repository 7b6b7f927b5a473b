// Parses the boards of a round: one option per board, or a CSV file.
#include <fmt/format.h>

#include <cmath>
#include <set>

#include "ridgewatt/answer/federated.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/quantity.h"
#include "ridgewatt/base/suggest.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/io/csv.h"
#include "ridgewatt/io/file.h"

namespace ridgewatt::answer {
namespace {

constexpr char kSpecForm[] =
    "write NAME=DEVICE,samples=N, then any of sweep=FILE, upload=SECONDS, upload-energy=JOULES, "
    "idle=WATTS";
constexpr double kMostSamples = 1e12;
constexpr double kMost = 1e9;  // seconds, joules, watts

bool is_count_of_samples(double value) {
  return value >= 1 && value <= kMostSamples && value == std::floor(value);
}
bool is_amount(double value) {
  return value >= 0 && value <= kMost;
}

double amount_of(const std::string& value, const Quantity& quantity, const std::string& where) {
  try {
    return quantity_value(value, quantity.within(0, kMost));
  } catch (const UsageError&) {
    throw UsageError(fmt::format("must be a number of {} from 0 to 1e9", quantity.unit), where,
                     kSpecForm);
  }
}

void set_key(FederatedBoard& board, const std::string& part) {
  const auto equals = part.find('=');
  const std::string key = part.substr(0, equals);
  const std::string value = equals == std::string::npos ? "" : part.substr(equals + 1);
  if (key == "samples") {
    const auto number = parse_double(value);
    if (!number || !is_count_of_samples(*number)) {
      throw UsageError("must be samples=N, N a whole number of 1 or more", part, kSpecForm);
    }
    board.samples = *number;
  } else if (key == "sweep") {
    if (value.empty()) throw UsageError("sweep= needs a file", part, kSpecForm);
    board.sweep = value;
  } else if (key == "upload") {
    board.upload_s = amount_of(value, units::seconds(), part);
  } else if (key == "upload-energy") {
    board.upload_j = amount_of(value, units::joules(), part);
  } else if (key == "idle") {
    board.idle_power_w = amount_of(value, units::watts(), part);
  } else {
    throw UsageError(
        "unknown key in --device", key,
        did_you_mean(key, {{"samples", "sweep", "upload", "upload-energy", "idle"}}, kSpecForm));
  }
}

// The fields of a row. A missing column and an empty field are the same.
class BoardRow {
 public:
  BoardRow(const CsvTable& table, std::size_t row) : table_(table), row_(row) {}

  std::string text(std::string_view name) const {
    const auto column = table_.column(name);
    return column ? std::string(trim(table_.rows[row_][*column])) : "";
  }
  std::string required(std::string_view name) const {
    std::string value = text(name);
    if (value.empty()) throw InputError("the field is empty", place(name));
    return value;
  }
  std::optional<double> amount(std::string_view name) const {
    if (text(name).empty()) return std::nullopt;
    const double value = table_.number(row_, *table_.column(name));
    if (!is_amount(value)) throw InputError("must be a number from 0 to 1e9", place(name));
    return value;
  }
  double samples() const {
    required("samples");
    const double value = table_.number(row_, *table_.column("samples"));
    if (!is_count_of_samples(value)) {
      throw InputError("must be a whole number of 1 or more", place("samples"));
    }
    return value;
  }
  std::string place(std::string_view name) const {
    return fmt::format("{} column {}", table_.where(row_), name);
  }

 private:
  const CsvTable& table_;
  std::size_t row_;
};

}  // namespace

FederatedBoard parse_federated_board(const std::string& text) {
  const auto parts = split(text, ',');
  const auto equals = parts.front().find('=');
  FederatedBoard board;
  board.name = parts.front().substr(0, equals);
  if (equals != std::string::npos) board.device = parts.front().substr(equals + 1);
  if (board.name.empty() || board.device.empty()) {
    throw UsageError("--device lacks the name or the device of the board", text, kSpecForm);
  }
  for (std::size_t i = 1; i < parts.size(); ++i) set_key(board, parts[i]);
  if (board.samples == 0) throw UsageError("--device lacks samples=N", text, kSpecForm);
  return board;
}

std::vector<FederatedBoard> parse_federated_boards(std::string_view csv,
                                                   const std::string& source) {
  const CsvTable table = parse_csv(csv, source);
  for (const char* name : {"name", "device", "samples"}) table.require_column(name);
  std::vector<FederatedBoard> boards;
  std::set<std::string> names;
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const BoardRow row(table, r);
    FederatedBoard board;
    board.name = row.required("name");
    board.device = row.required("device");
    board.samples = row.samples();
    board.sweep = row.text("sweep");
    board.upload_s = row.amount("upload_s").value_or(0);
    board.upload_j = row.amount("upload_j").value_or(0);
    board.idle_power_w = row.amount("idle_w");
    if (!names.insert(board.name).second) {
      throw InputError("two boards have the same name", row.place("name"));
    }
    boards.push_back(std::move(board));
  }
  if (boards.empty())
    throw InputError("the file lists no boards", source, "give at least one row below the header");
  return boards;
}

std::vector<FederatedBoard> federated_boards(const std::string& path,
                                             const std::vector<std::string>& texts) {
  std::vector<FederatedBoard> boards;
  if (!path.empty()) boards = parse_federated_boards(read_file(path), path);
  for (const auto& text : texts) boards.push_back(parse_federated_board(text));
  if (boards.empty()) {
    throw UsageError("federate needs boards", "",
                     "give --device NAME=DEVICE,samples=N for each, or --boards FILE");
  }
  return boards;
}

}  // namespace ridgewatt::answer
