"""Language models: whether they fit a board, how fast they are, at how many joules per token, and
in which power mode they are best run. No board is asked: figures are modelled, each with its 90 %
interval.

    import ridgewatt
    ridgewatt.llm.fits("zoo:llama-3.1-8b", device="orin-nano-8gb").to_frame()
    ridgewatt.llm.estimate("zoo:qwen3-4b", device="agx-orin", modes="presets", prompt=1024).plot()
    ridgewatt.llm.tune("zoo:qwen3-4b", device="agx-orin", max_power_w=20, phases=True).best

A model is a GGUF file or the first of its shards, a folder or config.json of Hugging Face,
safetensors, a folder of ONNX GenAI, or zoo:NAME; only headers are read. The answers are those of
the command line, and their errors its lines."""
from . import _core

__all__ = ["fits", "estimate", "tune", "zoo"]


def fits(model, *, device=None, quantization=None, context=None, batch=None, kv_type=None,
         reserve_bytes=None):
    """Whether a language model fits a board, with the sum that says so.

    device: a board, a board file, a Board, or "all"; without it the board at hand. quantization:
    one name, a list of names, or "all"; without it as stored, or q4_k_m where nothing is. context:
    tokens of each sequence (4096). batch: sequences at once (1). kv_type: of the cache of keys and
    values: f32, f16 (the default), bf16, fp8, q8_0, q5_1, q5_0, q4_1 or q4_0. reserve_bytes: kept
    for the system and other programs, instead of what the board file says.

    Returns Fits, a sequence of Fit, one per board and quantization. That a model does not fit is no
    error: fits is False. UsageError: a quantization that cannot be foretold for this model."""
    return _core.llm_fits(**locals())


def estimate(model, *, device=None, runtime=None, quantization=None, prompt=None, generate=None,
             concurrency=None, contexts=None, kv_type=None, modes=None, reserve_bytes=None,
             progress=None):
    """Time to the first token and of the others, power, joules per token and memory, in power modes
    of a board.

    device, quantization, kv_type, reserve_bytes: as of fits(). runtime: llama.cpp, vllm, sglang,
    tensorrt-llm, mlc or pytorch, a list of them, or "all"; without it the first that runs the
    quantization. prompt, generate: tokens of a request (512, 256). concurrency: sequences at once
    (1). contexts: tokens at which to_dict() tells the time of a step besides. modes: as of
    ridgewatt.estimate(); "maxn" without it.

    Returns LanguageEstimates, a sequence of LanguageEstimate in the order of boards, quantizations,
    runtimes and modes; left_out has the combinations that do not exist. What does not fit the
    memory has fits False. UsageError: a runtime or quantization that is not known, or of which no
    combination exists."""
    return _core.llm_estimate(**locals())


def tune(model, *, device=None, runtime=None, quantization=None, prompt=None, generate=None,
         concurrency=None, kv_type=None, modes=None, reserve_bytes=None, minimize=None,
         max_power_w=None, max_ttft_s=None, max_tpot_s=None, min_tokens_per_s=None,
         confidence=None, phases=None, progress=None):
    """The best power mode for a language model within limits, or one for the prompt and one for
    decoding.

    The model and its request: as of estimate(); modes: to choose from, "all" without it. minimize:
    "energy" of a request (the default), "token-energy", "time" of a request or "token-time". Upper
    limits: power of both phases (W), time to the first token and per further token (s);
    min_tokens_per_s: of all sequences. confidence: probability with which estimates are to keep
    each limit (0.5). phases: two modes, with the time of the switch between them.

    Returns LanguageTunes, a sequence of LanguageTuned, the best setting first. Without an answer
    that is no error: feasible is False and the first is the nearest miss; only `best` raises
    NoSolutionError."""
    return _core.llm_tune(**locals())


def zoo():
    """Names of the language models that need no file: "zoo:llama-3.2-1b" and others."""
    return _core.llm_zoo()
