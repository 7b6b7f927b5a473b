// A limit on one axis of a chart, shown as a line that the user moves with the pointer or keys. At
// the upper end of the axis there is no limit. Keys: arrows 1 %, Page Up and Down 10 %, Home the
// lower end, End and Delete no limit.
import { html, useEffect, useState } from "./standalone.module.js";
import { number } from "./controls.js";

// Position of the plot area in its chart, and ranges of its axes. Updated after each drawing.
export function usePlotArea(handle, drawn) {
  const [area, setArea] = useState(null);
  useEffect(() => {
    if (!handle) return undefined;
    const look = () => {
      const model = handle.chart.getModel().getComponent("grid");
      if (!model) return;
      const { x, y, width, height } = model.coordinateSystem.getRect();
      const extent = (kind) => handle.chart.getModel().getComponent(kind, 0).axis.scale.getExtent().slice();
      const logarithmic = (kind) => handle.chart.getModel().getComponent(kind, 0).axis.type === "log";
      const next = { x, y, width, height, x_extent: extent("xAxis"), y_extent: extent("yAxis"), x_log: logarithmic("xAxis"), y_log: logarithmic("yAxis") };
      setArea((old) => (JSON.stringify(old) === JSON.stringify(next) ? old : next));
    };
    look();
    handle.chart.on("finished", look);
    return () => handle.chart.isDisposed() || handle.chart.off("finished", look);
  }, [handle, drawn]);
  return area;
}

const round = (value) => Number(value.toPrecision(3));

export function LimitLine({ area, axis, value, name, unit, onChange }) {
  const across = axis === "x";
  const [lo, hi] = area[`${axis}_extent`];
  const log = area[`${axis}_log`];
  const to = (v) => (log ? Math.log(v) : v);
  const share = (v) => (to(v) - to(lo)) / (to(hi) - to(lo));
  const at = (s) => (log ? Math.exp(to(lo) + s * (to(hi) - to(lo))) : lo + s * (hi - lo));
  const none = value === undefined;
  const place = none ? 1 : Math.min(1, Math.max(0, share(value)));
  const put = (s) => onChange(s >= 0.999 ? undefined : round(at(Math.max(0, s))));
  const drag = (event) => {
    if (event.button !== 0) return;
    const line = event.currentTarget;
    line.setPointerCapture(event.pointerId);
    const box = line.parentElement.getBoundingClientRect();
    const move = (e) => put(across ? (e.clientX - box.left - area.x) / area.width : 1 - (e.clientY - box.top - area.y) / area.height);
    const end = () => { line.removeEventListener("pointermove", move); line.removeEventListener("pointerup", end); line.removeEventListener("pointercancel", end); };
    line.addEventListener("pointermove", move);
    line.addEventListener("pointerup", end);
    line.addEventListener("pointercancel", end);
  };
  const keys = { ArrowLeft: -0.01, ArrowDown: -0.01, ArrowRight: 0.01, ArrowUp: 0.01, PageDown: -0.1, PageUp: 0.1 };
  const press = (event) => {
    if (event.key in keys) put(place + keys[event.key]);
    else if (event.key === "Home") put(0);
    else if (event.key === "End" || event.key === "Delete") onChange(undefined);
    else return;
    event.preventDefault();
  };
  const text = none ? `${name}: no limit` : `${name} up to ${number(value)} ${unit}`;
  const style = across
    ? { left: `${area.x + place * area.width}px`, top: `${area.y}px`, height: `${area.height}px` }
    : { top: `${area.y + (1 - place) * area.height}px`, left: `${area.x}px`, width: `${area.width}px` };
  const near = across ? place < 0.25 : place > 0.85;
  return html`<div class=${`limit ${axis}${none ? " off" : ""}${near ? " near" : ""}${place < 0.15 ? " low" : ""}`} style=${style} role="slider" tabindex="0" aria-label=${`Limit of ${name.toLowerCase()}`}
    aria-orientation=${across ? "horizontal" : "vertical"} aria-valuemin=${round(lo)} aria-valuemax=${round(hi)} aria-valuenow=${none ? round(hi) : value} aria-valuetext=${text}
    onPointerDown=${drag} onKeyDown=${press}><span aria-hidden="true">${text}</span></div>`;
}
