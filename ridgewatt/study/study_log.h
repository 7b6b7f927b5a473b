// The finished runs of a study in one SQLite file, so that an interrupted study continues where it
// stopped and repeats nothing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ridgewatt/store/sqlite.h"
#include "ridgewatt/study/study.h"

namespace ridgewatt::study {

class StudyLog {
 public:
  // Opens or creates the file for this study on this board with this seed; one file holds many.
  // Throws InputError if the file is something else.
  StudyLog(const std::string& path, const Study& study, const std::string& board,
           std::uint64_t seed);
  bool has(const StudyRun& run);
  // Synced when it returns. Throws IoError if the run exists already.
  void add(const StudyRun& run, const Responses& responses);
  std::vector<StudyResult> results();
  // Notes of programs, each once, in order of first appearance.
  void add_note(const std::string& note);
  std::vector<std::string> notes();

 private:
  store::Database database_;
  std::int64_t study_ = 0;
};

}  // namespace ridgewatt::study
