// The values under the pointer, with their units.

import { $, made, short } from "./dom.js";

const EVERY = 60, // ms between two questions
  QUIET = 900; // ms before the values are told to those who listen

export class Probe {
  constructor(say) {
    this.say = say;
    this.isOn = true;
    this.count = 0; // of answers, for lessons
    this.point = null;
  }

  set(isOn) {
    this.isOn = isOn;
    if (!isOn) this.leave();
  }

  // The pointer is at a place, m
  at(point) {
    if (!this.isOn) return;
    this.point = point;
    const ask = () => {
      this.timer = null;
      this.asked = performance.now();
      if (this.point) this.say("probe", { x: this.point[0], y: this.point[1] });
    };
    if (this.timer) return;
    this.timer = setTimeout(ask, Math.max(0, EVERY - (performance.now() - (this.asked ?? 0))));
  }

  leave() {
    if (!this.point) return;
    this.point = null;
    clearTimeout(this.timer);
    this.timer = null;
    $("#probe").hidden = true;
    this.say("probe");
  }

  // Values of one simulation, or of two
  show(probe, other) {
    const box = $("#probe");
    box.hidden = !this.point || !probe?.cell;
    if (box.hidden) return;
    this.count += 1;
    const [x, y] = this.point;
    const known = new Map((other?.values ?? []).map(([name, value]) => [name, value]));
    const rows = probe.values.flatMap(([name, value, unit]) => [
      made("dt", { textContent: name }),
      made("dd", { textContent: `${short(value)}${other ? ` | ${short(known.get(name))}` : ""} ${unit}` }),
    ]);
    box.replaceChildren(
      made("b", { textContent: `x ${short(x)} m, y ${short(y)} m · cell ${probe.cell.join(", ")}` }),
      made("dl", {}, ...rows),
    );
    clearTimeout(this.telling);
    if (document.activeElement?.id === "overlay")
      this.telling = setTimeout(() => {
        $("#said").textContent = probe.values.map(([name, value, unit]) => `${name} ${short(value)} ${unit}`).join(", ");
      }, QUIET);
  }
}
