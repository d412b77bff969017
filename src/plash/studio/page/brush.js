// The size of the brush: a slider beside the tools, and its radius as a number in the panel.

import { $ } from "./dom.js";

export class Brush {
  constructor(pointer) {
    this.pointer = pointer;
    $("#brush").oninput = ({ target }) => this.set(Number(target.value));
    $("#brush-radius").onchange = ({ target }) => {
      if (Number(target.value) > 0) pointer.setRadius(Number(target.value));
      this.show();
    };
  }

  // A share of the way from the smallest brush to the largest; kept and by keys it stays between them
  set(share) {
    this.pointer.share = Math.min(1, Math.max(0, share));
    this.show();
  }

  // Each tool has a range of its own, and so has each scene
  show() {
    $("#brush").value = this.pointer.share;
    $("#brush-radius").value = Number(this.pointer.radius().toPrecision(3));
  }
}
