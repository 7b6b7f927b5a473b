// The readings that the server sends each second, kept for the charts. The feed starts with the
// server's history and then adds a point per event. After a lost connection it connects again and
// fills the gap from the history.
//   const feed = new LiveFeed((feed) => ..); feed.start(); feed.stop();
//   feed.state: "connecting" | "live" | "lost"; feed.newest: the newest reading
//   (ridgewatt.monitor/1)
//   feed.points: [{ time_s, total_w, rails: { name: W }, gpu_load, cpu_load, gpu_mhz, celsius }]
// Power is the mean between two readings, from the difference of their energies, so that no change
// between them is lost.
import { ApiError, get } from "./api.js";

const mostPoints = 3700;
const againMs = 2000;
const silentMs = 8000;  // without a reading for this time, the connection counts as lost

const finite = (value) => (typeof value === "number" && isFinite(value) ? value : null);
const named = (list, name) => (list || []).find((item) => item.name === name) || {};

// Mean CPU load, GPU load, GPU clock and highest temperature of a reading.
export function summary(look) {
  const cpus = (look.loads || []).filter((item) => /^cpu/.test(item.name) && finite(item.load) !== null);
  const discrete = (look.gpus || [])[0] || {};
  const gpuClock = named(look.clocks, "gpu");
  const hot = (look.temperatures || []).map((item) => finite(item.celsius)).concat(finite(discrete.temperature_c)).filter((value) => value !== null);
  return {
    gpu_load: finite(named(look.loads, "gpu").load) ?? finite(discrete.load),
    cpu_load: cpus.length ? cpus.reduce((sum, item) => sum + item.load, 0) / cpus.length : null,
    gpu_mhz: finite(gpuClock.mhz) ?? finite(discrete.clock_mhz),
    celsius: hot.length ? Math.max(...hot) : null,
  };
}

export class LiveFeed {
  constructor(changed) {
    Object.assign(this, { changed, state: "connecting", newest: null, points: [], rails: [], error: null, command: "", heardAt: null });
  }

  start() {
    this.stopped = false;
    this.connect();
  }

  stop() {
    this.stopped = true;
    this.quiet();
  }

  quiet() {
    clearTimeout(this.timer);
    clearTimeout(this.silence);
    if (this.source) this.source.close();
  }

  again() {
    this.quiet();
    this.connect();
  }

  heard() {
    this.heardAt = new Date();
    clearTimeout(this.silence);
    this.silence = setTimeout(() => this.lost(new ApiError("the server does not answer", 0)), silentMs);
  }

  // Reads the history before it listens to events. A point that arrives twice is kept once.
  async connect() {
    try {
      const [past, now] = await Promise.all([get("history"), get("monitor")]);
      if (this.stopped) return;
      this.takePast(past.json.rows, ((now.json.power || {}).rails || []).map((rail) => rail.name));
      this.command = now.command;
      this.take(now.json);
    } catch (error) {
      return this.lost(error);
    }
    const source = new EventSource("api/v1/events");
    this.source = source;
    source.addEventListener("monitor", (event) => this.take(JSON.parse(event.data)));
    source.onerror = () => this.lost(null);
  }

  lost(error) {
    if (this.stopped) return;
    if (error && error.status === 401) {  // app.js asks for the token
      this.state = "lost";
      return this.changed(this);
    }
    this.quiet();
    this.state = "lost";
    this.error = error;
    this.changed(this);
    this.timer = setTimeout(() => this.connect(), againMs);
  }

  takePast(past, rails) {
    const first = past.length ? past[0].time_s : Infinity, last = past.length ? past[past.length - 1].time_s : -Infinity;
    // Times count from the machine's boot, so points later than the newest one are from before a
    // reboot.
    const before = this.points.filter((point) => point.time_s < first && point.time_s <= last);
    this.points = before.concat(past.map((point) => ({
      time_s: point.time_s, total_w: finite(point.total_w),
      rails: Object.fromEntries(rails.map((name, i) => [name, finite((point.rail_w || [])[i])])),
      gpu_load: finite(point.gpu_load), cpu_load: finite(point.cpu_load),
      gpu_mhz: finite(point.gpu_clock_mhz) || null, celsius: finite(point.hottest_c),
    }))).slice(-mostPoints);
  }

  take(look) {
    const before = this.newest;
    this.heard();
    this.state = "live";
    this.error = null;
    // The first event may be older than the reading that was requested at the same time.
    const behind_s = before ? before.time_s - look.time_s : 0;
    if (behind_s > 0 && behind_s < 60) return this.changed(this);
    this.newest = look;
    const last = this.points[this.points.length - 1];
    if (!last || look.time_s > last.time_s + 1e-3) this.points.push(this.pointOf(look, before));
    if (this.points.length > mostPoints) this.points.splice(0, this.points.length - mostPoints);
    this.changed(this);
  }

  pointOf(look, before) {
    const power = look.power || {};
    const earlier = before && before.since_s < look.since_s ? before.power || {} : null;
    const span_s = earlier ? powerTime(look) - powerTime(before) : 0;
    const mean = (now, then, w) => (span_s > 0 && finite(now) !== null && finite(then) !== null ? (now - then) / span_s : finite(w));
    const rails = Object.fromEntries((power.rails || []).map((rail) =>
      [rail.name, mean(rail.energy_j, earlier ? named(earlier.rails, rail.name).energy_j : null, rail.power_w)]));
    return { time_s: look.time_s, total_w: mean(power.energy_j, earlier ? earlier.energy_j : null, power.total_w), rails, ...summary(look) };
  }
}

// Time until which the energies of a reading are counted.
const powerTime = (look) => finite((look.power || {}).time_s) ?? look.time_s;
