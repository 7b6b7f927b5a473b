#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "ridgewatt/base/error.h"
#include "ridgewatt/campaign/make_plan.h"
#include "ridgewatt/campaign/plan.h"
#include "ridgewatt/device/mode_text.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/io/json.h"

namespace ridgewatt::campaign {
namespace {

constexpr const char* kSchema = "ridgewatt.campaign/1";
constexpr std::size_t kLargestFile = std::size_t{1} << 28;
constexpr int kDeepestJson = 12;

// A JSON object with typed access to its fields. Errors name the file and the field.
class Fields {
 public:
  Fields(const Json& json, std::string source, std::string where)
      : json_(json), source_(std::move(source)), where_(std::move(where)) {
    if (!json.is_object()) throw fault("is not an object", "");
  }
  bool has(const char* name) const { return json_.contains(name); }
  std::string text(const char* name) const {
    const Json& value = at(name);
    if (!value.is_string()) throw fault("is not text", name);
    return value.get<std::string>();
  }
  std::string text_or(const char* name, const std::string& other) const {
    return has(name) ? text(name) : other;
  }
  double number(const char* name, double other) const {
    if (!has(name)) return other;
    const Json& value = at(name);
    if (!value.is_number() || !std::isfinite(value.get<double>())) {
      throw fault("is not a finite number", name);
    }
    return value.get<double>();
  }
  // Reads a whole number from 0 to 2^53.
  std::int64_t count(const char* name, std::int64_t other) const {
    const double value = number(name, static_cast<double>(other));
    if (value < 0 || value > 9007199254740992.0 || value != std::floor(value)) {
      throw fault("is not a count", name);
    }
    return static_cast<std::int64_t>(value);
  }
  int small_count(const char* name, int other) const {
    const std::int64_t value = count(name, other);
    if (value > 0x7fffffff) throw fault("is too large", name);
    return static_cast<int>(value);
  }
  bool flag(const char* name) const {
    if (!has(name)) return false;
    if (!at(name).is_boolean()) throw fault("is not true or false", name);
    return at(name).get<bool>();
  }
  const Json& list(const char* name) const {
    if (!at(name).is_array()) throw fault("is not a list", name);
    return at(name);
  }
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& [name, value] : json_.items()) found.push_back(name);
    return found;
  }
  Fields object(const char* name) const { return {at(name), source_, name}; }
  Fields element(const Json& json, const char* name, std::size_t i) const {
    return {json, source_, fmt::format("{}[{}]", name, i)};
  }
  InputError fault(std::string_view what, std::string_view name) const {
    const std::string dot = where_.empty() || name.empty() ? "" : ".";
    return InputError(what, fmt::format("{}, {}{}{}", source_, where_, dot, name),
                      "is it a plan of a campaign?");
  }

 private:
  const Json& at(const char* name) const {
    const auto found = json_.find(name);
    if (found == json_.end()) throw fault("is missing", name);
    return *found;
  }
  const Json& json_;
  std::string source_, where_;
};

std::vector<std::string> read_words(const Fields& fields, const char* name) {
  std::vector<std::string> words;
  if (!fields.has(name)) return words;
  for (const auto& word : fields.list(name)) {
    if (!word.is_string()) throw fields.fault("is not a list of text", name);
    words.push_back(word.get<std::string>());
  }
  return words;
}

// Reads the fields that the functions ..._fields() below list, once for reading and writing. A
// member keeps its value if the file lacks its field.
struct FieldReader {
  const Fields& fields;
  void operator()(const char* name, double& value) const { value = fields.number(name, value); }
  void operator()(const char* name, int& value) const { value = fields.small_count(name, value); }
  void operator()(const char* name, bool& value) const { value = fields.flag(name); }
  void operator()(const char* name, std::string& value) const {
    value = fields.text_or(name, value);
  }
  void operator()(const char* name, std::vector<std::string>& value) const {
    value = read_words(fields, name);
  }
};

void measuring_fields(auto& plan, const auto& field) {
  auto& measure = plan.profile.measure;
  field("settle_s", measure.settle.at_most_s);
  field("settle_window_s", measure.settle.window_s);
  field("window_minibatches", measure.window.minibatches);
  field("warm_up_minibatches", measure.window.warm_up);
  field("idle_s", measure.idle_s);
  field("sampling_hz", measure.rate_hz);
  field("max_celsius", plan.control.max_celsius);
  field("full_fan", plan.control.full_fan);
  field("no_idle_states", plan.control.no_idle_states);
}

void submission_fields(auto& plan, const auto& field) {
  auto& options = plan.options;
  field("program", options.program);
  field("folder", options.folder);
  field("partition", options.partition);
  field("account", options.account);
  field("time_limit_s", options.time_limit_s);
  field("limit_factor", options.limit_factor);
  field("limit_floor_s", options.limit_floor_s);
  field("set_aside", options.set_aside);
  field("sbatch_options", options.sbatch_options);
  field("logs", options.logs);
  field("hosts", options.hosts);
  field("ssh", options.ssh);
  field("retries", options.retries);
}

using CacheStart = measure::CacheOptions::Start;

auto writer_to(Json& json) {
  return [&json](const char* name, const auto& value) { json[name] = value; };
}

Json measuring_json(const Plan& plan) {
  Json json;
  measuring_fields(plan, writer_to(json));
  const auto& cache = plan.profile.cache;
  if (cache.start == CacheStart::kFilled) json["fill_cache"] = cache.path;
  if (cache.start == CacheStart::kDropped) json["drop_cache"] = cache.path;
  return json;
}

void read_measuring(const Fields& fields, Plan& plan) {
  measuring_fields(plan, FieldReader{fields});
  auto& cache = plan.profile.cache;
  if (fields.has("fill_cache")) cache = {CacheStart::kFilled, fields.text("fill_cache")};
  if (fields.has("drop_cache")) cache = {CacheStart::kDropped, fields.text("drop_cache")};
}

// The fields that identify points; predictions are not among them.
Json identity_json(const std::vector<PlannedPoint>& points) {
  Json list = Json::array();
  for (PlannedPoint point : points) {
    point.rerun = 0;
    list.push_back({point_text(point), point.repeat});
  }
  return list;
}

Json points_json(const std::vector<PlannedPoint>& points) {
  Json list = Json::array();
  for (const auto& point : points) {
    Json json = json_object({{"label", point.label},
                             {"mode", mode_text(point.point.mode)},
                             {"batch", point.point.batch},
                             {"repeat", point.repeat}});
    if (point.predicted_s > 0) json["predicted_s"] = point.predicted_s;
    if (point.predicted_j > 0) json["predicted_j"] = point.predicted_j;
    if (point.rerun > 0) json["rerun"] = point.rerun;
    list.push_back(std::move(json));
  }
  return list;
}

std::vector<PlannedPoint> read_points(const Fields& kind, const char* name) {
  std::vector<PlannedPoint> points;
  for (const auto& json : kind.list(name)) {
    const Fields fields = kind.element(json, name, points.size());
    PlannedPoint point;
    point.label = fields.text("label");
    try {
      point.point.mode = parse_mode_text(fields.text("mode"));
    } catch (const UsageError& error) {
      throw fields.fault(error.what(), "mode");
    }
    point.point.batch = fields.small_count("batch", 0);
    point.repeat = fields.small_count("repeat", 0);
    point.predicted_s = fields.number("predicted_s", fields.number("foretold_s", 0));
    point.predicted_j = fields.number("predicted_j", fields.number("foretold_j", 0));
    point.rerun = fields.small_count("rerun", 0);
    points.push_back(std::move(point));
  }
  return points;
}

BoardKind read_kind(const Fields& fields) {
  BoardKind kind;
  kind.name = fields.text("kind");
  kind.boards = fields.small_count("boards", 1);
  kind.points_per_task = static_cast<std::size_t>(fields.count("points_per_task", 1));
  kind.points = read_points(fields, "points");
  kind.calibration = read_points(fields, "calibration");
  return kind;
}

Job read_job(const Fields& fields) {
  Job job{fields.text("executor"), fields.text("kind"), fields.text("id"), {}, 0};
  try {
    job.tasks = parse_ranges(fields.text("tasks"));
  } catch (const UsageError& error) {
    throw fields.fault(error.what(), "tasks");
  }
  job.submitted_unix_s = fields.count("submitted_unix_s", 0);
  job.avoid = read_words(fields, "avoid");
  return job;
}

Json submission_json(const Plan& plan) {
  Json json = json_object({{"executor", plan.executor}});
  submission_fields(plan, writer_to(json));
  return json;
}

void read_submission(const Fields& fields, Plan& plan) {
  plan.executor = fields.text("executor");
  submission_fields(plan, FieldReader{fields});
}

void read_readmitted(const Fields& fields, Plan& plan) {
  for (const auto& serial : fields.names()) {
    plan.readmitted[serial] = fields.count(serial.c_str(), 0);
  }
}

Json parse_bounded(const std::string& text, const std::string& source) {
  const auto shallow = [](int depth, Json::parse_event_t, Json&) {
    if (depth > kDeepestJson) throw InputError("is nested too deeply", "the plan of the campaign");
    return true;
  };
  const Json json = Json::parse(text, shallow, false);
  if (json.is_discarded()) throw InputError("is not JSON", source, "is it a plan of a campaign?");
  return json;
}

}  // namespace

Plan parse_plan(const std::string& text, const std::string& source) {
  const Json json = parse_bounded(text, source);
  const Fields fields(json, source, "");
  if (fields.text_or("schema", "") != kSchema) {
    throw InputError("is not a plan of a campaign", source,
                     fmt::format("its schema must be {}", kSchema));
  }
  Plan plan;
  plan.name = fields.text("name");
  plan.store = fields.text("store");
  plan.profile.series.workload = fields.text("workload");
  plan.profile.series.kind = fields.text("kind");
  plan.profile.measure.command = read_words(fields, "command");
  read_measuring(fields.object("measuring"), plan);
  for (const auto& kind : fields.list("boards")) {
    plan.boards.push_back(read_kind(fields.element(kind, "boards", plan.boards.size())));
  }
  if (fields.has("submission")) read_submission(fields.object("submission"), plan);
  if (fields.has("readmitted")) read_readmitted(fields.object("readmitted"), plan);
  plan.attempts_since_unix_s = fields.count("attempts_since_unix_s", 0);
  if (fields.has("jobs")) {
    for (const auto& job : fields.list("jobs")) {
      plan.jobs.push_back(read_job(fields.element(job, "jobs", plan.jobs.size())));
    }
  }
  try {
    plan.check();
  } catch (const UsageError& error) {
    throw InputError(error.what(), source);
  }
  return plan;
}

Plan read_plan(const std::string& path) {
  return parse_plan(read_file(path, kLargestFile), path);
}

std::string plan_json(const Plan& plan) {
  Json json = json_object({{"schema", kSchema},
                           {"name", plan.name},
                           {"store", plan.store},
                           {"workload", plan.profile.series.workload},
                           {"kind", plan.profile.series.kind},
                           {"command", plan.profile.measure.command},
                           {"measuring", measuring_json(plan)},
                           {"boards", Json::array()}});
  for (const auto& kind : plan.boards) {
    json["boards"].push_back(json_object({{"kind", kind.name},
                                          {"boards", kind.boards},
                                          {"points_per_task", kind.points_per_task},
                                          {"calibration", points_json(kind.calibration)},
                                          {"points", points_json(kind.points)}}));
  }
  if (!plan.readmitted.empty()) json["readmitted"] = plan.readmitted;
  if (plan.attempts_since_unix_s > 0) json["attempts_since_unix_s"] = plan.attempts_since_unix_s;
  if (plan.executor.empty()) return dump_json(json) + "\n";
  json["submission"] = submission_json(plan);
  json["jobs"] = Json::array();
  for (const auto& job : plan.jobs) {
    json["jobs"].push_back(json_object({{"executor", job.executor},
                                        {"kind", job.board_kind},
                                        {"id", job.id},
                                        {"tasks", ranges_text(job.tasks)},
                                        {"submitted_unix_s", job.submitted_unix_s}}));
    if (!job.avoid.empty()) json["jobs"].back()["avoid"] = job.avoid;
  }
  return dump_json(json) + "\n";
}

// A field that a later version adds is hashed only if its value differs from the earlier behavior,
// so that fingerprints of older plans stay valid.
std::string fingerprint_of(const Plan& plan) {
  Json json = json_object({{"name", plan.name},
                           {"workload", plan.profile.series.workload},
                           {"kind", plan.profile.series.kind},
                           {"command", plan.profile.measure.command},
                           {"measuring", measuring_json(plan)},
                           {"boards", Json::array()}});
  for (const auto& kind : plan.boards) {
    json["boards"].push_back(
        {kind.name, identity_json(kind.calibration), identity_json(kind.points)});
  }
  return hash_text(json.dump());
}

void write_plan(const Plan& plan, const std::string& path) {
  write_file_atomically(path, plan_json(plan));
}

std::string file_of_plan(const Plan& plan, const std::string& asked) {
  const std::string path = asked.empty() ? plan.name + ".json" : asked;
  if (!std::filesystem::is_regular_file(path)) return path;
  std::ifstream file(path);  // read_file() would record an input file that must not be overwritten
  const std::string text(std::istreambuf_iterator<char>(file), {});
  std::optional<Plan> old;
  try {
    old = parse_plan(text, path);
  } catch (const InputError&) {
    if (!asked.empty()) return path;
    throw UsageError("is not a plan of a campaign and would be replaced", path,
                     "name the file of the plan with -o");
  }
  if (old->executor.empty()) return path;
  throw UsageError("is the plan of a submitted campaign and would be replaced", path,
                   "choose another NAME, or name another file with -o");
}

}  // namespace ridgewatt::campaign
