// Runs an ONNX file in ONNX Runtime like a slow program. Each option adds one cause.
//
//   node run_slow.js --model FILE.onnx [--threads N] [--batch B] [--dim NAME=SIZE] [--seconds S]
//       [--providers wasm,cpu]   the first provider that works runs the model
//       [--profile PREFIX]       ONNX Runtime's profiler is on
//       [--sizes NAME=A:B:C]     a symbolic dimension changes from run to run
//       [--prepare]              pixels are normalized before each run, scores are sorted after it
//       [--copy]                 the input is copied through a list to new memory for each run
//       [--loader MS]            a loader thread computes for this time for each run
//       [--files FOLDER]         a file of the folder is read for each run
//       [--sleep MS]             sleeps after each run
//       [--count-load]           loading the model counts as part of the first run, of 20
//
// Under `ridgewatt explain` each run is a minibatch. Prints the mean and the median as JSON.
// tools/explain_real_causes.py starts it.
'use strict';
const fs = require('fs');
const path = require('path');
const {Worker, isMainThread, parentPort, workerData} = require('worker_threads');

const MARK_FD = Number(process.env.RIDGEWATT_MARK_FD || 0);
const FLAGS = new Set(['prepare', 'copy', 'count-load']);
const NUMBERS = new Set(['threads', 'batch', 'seconds', 'loader', 'sleep']);
const WORDS = new Set(['model', 'dim', 'providers', 'profile', 'sizes', 'files']);

function fail(text) {
  process.stderr.write(`run_slow: ${text}\n`);
  process.exit(1);
}

function options(words) {
  const found = {dim: [], threads: 1, batch: 1, seconds: 4, providers: 'cpu'};
  for (let i = 0; i < words.length; ++i) {
    const name = words[i].replace(/^--/, '');
    if (FLAGS.has(name)) {
      found[name] = true;
    } else if (!NUMBERS.has(name) && !WORDS.has(name)) {
      fail(`unknown option ${words[i]}`);
    } else if (++i >= words.length) {
      fail(`--${name} needs a value`);
    } else if (name === 'dim') {
      found.dim.push(words[i]);
    } else {
      found[name] = NUMBERS.has(name) ? Number(words[i]) : words[i];
      if (NUMBERS.has(name) && !(found[name] > 0)) fail(`--${name} must be a positive number`);
    }
  }
  if (!found.model || !fs.existsSync(found.model)) fail('--model FILE.onnx is missing');
  return found;
}

function mark(name) {
  if (MARK_FD > 2) fs.writeSync(MARK_FD, `${name} ${Number(process.hrtime.bigint()) / 1e9}\n`);
}

function sleep(ms) {
  return new Promise((done) => setTimeout(done, ms));
}

// The package of ONNX Runtime for the first provider; wasm needs onnxruntime-web.
function runtime_of(providers) {
  if (providers[0] !== 'wasm') return require('onnxruntime-node');
  const web = require('onnxruntime-web');
  web.env.wasm.numThreads = 1;
  return web;
}

async function session_of(ort, asked, providers) {
  const settings = {executionProviders: providers, intraOpNumThreads: asked.threads, interOpNumThreads: 1,
                    executionMode: 'sequential', graphOptimizationLevel: 'all', logSeverityLevel: 3};
  if (asked.profile) Object.assign(settings, {enableProfiling: true, profileFilePrefix: asked.profile});
  if (providers[0] !== 'wasm') return ort.InferenceSession.create(asked.model, settings);
  const data = asked.model + '.data';
  if (fs.existsSync(data)) {
    settings.externalData = [{path: path.basename(data), data: new Uint8Array(fs.readFileSync(data))}];
  }
  settings.executionProviders = ['wasm'];
  return ort.InferenceSession.create(new Uint8Array(fs.readFileSync(asked.model)), settings);
}

// Starts a thread that simulates a decoder. It answers each message after `ms` of computation.
function start_loader(ms) {
  const worker = new Worker(__filename, {workerData: {ms}});
  let ready = null, waiting = null;
  worker.on('message', () => waiting ? (waiting(), waiting = null) : (ready = true));
  worker.postMessage('next');
  return {
    next: async () => {
      if (!ready) await new Promise((done) => { waiting = done; });
      ready = null;
      worker.postMessage('next');
    },
    end: () => worker.terminate(),
  };
}

if (!isMainThread) {
  parentPort.on('message', () => {
    const until = performance.now() + workerData.ms;
    let sum = 0;
    while (performance.now() < until) for (let i = 0; i < 1000; ++i) sum += Math.sqrt(i);
    parentPort.postMessage(sum);
  });
}

// Normalizes bytes of an image with the mean and standard deviation of ImageNet.
function normalize(input, bytes) {
  const plane = Math.max(1, Math.floor(input.length / 3));
  for (let i = 0; i < input.length; ++i) {
    const channel = Math.min(2, Math.floor(i / plane));
    input[i] = (bytes[i] / 255 - [0.485, 0.456, 0.406][channel]) / [0.229, 0.224, 0.225][channel];
  }
}

function best_of(scores) {
  const most = scores.reduce((a, b) => Math.max(a, b), -Infinity);
  const chances = Array.from(scores, (score) => Math.exp(score - most));
  return chances.map((chance, i) => [chance, i]).sort((a, b) => b[0] - a[0]).slice(0, 5);
}

// Copies a tensor through a list, like a caller whose numbers are in a list.
function copied(ort, tensor) {
  return new ort.Tensor(tensor.type, tensor.data.constructor.from(Array.from(tensor.data)), tensor.dims);
}

async function main() {
  const asked = options(process.argv.slice(2));
  const began = performance.now();
  if (asked['count-load']) mark('minibatch');
  const providers = asked.providers.split(',');
  const ort = runtime_of(providers);
  const {feeds_with} = require('./inputs.js');
  const session = await session_of(ort, asked, providers);
  const [name, sizes] = asked.sizes ? asked.sizes.split('=') : ['', ''];
  const each = asked.sizes ?
      sizes.split(':').map((size) => ({...asked, dim: [...asked.dim, `${name}=${size}`]})) : [asked];
  const inputs = each.map((one) => feeds_with(ort, session, one));
  const loader = asked.loader ? start_loader(asked.loader) : null;
  const files = asked.files ? fs.readdirSync(asked.files).map((file) => path.join(asked.files, file)) : [];
  const first = Object.values(inputs[0])[0];
  const bytes = new Uint8Array(first.data.length).map((_, i) => i & 255);
  const times = [];
  let begin = asked['count-load'] ? began : performance.now();
  if (!asked['count-load']) {
    for (const one of inputs) await session.run(one);
    mark('minibatch');
    begin = performance.now();
  }
  const start = begin;
  for (let i = 0; asked['count-load'] ? i < 20 : performance.now() - start < 1e3 * asked.seconds; ++i) {
    let input = inputs[i % inputs.length];
    if (loader) await loader.next();
    if (files.length > 0) fs.readFileSync(files[i % files.length]);
    if (loader || files.length > 0) mark('fetched');
    if (asked.prepare) normalize(first.data, bytes);
    if (asked.copy) {
      input = Object.fromEntries(Object.entries(input).map(
          ([key, tensor]) => [key, copied(ort, tensor)]));
    }
    const results = await session.run(input);
    if (asked.prepare) best_of(Object.values(results)[0].data.subarray(0, 10000));
    if (asked.sleep) await sleep(asked.sleep);
    const now = performance.now();
    times.push(now - begin);
    begin = now;
    mark('minibatch');
  }
  if (loader) loader.end();
  if (asked.profile) session.endProfiling();
  const sorted = times.slice().sort((a, b) => a - b);
  process.stdout.write(JSON.stringify({
    runs: times.length,
    mean_ms: times.reduce((a, b) => a + b, 0) / times.length,
    median_ms: sorted[Math.floor(sorted.length / 2)],
  }) + '\n');
}

if (isMainThread) main().catch((error) => fail(String(error.message || error).split('\n')[0]));
