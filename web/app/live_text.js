// Texts of live numbers, with fixed decimals, so that a change of a digit does not move the text
// next to it.
export const fixed = (value, decimals) => (typeof value === "number" && isFinite(value) ? value.toFixed(decimals) : "-");
export const joules = (value) => (typeof value !== "number" ? "-" : Math.abs(value) >= 36000 ? `${fixed(value / 3600, 3)} Wh` : `${fixed(value, 1)} J`);

// "± 1.3 J"; if it rounds to zero, "± less than 0.1 J". The bound is null with fewer than two power samples.
export const errorText = (value) => (typeof value !== "number" ? "error unknown" : value < 0.05 ? "± less than 0.1 J" : `± ${joules(value)}`);

export function clockText(s) {
  const whole = Math.max(0, Math.floor(s || 0)), two = (n) => String(n).padStart(2, "0");
  return `${whole >= 3600 ? `${Math.floor(whole / 3600)}:` : ""}${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`;
}
