#include "ridgewatt/evaluate/parts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <map>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/fnv.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/io/file.h"

namespace ridgewatt::evaluate {
namespace {

constexpr char kPartSchema[] = "ridgewatt.evaluate.part/1";
constexpr std::int64_t kMostParts = 100'000;
constexpr std::size_t kMostNamed = 12;  // maximum number of missing parts named in a message

Json number_json(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

double number_of(const Json& json) {
  if (json.is_number()) return json.get<double>();
  const auto text = json.get<std::string>();
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (text == "inf") return std::numeric_limits<double>::infinity();
  if (text == "-inf") return -std::numeric_limits<double>::infinity();
  throw InputError("'" + text + "', which must be a number");
}

std::string line_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Formats an array with one element per line.
template <typename T, typename ToJson>
std::string lines_of(const std::vector<T>& values, ToJson to_json) {
  std::string text;
  for (const auto& value : values) {
    if (!text.empty()) text += ",\n";
    text += "  " + line_of(to_json(value));
  }
  return "[\n" + text + "\n]";
}

std::size_t index_of(const Json& json, std::size_t below, const char* what) {
  if (!json.is_number_unsigned() || json.get<std::size_t>() >= below) {
    throw InputError(fmt::format("'{}', which must be a {}", line_of(json).substr(0, 40), what));
  }
  return json.get<std::size_t>();
}

Outcome outcome_from(const Json& row, const std::vector<OutcomeGroup>& groups) {
  if (!row.is_array() || row.size() < 3)
    throw InputError("an outcome that is not an array of numbers");
  Outcome outcome;
  outcome.group = index_of(row[0], groups.size(), "group");
  outcome.key = index_of(row[1], std::numeric_limits<std::size_t>::max(), "key");
  for (std::size_t i = 2; i < row.size(); ++i) outcome.values.push_back(number_of(row[i]));
  return outcome;
}

PartFile part_from(const Json& json) {
  PartFile file;
  if (json.at("schema") != kPartSchema) throw InputError("another schema");
  file.question = json.at("question");
  file.part.of = index_of(json.at("of"), kMostParts + 1, "number of parts");
  file.part.number = index_of(json.at("part"), file.part.of + 1, "part");
  if (file.part.number == 0) throw InputError("part 0, but parts are counted from 1");
  for (const auto& group : json.at("groups")) {
    file.groups.push_back({group.at("names"), group.at("outcomes").get<std::size_t>()});
  }
  for (const auto& row : json.at("outcomes")) {
    file.outcomes.push_back(outcome_from(row, file.groups));
  }
  return file;
}

// Describes how two questions differ: "--seeds is 3, not 10".
std::string difference(const Json& question, const Json& other) {
  for (const auto* side : {&question, &other}) {
    for (const auto& [key, value] : side->items()) {
      const Json a = question.value(key, Json()), b = other.value(key, Json());
      if (a == b) continue;
      if (a.is_object() && b.is_object()) return difference(a, b);
      const auto said = [](const Json& json) {
        return json.is_null() ? std::string("absent") : line_of(json).substr(0, 120);
      };
      return fmt::format("{} is {}, not {}", key, said(a), said(b));
    }
  }
  return "they differ";
}

void check_fits(const PartFile& file, const std::string& path, const PartFile& first,
                const std::string& first_path) {
  if (file.question != first.question) {
    throw InputError("these files are parts of different evaluations", path + " and " + first_path,
                     difference(file.question, first.question));
  }
  if (file.part.of != first.part.of) {
    throw InputError(fmt::format("the files have different numbers of parts, {} and {}",
                                 file.part.of, first.part.of),
                     path + " and " + first_path,
                     "write all parts again with the same command and the same N");
  }
  bool same = file.groups.size() == first.groups.size();
  for (std::size_t g = 0; same && g < file.groups.size(); ++g) {
    same = file.groups[g].names == first.groups[g].names &&
           file.groups[g].outcomes == first.groups[g].outcomes;
  }
  if (!same)
    throw InputError("the parts scored different data", path + " and " + first_path,
                     "write all parts again with the same command and the same N");
}

void check_all_there(const std::map<std::size_t, std::string>& paths, std::size_t of) {
  std::vector<std::size_t> missing;
  for (std::size_t number = 1; number <= of; ++number) {
    if (!paths.contains(number)) missing.push_back(number);
  }
  if (missing.empty()) return;
  const std::size_t count = missing.size();
  if (count > kMostNamed) missing.resize(kMostNamed);
  throw InputError(fmt::format("{} of {} parts {} missing", count, of, count == 1 ? "is" : "are"),
                   fmt::format("{}{}", fmt::join(missing, ", "), count > kMostNamed ? ", .." : ""),
                   "run them with --part K/" + std::to_string(of));
}

}  // namespace

Part parse_part(const std::string& text) {
  const auto fields = split(text, '/');
  const auto number = fields.size() == 2 ? parse_int(fields[0]) : std::nullopt;
  const auto of = fields.size() == 2 ? parse_int(fields[1]) : std::nullopt;
  if (!number || !of || *of < 1 || *of > kMostParts || *number < 1 || *number > *of) {
    throw UsageError("is not a part (--part)", text,
                     "write K/N, for example 1/8 for the first of eight parts");
  }
  return {static_cast<std::size_t>(*number), static_cast<std::size_t>(*of)};
}

std::vector<std::size_t> units_of(const Part& part, std::size_t units) {
  std::vector<std::size_t> result;
  for (std::size_t unit = part.number - 1; unit < units; unit += part.of) result.push_back(unit);
  return result;
}

std::string part_text(const PartFile& file) {
  const auto group_json = [](const OutcomeGroup& group) {
    Json json;
    json["names"] = group.names;
    json["outcomes"] = group.outcomes;
    return json;
  };
  const auto outcome_json = [](const Outcome& outcome) {
    Json row = {outcome.group, outcome.key};
    for (const double value : outcome.values) row.push_back(number_json(value));
    return row;
  };
  return fmt::format(
      "{{\"schema\": \"{}\",\n\"question\": {},\n\"part\": {}, \"of\": {},\n\"groups\": {},\n"
      "\"outcomes\": {}}}\n",
      kPartSchema, line_of(file.question), file.part.number, file.part.of,
      lines_of(file.groups, group_json), lines_of(file.outcomes, outcome_json));
}

PartFile read_part(const std::string& path) {
  const std::string text = read_file(path);
  try {
    const Json json = Json::parse(text);
    if (!json.is_object()) throw InputError("no JSON object");
    return part_from(json);
  } catch (const Json::exception&) {
    throw InputError("is not a part of an evaluation", path,
                     "`ridgewatt evaluate ... --part K/N -o FILE` writes one");
  } catch (const InputError& error) {
    throw InputError("is not a part of an evaluation, because it has " + std::string(error.what()),
                     path, "write it again with `ridgewatt evaluate ... --part K/N -o FILE`");
  }
}

PartFile merge_parts(const std::vector<std::string>& paths) {
  if (paths.empty()) throw UsageError("evaluate merge needs at least one file");
  PartFile whole;
  std::map<std::size_t, std::string> seen;
  for (const auto& path : paths) {
    PartFile file = read_part(path);
    if (seen.empty()) {
      whole = file;
      whole.outcomes.clear();
    }
    check_fits(file, path, whole, paths.front());
    const auto [at, is_new] = seen.emplace(file.part.number, path);
    if (!is_new) {
      throw InputError(fmt::format("part {} of {} is given twice", file.part.number, file.part.of),
                       at->second + " and " + path, "give only one of the two files");
    }
    std::move(file.outcomes.begin(), file.outcomes.end(), std::back_inserter(whole.outcomes));
  }
  check_all_there(seen, whole.part.of);
  whole.part = {};
  return whole;
}

std::string file_mark(const std::string& path) {
  const std::string text = read_file(path);
  return fmt::format("{} bytes, {:016x}", text.size(), fnv1a(text));
}

}  // namespace ridgewatt::evaluate
