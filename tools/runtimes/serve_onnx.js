// An inference worker of `ridgewatt schedule run` that serves requests with ONNX Runtime:
//
//   node serve_onnx.js --model FILE.onnx --rate HZ [--threads N] [--dim NAME=SIZE] [--seed N]
//
// Requests arrive as a Poisson process with this rate and seed. The controller decides how many of
// them a minibatch serves. When the controller ends, writes the number of requests and the
// quantiles of their latency, from arrival to the end of the minibatch, as JSON to
// $RIDGEWATT_NAME.json.
'use strict';
const fs = require('fs');
const net = require('net');
const ort = require('onnxruntime-node');
const {feeds} = require('./inputs.js');

function fail(text) {
  process.stderr.write(`serve_onnx: ${text}\n`);
  process.exit(1);
}

function options(words) {
  const found = {dim: [], threads: '1', seed: '1'};
  for (let i = 0; i < words.length; i += 2) {
    const name = words[i].replace(/^--/, '');
    if (!['model', 'rate', 'threads', 'dim', 'seed'].includes(name)) fail(`unknown option ${words[i]}`);
    if (i + 1 >= words.length) fail(`${words[i]} needs a value`);
    if (name === 'dim') found.dim.push(words[i + 1]);
    else found[name] = words[i + 1];
  }
  if (!found.model) fail('--model FILE.onnx is missing');
  for (const name of ['rate', 'threads', 'seed']) {
    if (!(Number(found[name]) > 0)) fail(`--${name} must be a positive number`);
  }
  return found;
}

// A generator of random numbers in (0, 1), reproducible by its seed.
function random_numbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state + 0.5) / 4294967296;
  };
}

class Worker {
  constructor(asked, session) {
    this.asked = asked;
    this.session = session;
    this.inputs = new Map();  // by batch
    this.waiting = [];        // times of arrival
    this.latencies = [];
    this.arrived = 0;
    this.text = '';
    this.name = process.env.RIDGEWATT_NAME || 'inference';
  }

  say(line) {
    this.socket.write(line + '\n');
  }

  start() {
    const path = process.env.RIDGEWATT_SOCKET;
    if (!path) fail('RIDGEWATT_SOCKET is not set');
    this.socket = net.createConnection(path);
    this.socket.on('error', (error) => this.end(error.code === 'EPIPE' ? '' : error.message));
    this.socket.on('close', () => this.end(''));
    this.socket.on('data', (bytes) => {
      this.text += bytes;
      const lines = this.text.split('\n');
      this.text = lines.pop();
      for (const line of lines) this.heard(line.split(' '));
    });
    this.say(`hello 1 inference ${this.name}`);
    this.say('counting');
    const random = random_numbers(Number(this.asked.seed));
    let next = performance.now();
    const arrive = () => {
      while (next <= performance.now()) {
        this.waiting.push(next);
        this.arrived += 1;
        this.say(`arrived 1 ${Math.max(0, Math.round(1e3 * (performance.now() - next)))}`);
        next += -Math.log(random()) * 1e3 / Number(this.asked.rate);
      }
      setTimeout(arrive, Math.max(0, next - performance.now()));
    };
    arrive();
    this.say(`ready ${this.waiting.length}`);
  }

  heard([word, ...rest]) {
    if (word === 'error') return this.end(rest.join(' '));
    if (word === 'bye') return this.end('');
    if (word === 'grant') this.serve(rest[0], Number(rest[2]), Number(rest[3]));
  }

  async serve(sequence, count, aside) {
    const taken = this.waiting.splice(aside, count);
    if (taken.length > 0) {
      if (!this.inputs.has(taken.length)) {
        this.inputs.set(taken.length, feeds(this.session, {...this.asked, batch: taken.length}));
      }
      await this.session.run(this.inputs.get(taken.length));
    }
    const now = performance.now();
    for (const from of taken) this.latencies.push(now - from);
    this.say(`done ${sequence}`);
    this.say(`ready ${this.waiting.length}`);
  }

  end(reason) {
    const sorted = this.latencies.sort((a, b) => a - b);
    const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
    const found = {name: this.name, requests: this.arrived, served: sorted.length, p50_ms: at(0.5),
                   p99_ms: at(0.99), most_ms: sorted[sorted.length - 1]};
    fs.writeFileSync(`${this.name}.json`, JSON.stringify(found) + '\n');
    if (reason) fail(reason);
    process.exit(0);
  }
}

async function main() {
  const asked = options(process.argv.slice(2));
  const session = await ort.InferenceSession.create(asked.model, {
    executionProviders: ['cpu'],
    intraOpNumThreads: Number(asked.threads),
    interOpNumThreads: 1,
    logSeverityLevel: 3,
  });
  for (const batch of [1, 4, 8]) await session.run(feeds(session, {...asked, batch}));  // warm-up
  new Worker(asked, session).start();
}

main().catch((error) => fail(String(error.message || error).split('\n')[0]));
