// Boxes and discs: placed, moved and resized with the pointer, or by numbers in the panel.

import { made } from "./dom.js";
import { handlesOf } from "./overlay.js";

const NEAR = 14; // pixels from a handle

export class Shapes {
  constructor(box, picture, overlay, say) {
    Object.assign(this, { box, picture, overlay, say });
    this.all = [];
    this.tool = "push";
    const add = (shape) => made("button", { textContent: `Add a ${shape}`, id: `add-${shape}`, onclick: () => this.#add(shape) });
    this.list = made("div", { class: "shape-list" });
    box.append(made("div", { class: "buttons" }, add("box"), add("disc")), this.list);
  }

  // What the scene has
  show({ shapes, size }) {
    this.size = size;
    this.all = shapes;
    this.use(this.tool);
    if (this.list.contains(document.activeElement) && this.#names() === shapes.map(({ name }) => name).join())
      return this.#fill();
    this.list.replaceChildren(...shapes.map((shape) => this.#row(shape)));
    if (!shapes.length) this.list.append(made("p", { class: "hint", textContent: "None yet. Draw one with the tool Box or Disc, or add one here." }));
  }

  // Handles are there while such a tool is chosen
  use(tool) {
    this.tool = tool;
    const isOn = tool === "box" || tool === "disc";
    this.overlay.shapes = isOn ? this.all.map((shape) => ({ ...shape, isChosen: shape.name === this.chosen })) : [];
  }

  // The pointer goes down at a place (m): on a handle, inside a shape, or where there is none
  grab([x, y], tool) {
    const metres = NEAR / this.picture.scale;
    for (const shape of [...this.all].reverse())
      for (const [hx, hy] of handlesOf(shape))
        if (Math.hypot(hx - x, hy - y) < metres) return this.#hold({ ...shape, deed: "resize", handle: [hx, hy], from: [x, y] });
    for (const shape of [...this.all].reverse())
      if (x > shape.x0 && x < shape.x1 && y > shape.y0 && y < shape.y1)
        return this.#hold({ ...shape, deed: "move", from: [x, y] });
    return this.#hold({ name: "", shape: tool, x0: x, y0: y, x1: x, y1: y, deed: "draw", from: [x, y] });
  }

  // It moves to a place
  drag([x, y], isLast) {
    const held = this.held;
    if (!held) return;
    const { name, shape, deed, from } = held,
      corners = this.#dragged(held, x, y);
    if (deed === "draw" && Math.hypot(x - from[0], y - from[1]) < 0.01 * Math.max(...this.size)) return;
    if (!isLast && performance.now() - (held.sent ?? 0) < 50) return;
    held.sent = performance.now();
    this.say("place", { begins: !held.begun, shape, name, ...corners });
    held.begun = true;
  }

  drop(place) {
    if (place) this.drag(place, true);
    this.held = null;
  }

  #hold(held) {
    this.chosen = held.name;
    this.held = held;
    this.use(this.tool);
  }

  #dragged({ shape, deed, from, handle, x0, y0, x1, y1 }, x, y) {
    const dx = x - from[0],
      dy = y - from[1],
      cx = (x0 + x1) / 2,
      cy = (y0 + y1) / 2;
    if (deed === "move") return { x0: x0 + dx, y0: y0 + dy, x1: x1 + dx, y1: y1 + dy };
    if (shape === "disc") {
      const [mx, my] = deed === "draw" ? from : [cx, cy],
        r = Math.hypot(x - mx, y - my);
      return { x0: mx - r, y0: my - r, x1: mx + r, y1: my + r };
    }
    if (deed === "draw") return { x0: from[0], y0: from[1], x1: x, y1: y };
    return { x0: handle[0] === x0 ? x1 : x0, y0: handle[1] === y0 ? y1 : y0, x1: x, y1: y };
  }

  #add(shape) {
    const [w, h] = this.size,
      r = 0.08 * Math.min(w, h);
    this.say("place", { begins: true, shape, name: "", x0: w / 2 - r, y0: h / 2 - r, x1: w / 2 + r, y1: h / 2 + r });
  }

  #names() {
    return [...this.list.querySelectorAll("fieldset")].map(({ dataset }) => dataset.name).join();
  }

  #row({ name, shape }) {
    const words = shape === "box" ? ["left", "bottom", "width", "height"] : ["middle x", "middle y", "radius"];
    const fields = words.map((word) =>
      made("label", {}, made("span", { textContent: word }), made("input", { type: "number", step: "any", ariaLabel: `${word} of ${name}, m`, onchange: () => this.#changed(name) })),
    );
    const away = made("button", { class: "icon", ariaLabel: `Take ${name} away`, title: "Take away", textContent: "×", onclick: () => this.say("remove", { name }) });
    const row = made("fieldset", { "data-name": name }, made("legend", { textContent: `${name}, m` }), ...fields, away);
    this.#write(row, this.all.find((one) => one.name === name));
    return row;
  }

  #fill() {
    for (const row of this.list.querySelectorAll("fieldset"))
      if (!row.contains(document.activeElement)) this.#write(row, this.all.find(({ name }) => name === row.dataset.name));
  }

  #write(row, { shape, x0, y0, x1, y1 }) {
    const numbers = shape === "box" ? [x0, y0, x1 - x0, y1 - y0] : [(x0 + x1) / 2, (y0 + y1) / 2, (x1 - x0) / 2];
    [...row.querySelectorAll("input")].forEach((field, i) => {
      field.value = Number(numbers[i].toPrecision(4));
    });
  }

  #changed(name) {
    const { shape } = this.all.find((one) => one.name === name),
      row = this.list.querySelector(`[data-name="${CSS.escape(name)}"]`),
      [a, b, c, d] = [...row.querySelectorAll("input")].map((field) => Number(field.value));
    if (![a, b, c, d ?? 0].every(Number.isFinite) || c <= 0 || d <= 0) return;
    const corners = shape === "box" ? { x0: a, y0: b, x1: a + c, y1: b + d } : { x0: a - c, y0: b - c, x1: a + c, y1: b + c };
    this.say("place", { begins: true, shape, name, ...corners });
  }
}

