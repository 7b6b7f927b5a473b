// The theme: light, dark, or that of the system. This browser stores the choice. It is a classic
// script in the head, so that a page never appears in the wrong theme first:
//   Ridgewatt.theme.get() -> "auto" | "light" | "dark"; Ridgewatt.theme.set(choice);
//   Ridgewatt.theme.show(choice) for theme=dark in the address, which overrides the stored choice
// At the event "ridgewatt-theme" of the window, charts are drawn again.
"use strict";
window.Ridgewatt = window.Ridgewatt || {};
window.Ridgewatt.theme = (function () {
  const choices = ["auto", "light", "dark"];
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  let choice = "auto";
  try { choice = localStorage.getItem("ridgewatt-theme") || "auto"; } catch { /* storage is disabled */ }
  choice = (/[?&]theme=(\w+)/.exec(location.hash) || [])[1] || choice;
  if (!choices.includes(choice)) choice = "auto";

  function apply() {
    const dark = choice === "dark" || (choice === "auto" && system.matches);
    document.documentElement.classList.toggle("dark", dark);
    window.dispatchEvent(new Event("ridgewatt-theme"));
  }
  // Uses the theme of an address, without storing it.
  function show(next) {
    if (!choices.includes(next) || next === choice) return;
    choice = next;
    apply();
  }
  function set(next) {
    choice = next;
    try { localStorage.setItem("ridgewatt-theme", next); } catch { /* not stored */ }
    apply();
  }
  system.addEventListener("change", apply);
  apply();
  return { choices, get: () => choice, set, show };
})();
