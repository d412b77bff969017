// Two methods side by side: which parameter differs, and the second picture.

import { $, made } from "./dom.js";
import { Picture } from "./draw.js";
import { Overlay } from "./overlay.js";

export class Compare {
  constructor(box, controls, say) {
    this.controls = Object.fromEntries(controls.map((control) => [control.key, control]));
    this.say = say;
    this.settings = {};
    this.key = made("select", { id: "compare-key", ariaLabel: "What differs", onchange: () => this.#words() });
    this.value = made("span", { class: "compare-value" });
    this.button = made("button", { class: "main", id: "compare-start", textContent: "Compare", onclick: () => this.#start() });
    this.stop = made("button", { id: "compare-stop", textContent: "Show one", hidden: true, onclick: () => say("compare", { settings: {} }) });
    box.append(
      made("p", { class: "hint", textContent: "The same scene with another value beside it, on one clock. Both begin again; brushes act on both." }),
      made("div", { class: "buttons" }, this.key, this.value, this.button, this.stop),
    );
  }

  get isOn() {
    return Object.keys(this.settings).length > 0;
  }

  show({ values, compare, beside }) {
    this.settings = compare;
    const keys = Object.keys(values).filter((key) => this.controls[key] && this.controls[key].type !== "vector");
    if (keys.join() !== [...this.key.options].map(({ value }) => value).join()) {
      const before = this.key.value;
      this.key.replaceChildren(...keys.map((key) => made("option", { value: key, textContent: this.controls[key].name })));
      this.key.value = keys.includes(before) ? before : keys.includes("solver.transfer") ? "solver.transfer" : keys[0];
      this.#words(values);
    }
    this.values = values;
    this.stop.hidden = !this.isOn;
    $("#beside").hidden = !this.isOn;
    $("#caption").hidden = !this.isOn;
    if (!this.isOn) return;
    const told = (of) =>
      Object.keys(compare).map((key) => `${this.controls[key].name}: ${String(of[key]).replaceAll("_", " ")}`).join(", ");
    $("#caption").textContent = told(values);
    $("#caption-beside").textContent = told(beside.values);
    this.picture ??= new Picture($("#fluid-beside"));
    this.overlay ??= new Overlay($("#overlay-beside"), this.picture);
    if (this.picture.begin(beside)) this.picture.fit();
  }

  // The part of a frame that is of the second
  take(frame) {
    if (!this.isOn || !frame.other) return;
    const arrays = {};
    for (const [name, array] of Object.entries(frame.arrays))
      if (name.startsWith("other_")) arrays[name.slice(6)] = array;
    this.picture.take({ ...frame, ...frame.other, arrays });
  }

  draw(first, arrows, overlay) {
    if (!this.isOn || !this.picture.frame) return;
    const { zoom, middle, dark, lines, quality } = first;
    Object.assign(this.picture, { zoom, middle, dark, lines, quality });
    Object.assign(this.overlay, { brush: overlay.brush, lines: overlay.lines });
    this.picture.draw();
    this.overlay.draw(arrows);
  }

  // A field for the value that the second is to have
  #words(values = this.values) {
    const { key, name, type, words, least, most } = this.controls[this.key.value],
      now = values?.[key];
    if (type === "words") {
      const menu = made("select", { ariaLabel: `${name} of the second` });
      menu.append(...words.map((word) => made("option", { value: word, textContent: word.replaceAll("_", " ") })));
      menu.value = words.find((word) => word !== now);
      this.read = () => menu.value;
      this.value.replaceChildren(menu);
    } else if (type === "switch") {
      this.read = () => !this.values[key];
      this.value.replaceChildren(made("span", { textContent: "the other way" }));
    } else {
      const field = made("input", { type: "number", step: "any", min: least, max: most, value: now ?? least, ariaLabel: `${name} of the second` });
      this.read = () => Number(field.value);
      this.value.replaceChildren(field);
    }
  }

  #start() {
    this.say("compare", { settings: { [this.key.value]: this.read() } });
  }
}
