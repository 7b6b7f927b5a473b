#include "ridgewatt/schedule/live_programs.h"
#include "ridgewatt/io/path.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/suggest.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/io/toml.h"
#include "ridgewatt/schedule/protocol.h"

namespace ridgewatt::schedule {
namespace {

constexpr std::size_t kMostPrograms = 16;
constexpr int kLargestBatch = 65536;

class ProgramsReader {
 public:
  ProgramsReader(const TomlTable& table, const std::string& source)
      : table_(table), source_(source) {}

  LivePrograms read() {
    LivePrograms result;
    refuse_others(table_, {"board", "inference", "training"}, "the file");
    result.board = text(table_, "board", "the file");
    read_list(WorkloadKind::kInference, result.inference);
    read_list(WorkloadKind::kTraining, result.training);
    if (result.inference.empty()) fail("the file has no [[inference]] program", "");
    for (const auto* list : {&result.inference, &result.training}) {
      for (const auto& entry : *list) {
        if (!names_.insert(entry.name).second) fail("two programs have the same name", entry.name);
        if (!entry.model.empty() && result.board.empty()) {
          fail("the key 'board' is missing, but a program with a model needs it", entry.name);
        }
      }
    }
    return result;
  }

 private:
  [[noreturn]] void fail(std::string_view what, std::string_view where,
                         std::string_view hint = {}) const {
    throw InputError(fmt::format("{}{}{}", what, where.empty() ? "" : ": ", where), source_, hint);
  }
  void refuse_others(const TomlTable& table, const std::set<std::string>& known,
                     const std::string& where) const {
    for (const auto& [key, value] : table) {
      if (!known.contains(key)) {
        fail("unknown key " + escape_terminal(key), where,
             hint_for(key, {{known.begin(), known.end()}}));
      }
    }
  }
  std::string text(const TomlTable& table, const char* key, const std::string& where) const {
    const auto* node = table.get(key);
    if (node == nullptr) return "";
    const auto* value = node->as<std::string>();
    if (!value || value->empty()) fail(fmt::format("{} must be a string", key), where);
    return *value;
  }
  double positive(const TomlTable& table, const char* key, const std::string& where) const {
    const auto* node = table.get(key);
    if (node == nullptr) return 0;
    const auto value = node->number();
    if (!value || !(*value > 0) || !(*value <= 1e9)) {
      fail(fmt::format("{} must be a positive number", key), where);
    }
    return *value;
  }
  std::vector<std::string> words(const TomlTable& table, const std::string& where) const {
    std::vector<std::string> result;
    const auto* node = table.get("command");
    if (node == nullptr) return result;
    const auto* list = node->as<TomlArray>();
    if (list == nullptr || list->empty()) fail("command must be an array of strings", where);
    for (const auto& word : *list) {
      const auto* value = word.as<std::string>();
      if (!value || value->find('\0') != std::string::npos) {
        fail("command must be an array of strings", where);
      }
      result.push_back(*value);
    }
    if (result[0].empty()) fail("command must begin with the name of a program", where);
    return result;
  }
  std::vector<int> batches(const TomlTable& table, const std::string& where) const {
    std::vector<int> result;
    const auto* node = table.get("batches");
    if (node == nullptr) return result;
    const auto* list = node->as<TomlArray>();
    if (list == nullptr || list->empty()) fail("batches must be an array of numbers", where);
    for (const auto& entry : *list) {
      const auto* value = entry.as<std::int64_t>();
      if (!value || *value < 1 || *value > kLargestBatch) {
        fail("a batch must be a whole number from 1 to 65536", where);
      }
      result.push_back(static_cast<int>(*value));
    }
    return result;
  }

  void read_list(WorkloadKind kind, std::vector<LiveProgramEntry>& into) const {
    const std::string list_name(name_of(kind));
    const auto* node = table_.get(list_name);
    if (node == nullptr) return;
    const auto list = node->tables();
    if (list.empty()) fail("programs must be written as [[" + list_name + "]]", list_name);
    if (list.size() > kMostPrograms) fail("the file lists more than 16 programs", list_name);
    for (const TomlTable* element : list) {
      const TomlTable& table = *element;
      LiveProgramEntry entry;
      entry.kind = kind;
      entry.name = text(table, "name", list_name);
      const auto hello = parse_worker_message("hello 1 training " + entry.name);
      if (!hello)
        fail("name must have 1 to 32 characters, each one of A-Z a-z 0-9 _ . -", list_name);
      std::set<std::string> known = {"name", "sweep", "model", "batches", "command"};
      if (kind == WorkloadKind::kInference) {
        known.insert({"max_latency_ms", "arrival_rate_hz"});
      }
      refuse_others(table, known, entry.name);
      entry.sweep = text(table, "sweep", entry.name);
      entry.model = text(table, "model", entry.name);
      if (entry.sweep.empty() == entry.model.empty()) {
        fail("the program must have either sweep or model", entry.name);
      }
      entry.batches = batches(table, entry.name);
      if (entry.model.empty() && !entry.batches.empty()) {
        fail("batches apply only to a program with a model", entry.name);
      }
      entry.command = words(table, entry.name);
      entry.max_latency_s = positive(table, "max_latency_ms", entry.name) / 1e3;
      entry.rate_hz = positive(table, "arrival_rate_hz", entry.name);
      if (kind == WorkloadKind::kInference && entry.max_latency_s <= 0) {
        fail("an inference program needs max_latency_ms", entry.name);
      }
      into.push_back(std::move(entry));
    }
  }

  const TomlTable& table_;
  const std::string& source_;
  std::set<std::string> names_;
};

}  // namespace

LivePrograms parse_live_programs(std::string_view text, const std::string& source) {
  const TomlTable table = parse_toml(text, source);
  return ProgramsReader(table, source).read();
}

LivePrograms read_live_programs(const std::string& path) {
  LivePrograms programs = parse_live_programs(read_file(path), path);
  const std::filesystem::path folder = folder_of(path);
  for (auto* list : {&programs.inference, &programs.training}) {
    for (auto& entry : *list) {
      if (!entry.sweep.empty()) entry.sweep = (folder / entry.sweep).string();
    }
  }
  return programs;
}

}  // namespace ridgewatt::schedule
