// Tools: what a mouse, a pen or a finger does to the fluid.

const RADII = {
  push: [0.02, 0.16],
  pour: [0.015, 0.12],
  drain: [0.015, 0.14],
  draw: [0.005, 0.04],
  erase: [0.01, 0.08],
  heat: [0.015, 0.14],
}; // of the domain's size
const EVERY = { pour: 45, drain: 45, draw: 70, erase: 60, heat: 45 }; // ms between two messages

export class Pointer {
  constructor(canvas, picture, overlay, say, changed) {
    Object.assign(this, { canvas, picture, overlay, say, changed });
    this.tool = "push";
    this.share = 0.4; // of the way from the smallest brush to the largest
    this.color = null; // of what is poured; that of the liquid, if none was chosen
    this.warmth = 0; // K, by which heat makes things warmer
    this.active = null;
    canvas.addEventListener("pointerdown", (event) => this.#down(event));
    canvas.addEventListener("pointermove", (event) => this.#move(event));
    for (const name of ["pointerup", "pointercancel", "lostpointercapture"])
      canvas.addEventListener(name, (event) => this.#up(event));
    canvas.addEventListener("pointerleave", () => {
      if (!this.active) {
        this.overlay.brush = null;
        this.changed();
      }
    });
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    canvas.addEventListener("dblclick", () => {
      this.picture.fit();
      this.changed(true);
    });
  }

  radius(tool = this.tool) {
    const [least, most] = RADII[tool];
    return (least + (most - least) * this.share) * Math.max(...this.picture.size);
  }

  #down(event) {
    if (this.active) return;
    this.canvas.setPointerCapture(event.pointerId);
    const [x, y] = this.#place(event);
    const tool = event.button === 2 ? "pour" : event.button === 1 ? "pan" : this.tool;
    this.active = {
      id: event.pointerId,
      tool,
      x,
      y,
      time: event.timeStamp,
      sent: -1e9,
      from: [x, y],
      begins: true,
      u: 0,
      v: 0,
      screen: [event.offsetX, event.offsetY],
    };
    if (tool === "pan") return;
    this.#show(x, y, tool);
    this.#work(event.timeStamp);
    if (EVERY[tool]) this.active.timer = setInterval(() => this.#work(performance.now()), EVERY[tool]);
  }

  #move(event) {
    const [x, y] = this.#place(event),
      active = this.active;
    if (!active || active.id !== event.pointerId) {
      this.#show(x, y, this.tool);
      this.changed();
      return;
    }
    if (active.tool === "pan") {
      this.#pan(event);
      return;
    }
    const seconds = Math.max((event.timeStamp - active.time) / 1000, 1e-3);
    const fade = Math.min(1, seconds / 0.03); // a hand does not jump: velocities are smoothed over 30 ms
    active.u += fade * ((x - active.x) / seconds - active.u);
    active.v += fade * ((y - active.y) / seconds - active.v);
    Object.assign(active, { x, y, time: event.timeStamp });
    this.#show(x, y, active.tool);
    if (active.tool === "push") this.#push(event.timeStamp);
    this.changed();
  }

  #up(event) {
    const active = this.active;
    if (!active || active.id !== event.pointerId) return;
    clearInterval(active.timer);
    if (active.tool === "draw" || active.tool === "erase") this.#work(event.timeStamp, true);
    this.active = null;
    if (event.pointerType === "touch") this.overlay.brush = null;
    this.changed();
  }

  #show(x, y, tool) {
    this.overlay.brush = { x, y, radius: this.radius(tool), tool, isCold: this.warmth < 0 };
  }

  #push(now) {
    const active = this.active,
      most = 6 * Math.max(...this.picture.size);
    if (now - active.sent < 12) return;
    active.sent = now;
    const limit = Math.min(1, most / Math.max(Math.hypot(active.u, active.v), 1e-9));
    this.say("push", {
      x: active.x,
      y: active.y,
      u: active.u * limit,
      v: active.v * limit,
      radius: this.radius("push"),
    });
  }

  #work(now, isLast = false) {
    const active = this.active,
      { x, y, tool } = active,
      radius = this.radius(tool);
    if (tool === "pour") this.say(tool, this.color ? { x, y, radius, color: this.color } : { x, y, radius });
    if (tool === "drain") this.say(tool, { x, y, radius });
    if (tool === "heat") this.say(tool, { x, y, radius, warmth: this.warmth });
    if (tool === "erase") {
      this.say("erase", { begins: active.begins, x, y, radius });
      active.begins = false;
    }
    if (tool !== "draw") return;
    const [x0, y0] = active.from,
      length = Math.hypot(x - x0, y - y0);
    if (length < (isLast ? 0.05 : 0.6) * radius && !active.begins) return;
    this.overlay.add(x0, y0, x, y, radius);
    this.say("draw", { begins: active.begins, x0, y0, x1: x, y1: y, radius });
    Object.assign(active, { begins: false, from: [x, y] });
    this.changed();
  }

  #pan(event) {
    const active = this.active,
      [px, py] = active.screen,
      s = this.picture.scale;
    const [cx, cy] = this.picture.center;
    if (this.picture.zoom > 1) this.picture.middle = [cx - (event.offsetX - px) / s, cy + (event.offsetY - py) / s];
    active.screen = [event.offsetX, event.offsetY];
    this.changed(true);
  }

  #wheel(event) {
    event.preventDefault();
    this.picture.zoomAt([event.offsetX, event.offsetY], Math.exp(-event.deltaY * 0.0015));
    this.changed(true);
  }

  #place(event) {
    return this.picture.toDomain([event.offsetX, event.offsetY]);
  }
}
