"""Language models: whether they fit a board.

    import ridgewatt
    ridgewatt.llm.fits("zoo:llama-3.1-8b", device="orin-nano-8gb").to_frame()

A model is a GGUF file or the first of its shards, a folder or config.json of Hugging Face,
safetensors, a folder of ONNX GenAI, or zoo:NAME; only headers are read. The answers are those of
the command line, and their errors its lines."""
from . import _core

__all__ = ["fits", "zoo"]


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


def zoo():
    """Names of the language models that need no file: "zoo:llama-3.2-1b" and others."""
    return _core.llm_zoo()
