// Parses the headers of safetensors files: names, types, shapes and positions of tensors. Format:
// huggingface/safetensors, README: u64 length, that many bytes of JSON, data.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/llm/recipe.h"

namespace ridgewatt::llm {

// The tensors of a file in the order of its header. Throws InputError if the header is truncated,
// larger than 100 MB or not valid JSON of this format, if a name is repeated, or if positions do
// not fit the shapes, overlap or are outside the file. `file` is the name in messages.
std::vector<Tensor> parse_safetensors(std::string_view bytes, const std::string& file);

// The tensors of each shard file, from an index (model.safetensors.index.json). Throws InputError
// for a file name that is outside the folder.
std::map<std::string, std::vector<std::string>> parse_safetensors_index(std::string_view text,
                                                                        const std::string& file);

// Reads the tensors of one file, or of all files of an index.
std::vector<Tensor> read_safetensors(const std::string& path);
std::vector<Tensor> read_safetensors_index(const std::string& path);

// False for names that contain a folder.
bool is_plain_file_name(std::string_view name);

}  // namespace ridgewatt::llm
