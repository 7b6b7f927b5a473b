// Operators that generate text. The decoder in their body runs once on the prompt and then once for
// each further token.
#include <algorithm>
#include <array>

#include "ridgewatt/base/contains.h"
#include "ridgewatt/workload/infer/extent_names.h"
#include "ridgewatt/workload/infer/generation.h"
#include "ridgewatt/workload/infer/infer_context.h"

namespace ridgewatt::workload {

bool generates_text(const Node& node) {
  constexpr std::array<std::string_view, 4> kNames = {"BeamSearch", "GreedySearch", "Sampling",
                                                      "WhisperBeamSearch"};
  return node.domain == "com.microsoft" && contains(kNames, node.op);
}

namespace {

// Lengths in one run of a decoder or encoder.
struct DecoderRun {
  std::int64_t batch = kUnknownDim;   // sequences: samples x beams
  std::int64_t tokens = kUnknownDim;  // new tokens
  std::int64_t past = 0;              // tokens in the cache
  std::int64_t source = kUnknownDim;  // tokens that the encoder read
};

bool is_about(std::string_view name, std::string_view word) {
  return name.find(word) != std::string_view::npos;
}

// Returns the extent that a symbol's name denotes.
std::int64_t named_extent(const std::string& symbol, const DecoderRun& run) {
  if (names_batch(symbol)) return run.batch;
  if (is_about(symbol, "encod") || is_about(symbol, "cross")) return run.source;
  if (names_total(symbol)) return add_extents(run.past, run.tokens);
  if (names_past(symbol)) return run.past;
  if (names_tokens(symbol)) return run.tokens;
  return kUnknownDim;
}

// Returns the extent by position if the name does not denote one. Token numbers are [batch,
// tokens], masks [batch, total], caches [batch, heads, past, size] or [2, batch, heads, past,
// size].
std::int64_t placed_extent(const std::string& input, std::size_t rank, std::size_t axis,
                           const DecoderRun& run) {
  const std::size_t batch_axis = rank == 5 ? 1 : 0;
  if (axis == batch_axis) return run.batch;
  const bool source = is_about(input, "encod") || is_about(input, "cross");
  if (rank >= 4) return axis + 2 == rank ? (source ? run.source : run.past) : kUnknownDim;
  if (axis != 1) return kUnknownDim;
  if (source) return run.source;
  return is_about(input, "mask") ? add_extents(run.past, run.tokens) : run.tokens;
}

void bind_body(InferContext& c, const Graph& body, const DecoderRun& run) {
  ExtentValues values = c.bound();
  for (const TensorId id : body.inputs) {
    const Tensor& input = c.model().tensors[static_cast<std::size_t>(id)];
    for (const std::string& symbol : input.symbols) {
      const std::int64_t extent = named_extent(symbol, run);
      if (!symbol.empty() && extent != kUnknownDim && !c.is_given(symbol)) values[symbol] = extent;
    }
  }
  for (const TensorId id : body.inputs) {
    const Tensor& input = c.model().tensors[static_cast<std::size_t>(id)];
    if (!input.declared) continue;
    ValueInfo value = *input.declared;
    for (std::size_t axis = 0; value.shape && axis < value.shape->size(); ++axis) {
      std::int64_t& extent = (*value.shape)[axis];
      if (extent != kUnknownDim) continue;
      const std::string symbol = axis < input.symbols.size() ? input.symbols[axis] : "";
      const auto known = values.find(symbol);
      const auto sum = evaluate_extent(symbol, values);
      extent = known != values.end() ? known->second
               : sum                 ? *sum
                                     : placed_extent(input.name, value.shape->size(), axis, run);
    }
    c.value(id) = std::move(value);
  }
}

class Generation {
 public:
  explicit Generation(InferContext& c) : c_(c), node_(c.mutable_node()) {
    const Shape* ids = c.shape(0);
    batch_ = extent_of(ids, 0);
    const bool encodes = node_.subgraph("encoder") != nullptr;
    const std::int64_t read = extent_of(ids, ids != nullptr ? ids->size() - 1 : 0);
    source_ = encodes ? read : kUnknownDim;
    prompt_ = !encodes                                    ? read
              : c.has_input(10) && c.shape(10) != nullptr ? extent_of(c.shape(10), 1)
                                                          : 1;
    searches_beams_ = node_.op == "BeamSearch" || node_.op == "WhisperBeamSearch";
    count_tokens();
    count_beams();
  }

  void infer() {
    node_.body_counts.assign(node_.subgraphs.size(), 0);
    const std::int64_t sequences = multiply_extents(batch_, beams_);
    if (Graph* encoder = node_.subgraph("encoder")) {
      const DecoderRun run = {batch_, prompt_, 0, source_};
      bind_body(c_, *encoder, run);
      if (!encoder->inputs.empty()) {
        ValueInfo read = c_.input(0);
        read.constant = nullptr;
        c_.value(encoder->inputs[0]) = std::move(read);
      }
      run_body(*encoder, 1);
      read_source(*encoder);
    }
    if (Graph* first = node_.subgraph("init_decoder")) {
      bind_body(c_, *first, {sequences, prompt_, 0, source_});
      run_body(*first, 1);
    }
    // The cache grows by one per token. All tokens are counted with the mean length.
    const std::int64_t mean = prompt_ == kUnknownDim ? kUnknownDim : prompt_ + further_ / 2;
    bind_body(c_, *node_.subgraph("decoder"), {sequences, 1, mean, source_});
    run_body(*node_.subgraph("decoder"), further_);
    set_outputs();
  }

 private:
  // Finds the length of the encoder's output, which can be shorter than its input.
  void read_source(const Graph& encoder) {
    for (const TensorId id : encoder.outputs) {
      const Tensor& output = c_.model().tensors[static_cast<std::size_t>(id)];
      if (!is_about(output.name, "hidden_states") || !output.shape) continue;
      if (output.shape->size() == 3 && (*output.shape)[1] != kUnknownDim) {
        source_ = (*output.shape)[1];
      }
    }
  }

  // The first pass gives one token, and each further run gives another.
  void count_tokens() {
    const auto longest = c_.known_int(1);
    if (longest && prompt_ != kUnknownDim) {
      further_ = std::max<std::int64_t>(*longest - prompt_ - 1, 0);
      return;
    }
    c_.remark(node_.op + " '" + node_.name +
              "': the length to generate is not known; the first pass and one additional token are "
              "counted");
  }

  void count_beams() {
    if (!searches_beams_) return;
    const auto beams = c_.known_int(3);
    if (beams && *beams > 0) {
      beams_ = *beams;
      return;
    }
    c_.remark(node_.op + " '" + node_.name + "': the number of beams is not known; one is counted");
  }

  void run_body(Graph& body, std::int64_t count) {
    c_.run(body);
    node_.body_counts[static_cast<std::size_t>(&body - node_.subgraphs.data())] = count;
  }

  void set_outputs() {
    const std::int64_t length = add_extents(prompt_, further_ + 1);
    if (!searches_beams_) {
      c_.set(0, DataType::kInt32, Shape{batch_, length});
      return;
    }
    const std::int64_t returned = c_.known_int(4).value_or(1);
    c_.set(0, DataType::kInt32, Shape{batch_, returned, length});
    c_.set(1, DataType::kFloat, Shape{batch_, returned});
    c_.set(2, DataType::kFloat,
           Shape{further_ + 1, batch_, beams_, node_.integer("vocab_size", kUnknownDim)});
  }

  InferContext& c_;
  Node& node_;
  std::int64_t batch_ = kUnknownDim;
  std::int64_t source_ = kUnknownDim;
  std::int64_t prompt_ = kUnknownDim;
  std::int64_t beams_ = 1;
  std::int64_t further_ = 1;  // tokens after the first
  bool searches_beams_ = false;
};

void generate(InferContext& c) {
  if (c.mutable_node().subgraph("decoder") == nullptr) c.fail("the attribute 'decoder' is missing");
  Generation(c).infer();
}

constexpr OpEntry kGenerationOps[] = {
    {.name = "BeamSearch", .domain = "com.microsoft", .shape = generate},
    {.name = "GreedySearch", .domain = "com.microsoft", .shape = generate},
    {.name = "Sampling", .domain = "com.microsoft", .shape = generate},
    {.name = "WhisperBeamSearch", .domain = "com.microsoft", .shape = generate},
};

}  // namespace

std::span<const OpEntry> generation_ops() {
  return kGenerationOps;
}

}  // namespace ridgewatt::workload
