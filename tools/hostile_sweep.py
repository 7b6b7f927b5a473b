#!/usr/bin/env python3
"""Runs the commands with malformed input.

The cases are damaged models, sweeps, board files, configurations, language models, stores, results
and temperature recordings, re-encoded and repeated files, and unusual options and values. The same
seed gives the same cases.

    tools/hostile_sweep.py [--program build/ridgewatt/ridgewatt] [--cases 10000] [--seed 1] [--first N] [--jobs 2]

Each case runs in its own folder. Faults are a signal, a report of a sanitizer, an undocumented exit
status, an internal error, a changed input file, a file that a failed command leaves, a temporary
file that any command leaves, and nan or inf in the output with status 0. A fault is printed with
the number of its case. --first N --cases 1 runs it again, and --keep DIR keeps its folder. The exit
status is 1 if there are faults."""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCUMENTED = {0, 1, 2, 3}
TIMEOUT_S = 60
# Commands that measure this machine, wait for events or start programs. Other tests cover their
# input.
LEFT_OUT = {"serve", "top", "export", "soak", "microbench", "loadbench", "measure", "profile", "govern", "sandbox", "mode apply",
            "mode restore", "campaign submit", "campaign watch", "campaign resume", "campaign run", "campaign cancel",
            "schedule run", "schedule measure-sharing", "study", "fake-run", "compare", "calibrate", "help", "man", "completion",
            "operators"}
NOT_FINITE = re.compile(r"(?<![\w.])[-+]?(?:nan|inf|infinity)(?![\w.])", re.IGNORECASE)
BAD_TEXT = re.compile(r"internal error|AddressSanitizer|UndefinedBehaviorSanitizer|runtime error:|terminate called|Traceback"
                      r"|Assertion|std::(?:bad_|out_of|length_)", re.IGNORECASE)
WAITING = {"--watch"}  # options that wait for the user
ODD_VALUES = ["0", "-1", "1", "nan", "inf", "-inf", "1e308", "1e-308", "-0", "", " ", "abc", "999999999999999999999", "0.5",
              "1,2,,3", "-", "--", "é", "\u202eabc", "\x1b[31m", "../..", "%s%n", "A" * 4000, "1e400", "0x10", "1;2", "all",
              "agx-orin", "fp16", "json", "csv", "2147483648", "65537", "true", "30W", "5ms", "1GiB", "maxn", "cores=4,gpu=612"]
ODD_NUMBERS = ["nan", "inf", "-inf", "0", "-1", "1e308", "1e-308", "1e-300", "9e99", "", "abc", "1e400", "-0.0", "1,5", "99999999999"]
BOARDS = ["agx-orin", "orin-nano", "nano", "xavier-nx", "thor"]
MODELS = ["zoo:lenet5", "zoo:mobilenet_v3", "zoo:lstm_lm", "zoo:bert_tiny"]
MODEL_LINES = ["analyze {f}", "analyze {f} --training", "analyze {f} --batch 3 --format json", "analyze {f} --runtime tensorrt",
               "estimate {f} --device {b}", "estimate {f} --device {b} --training", "estimate {f} --device {b} --runtime all",
               "estimate {f} --device {b} --per-layer --format json", "estimate {f} --device {b} --batch 1,7 --format csv",
               "estimate {f} --device {b} --precision int8 --runtime tensorrt", "roofline {f} --device {b}",
               "roofline {f} --device {b} --format json", "tune {f} --device {b} --minimize energy", "pipeline {f} --device {b}",
               "tune {f} --device {b} --max-power 10 --format json", "federate {f} --device A={b},samples=100",
               "schedule plan --inference {f} --device {b} --modes presets --arrival-rate 5 --max-latency 20s"]
SWEEP_LINES = ["tune --sweep {f}", "pareto --sweep {f}", "sweep check {f}", "predict --samples {f} --device {b} --method auto",
               "predict --samples {f} --method linear --format json", "pareto --sweep {f} --format csv --y energy", "report {f}",
               "store import {f} -o made.db", "schedule plan --inference-sweep {f} --training-sweep {f} --arrival-rate 5 "
               "--max-latency 20s --max-power 60W", "tune --sweep {f} --strategy als --format json"]
BOARD_LINES = ["device show {f}", "estimate zoo:lenet5 --device {f}", "estimate zoo:lenet5 --device {f} --training --format json",
               "roofline zoo:lenet5 --device {f} --format csv", "tune zoo:lenet5 --device {f}", "fits zoo:llama-3.2-1b --device {f}",
               "llm zoo:llama-3.2-1b --device {f}", "pipeline zoo:lenet5 --device {f}", "mode list --device {f}"]
LANGUAGE_LINES = ["fits {f} --device {b}", "llm {f} --device {b}", "llm {f} --device {b} --format json", "fits {f} --format json"]
STORE_LINES = ["store list {f}", "store export {f}", "store export {f} --merge-boards", "store merge {f} made.db",
               "store upgrade {f}", "compare boards {f}", "campaign list {f}", "report {f}", "tune --sweep {f}", "sweep check {f}"]
# Results of the program as JSON, and the commands that read them.
RESULTS = {"plan": ["schedule simulate {f} --duration 5", "schedule simulate {f} --duration 5 --format json", "report {f}"],
           "tune": ["mode apply --device fake:agx-orin --dry-run --answer {f}", "report {f}", "report {f} --device {b}"],
           "estimate": ["report {f}", "tune --sweep {f}"], "roofline": ["report {f}"], "llm": ["report {f}"],
           "campaign": ["campaign status {f}", "campaign collect {f}", "campaign list {f}"]}
HEAT_LINES = ["thermal fit {f}", "thermal fit {f} --format json", "thermal fit {f} --ambient 25 --trip 95", "report {f}"]
BOARDS_LINES = ["federate zoo:lenet5 --boards {f}", "fleet status --prometheus http://127.0.0.1:1 --boards {f}"]
PROFILE_LINES = ["layers --profile {f}", "layers zoo:lenet5 --profile {f} --device {b}", "report {f}"]


def gguf(chance):
    """Returns a small GGUF file with one tensor, in which some keys have unusual values."""
    def text(value):
        return struct.pack("<Q", len(value)) + value.encode()
    keys = [("general.architecture", chance.choice(["llama", "gemma3", "phi3", "gpt-oss", "x"]))]
    arch = keys[0][1]
    body = text("general.architecture") + struct.pack("<I", 8) + text(arch)
    names = ["block_count", "embedding_length", "feed_forward_length", "attention.head_count", "attention.head_count_kv",
             "context_length", "vocab_size", "attention.sliding_window", "attention.key_length"]
    usual = [2, 64, 128, 4, 2, 2048, 100, 512, 16]
    for name, value in zip(names, usual):
        value = chance.choice([0, 1, 2**31, 2**32 - 1, value * 3]) if chance.random() < 0.3 else value
        body += text(f"{arch}.{name}") + struct.pack("<II", 4, value)
    tensors = text("token_embd.weight") + struct.pack("<I", 2) + struct.pack("<QQ", 64, 100) + struct.pack("<IQ", 0, 0)
    head = b"GGUF" + struct.pack("<IQQ", chance.choice([3, 3, 3, 2, 1, 9]), 1, len(names) + 1) + body + tensors
    return head + b"\0" * (-len(head) % 32) + b"\0" * (64 * 100 * 4)


def safetensors(chance):
    header = {"model.embed_tokens.weight": {"dtype": chance.choice(["F32", "F16", "BF16", "I8", "X"]),
                                            "shape": [chance.choice([100, 0, -1, 2**40]), 64],
                                            "data_offsets": [0, chance.choice([25600, 12800, 2**60, -4])]}}
    text = json.dumps(header).encode()
    return struct.pack("<Q", chance.choice([len(text), len(text), 0, 2**63])) + text + b"\0" * 25600


def config(chance):
    fields = {"model_type": chance.choice(["llama", "gemma3", "phi3", "mistral", "qwen2", "mixtral", "gpt_oss", "nonsense"]),
              "hidden_size": 64, "num_hidden_layers": 4, "num_attention_heads": 4, "num_key_value_heads": 2,
              "intermediate_size": 128, "vocab_size": 100, "sliding_window": 512, "max_position_embeddings": 4096}
    for name in fields:
        if chance.random() < 0.15:
            fields[name] = chance.choice([0, -1, None, "x", 1e308, 2**62, [], {}, True])
    return json.dumps(fields).encode()


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out + bytes([value]))


def other_opset(data, chance):
    """Appends an opset import. If a domain has two, the last one counts."""
    version = b"\x10" + varint(chance.randint(0, 30))
    return data + b"\x42" + varint(len(version)) + version


def damaged(data, chance):
    out = bytearray(data)
    for _ in range(chance.choice([1, 1, 1, 2, 6])):
        if not out:
            break
        at = chance.randrange(len(out))
        kind = chance.randrange(6)
        if kind == 0:
            out[at] = chance.randrange(256)
        elif kind == 1:
            del out[at:at + chance.randint(1, 64)]
        elif kind == 2:
            out[at:at] = out[at:at + chance.randint(1, 64)]
        elif kind == 3:
            out[at:at] = bytes(chance.randrange(256) for _ in range(chance.randint(1, 16)))
        elif kind == 4:
            out[at] ^= 1 << chance.randrange(8)
        else:
            del out[at:]
    return bytes(out)


def numbers_in(text):
    """Returns the matches of numbers in a CSV or TOML text. Skips numbers in quotes, which the
    program prints unchanged."""
    return [found for found in re.finditer(rb"(?<![\w.])-?\d[\d.eE+-]*", text)
            if text.count(b'"', text.rfind(b"\n", 0, found.start()) + 1, found.start()) % 2 == 0]


def odd_numbers(text, chance):
    for _ in range(chance.choice([1, 1, 1, 2, 4])):
        found = numbers_in(text)
        if not found:
            break
        place = chance.choice(found)
        text = text[:place.start()] + chance.choice(ODD_NUMBERS).encode() + text[place.end():]
    return text


def options_of_commands():
    """Returns {command: [(option, whether it has a value)]} from the reference."""
    commands = {}
    command = None
    for line in (ROOT / "docs/reference/cli.md").read_text().splitlines():
        head = re.match(r"## ridgewatt (.+)", line)
        option = re.match(r"\| `(?:-\w, )?(--[\w-]+)([^`]*)`", line)
        if head:
            command = head[1]
            commands[command] = []
        elif option and command and option[1] not in WAITING:
            commands[command].append((option[1], bool(option[2].strip())))
    return commands


def recoded(data, chance):
    """Returns the file in another encoding, with other separators, or with repeated or wrong lines
    or columns."""
    lines = data.split(b"\n")
    kind = chance.randrange(8)
    if kind == 0:
        return b"\xef\xbb\xbf" + data
    if kind == 1:
        return data.replace(b"\n", chance.choice([b"\r\n", b"\r", b"\n\n", b"\0\n"]))
    if kind == 2:
        return data.decode(errors="replace").encode(chance.choice(["utf-16", "utf-32", "utf-7"]))
    if kind == 3:
        return b"\n".join(lines[:1] + lines[:1] + lines[1:] + lines[:3])
    if kind == 4:
        return data.replace(b",", chance.choice([b";", b"\t", b", ", b",,"]))
    if kind == 5:
        columns = lines[0].split(b",")
        columns[chance.randrange(len(columns))] = chance.choice([columns[0], b"", b"time_ms", b"x" * 5000, b'"', b"\x1b[2J"])
        return b"\n".join([b",".join(columns)] + lines[1:])
    if kind == 6:
        return b"\n".join(lines[:1] + lines[1:2] * chance.choice([1, 2, 5000]))
    return lines[0] + b"\n" * chance.choice([0, 1, 100])


def odd_json(data, chance):
    """Replaces or deletes one to three values of a JSON document."""
    document = json.loads(data)
    for _ in range(chance.choice([1, 1, 1, 2, 3])):
        place = document
        while isinstance(place, (dict, list)) and place:
            key = chance.choice(sorted(place)) if isinstance(place, dict) else chance.randrange(len(place))
            if isinstance(place[key], (dict, list)) and place[key] and chance.random() < 0.8:
                place = place[key]
                continue
            odd = chance.choice([None, "", "x", 0, -1, 1e308, 5e-324, 2**63, True, [], {}, [1], {"a": 1}, "\u202e\x1b[31m", "A" * 3000])
            if chance.random() < 0.2:
                del place[key]
            else:
                place[key] = odd
            break
    return json.dumps(document).encode()


class Material:
    """Valid files from which cases are created. The program itself writes them."""

    def __init__(self, program):
        self.program = program
        folder = ROOT.parent / "shared/onnx/node"
        self.nodes = sorted(folder.glob("*/model.onnx")) if folder.is_dir() else []
        self.zoo = [self.run("zoo", "write", name[4:], "-o", "-") for name in MODELS]
        self.sweep = self.run("sweep", "example", "--mode-count", "40", "-o", "-")
        self.boards = [path.read_bytes() for path in sorted((ROOT / "boards").glob("*.toml"))]
        self.studies = [path.read_bytes() for path in sorted((ROOT / "studies").glob("*.toml"))]
        self.results = {name: self.run(*line.split(), "--format", "json", "-q") for name, line in {
            "tune": "tune zoo:lenet5 --device agx-orin --max-power 30", "estimate": "estimate zoo:lenet5 --device agx-orin --modes presets",
            "roofline": "roofline zoo:lenet5 --device agx-orin --modes maxn", "llm": "llm zoo:qwen3-0.6b --device agx-orin --modes maxn",
            "plan": "schedule plan --inference zoo:lenet5 --training zoo:lenet5 --device agx-orin --modes presets "
                    "--arrival-rate 5 --max-latency 20s --max-power 60W"}.items()}
        with tempfile.TemporaryDirectory() as made:
            (pathlib.Path(made) / "s.csv").write_bytes(self.sweep)
            self.run("store", "import", f"{made}/made.db", f"{made}/s.csv")
            self.run("campaign", "plan", "c", "--store", "made.db", "--boards", "fake:agx-orin", "--sample", "2", "-o",
                     f"{made}/c.json", "--", "true")
            self.store = (pathlib.Path(made) / "made.db").read_bytes()
            self.results["campaign"] = (pathlib.Path(made) / "c.json").read_bytes()
        self.heat = "time_s,celsius,power_w\n" + "".join(
            f"{10 * i},{30 + 30 * (1 - 0.99 ** i):.2f},{20 if i else 5}\n" for i in range(200))
        self.fleet = b"".join(b'[[board]]\nname = "%c"\ndevice = "agx-orin"\nsamples = 100\n' % name for name in b"AB")
        self.commands = {name: options for name, options in options_of_commands().items() if self.is_tried(name)}

    def run(self, *words):
        return subprocess.run([self.program, *words], capture_output=True, check=True).stdout

    @staticmethod
    def is_tried(name):
        words = name.split()
        return words[0] not in LEFT_OUT and name not in LEFT_OUT and words[0] != "evaluate"


def a_line(lines, name, chance):
    line = chance.choice(lines)
    return [word.format(f=name, b=chance.choice(BOARDS)) for word in line.split()]


def with_odd_options(words, material, chance):
    command = next((name for name in (" ".join(words[:2]), words[0]) if name in material.commands), None)
    for _ in range(chance.choice([0, 0, 0, 1, 2])):
        if not command or not material.commands[command]:
            break
        option, takes = chance.choice(material.commands[command])
        words = words + ([option, chance.choice(ODD_VALUES)] if takes else [option])
    return words


def a_case(number, seed, material):
    """Returns the files of a case by name, and the words of its command."""
    chance = random.Random(f"{seed}:{number}")
    kind = chance.choices(["model", "sweep", "board", "language", "profile", "options", "store", "result", "heat", "boards"],
                          [24, 18, 12, 10, 4, 18, 4, 7, 2, 1])[0]
    files = {}
    if kind == "model":
        data = chance.choice(material.nodes).read_bytes() if material.nodes and chance.random() < 0.8 else chance.choice(material.zoo)
        how = chance.randrange(5)
        files["m.onnx"] = other_opset(data, chance) if how > 1 else damaged(data, chance)
        if how == 1:
            files["m.onnx"] = other_opset(files["m.onnx"], chance)
        words = a_line(MODEL_LINES, "m.onnx", chance)
    elif kind == "sweep":
        change = chance.choice([damaged, odd_numbers, odd_numbers, recoded])
        files["s.csv"] = change(material.sweep, chance)
        words = a_line(SWEEP_LINES, "s.csv", chance)
    elif kind == "board":
        change = chance.choice([damaged, odd_numbers, odd_numbers, odd_numbers])
        files["b.toml"] = change(chance.choice(material.boards), chance)
        words = a_line(BOARD_LINES, "b.toml", chance)
    elif kind == "language":
        name, make = chance.choice([("m.gguf", gguf), ("config.json", config), ("model.safetensors", safetensors)])
        files[name] = make(chance)
        if chance.random() < 0.5:
            files[name] = damaged(files[name], chance)
        words = a_line(LANGUAGE_LINES, name, chance)
    elif kind == "store":
        files["s.db"] = chance.choice([damaged, damaged, lambda data, _: data])(material.store, chance)
        words = a_line(STORE_LINES, "s.db", chance)
    elif kind == "result":
        what = chance.choice(sorted(RESULTS))
        files["r.json"] = chance.choice([odd_json, odd_json, odd_json, damaged])(material.results[what], chance)
        words = a_line(RESULTS[what], "r.json", chance)
    elif kind == "heat":
        files["h.csv"] = chance.choice([damaged, odd_numbers, recoded])(material.heat.encode(), chance)
        words = a_line(HEAT_LINES, "h.csv", chance)
    elif kind == "boards":
        files["b.toml"] = chance.choice([damaged, odd_numbers])(material.fleet, chance)
        words = a_line(BOARDS_LINES, "b.toml", chance)
    elif kind == "profile":
        text = chance.choice([b'[{"count": 10}, {"name": "a", "averageMs": 1.5, "percentage": 100}]', b"hello world\n",
                              b'{"traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", "ts": 1, "dur": 2, "args": {}}]}',
                              b'[{"cat": "Session", "ph": "X", "name": "model_run", "ts": 1, "dur": 5, "args": {}}]'])
        files["p.json"] = chance.choice([damaged, odd_numbers])(text, chance)
        words = a_line(PROFILE_LINES, "p.json", chance)
    else:
        command = chance.choice(sorted(material.commands))
        words = command.split()
        if chance.random() < 0.6:
            words.append(chance.choice(MODELS + ODD_VALUES + ["m.onnx"]))
        for _ in range(chance.randint(1, 4)):
            if material.commands[command]:
                option, takes = chance.choice(material.commands[command])
                words += [option, chance.choice(ODD_VALUES + MODELS)] if takes else [option]
        files["m.onnx"] = chance.choice(material.zoo)
    if kind != "options":
        words = with_odd_options(words, material, chance)
    return files, [word.replace("\0", "") for word in words]


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None


def faults_of(files, before, folder, words, result, named):
    """Returns the faults of a finished run."""
    faults = []
    text = (result.stdout + b"\n" + result.stderr).decode(errors="replace")
    if result.returncode not in DOCUMENTED:
        faults.append(f"status {result.returncode}")
    if BAD_TEXT.search(text):
        faults.append("says: " + BAD_TEXT.search(text)[0])
    for name in files:
        if digest(folder / name) != before[name]:
            faults.append(f"changed its input {name}")
    left = sorted(p.name for p in folder.iterdir() if p.name not in files and p.name != "home")
    if result.returncode != 0 and left:
        faults.append(f"left {', '.join(left)[:100]} behind")
    faults += [f"left the temporary file {name[:60]}" for name in left if re.search(r"\.\d+-\d+$|\.[A-Za-z0-9]{6}$", name)
               and name not in named]
    if result.returncode == 0:
        given = " ".join(words).lower()
        shown = re.sub(r"<(script|style).*?</\1>", "", result.stdout.decode(errors="replace"), flags=re.DOTALL)
        found = NOT_FINITE.search(shown)
        if found and found[0].lower().lstrip("+-") not in given:
            faults.append(f"printed {found[0]}")
    return faults


def run_case(number, options, material):
    files, words = a_case(number, options.seed, material)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="case", dir=options.keep))
    try:
        for name, data in files.items():
            (folder / name).write_bytes(data)
        (folder / "home").mkdir()
        before = {name: digest(folder / name) for name in files}
        environment = {"PATH": os.environ["PATH"], "HOME": str(folder / "home"), "XDG_STATE_HOME": str(folder / "home")}
        try:
            result = subprocess.run([options.program, *words], cwd=folder, env=environment, capture_output=True,
                                    timeout=TIMEOUT_S, stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            return number, words, [f"not finished after {TIMEOUT_S} s"], None
        faults = faults_of(files, before, folder, words, result, set(words))
        return number, words, faults, result.returncode
    finally:
        if options.keep is None:
            shutil.rmtree(folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default=str(ROOT / "build/ridgewatt/ridgewatt"))
    parser.add_argument("--cases", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep", help="folder that keeps what the cases were run in")
    options = parser.parse_args()
    options.program = os.path.abspath(options.program)
    material = Material(options.program)
    print(f"{len(material.nodes)} node tests, {len(material.commands)} commands", flush=True)
    begin, statuses, bad = time.monotonic(), {}, 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        numbers = range(options.first, options.first + options.cases)
        for number, words, faults, status in pool.map(lambda n: run_case(n, options, material), numbers):
            statuses[status] = statuses.get(status, 0) + 1
            for fault in faults:
                print(f"case {number}: {fault}: {' '.join(words)[:300]!r}", flush=True)
            bad += bool(faults)
    counts = ", ".join(f"{count} with status {status}" for status, count in sorted(statuses.items(), key=str))
    print(f"{options.cases} cases of seed {options.seed} in {time.monotonic() - begin:.0f} s: {bad} at fault; {counts}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
