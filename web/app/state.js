// The state of all pages. The state of the open page is in the address, `#/PAGE?key=value`, so that
// a link shows the same page to others. The state of the other pages is in the session storage of
// this tab. Values that pages share are passed on from page to page.
//   const { page, unknown, query } = parse(location.hash);
//   remember(page, query); link("modes") -> "#/modes?model=..": the last state of that page with
//   the current shared values
const workload = ["model", "file", "device", "runtime", "precision", "batch", "training"];
const mode = ["gpu", "mem", "cpu", "cores", "governor"];

// device: default board of the page; shares: keys with the same meaning on other pages.
export const pages = {
  live: { title: "Live", shares: [] },
  explore: { title: "Explore", shares: [...workload, ...mode], device: "agx-orin" },
  modes: { title: "Modes", shares: workload, device: "agx-orin" },
  explain: { title: "Explain", shares: [...workload, ...mode], device: "agx-orin" },
  language: { title: "Language models", shares: ["device", ...mode], device: "orin-nano-8gb" },
  runs: { title: "Runs", shares: [] },
  schedule: { title: "Schedule", shares: ["device", "runtime", "precision"], device: "agx-orin" },
};
export const firstPage = "live";
export const everywhere = ["theme"];  // keys that every page reads

export function parse(hash) {
  const [path, text] = hash.replace(/^#\/?/, "").split("?");
  return { page: path in pages ? path : firstPage, unknown: path && !(path in pages) ? path : null, query: Object.fromEntries(new URLSearchParams(text || "")) };
}

export function hashOf(page, query) {
  const kept = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== "" && value !== false);
  const text = new URLSearchParams(kept.map(([name, value]) => [name, String(value)])).toString();
  return `#/${page}${text ? "?" + text : ""}`;
}

const place = "ridgewatt-state";
let kept = { common: {}, own: {} };
try { kept = JSON.parse(sessionStorage.getItem(place)) || kept; } catch { /* kept until a reload */ }

export function remember(page, query) {
  const { shares, device } = pages[page];
  const common = { ...kept.common };
  for (const key of [...shares, ...everywhere]) common[key] = query[key];
  if (shares.includes("device")) {
    common.device = query.device || device;
    // The clocks of one board are not valid for another.
    if (common.device !== kept.common.device && !shares.includes("gpu")) for (const key of mode) common[key] = undefined;
  }
  const own = Object.fromEntries(Object.entries(query).filter(([key]) => !shares.includes(key) && !everywhere.includes(key)));
  kept = { common, own: { ...kept.own, [page]: own } };
  clearTimeout(saving);
  saving = setTimeout(save, saveMs);
}

// Delay before the state is saved, because a slider changes it at each step.
const saveMs = 200;
let saving = null;
function save() {
  try { sessionStorage.setItem(place, JSON.stringify(kept)); } catch { /* storage is disabled */ }
}
window.addEventListener("pagehide", save);

export function link(page) {
  const shared = Object.fromEntries([...pages[page].shares, ...everywhere].map((key) => [key, kept.common[key]]));
  return hashOf(page, { ...kept.own[page], ...shared });
}
