// Stores the finished runs of studies in an SQLite file, so that an interrupted study can continue
// without repeating runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ridgewatt/store/sqlite.h"
#include "ridgewatt/study/study.h"

namespace ridgewatt::study {

class StudyLog {
 public:
  // Opens or creates the file for this study, board and seed. A file can hold many studies. Throws
  // InputError if the file is something else or from a newer version.
  StudyLog(const std::string& path, const Study& study, const std::string& board,
           std::uint64_t seed);
  // True if the run is stored.
  bool has(const StudyRun& run);
  // Stores a run, synced to disk when it returns. Throws IoError if the run exists.
  void add(const StudyRun& run, const Responses& responses);
  std::vector<StudyResult> results();
  // Adds a note of a program, unless it is stored already. notes() returns all notes in order of
  // first appearance.
  void add_note(const std::string& note);
  std::vector<std::string> notes();

 private:
  store::Database database_;
  std::int64_t study_ = 0;
};

}  // namespace ridgewatt::study
