// The frame around all pages: choice of the page by the address, navigation, theme, token, error
// lines. A page is a module page_NAME.js that exports `title`, `keys`, optionally `prefix` and
// `aliases`, and `Page({ query, setQuery })`. `query` contains the values of the address as texts.
// setQuery(changes) writes values into the address (undefined removes a value), so that the address
// shows the same page in another browser.
// keys: names that the page reads from the address; prefix: beginning of further names; aliases:
// old name -> new name.
import { html, render, useEffect, useErrorBoundary, useRef, useState } from "./standalone.module.js";
import { openSession, takeToken } from "./api.js";
import { ErrorLine, Select } from "./controls.js";
import { everywhere, firstPage, hashOf, link, pages, parse, remember } from "./state.js";

// Replaces old names in an address by the current ones.
const renamed = (query, aliases = {}) => Object.fromEntries(Object.entries(query).map(([key, value]) => [aliases[key] || key, value]));

// Reports names in the address that the page does not read, such as misspelled ones.
function Unread({ route, module, query }) {
  const keys = Object.keys(query).filter((key) => !module.keys.includes(key) && !everywhere.includes(key) && !(module.prefix && key.startsWith(module.prefix)));
  return html`${route.unknown && html`<${ErrorLine} error=${`There is no page '${route.unknown}': the pages are ${Object.keys(pages).join(", ")}.`} />`}
    ${keys.length > 0 && html`<${ErrorLine} error=${`The address says ${keys.map((key) => `'${key}'`).join(", ")}, which this page does not know: it reads ${module.keys.join(", ")}.`} />`}`;
}

// Reloads the document if the server answers. A reload is needed because browsers cache a failed
// import.
async function reload() {
  try { if ((await fetch(location.pathname, { cache: "no-store" })).ok) location.reload(); } catch { /* still unreachable */ }
}

function Theme({ chosen, onChange }) {
  useEffect(() => Ridgewatt.theme.show(chosen), [chosen]);
  return html`<${Select} label="Theme" value=${chosen || Ridgewatt.theme.get()} options=${Ridgewatt.theme.choices}
    onChange=${(next) => { Ridgewatt.theme.set(next); onChange(next === "auto" ? undefined : next); }} />`;
}

// Copies the address, which contains everything that the user selected. Where the browser refuses,
// the address is shown, to be copied by hand.
function Share() {
  const [done, setDone] = useState("");
  const [shown, setShown] = useState("");
  const timer = useRef(0);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(location.href);
      setDone(/upload(:|%3A)/.test(location.hash) ? "Copied, without the file" : "Copied");
      clearTimeout(timer.current);
      timer.current = setTimeout(() => setDone(""), 2500);
    } catch { setShown(location.href); }
  };
  return html`<button type="button" onClick=${copy} title="The address contains everything that you selected">${done || "Copy link"}</button>
    ${shown && html`<input type="text" readonly aria-label="The address of this page" value=${shown} ref=${(field) => field && field.select()} onBlur=${() => setShown("")} />`}`;
}

function Token({ onDone }) {
  const [error, setError] = useState(null);
  const send = async (event) => {
    event.preventDefault();
    try {
      await openSession(new FormData(event.target).get("token").trim());
      onDone();
    } catch (fault) { setError(fault); }
  };
  return html`<form class="token card" onSubmit=${send}><p>This server asks for its token: 'ridgewatt serve' printed it.</p>
    <label class="field"><span>Token</span><input name="token" type="password" autocomplete="off" required /></label>
    <button type="submit">Open</button><${ErrorLine} error=${error} /></form>`;
}

function Guarded({ Page, ...props }) {
  const [fault, again] = useErrorBoundary((error) => console.error(error));
  if (fault) return html`<div><${ErrorLine} error=${fault} /><button type="button" onClick=${again}>Try again</button></div>`;
  return html`<${Page} ...${props} />`;
}

function App() {
  const [route, setRoute] = useState(parse(location.hash));
  const [module, setModule] = useState(null);
  const [error, setError] = useState(null);
  const [locked, setLocked] = useState(false);
  const [opened, setOpened] = useState(0);
  useEffect(() => {
    const moved = () => setRoute(parse(location.hash));
    const lock = () => setLocked(true);
    window.addEventListener("hashchange", moved);
    window.addEventListener("ridgewatt-token", lock);
    return () => { window.removeEventListener("hashchange", moved); window.removeEventListener("ridgewatt-token", lock); };
  }, []);
  useEffect(() => {
    let gone = false;
    setError(null);
    import(`./page_${route.page}.js`).then(
      (loaded) => { if (!gone) { setModule({ page: route.page, ...loaded }); document.title = `${loaded.title} - Ridgewatt`; } },
      () => gone || setError(Object.assign(new Error(`The page ${pages[route.page].title} could not be loaded.`), { again: reload })));
    return () => { gone = true; };
  }, [route.page]);
  // Uses the current address instead of the last drawn one, because changes may follow fast.
  const setQuery = (changes, { push = false } = {}) => {
    const now = parse(location.hash);
    const hash = hashOf(now.page, { ...renamed(now.query, (module || {}).aliases), ...changes });
    history[push ? "pushState" : "replaceState"](null, "", hash);
    setRoute(parse(hash));
  };
  const ready = module && module.page === route.page;
  const query = ready && renamed(route.query, module.aliases);
  if (ready) remember(route.page, query);  // links, which are drawn later, use the remembered state
  return html`<a class="skip" href="#main" onClick=${(e) => { e.preventDefault(); document.getElementById("main").focus(); }}>To the content</a>
    <header class="top"><a class="brand" href=${link(firstPage)}>Ridgewatt</a>
      <nav aria-label="Pages">${Object.entries(pages).map(([name, { title }]) => html`
        <a key=${name} href=${link(name)} aria-current=${name === route.page ? "page" : undefined}>${title}</a>`)}</nav>
      <div class="tools"><${Share} /><${Theme} chosen=${route.query.theme} onChange=${(theme) => setQuery({ theme })} /></div></header>
    <main id="main" tabindex="-1">${locked ? html`<${Token} onDone=${() => { setLocked(false); setOpened(opened + 1); }} />` : html`
      <${ErrorLine} error=${error} />
      ${!ready && !error && html`<p class="faint" role="status">Loading</p>`}
      ${ready && html`<${Unread} route=${route} module=${module} query=${query} />
        <${Guarded} key=${`${route.page} ${opened}`} Page=${module.Page} query=${query} setQuery=${setQuery} />`}`}</main>`;
}

let fault = null;
try { await takeToken(); } catch (error) { fault = error; }
const place = document.getElementById("app");
place.replaceChildren();  // removes the text that index.html shows while loading
render(html`<${App} />`, place);
if (fault) window.dispatchEvent(new Event("ridgewatt-token"));
