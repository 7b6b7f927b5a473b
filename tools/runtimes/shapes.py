#!/usr/bin/env python3
"""Compares the types and shapes that Ridgewatt infers with those that ONNX Runtime computes.

    tools/runtimes/shapes.py --ridgewatt build/ridgewatt/ridgewatt a.onnx b.onnx,batch=4,sequence=128 FOLDER

A model is a file, followed by its symbolic dimensions after commas. In a FOLDER, every subfolder
with model.onnx and test_data_set_0/input_N.pb (the layout of ONNX's node tests) runs on these
inputs. Prints each difference, the numbers of compared and different outputs, and why models were
skipped. The exit status is 1 if an output differs.
"""
import argparse
import collections
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def node_test(folder):
    data = os.path.join(folder, "test_data_set_0")
    files = [name for name in os.listdir(data) if name.startswith("input_")] if os.path.isdir(data) else []
    files.sort(key=lambda name: int(name[len("input_"):-len(".pb")]))
    return {"model": os.path.join(folder, "model.onnx"), "inputs": [os.path.join(data, name) for name in files]}


def questions(words):
    for word in words:
        if os.path.isdir(word):
            for name in sorted(os.listdir(word)):
                if os.path.exists(os.path.join(word, name, "model.onnx")):
                    yield node_test(os.path.join(word, name))
            continue
        file, *extents = word.split(",")
        sizes = dict(extent.split("=") for extent in extents)
        yield {"model": file, "batch": int(sizes.pop("batch", 1)), "dim": [f"{k}={v}" for k, v in sizes.items()]}


def runs(asked):
    """Returns the results of ONNX Runtime, in the order of `asked`. If a model ends the process,
    its result is an error."""
    answers = []
    while len(answers) < len(asked):
        lines = "".join(json.dumps(one) + "\n" for one in asked[len(answers):])
        done = subprocess.run(["node", os.path.join(HERE, "shapes.js")], input=lines, capture_output=True,
                              text=True, check=False)
        answers += [json.loads(line) for line in done.stdout.splitlines()]
        if len(answers) < len(asked):
            answers.append({"error": "the binding ends on an output's type"})
    return answers


def inferred(program, asked):
    command = [program, "analyze", asked["model"], "--format", "json", "-q"]
    if asked.get("inputs"):
        command += ["--inputs", *asked["inputs"]]
    for dim in asked.get("dim", []):
        command += ["--dim", dim]
    if asked.get("batch", 1) > 1:
        command += ["--batch", str(asked["batch"])]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return None, (done.stderr.strip().splitlines() or ["no answer"])[-1]
    return {out["name"]: out for out in json.loads(done.stdout)["outputs"]}, ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ridgewatt", default="ridgewatt")
    parser.add_argument("models", nargs="+")
    options = parser.parse_args()
    asked = list(questions(options.models))
    compared, unknown, left_out, differences = 0, 0, collections.Counter(), []
    for question, answer in zip(asked, runs(asked)):
        name = question["model"]
        if "error" in answer:
            reason = answer["error"].replace(name, "the model")
            left_out[reason.split(" with node name")[0][:90]] += 1
            continue
        found, why = inferred(options.ridgewatt, question)
        if found is None:
            differences.append(f"{name}: {why}")
            continue
        for output, real in answer["outputs"].items():
            compared += 1
            ours = found.get(output)
            known = None if ours is None else ours.get("shape")
            if known is not None and len(known) == len(real["shape"]) and None in known:
                unknown += 1  # depends on values
                known = [real["shape"][i] if extent is None else extent for i, extent in enumerate(known)]
            if known != list(real["shape"]) or ours["dtype"] != real["type"]:
                said = "no such output" if ours is None else f"{ours['dtype']} {ours.get('shape')}"
                differences.append(f"{name}: {output} is {real['type']} {real['shape']}, inferred {said}")
    for line in differences:
        print(line)
    for reason, count in left_out.most_common():
        print(f"left out: {count} because of: {reason}", file=sys.stderr)
    print(f"{len(asked)} models, {compared} outputs compared, {len(differences)} differ, {unknown} with extents that depend on values, "
          f"{sum(left_out.values())} models do not run")
    sys.exit(1 if differences else 0)


if __name__ == "__main__":
    main()
