// The headers of safetensors files: names, types, shapes and places of tensors.
// Format: huggingface/safetensors, README: u64 length, that many bytes of JSON, data.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/llm/recipe.h"

namespace ridgewatt::llm {

// The tensors of a file in the order of its header. InputError where the header is cut off, larger
// than 100 MB, no JSON of that form, names a tensor twice, or has places that do not fit their
// shapes, overlap or lie beyond the file. `file` names it.
std::vector<Tensor> parse_safetensors(std::string_view bytes, const std::string& file);

// Files of shards by the tensors that an index (model.safetensors.index.json) maps to them. Names
// of files are plain: InputError for one that would leave the folder.
std::map<std::string, std::vector<std::string>> parse_safetensors_index(std::string_view text,
                                                                        const std::string& file);

// The tensors of one file, or of all files of an index.
std::vector<Tensor> read_safetensors(const std::string& path);
std::vector<Tensor> read_safetensors_index(const std::string& path);

// False for names that lead out of their folder or into another.
bool is_plain_file_name(std::string_view name);

}  // namespace ridgewatt::llm
