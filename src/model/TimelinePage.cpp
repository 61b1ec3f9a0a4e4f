#include "model/Timeline.h"

#include "llvm/Support/FormatVariadic.h"

namespace gluonc::model {

/// In front of the timeline, which is JSON and so JavaScript, and behind it.
static constexpr llvm::StringLiteral head = R"js(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>gluonc: timeline</title>
<style>
:root { color-scheme: light dark; --ink: #1b1e24; --paper: #fff; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e8ec; --paper: #14161b; } }
body { font: 13px sans-serif; margin: 8px; color: var(--ink); background: var(--paper); }
canvas { border: 1px solid #888; cursor: grab; margin-top: 4px; }
#tip { position: absolute; background: var(--paper); border: 1px solid #888; padding: 2px 6px; display: none; }
#legend i { display: inline-block; width: 12px; height: 12px; margin: 0 4px 0 14px; vertical-align: -1px; }
</style></head><body>
<div id="title"></div><div id="legend"></div><canvas id="view" role="img"></canvas><div id="tip"></div>
<script>
const trace = )js";

static constexpr llvm::StringLiteral tail = R"js(;
// Of Okabe and Ito; each row says in words, too, what its spans are.
const colors = {CTA: "#999", product: "#d55e00", load: "#56b4e9", store: "#009e73", copy: "#e69f00", wait: "#cc79a7", region: "#0072b2"};
const labels = 210, rowHeight = 14, canvas = document.getElementById("view"), pen = canvas.getContext("2d");
const spans = trace.traceEvents.filter(e => e.ph == "X"), names = {}, rows = new Map();
for (const e of trace.traceEvents)
  if (e.name == "thread_name") names[e.pid + "," + e.tid] = e.args.name;
spans.sort((a, b) => a.pid - b.pid || a.tid - b.tid);
for (const s of spans) {
  const key = s.pid + "," + s.tid;
  if (!rows.has(key)) rows.set(key, rows.size);
  s.row = rows.get(key);
}
const all = Math.max(...spans.map(s => s.ts + s.dur), 1e-3);
let from = 0, to = all;
const info = trace.otherData;
document.getElementById("title").textContent = `${info.kernel} on ${info.chip}: ${info.microseconds.toFixed(2)} us` +
  `${info.limit && ", limit: " + info.limit} (${info.what}). Wheel: zoom, drag: move.`;
canvas.setAttribute("aria-label", document.title + ", " + document.getElementById("title").textContent);
for (const [name, color] of Object.entries(colors)) {
  const swatch = document.createElement("i");
  swatch.style.background = color;
  document.getElementById("legend").append(swatch, name);
}
const ink = matchMedia("(prefers-color-scheme: dark)");
ink.addEventListener("change", () => draw());
const place = t => labels + (t - from) / (to - from) * (canvas.width - labels);
function draw() {
  canvas.width = window.innerWidth - 20;
  canvas.height = (rows.size + 2) * rowHeight;
  pen.font = "11px sans-serif";
  for (const s of spans) {
    const x = Math.max(place(s.ts), labels), end = Math.min(place(s.ts + s.dur), canvas.width);
    if (end < labels || x > canvas.width) continue;
    pen.fillStyle = colors[s.cat] || "#999";
    pen.fillRect(x, s.row * rowHeight + 1, Math.max(end - x, 0.5), rowHeight - 2);
    if (s.cat == "region" && end - x > pen.measureText(s.name).width + 4) {
      pen.fillStyle = "#fff";
      pen.fillText(s.name, x + 2, s.row * rowHeight + 11);
    }
  }
  pen.fillStyle = ink.matches ? "#e6e8ec" : "#1b1e24";
  for (const [key, row] of rows)
    pen.fillText(`CTA ${key.split(",")[0]} ${names[key] || ""}`, 2, row * rowHeight + 11);
  for (let i = 0; i <= 10; ++i) {
    const t = from + (to - from) * i / 10;
    pen.fillText(t.toFixed(2) + " us", Math.min(place(t), canvas.width - 60), (rows.size + 1) * rowHeight + 8);
  }
}
function timeAt(x) { return from + (x - labels) / (canvas.width - labels) * (to - from); }
canvas.onwheel = e => {
  e.preventDefault();
  const t = timeAt(e.offsetX), factor = e.deltaY > 0 ? 1.25 : 0.8;
  from = t - (t - from) * factor;
  to = t + (to - t) * factor;
  draw();
};
let held = null;
canvas.onmousedown = e => { held = timeAt(e.offsetX); };
window.onmouseup = () => { held = null; };
canvas.onmousemove = e => {
  if (held !== null) {
    const shift = held - timeAt(e.offsetX);
    from += shift;
    to += shift;
    draw();
  }
  const t = timeAt(e.offsetX), row = Math.floor(e.offsetY / rowHeight), tip = document.getElementById("tip");
  const found = spans.find(s => s.row == row && s.ts <= t && t <= s.ts + s.dur);
  tip.style.display = found ? "block" : "none";
  if (!found) return;
  tip.textContent = `${found.name}: ${(found.dur * 1000).toFixed(0)} ns ${found.args.instruction || ""}`;
  tip.style.left = e.pageX + 12 + "px";
  tip.style.top = e.pageY + 12 + "px";
};
window.onresize = draw;
draw();
</script></body></html>
)js";

std::string Timeline::page() const {
  std::string text = llvm::formatv("{0}", llvm::json::Value(json()));
  // Nothing in it may end the script.
  for (size_t at = 0; (at = text.find("</", at)) != std::string::npos; at += 3)
    text.replace(at, 2, "<\\/");
  return head.str() + text + tail.str();
}

} // namespace gluonc::model
