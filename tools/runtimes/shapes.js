// Prints types and shapes of the outputs that ONNX Runtime computes, for many models.
//
//   node shapes.js < models.jsonl > shapes.jsonl
//
// A line of the input: {"model": FILE, "inputs": [TensorProto files] or absent, "dim": ["NAME=SIZE"],
// "batch": N}. Without input files the inputs are random. A line of the output:
// {"model": FILE, "outputs": {NAME: {"type", "shape"}}} or {"model": FILE, "error": text}.
'use strict';
const readline = require('readline');
const ort = require('onnxruntime-node');
const {feeds, readTensor} = require('./inputs.js');

async function shapes(asked) {
  const session = await ort.InferenceSession.create(
      asked.model, {executionProviders: ['cpu'], intraOpNumThreads: 1, logSeverityLevel: 4});
  let inputs = {};
  if (asked.inputs) {
    asked.inputs.forEach((path, i) => { inputs[session.inputNames[i]] = readTensor(path); });
  } else {
    inputs = feeds(session, {dim: asked.dim || [], batch: asked.batch || 1});
  }
  const results = await session.run(inputs);
  const found = {};
  for (const [name, t] of Object.entries(results)) found[name] = {type: t.type, shape: t.dims};
  await session.release();
  return found;
}

async function main() {
  for await (const line of readline.createInterface({input: process.stdin})) {
    if (!line.trim()) continue;
    const asked = JSON.parse(line);
    const said = {model: asked.model};
    try {
      said.outputs = await shapes(asked);
    } catch (error) {
      said.error = String(error.message || error).split('\n')[0];
    }
    process.stdout.write(JSON.stringify(said) + '\n');
  }
}

main();
