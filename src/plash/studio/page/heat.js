// The heat brush: how much warmer or colder it makes what it touches.

import { $, short } from "./dom.js";

export class Heat {
  constructor(pointer) {
    this.pointer = pointer;
    this.ends = [-1, 1]; // K
    this.paints = false;
    $("#warmth").oninput = () => this.#tell();
  }

  // The ends of the slider, in kelvin, none if the scene carries no heat; and whether colours can be poured
  show({ warmth, paints }) {
    $('[data-tool="heat"]').hidden = !warmth.length;
    if (warmth.length) this.ends = warmth;
    this.paints = paints;
    this.use(this.pointer.tool);
    this.#tell();
  }

  // The slider is there while the brush is chosen, in place of the colour
  use(tool) {
    $("#warmth").parentElement.hidden = tool !== "heat";
    $("#paint").parentElement.hidden = !this.paints || tool === "heat";
    $(".tools").classList.toggle("heats", tool === "heat");
  }

  #tell() {
    const share = Number($("#warmth").value),
      warmth = share < 0 ? -share * this.ends[0] : share * this.ends[1];
    this.pointer.warmth = warmth;
    $("#warmth-text").textContent = `${warmth < 0 ? "−" : "+"}${short(Math.abs(warmth), 2)} K`;
  }
}
