// The state of all pages: in the address `#/PAGE?key=value`, and for the pages that are not open in this tab's
// session storage. What several pages ask about follows from page to page; a link alone shows the same screen.
//   const { page, unknown, query } = parse(location.hash);
//   remember(page, query); link("modes") -> "#/modes?model=..": what that page last showed, with what is shared now
const workload = ["model", "file", "device", "runtime", "precision", "batch", "training"];
const mode = ["gpu", "mem", "cpu", "cores"];

// device: what a page asks about where the address names no board; shares: keys that mean the same on other pages.
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
try { kept = JSON.parse(sessionStorage.getItem(place)) || kept; } catch { /* lasts as long as the page */ }

export function remember(page, query) {
  const { shares, device } = pages[page];
  const common = { ...kept.common };
  for (const key of [...shares, ...everywhere]) common[key] = query[key];
  if (shares.includes("device")) {
    common.device = query.device || device;
    // Clocks belong to a board.
    if (common.device !== kept.common.device && !shares.includes("gpu")) for (const key of mode) common[key] = undefined;
  }
  const own = Object.fromEntries(Object.entries(query).filter(([key]) => !shares.includes(key) && !everywhere.includes(key)));
  kept = { common, own: { ...kept.own, [page]: own } };
  try { sessionStorage.setItem(place, JSON.stringify(kept)); } catch { /* storage is switched off */ }
}

export function link(page) {
  const shared = Object.fromEntries([...pages[page].shares, ...everywhere].map((key) => [key, kept.common[key]]));
  return hashOf(page, { ...kept.own[page], ...shared });
}
