#!/usr/bin/env python3
"""Writes the tables of docs/guide/llm.md and llm_mode.md from the program's answers, and the
families of docs/methods/language_models.md from their rows in the source.

    tools/language_tables.py build/ridgewatt/ridgewatt
    tools/language_tables.py build/ridgewatt/ridgewatt --check    # fails where a page is not current
"""
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"

MODELS = ["qwen3-0.6b", "llama-3.2-1b", "llama-3.2-3b", "qwen3-4b", "llama-3.1-8b", "llama-3.3-70b"]
BOARDS = ["nano", "orin-nano-4gb@super", "orin-nano-8gb@super", "orin-nx-16gb", "agx-orin-32gb@super",
          "agx-orin", "thor"]


def ask(program, *words):
    """Returns the answer of the program as JSON. Status 3 is an answer too."""
    command = [program, *words, "--quiet", "--format", "json"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode not in (0, 3):
        sys.exit(run.stderr)
    return json.loads(run.stdout)


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "".join("|---" * len(head) + "|\n" if line[0] == "---" else "| " + " | ".join(line) + " |\n"
                   for line in lines)


def models_by_boards(program):
    """Returns the table of tokens per second and joules per token."""
    rows = []
    for board in BOARDS:
        cells = [board]
        for model in MODELS:
            row = ask(program, "llm", f"zoo:{model}", "--device", board, "--quantization", "q4_k_m")["rows"][0]
            text = f"{row['tokens_per_s']:.3g}, {row['joules_per_token']:.2g} J"
            cells.append(text if row["fits"] else "does not fit")
        rows.append(cells)
    return table(["Q4_K_M, llama.cpp", *MODELS], rows)


def modes(program):
    rows = []
    answer = ask(program, "tune", "llm", "zoo:llama-3.1-8b", "--device", "agx-orin", "--phases", "--prompt", "2048",
                 "--generate", "256", "--max-ttft", "2700ms")
    plans = [("two modes", answer), ("one mode", answer["one_mode"])]
    plans += [(preset["preset"], preset) for preset in answer["presets"]]
    for name, plan in plans:
        rows.append([name, f"{plan['ttft_ms']:.0f} ms", f"{plan['tokens_per_s']:.3g}",
                     f"{plan['prefill_power_w']:.3g} and {plan['decode_power_w']:.3g} W",
                     f"{plan['joules_per_token']:.3g} J", f"{plan['request_j']:.0f} J"])
    return table(["mode", "time to first token", "tokens per second", "power of prefill and of decode",
                  "energy per token", "energy per request"], rows)


def families():
    """Returns the table of families. Mistral and Mixtral share the architecture of Llama."""
    rows = []
    for row in (ROOT / "ridgewatt/llm/family.h").read_text(encoding="utf-8").split("{.id = Family::")[1:]:
        fields = dict(re.findall(r"\.(name|gguf|model_types) = (\{[^}]*\}|\"[^\"]*\")", row))
        types = ", ".join(f"`{name}`" for name in re.findall(r'"(.*?)"', fields["model_types"]))
        rows.append([fields["name"].strip('"'), types, "`" + fields.get("gguf", '"llama"').strip('"') + "`"])
    return table(["family", "`model_type` in `config.json`", "architecture in GGUF"], rows)


def with_table(page, made):
    """Replaces the table that has the same head in the text of a page by `made`."""
    head = made.split("\n", 1)[0] + "\n"
    before, found, rest = page.partition(head)
    if not found:
        sys.exit(f"no table begins with {head}")
    lines = rest.splitlines(keepends=True)
    while lines and lines[0].startswith("|"):
        lines.pop(0)
    return before + made + "".join(lines)


def main():
    if len(sys.argv) < 2 or sys.argv[2:] not in ([], ["--check"]):
        sys.exit(__doc__)
    for name, made in (("methods/language_models.md", families()), ("guide/llm.md", models_by_boards(sys.argv[1])),
                       ("guide/llm_mode.md", modes(sys.argv[1]))):
        page = (DOCS / name).read_text(encoding="utf-8")
        current = with_table(page, made)
        if sys.argv[2:] and page != current:
            sys.exit(f"docs/{name} is not current: ./dev pages")
        (DOCS / name).write_text(current, encoding="utf-8")


if __name__ == "__main__":
    main()
