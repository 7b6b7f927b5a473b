#!/usr/bin/env python3
"""The tables of docs/guide/llm.md and llm_mode.md, as the program has them today.

    tools/language_tables.py build/ridgewatt/ridgewatt
"""
import json
import subprocess
import sys

MODELS = ["qwen3-0.6b", "llama-3.2-1b", "llama-3.2-3b", "qwen3-4b", "llama-3.1-8b", "llama-3.3-70b"]
BOARDS = ["nano", "orin-nano-4gb@super", "orin-nano-8gb@super", "orin-nx-16gb", "agx-orin-32gb@super",
          "agx-orin", "thor"]


def ask(program, *words):
    """The answer of the program as JSON; status 3 is an answer too."""
    command = [program, *words, "--quiet", "--format", "json"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode not in (0, 3):
        sys.exit(run.stderr)
    return json.loads(run.stdout)


def table(head, rows):
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def models_by_boards(program):
    """Tokens per second, joules per token; what does not fit in brackets."""
    rows = []
    for board in BOARDS:
        cells = [board]
        for model in MODELS:
            row = ask(program, "llm", f"zoo:{model}", "--device", board, "--quantization", "q4_k_m")["rows"][0]
            text = f"{row['tokens_per_s']:.3g}, {row['joules_per_token']:.2g} J"
            cells.append(text if row["fits"] else "does not fit")
        rows.append(cells)
    table(["Q4_K_M, llama.cpp", *MODELS], rows)


def modes(program):
    rows = []
    answer = ask(program, "tune", "llm", "zoo:llama-3.1-8b", "--device", "agx-orin", "--phases", "--prompt", "2048",
                 "--generate", "256", "--max-ttft", "2700ms")
    plans = [("two modes", answer), ("one mode", answer["one_mode"])]
    plans += [(preset["preset"], preset) for preset in answer["presets"]]
    for name, plan in plans:
        rows.append([name, f"{plan['ttft_ms']:.0f} ms", f"{plan['tokens_per_s']:.3g}",
                     f"{plan['prefill_power_w']:.3g} and {plan['decode_power_w']:.3g} W",
                     f"{plan['joules_per_token']:.3g} J", f"{plan['request_j']:.3g} J"])
        for key in ("mode", "prefill_mode", "decode_mode"):
            if key in plan and name in ("two modes", "one mode"):
                print(f"{name}, {key}: {plan[key]}")
    print()
    table(["mode", "time to first token", "tokens per second", "power of prefill and of decode", "energy per token",
           "energy per request"], rows)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    models_by_boards(sys.argv[1])
    modes(sys.argv[1])
