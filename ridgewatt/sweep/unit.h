// Returns the words for a minibatch and a sample in a sweep of some kind. For a language model, a
// "prefill" minibatch reads the prompts of `batch` requests, and a "decode" minibatch writes one
// token for each.
#pragma once

#include <string>
#include <string_view>

namespace ridgewatt {

inline constexpr char kPrefillKind[] = "prefill";
inline constexpr char kDecodeKind[] = "decode";

// "sample"; for a language model "prompt" or "token".
inline std::string sample_word(std::string_view kind) {
  return kind == kPrefillKind ? "prompt" : kind == kDecodeKind ? "token" : "sample";
}

// "minibatch". For a language model: "prompt" or "token" for one request, "round of 4 prompts" or
// "step of 4 tokens" for several.
inline std::string minibatch_word(std::string_view kind, int batch) {
  const std::string one = sample_word(kind);
  if (one == "sample") return "minibatch";
  if (batch <= 1) return one;
  return (kind == kPrefillKind ? "round of " : "step of ") + std::to_string(batch) + " " + one +
         "s";
}

}  // namespace ridgewatt
