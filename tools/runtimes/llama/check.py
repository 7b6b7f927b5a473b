#!/usr/bin/env python3
"""Compares estimates of llama.cpp on this machine's processor with llama-bench.

    tools/runtimes/llama/build.sh
    ridgewatt calibrate --device local -o here.toml
    tools/runtimes/llama/check.py --device here.toml --models qwen2.5-1.5b,gemma3-1b

The models are those of `ridgewatt zoo list --language`, with random weights. A row is a prompt of
128 tokens, the generation of 16 tokens after a context, or with `--sequences 2,4,8` a step of
2, 4 or 8 sequences. `--keep FILE` writes the output of llama-bench to a file, and `--rows FILE` reads
such a file instead of running models."""
import argparse
import csv
import io
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent
BENCH = FOLDER / "bin" / "llama-bench"
BATCHED = BENCH.with_name("llama-batched-bench")
PROMPT, GENERATED = 128, 16
SHORT_PROMPT, SHORT_GENERATED = 16, 6  # of each of several sequences


def json_lines(command):
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def bench(file, *options):
    return json_lines([BENCH, "-m", file, "-r", "2", "-o", "jsonl", *options])


def bench_sequences(file, threads, counts):
    """Steps of several sequences, as rows of llama-bench."""
    command = [BATCHED, "-m", file, "-t", threads, "-tb", threads, "-npp", str(SHORT_PROMPT), "-ntg",
               str(SHORT_GENERATED), "-npl", counts, "-c", "1024", "--output-format", "jsonl"]
    return [{"n_prompt": 0, "n_gen": row["tg"], "n_depth": row["pp"], "n_threads": int(threads), "sequences": row["pl"],
             "avg_ts": row["tg"] / row["t_tg"]} for row in json_lines(command)]


def write_model(program, model, quantization, folder, weights="random"):
    file = folder / f"{model}-{quantization}.gguf"
    subprocess.run([program, "zoo", "write", model, "--quantization", quantization, "--weights", weights, "-o", file],
                   check=True)
    return file


def run(options):
    threads = f"1,{os.cpu_count()}"
    for model in options.models.split(","):
        for quantization in options.quantizations.split(","):
            with tempfile.TemporaryDirectory() as folder:
                file = write_model(options.program, model, quantization, pathlib.Path(folder), options.weights)
                rows = bench(file, "-t", threads, "-p", str(PROMPT), "-n", str(GENERATED))
                rows += bench(file, "-t", str(os.cpu_count()), "-p", "0", "-n", str(GENERATED), "-d", options.contexts)
                if options.sequences:
                    for count in threads.split(","):
                        rows += bench_sequences(file, count, options.sequences)
            for row in rows:
                row.update(model=model, quantization=quantization)
                yield row


def estimate_row(options, model, quantization, threads, prompt, generate, concurrency=1):
    """The estimate as text by column."""
    command = [options.program, "llm", f"zoo:{model}", "--device", options.device, "--quantization", quantization,
               "--modes", f"cores={threads}", "--prompt", str(prompt), "--generate", str(generate), "--concurrency",
               str(concurrency), "--format", "csv", "--quiet"]
    text = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return next(csv.DictReader(io.StringIO(text)))


def estimate(options, row):
    """Returns the estimate of a row with the ends of its interval (ms)."""
    of_prompt = row["n_prompt"] > 0
    found = estimate_row(options, row["model"], row["quantization"], row["n_threads"],
                         row["n_prompt"] if of_prompt else max(1, row["n_depth"]), max(1, row["n_gen"]),
                         row.get("sequences", 1))
    return [float(found[("ttft" if of_prompt else "tpot") + end]) for end in ("_ms", "_lo_ms", "_hi_ms")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="ridgewatt")
    parser.add_argument("--device", default="local")
    parser.add_argument("--models", default="qwen2.5-1.5b,gemma3-1b,smollm2-1.7b")
    parser.add_argument("--quantizations", default="q4_0,q8_0,q4_k_m,f16")
    parser.add_argument("--contexts", default="1024,2048")
    parser.add_argument("--sequences", default="", help="numbers of sequences per step, such as 2,4,8")
    parser.add_argument("--weights", choices=["random", "zeros"], default="random")
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--rows", type=pathlib.Path)
    options = parser.parse_args()
    if not options.rows and not BENCH.exists():
        sys.exit("check.py: skipped: llama.cpp is not built (tools/runtimes/llama/build.sh)")
    rows = map(json.loads, options.rows.read_text().splitlines()) if options.rows else run(options)
    kept, errors, inside = [], [], 0
    print("model,quantization,threads,context,sequences,of,measured_ms,modelled_ms,error_pct,inside")
    for row in rows:
        kept.append(json.dumps(row))
        measured_ms = 1e3 * max(1, row["n_prompt"]) / row["avg_ts"]
        modelled_ms, low_ms, high_ms = estimate(options, row)
        errors.append(modelled_ms / measured_ms - 1)
        within = low_ms <= measured_ms <= high_ms
        inside += within
        print(f"{row['model']},{row['quantization']},{row['n_threads']},{row['n_depth']},"
              f"{row.get('sequences', 1)},"
              f"{'prompt' if row['n_prompt'] else 'token'},{measured_ms:.4g},{modelled_ms:.4g},"
              f"{100 * errors[-1]:.1f},{'yes' if within else 'no'}", flush=True)
    if options.keep:
        options.keep.write_text("\n".join(kept) + "\n")
    sizes = [abs(error) for error in errors]
    print(f"{len(errors)} points, median error {100 * statistics.median(sizes):.1f} %, "
          f"{100 * sum(size <= 0.15 for size in sizes) / len(sizes):.0f} % within 15 %, "
          f"{100 * inside / len(errors):.0f} % inside the 90 % intervals", file=sys.stderr)


if __name__ == "__main__":
    main()
