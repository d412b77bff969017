// The help sheet, and the keys it lists.

import { made } from "./dom.js";

const KEYS = [
  ["Space", "Run or pause"],
  [". ,", "One step, one step back"],
  ["N", "Next stage of a step"],
  ["R", "Begin again"],
  ["1 … 8", "Push, pour, drain, wall, erase, heat, box, disc"],
  ["[ ]", "Smaller or larger brush"],
  ["V", "Next view"],
  ["A", "Velocity arrows"],
  ["F", "Streamlines"],
  ["G", "Grid lines"],
  ["Ctrl Z", "Undo"],
  ["Ctrl Y", "Redo"],
  ["O", "Open a scene file"],
  ["S", "Save as a scene file"],
  ["L", "Link to this scene"],
  ["P", "Picture"],
  ["M", "Record, or stop"],
  ["0", "Whole domain"],
  ["← ↑ → ↓", "In the picture: move the brush"],
  ["Enter", "In the picture: use the tool there"],
  ["T", "Light or dark"],
  ["← →", "Frames of a run, tabs of the panel"],
  ["?", "This help"],
];

export function fillHelp(dialog) {
  const list = made("dl", { class: "keys" });
  for (const [keys, meaning] of KEYS)
    list.append(
      made("dt", {}, ...keys.split(" ").map((key) => made("kbd", { textContent: key }))),
      made("dd", { textContent: meaning }),
    );
  dialog.append(
    made("h2", { textContent: "plash studio" }),
    made("p", {
      textContent:
        "Drag with the left button to push liquid or smoke, with the right one to add some. On a trackpad or phone choose the tool instead. The wheel zooms, a double click shows everything again. Walls you draw are part of the scene: save it, and the command line runs it.",
    }),
    list,
    made("form", { method: "dialog" }, made("menu", {}, made("button", { class: "main", textContent: "Close" }))),
  );
}
