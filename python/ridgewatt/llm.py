"""Language models: whether they fit a board, their speed, their energy per token, and the power
mode in which to run them. The functions need no board: all figures are modelled, with their 90 %
intervals.

    import ridgewatt
    ridgewatt.llm.fits("zoo:llama-3.1-8b", device="orin-nano-8gb").to_frame()
    ridgewatt.llm.estimate("zoo:qwen3-4b", device="agx-orin", modes="presets", prompt=1024).plot()
    ridgewatt.llm.tune("zoo:qwen3-4b", device="agx-orin", max_power_w=20, phases=True).best

A model is one of: a GGUF file or the first of its shards, a Hugging Face folder or its config.json,
a safetensors file, a folder of ONNX GenAI, or zoo:NAME. Only the headers of files are read. Answers
and error messages are the same as on the command line.
"""
from . import _core
from .parameters import asks

__all__ = ["fits", "estimate", "tune", "zoo"]


@asks("fits", "Fits", _core.llm_fits)
def fits():
    """Finds out whether a language model fits the memory of a board, and lists the parts of the
    memory that it needs.

    Returns Fits, a sequence of Fit, one per board and quantization. If the model does not fit, no
    error is raised and `fits` is False. Raises UsageError if a quantization cannot be modelled for
    this model.
    """


@asks("llm", "LanguageEstimates", _core.llm_estimate)
def estimate():
    """Estimates the time to the first token, the time per further token, power, energy per token
    and memory of a language model in power modes of a board.

    Returns LanguageEstimates, a sequence of LanguageEstimate sorted by board, quantization, runtime
    and mode as they were given. `left_out` lists the combinations that cannot run. If a row does
    not fit the memory, its `fits` is False. Raises UsageError if a runtime or quantization is
    unknown, or if none of the combinations can run.
    """


@asks("tune llm", "LanguageTunes", _core.llm_tune)
def tune():
    """Finds the best power mode for a language model within limits. With phases=True, finds one
    mode for the prompt and one for decoding.

    Returns LanguageTunes, a sequence of LanguageTuned, the best setting first. If no mode meets the
    limits, no error is raised: `feasible` is False and the first row is the nearest miss. Only
    `best` then raises NoSolutionError.
    """


def zoo() -> "list[str]":
    """Returns the names of the built-in language models, such as "zoo:llama-3.2-1b". They need no
    model file."""
    return _core.llm_zoo()
