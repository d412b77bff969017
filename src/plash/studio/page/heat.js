// The heat brush: how much warmer or colder it makes what it touches.

import { $, short } from "./dom.js";

const MOST = 1e4; // K, that a message may ask for

export class Heat {
  constructor(pointer) {
    this.pointer = pointer;
    this.ends = [-1, 1]; // K
    this.paints = false;
    $("#warmth").oninput = () => {
      const share = Number($("#warmth").value);
      this.#set(share < 0 ? -share * this.ends[0] : share * this.ends[1]);
    };
    $("#warmth-number").onchange = ({ target }) => this.#set(target.value === "" ? pointer.warmth : Number(target.value));
  }

  // The ends of the slider, in kelvin, none if the scene carries no heat; and whether colours can be poured
  show({ warmth, paints }) {
    $('[data-tool="heat"]').hidden = !warmth.length;
    const isOther = warmth.length && String(warmth) !== String(this.ends);
    if (isOther) this.ends = warmth;
    this.paints = paints;
    this.use(this.pointer.tool);
    if (isOther) $("#warmth").oninput();
  }

  // The slider is there while the brush is chosen, in place of the colour
  use(tool) {
    $("#warmth").parentElement.hidden = $("#warmth-number").parentElement.hidden = tool !== "heat";
    $("#paint").parentElement.hidden = !this.paints || tool === "heat";
    $(".tools").classList.toggle("heats", tool === "heat");
  }

  // So many kelvin warmer: as a number it may be beyond the ends of the slider
  #set(wanted) {
    const warmth = Math.min(MOST, Math.max(-MOST, wanted)),
      end = this.ends[warmth < 0 ? 0 : 1];
    this.pointer.warmth = warmth;
    $("#warmth").value = warmth / Math.abs(end || 1);
    $("#warmth-number").value = Number(warmth.toPrecision(3));
    $("#warmth-text").textContent = `${warmth < 0 ? "−" : "+"}${short(Math.abs(warmth), 2)} K`;
  }
}
