// Sliders with number fields, menus and switches, made from what the scene's own models say about each parameter.

import { made } from "./dom.js";

const TITLES = { domain: "Space", liquid: "Liquid", solver: "Method" };
const UNITS = { "m^2/s": "m²/s", "m/s^2": "m/s²", "kg/m^3": "kg/m³", "s^-1": "1/s", "K^-1": "1/K" };
const RESTARTS = new Set(["domain.resolution", "solver.jitter", "solver.surface"]);

export class Settings {
  constructor(box, controls, say) {
    this.say = say;
    this.setters = {};
    this.boxes = {};
    this.notes = {};
    this.held = new Map(); // parameter -> until when the page's own value counts
    let table = "";
    for (const control of controls) {
      if (control.table !== table) box.append(made("h3", { textContent: TITLES[control.table] ?? control.table }));
      table = control.table;
      box.append(this.#control(control));
    }
  }

  show(values, kind) {
    for (const [key, { note, sentences }] of Object.entries(this.notes))
      if (sentences[kind]) note.textContent = sentenceOf(key, sentences[kind]);
    for (const [key, box] of Object.entries(this.boxes)) box.hidden = !(key in values);
    for (const [key, value] of Object.entries(values)) {
      if ((this.held.get(key) ?? 0) > performance.now()) continue;
      this.setters[key]?.(value);
    }
  }

  #send(key, value) {
    this.held.set(key, performance.now() + 700);
    this.say("set", { key, value });
  }

  #control(control) {
    const { key, name, type, sentence, sentences } = control,
      unit = UNITS[control.unit] ?? control.unit;
    const top = made("div", { class: "top" }, made("b", { textContent: name }));
    const note = made("p", { textContent: sentenceOf(key, sentence) });
    this.notes[key] = { note, sentences };
    const box = made("div", { class: "control", "data-key": key }, top);
    if (type === "words") box.append(this.#menu(control));
    else if (type === "switch") top.append(this.#switch(control));
    else if (type === "vector") box.append(...this.#vector(control, unit));
    else {
      const [slider, field] = this.#slider(control);
      top.append(field, made("small", { class: "unit", textContent: unit }));
      box.append(slider);
    }
    box.append(note);
    this.boxes[key] = box;
    return box;
  }

  #menu({ key, name, words }) {
    const menu = made("select", { ariaLabel: name, onchange: () => this.#send(key, menu.value) });
    menu.append(...words.map((word) => made("option", { value: word, textContent: word.replaceAll("_", " ") })));
    this.setters[key] = (value) => {
      menu.value = value;
    };
    return menu;
  }

  #switch({ key, name }) {
    const box = made("input", { type: "checkbox", ariaLabel: name, onchange: () => this.#send(key, box.checked) });
    this.setters[key] = (value) => {
      box.checked = value;
    };
    return box;
  }

  // A slider and a number field for one value. The field takes values beyond the ends of the slider, too
  #slider(control) {
    const { key, name, type } = control,
      { toShare, toValue } = scaleOf(control);
    const slider = made("input", { type: "range", min: 0, max: 1, step: type === "whole" ? 1 / 30 : 0.001, ariaLabel: name });
    const field = numberField(name, (value) => {
      const given = type === "whole" ? Math.round(value) : value;
      slider.value = toShare(given);
      tell(given);
      this.#send(key, given);
    });
    const event = RESTARTS.has(key) ? "change" : "input",
      now = () => toValue(Number(slider.value)),
      tell = (value) => {
        slider.ariaValueText = plain(value);
      };
    slider.addEventListener("input", () => {
      field.value = plain(now());
      tell(now());
    });
    slider.addEventListener(
      event,
      throttled(() => this.#send(key, now())),
    );
    this.setters[key] = (value) => {
      slider.value = toShare(value);
      tell(value);
      if (document.activeElement !== field) field.value = plain(value);
    };
    return [slider, field];
  }

  #vector({ key, name, least, most }, unit) {
    const now = [0, 0];
    const rows = ["x", "y"].map((axis, i) => {
      const label = `${name} ${axis}`;
      const field = numberField(label, (value) => {
        now[i] = value;
        slider.value = value;
        this.#send(key, [...now]);
      });
      const slider = made("input", { type: "range", min: least, max: most, step: 0.01, ariaLabel: label });
      slider.addEventListener(
        "input",
        throttled(() => {
          now[i] = Number(slider.value);
          field.value = plain(now[i]);
          this.#send(key, [...now]);
        }),
      );
      return {
        row: made("div", { class: "pair" }, axis, slider, field),
        set: (value) => {
          now[i] = value;
          slider.value = value;
          if (document.activeElement !== field) field.value = plain(value);
        },
      };
    });
    this.setters[key] = (value) => rows.forEach(({ set }, i) => set(value[i]));
    return [...rows.map(({ row }) => row), made("small", { textContent: unit })];
  }
}

function numberField(name, send) {
  const field = made("input", { type: "number", step: "any", ariaLabel: `${name}, number` });
  field.addEventListener("change", () => {
    if (field.value !== "" && Number.isFinite(Number(field.value))) send(Number(field.value));
  });
  return field;
}

// Digits that count, as a number field takes them
function plain(value) {
  return String(Number(Number(value).toPrecision(4)));
}

function sentenceOf(key, sentence) {
  return RESTARTS.has(key) ? `${sentence} Begins again.` : sentence;
}

function scaleOf({ least, most, powers, type }) {
  const whole = (value) => (type === "whole" ? Math.round(value) : Number(value.toPrecision(4)));
  if (powers || type === "whole") {
    const low = Math.log(Math.max(least, 1e-12)),
      high = Math.log(most);
    return {
      toShare: (v) => (Math.log(Math.max(v, 1e-12)) - low) / (high - low),
      toValue: (s) => whole(Math.exp(low + s * (high - low))),
    };
  }
  return { toShare: (v) => (v - least) / (most - least), toValue: (s) => whole(least + s * (most - least)) };
}

// At most every 60 ms, and the last call always
export function throttled(action, every = 60) {
  let timer = null,
    last = 0;
  return () => {
    clearTimeout(timer);
    const wait = last + every - performance.now();
    if (wait <= 0) {
      last = performance.now();
      action();
    } else
      timer = setTimeout(() => {
        last = performance.now();
        action();
      }, wait);
  };
}
