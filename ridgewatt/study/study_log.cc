#include "ridgewatt/study/study_log.h"

#include <fmt/format.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/io/json.h"

namespace ridgewatt::study {
namespace {

constexpr std::int64_t kApplicationId = 0x52445753;  // "RDWS"

constexpr const char* kSchema = R"sql(
CREATE TABLE study (
  id INTEGER PRIMARY KEY, definition TEXT NOT NULL, board TEXT NOT NULL, seed INTEGER NOT NULL,
  UNIQUE (definition, board, seed));
CREATE TABLE run (
  study INTEGER NOT NULL REFERENCES study (id), cell TEXT NOT NULL, block TEXT NOT NULL,
  responses TEXT NOT NULL, UNIQUE (study, cell, block));
)sql";

// A separate table, which older programs ignore.
constexpr const char* kNotes = R"sql(
CREATE TABLE IF NOT EXISTS note (
  study INTEGER NOT NULL REFERENCES study (id), text TEXT NOT NULL, UNIQUE (study, text));
)sql";

// Everything that affects the meaning of a run: the study file and the settings from outside.
std::string definition_of(const Study& study) {
  Json json = json_object(
      {{"text", study.text}, {"parameters", study.parameters}, {"repeats", study.repeats}});
  for (const auto& factor : study.factors) json["levels"].push_back(factor.levels);
  if (!study.fallback.empty() && study.command == study.fallback) json["program"] = "fallback";
  return json.dump();
}

}  // namespace

StudyLog::StudyLog(const std::string& path, const Study& study, const std::string& board,
                   std::uint64_t seed)
    : database_(path, store::Database::Access::kCreate) {
  if (database_.pragma("schema_version") == 0) {
    store::Transaction transaction(database_);
    database_.execute(kSchema);
    database_.execute(
        fmt::format("PRAGMA application_id = {}; PRAGMA user_version = 1", kApplicationId));
    transaction.commit();
  } else if (database_.pragma("application_id") != kApplicationId) {
    throw InputError("is a database, but does not hold the runs of studies", path,
                     "give the database of a study");
  } else if (database_.pragma("user_version") > 1) {
    throw InputError("was written by a newer version of ridgewatt", path,
                     "use a newer version of ridgewatt");
  }
  database_.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  database_.execute(kNotes);
  const std::string definition = definition_of(study);
  store::Statement insert(
      database_,
      "INSERT INTO study (definition, board, seed) VALUES (?, ?, ?) ON CONFLICT DO "
      "NOTHING");
  store::Statement select(database_,
                          "SELECT id FROM study WHERE definition = ? AND board = ? AND seed = ?");
  for (store::Statement* statement : {&insert, &select}) {
    statement->bind(1, definition).bind(2, board).bind(3, static_cast<std::int64_t>(seed));
  }
  insert.run();
  select.step();
  study_ = select.integer(0);
}

bool StudyLog::has(const StudyRun& run) {
  store::Statement select(database_,
                          "SELECT 1 FROM run WHERE study = ? AND cell = ? AND block = ?");
  select.bind(1, study_).bind(2, Json(run.cell).dump()).bind(3, run.block);
  return select.step();
}

void StudyLog::add(const StudyRun& run, const Responses& responses) {
  store::Statement insert(database_,
                          "INSERT INTO run (study, cell, block, responses) VALUES (?, ?, ?, ?)");
  insert.bind(1, study_)
      .bind(2, Json(run.cell).dump())
      .bind(3, run.block)
      .bind(4, Json(responses).dump());
  insert.run();
}

std::vector<StudyResult> StudyLog::results() {
  store::Statement row(database_,
                       "SELECT cell, block, responses FROM run WHERE study = ? ORDER BY rowid");
  row.bind(1, study_);
  std::vector<StudyResult> results;
  while (row.step()) {
    const Json cell = Json::parse(row.text(0), nullptr, false);
    const Json responses = Json::parse(row.text(2), nullptr, false);
    if (!cell.is_array() || !responses.is_object()) {
      throw InputError("holds a run that is damaged", database_.path());
    }
    results.push_back({cell.get<StudyCell>(), row.text(1), responses.get<Responses>()});
  }
  return results;
}

void StudyLog::add_note(const std::string& note) {
  store::Statement insert(database_,
                          "INSERT INTO note (study, text) VALUES (?, ?) ON CONFLICT DO NOTHING");
  insert.bind(1, study_).bind(2, note);
  insert.run();
}

std::vector<std::string> StudyLog::notes() {
  store::Statement row(database_, "SELECT text FROM note WHERE study = ? ORDER BY rowid");
  row.bind(1, study_);
  std::vector<std::string> notes;
  while (row.step()) notes.emplace_back(row.text(0));
  return notes;
}

}  // namespace ridgewatt::study
