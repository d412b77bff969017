// Tools: what a mouse, a pen or a finger does to the fluid.

const RADII = {
  push: [0.02, 0.16],
  pour: [0.015, 0.12],
  drain: [0.015, 0.14],
  draw: [0.005, 0.04],
  erase: [0.01, 0.08],
  heat: [0.015, 0.14],
  box: [0.02, 0.1],
  disc: [0.02, 0.1],
}; // of the domain's size
const SMALLEST = 1e-3; // of the domain's size, whatever the tool
const EVERY = { pour: 45, drain: 45, draw: 70, erase: 60, heat: 45 }; // ms between two messages

export class Pointer {
  // `heard` is told where the pointer is (m, or nothing), and `shapes` takes boxes and discs
  constructor(canvas, picture, overlay, say, changed, heard) {
    Object.assign(this, { canvas, picture, overlay, say, changed, heard });
    this.shapes = null;
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
        this.heard(null);
        this.changed();
      }
    });
    canvas.addEventListener("keydown", (event) => this.#key(event));
    canvas.addEventListener("blur", () => this.heard(null));
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    canvas.addEventListener("dblclick", () => {
      this.picture.fit();
      this.changed(true);
    });
  }

  radius(tool = this.tool) {
    const [least, most] = RADII[tool];
    return Math.max(least + (most - least) * this.share, SMALLEST) * Math.max(...this.picture.size);
  }

  // Make the brush of the tool so large (m); it may be larger than by the slider, up to the domain
  setRadius(metres) {
    const [least, most] = RADII[this.tool];
    this.share = (Math.min(metres / Math.max(...this.picture.size), 1) - least) / (most - least);
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
    if (tool === "box" || tool === "disc") this.shapes.grab([x, y], tool);
    this.#show(x, y, tool);
    this.#work(event.timeStamp);
    if (EVERY[tool]) this.active.timer = setInterval(() => this.#work(performance.now()), EVERY[tool]);
  }

  #move(event) {
    const [x, y] = this.#place(event),
      active = this.active;
    this.heard([x, y]);
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
    if (active.tool === "box" || active.tool === "disc") this.shapes.drag([x, y]);
    this.changed();
  }

  #up(event) {
    const active = this.active;
    if (!active || active.id !== event.pointerId) return;
    clearInterval(active.timer);
    if (active.tool === "draw" || active.tool === "erase") this.#work(event.timeStamp, true);
    if (active.tool === "box" || active.tool === "disc") this.shapes.drop([active.x, active.y]);
    this.active = null;
    if (event.pointerType === "touch") this.overlay.brush = null;
    this.changed();
  }

  // The picture by keys: arrows move the brush, Enter uses the tool where it is
  #key(event) {
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] },
      [w, h] = this.picture.size,
      far = (event.shiftKey ? 0.1 : 0.02) * Math.max(w, h);
    if (event.key === "Enter") {
      event.preventDefault();
      this.#use();
      return;
    }
    const way = steps[event.key];
    if (!way) return;
    event.preventDefault();
    event.stopPropagation();
    const [x, y] = this.spot ?? [w / 2, h / 2];
    this.spot = [Math.min(w, Math.max(0, x + far * way[0])), Math.min(h, Math.max(0, y + far * way[1]))];
    this.way = way;
    this.#show(...this.spot, this.tool);
    this.heard(this.spot);
    this.changed();
  }

  #use() {
    const [w, h] = this.picture.size,
      { tool, way = [1, 0] } = this;
    this.spot ??= [w / 2, h / 2];
    const [x, y] = this.spot,
      radius = this.radius(tool),
      size = Math.max(w, h);
    if (tool === "push") this.say("push", { x, y, u: way[0] * size, v: way[1] * size, radius });
    else if (tool === "box" || tool === "disc")
      this.say("place", { begins: true, shape: tool, name: "", x0: x - radius, y0: y - radius, x1: x + radius, y1: y + radius });
    else {
      this.active = { tool, x, y, from: [x, y], begins: true };
      this.#work(0, true);
      this.active = null;
    }
    this.#show(x, y, tool);
    this.changed();
  }

  #show(x, y, tool) {
    const isShape = tool === "box" || tool === "disc"; // these have no brush: a dot shows where it is
    const radius = isShape ? 0.004 * Math.max(...this.picture.size) : this.radius(tool);
    this.overlay.brush = { x, y, radius, tool, isCold: this.warmth < 0 };
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
