#include "picture/Palette.h"
#include "picture/Picture.h"

#include "llvm/ADT/StringRef.h"

namespace gluonc::picture {

static constexpr llvm::StringLiteral style = R"css(
:root { color-scheme: light dark; --ink: #1b1e24; --paper: #fff; --soft: #f2f4f7; --line: #c9ced6; --mark: #c2185b; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e8ec; --paper: #14161b; --soft: #1f2229; --line: #3a404b; --mark: #ff80ab; }
}
body { margin: 0 0 4em; color: var(--ink); background: var(--paper); font: 14px/1.45 "DejaVu Sans", Helvetica, Arial, sans-serif; }
header { padding: 14px 20px 0; }
h1 { margin: 0 0 2px; font: bold 16px "DejaVu Sans Mono", Menlo, Consolas, monospace; overflow-wrap: anywhere; }
header p { margin: 0; }
#told { position: fixed; bottom: 0; left: 0; right: 0; min-height: 1.45em; max-height: 30vh; overflow: auto; padding: 8px 20px;
  background: var(--soft); border-top: 1px solid var(--line); }
main { overflow-x: auto; padding: 10px; }
main svg:focus-visible { outline: 2px solid var(--mark); }
.k { cursor: pointer; }
.k.like > rect { stroke: var(--mark); stroke-width: 2.5; }
.k.same > rect { stroke: var(--ink); stroke-width: 2.5; stroke-dasharray: 3 2; }
.k.here > rect { stroke: var(--mark); stroke-width: 4; }
details { padding: 0 20px 20px; }
pre { overflow-x: auto; font: 12px "DejaVu Sans Mono", Menlo, Consolas, monospace; }
)css";

static constexpr llvm::StringLiteral script = R"js(
const image = document.querySelector("main svg"), told = document.getElementById("told");
const cells = [...image.querySelectorAll(".k")], first = told.textContent;
const titleOf = cell => cell.querySelector("title")?.textContent ?? "nothing";
let here = null, isHeld = false;
function show(cell) {
  for (const marked of image.querySelectorAll(".like, .same, .here")) marked.classList.remove("like", "same", "here");
  here = cell;
  if (!cell) { told.textContent = first; return; }
  const {o, e} = cell.dataset;
  for (const other of cells) {
    if (o && other.dataset.o === o) other.classList.add("like");
    else if (e && other.dataset.e === e) other.classList.add("same");
  }
  cell.classList.add("here");
  told.textContent = titleOf(cell) + (isHeld ? " (held: press Escape, or the cell again, to let go)" : "");
}
const cellOf = event => event.target.closest(".k");
image.addEventListener("pointermove", event => { if (!isHeld && cellOf(event) !== here) show(cellOf(event)); });
image.addEventListener("pointerleave", () => { if (!isHeld) show(null); });
image.addEventListener("click", event => {
  const cell = cellOf(event);
  isHeld = !!cell && !(isHeld && cell === here);
  show(cell);
});
image.setAttribute("tabindex", "0");
const boxOf = cell => cell.querySelector("rect").getBBox();
/// The nearest cell in a direction.
function beside(cell, dx, dy) {
  const from = boxOf(cell);
  let best = null, least = Infinity;
  for (const other of cells) {
    const box = boxOf(other), x = box.x - from.x, y = box.y - from.y;
    const along = x * dx + y * dy, across = Math.abs(x * dy) + Math.abs(y * dx);
    if (along > 0 && along + 4 * across < least) { least = along + 4 * across; best = other; }
  }
  return best ?? cell;
}
const steps = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};
image.addEventListener("keydown", event => {
  if (event.key === "Escape") { isHeld = false; show(null); }
  if (!steps[event.key] || !cells.length) return;
  event.preventDefault();
  isHeld = true;
  show(here ? beside(here, ...steps[event.key]) : cells[0]);
});
)js";

std::string toHtml(const Picture &picture) {
  return "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
         "name=\"viewport\" content=\"width=device-width\">\n<title>" +
         escaped(picture.title) + "</title>\n<style>" + style.str() +
         "</style>\n</head>\n<body>\n" + "<header><h1>" + escaped(picture.title) + "</h1><p>" +
         escaped(picture.description) +
         "</p></header>\n<div id=\"told\" role=\"status\">Point at a cell, or press an arrow key "
         "in the picture.</div>\n<main>\n" +
         toSvg(picture) + "</main>\n<details><summary>The same in letters</summary><pre>" +
         escaped(toText(picture)) + "</pre></details>\n<script>" + script.str() +
         "</script>\n</body>\n</html>\n";
}

} // namespace gluonc::picture
