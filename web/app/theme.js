// Light, dark, or as the system is; kept in this browser. A plain script in the head, so that no
// page shows in the other theme first:
//   Ridgewatt.theme.get() -> "auto" | "light" | "dark"; Ridgewatt.theme.set(choice); theme=dark in the
//   address goes before what is kept: Ridgewatt.theme.show(choice)
// Charts are drawn again at the event "ridgewatt-theme" of the window.
"use strict";
window.Ridgewatt = window.Ridgewatt || {};
window.Ridgewatt.theme = (function () {
  const choices = ["auto", "light", "dark"];
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  let choice = "auto";
  try { choice = localStorage.getItem("ridgewatt-theme") || "auto"; } catch { /* storage is switched off */ }
  choice = (/[?&]theme=(\w+)/.exec(location.hash) || [])[1] || choice;
  if (!choices.includes(choice)) choice = "auto";

  function apply() {
    const dark = choice === "dark" || (choice === "auto" && system.matches);
    document.documentElement.classList.toggle("dark", dark);
    window.dispatchEvent(new Event("ridgewatt-theme"));
  }
  // Of an address: for this visit.
  function show(next) {
    if (!choices.includes(next) || next === choice) return;
    choice = next;
    apply();
  }
  function set(next) {
    choice = next;
    try { localStorage.setItem("ridgewatt-theme", next); } catch { /* lasts as long as the page */ }
    apply();
  }
  system.addEventListener("change", apply);
  apply();
  return { choices, get: () => choice, set, show };
})();
