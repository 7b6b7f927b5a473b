#include "ridgewatt/llm/safetensors/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <unordered_set>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/io/json.h"
#include "ridgewatt/io/path.h"
#include "ridgewatt/llm/tensor_names.h"
#include "ridgewatt/workload/mapped_file.h"

namespace ridgewatt::llm {
namespace {

constexpr std::uint64_t kMostHeaderBytes = 100'000'000;  // the limit of the format
constexpr std::size_t kMostIndexBytes = std::size_t{64} << 20;
constexpr std::size_t kMostListed = 1'000'000;
constexpr std::size_t kMostExtents = 8;
constexpr std::int64_t kMostListedElements = std::int64_t{1} << 52;
constexpr std::size_t kMostShardFiles = 10'000;

// Reads an object of objects as a stream, so that only the kept fields need memory.
class HeaderEvents : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit HeaderEvents(const std::string& file) : file_(file) {}

  struct Entry {
    std::string name;
    std::string dtype = {};
    std::vector<std::int64_t> shape = {};
    std::vector<std::uint64_t> offsets = {};
    bool has_shape = false;
  };
  std::vector<Entry> entries;

  bool null() override { return ignored(); }
  bool boolean(bool /*value*/) override { return ignored(); }
  bool number_integer(number_integer_t /*value*/) override {
    fail_unless(metadata(), "a number below zero");
    return true;
  }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override {
    return ignored();
  }
  bool binary(binary_t& /*value*/) override { return ignored(); }
  bool number_unsigned(number_unsigned_t value) override {
    if (metadata()) return true;
    fail_unless(depth_ == 3 && array_, "a number where none belongs");
    Entry& entry = entries.back();
    if (field_ == "shape") {
      fail_unless(entry.shape.size() < kMostExtents, "a shape of more than 8 extents");
      fail_unless(value <= static_cast<std::uint64_t>(kMostListedElements), "an impossible extent");
      entry.shape.push_back(static_cast<std::int64_t>(value));
    } else if (field_ == "data_offsets") {
      fail_unless(entry.offsets.size() < 2, "more than two offsets");
      entry.offsets.push_back(value);
    }
    return true;
  }
  bool string(string_t& value) override {
    if (metadata()) return true;
    fail_unless(depth_ == 2 && field_ == "dtype" && value.size() <= 16, "a text that is no type");
    entries.back().dtype = value;
    return true;
  }
  bool start_object(std::size_t /*size*/) override {
    ++depth_;
    fail_unless(depth_ <= 2 || (metadata() && depth_ <= 8), "objects that are nested too deep");
    return true;
  }
  bool end_object() override {
    --depth_;
    return true;
  }
  bool key(string_t& name) override {
    if (depth_ == 1) {
      fail_unless(names_.insert(name).second, "a duplicate tensor");
      metadata_ = name == "__metadata__";
      if (metadata_) return true;
      fail_unless(!name.empty(), "a tensor without a name");
      fail_unless(entries.size() < kMostListed, "more than a million tensors");
      entries.push_back({.name = name});
      field_.clear();
    } else if (!metadata_) {
      field_ = name;
      if (field_ == "shape") entries.back().has_shape = true;
    }
    return true;
  }
  bool start_array(std::size_t /*size*/) override {
    fail_unless(depth_ > 0, "an array");
    ++depth_;
    fail_unless(depth_ <= (metadata() ? 8 : 3), "arrays that are nested too deep");
    array_ = true;
    return true;
  }
  bool end_array() override {
    --depth_;
    array_ = false;
    return true;
  }
  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*error*/) override {
    throw InputError(fmt::format("the safetensors header is not valid JSON (byte {})", position),
                     file_);
  }

 private:
  bool metadata() const { return metadata_ && depth_ >= 1; }
  bool ignored() {
    fail_unless(metadata(), "a value where none belongs");
    return true;
  }
  void fail_unless(bool well, const char* what) const {
    if (!well) throw InputError(fmt::format("the safetensors header has {}", what), file_);
  }

  const std::string& file_;
  int depth_ = 0;
  bool array_ = false;
  bool metadata_ = false;
  std::string field_;
  std::unordered_set<std::string> names_;
};

struct Place {
  std::uint64_t begin;
  std::uint64_t end;
};

Tensor tensor_of(const HeaderEvents::Entry& entry, std::uint64_t data_bytes,
                 const std::string& file) {
  const std::string shown = "tensor '" + escape_terminal(entry.name) + "'";
  const auto type = stored_type_of_safetensors(entry.dtype);
  if (!type) {
    throw InputError(shown + " has the unknown type '" + escape_terminal(entry.dtype) + "'", file);
  }
  if (!entry.has_shape || entry.offsets.size() != 2) {
    throw InputError(shown + " lacks its shape or its data offsets", file);
  }
  std::int64_t elements = 1;
  for (const std::int64_t extent : entry.shape) {
    if (extent > 0 && elements > kMostListedElements / extent) {
      throw InputError(shown + " has an impossible shape", file);
    }
    elements *= extent;
  }
  const std::uint64_t begin = entry.offsets[0], end = entry.offsets[1];
  if (begin > end || end > data_bytes) {
    throw InputError("is cut off or damaged, because " + shown + " ends beyond the data", file);
  }
  const double bytes = stored_bytes(*type, elements);
  if (bytes != static_cast<double>(end - begin)) {
    throw InputError(
        fmt::format("{} needs {} bytes, but its data offsets span {}", shown, bytes, end - begin),
        file);
  }
  const TensorPlace place = place_of(entry.name, entry.shape.size());
  return {entry.name, entry.shape, *type, bytes, 1, place.role, place.layer};
}

Json parse_index(std::string_view text, const std::string& file) {
  constexpr int kMostIndexDepth = 8;
  const auto bounded = [&](int depth, Json::parse_event_t /*event*/, Json& /*value*/) {
    if (depth > kMostIndexDepth) throw InputError("is nested too deeply", file);
    return true;
  };
  return Json::parse(text, bounded, false);
}

}  // namespace

bool is_plain_file_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string_view::npos &&
         name.find('\0') == std::string_view::npos;
}

std::vector<Tensor> parse_safetensors(std::string_view bytes, const std::string& file) {
  std::uint64_t header = 0;
  if (bytes.size() < sizeof header)
    throw InputError("is not a safetensors file, because it is too short", file);
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header > kMostHeaderBytes || header > bytes.size() - sizeof header) {
    throw InputError(
        fmt::format("is cut off or not a safetensors file, because its header would have {} bytes",
                    header),
        file);
  }
  HeaderEvents events(file);
  const std::string_view text = bytes.substr(sizeof header, header);
  if (!text.starts_with('{')) throw InputError("is not a safetensors file", file);
  nlohmann::json::sax_parse(text.begin(), text.end(), &events);
  const std::uint64_t data = bytes.size() - sizeof header - header;
  std::vector<Tensor> tensors;
  std::vector<Place> places;
  for (const auto& entry : events.entries) {
    tensors.push_back(tensor_of(entry, data, file));
    if (entry.offsets[0] < entry.offsets[1]) places.push_back({entry.offsets[0], entry.offsets[1]});
  }
  std::sort(places.begin(), places.end(),
            [](const Place& a, const Place& b) { return a.begin < b.begin; });
  for (std::size_t i = 1; i < places.size(); ++i) {
    if (places[i].begin < places[i - 1].end) throw InputError("tensors of the file overlap", file);
  }
  return tensors;
}

std::map<std::string, std::vector<std::string>> parse_safetensors_index(std::string_view text,
                                                                        const std::string& file) {
  const Json json = parse_index(text, file);
  if (!json.is_object() || !json.contains("weight_map") || !json["weight_map"].is_object()) {
    throw InputError("is not an index of safetensors files, because it lacks weight_map", file);
  }
  std::map<std::string, std::vector<std::string>> shards;
  for (const auto& [tensor, shard] : json["weight_map"].items()) {
    if (!shard.is_string() || !is_plain_file_name(shard.get<std::string>())) {
      throw InputError("has a tensor whose file is outside the folder of the index", file,
                       escape_terminal(tensor));
    }
    shards[shard.get<std::string>()].push_back(tensor);
    if (shards.size() > kMostShardFiles) throw InputError("has too many shards", file);
  }
  if (shards.empty()) throw InputError("has no tensors in weight_map", file);
  return shards;
}

std::vector<Tensor> read_safetensors(const std::string& path) {
  const workload::MappedFile mapped(path);
  return parse_safetensors(mapped.bytes(), path);
}

std::vector<Tensor> read_safetensors_index(const std::string& path) {
  const auto shards = parse_safetensors_index(read_file(path, kMostIndexBytes), path);
  const std::filesystem::path folder = folder_of(path);
  std::vector<Tensor> all;
  std::unordered_set<std::string> names;
  for (const auto& [shard, mapped] : shards) {
    const std::string file = (folder / shard).string();
    const std::unordered_set<std::string_view> wanted(mapped.begin(), mapped.end());
    std::size_t found = 0;
    for (Tensor& tensor : read_safetensors(file)) {
      if (!names.insert(tensor.name).second) {
        throw InputError("the same tensor is in two shards", file, escape_terminal(tensor.name));
      }
      found += wanted.count(tensor.name);
      all.push_back(std::move(tensor));
    }
    if (found < wanted.size()) {
      throw InputError("lacks tensors that the index lists for it", file);
    }
  }
  return all;
}

}  // namespace ridgewatt::llm
