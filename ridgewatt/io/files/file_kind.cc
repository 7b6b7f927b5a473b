#include "ridgewatt/io/file_kind.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "ridgewatt/base/fd.h"
#include "ridgewatt/base/text.h"

namespace ridgewatt {
namespace {

struct Signature {
  std::string_view begin, kind;
};
// File formats and their first bytes.
constexpr Signature kSignatures[] = {{kSqliteHeader, "an SQLite database"},
                                     {"\x1f\x8b", "a gzip archive"},
                                     {"PK\x03\x04", "a ZIP archive"},
                                     {"\x89PNG", "a PNG image"},
                                     {"%PDF-", "a PDF file"},
                                     {"GGUF", "a GGUF model"},
                                     {"\x7f"
                                      "ELF",
                                      "a compiled program"},
                                     {"<!DOCTYPE html", "an HTML page"},
                                     {"<!doctype html", "an HTML page"},
                                     {"<html", "an HTML page"},
                                     {"<svg", "an SVG figure"},
                                     {"<?xml", "an XML file"}};

std::string_view kind_of_signature(std::string_view begin) {
  for (const auto& [bytes, kind] : kSignatures) {
    if (begin.starts_with(bytes)) return kind;
  }
  return "";
}

// JSON begins with an object, or with an array of values. A table of TOML also begins with '['.
bool is_json(std::string_view text) {
  if (text.starts_with('{')) return true;
  if (!text.starts_with('[')) return false;
  const std::string_view inside = trim(text.substr(1));
  return inside.empty() ||
         std::string_view("{[]\"-0123456789").find(inside[0]) != std::string_view::npos;
}

bool is_text(std::string_view begin) {
  return std::none_of(begin.begin(), begin.end(), [](char c) {
    return static_cast<unsigned char>(c) < ' ' &&
           std::string_view("\t\n\r\f").find(c) == std::string_view::npos;
  });
}

}  // namespace

std::string_view kind_of_content(std::string_view begin) {
  if (const auto kind = kind_of_signature(begin); !kind.empty()) return kind;
  if (begin.empty()) return "an empty file";
  if (!is_text(begin)) return "a binary file";
  if (is_json(trim(begin))) return "a JSON file";
  const std::string_view first = begin.substr(0, begin.find('\n'));
  return first.find(',') == std::string_view::npos ? std::string_view("a text file") : kCsvKind;
}

bool is_other_than_csv(std::string_view begin) {
  return !kind_of_signature(begin).empty() || is_json(begin);
}

std::string begin_of_file(const std::string& path) {
  // A FIFO or a device is not opened: reading takes bytes from it.
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return "";
  const OwnedFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return "";
  std::string begin(kKindBytes, '\0');
  std::size_t size = 0;
  while (size < begin.size()) {
    const ssize_t count = ::read(file.get(), begin.data() + size, begin.size() - size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    size += static_cast<std::size_t>(count);
  }
  begin.resize(size);
  return begin;
}

}  // namespace ridgewatt
