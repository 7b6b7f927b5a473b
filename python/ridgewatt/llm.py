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
from .parameters import asks

__all__ = ["fits", "estimate", "tune", "zoo"]


@asks("fits", "Fits", _core.llm_fits)
def fits():
    """Whether a language model fits a board, with the sum that says so.

    Returns Fits, a sequence of Fit, one per board and quantization. That a model does not fit is no
    error: fits is False. UsageError: a quantization that cannot be modelled for this model."""


@asks("llm", "LanguageEstimates", _core.llm_estimate)
def estimate():
    """Time to the first token and of the others, power, joules per token and memory, in power modes
    of a board.

    Returns LanguageEstimates, a sequence of LanguageEstimate in the order of boards, quantizations,
    runtimes and modes; left_out has the combinations that do not exist. What does not fit the
    memory has fits False. UsageError: a runtime or quantization that is not known, or of which no
    combination exists."""


@asks("tune llm", "LanguageTunes", _core.llm_tune)
def tune():
    """The best power mode for a language model within limits, or one for the prompt and one for
    decoding.

    Returns LanguageTunes, a sequence of LanguageTuned, the best setting first. Without an answer
    that is no error: feasible is False and the first is the nearest miss; only `best` raises
    NoSolutionError."""


def zoo() -> "list[str]":
    """Names of the language models that need no file: "zoo:llama-3.2-1b" and others."""
    return _core.llm_zoo()
