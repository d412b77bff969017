// What is drawn over the fluid: arrows and streamlines, tiles, the brush, boxes and discs, walls that are being drawn.

import { streamlines } from "./streamlines.js";

const MOST_ARROWS = 56; // across

export class Overlay {
  constructor(canvas, picture) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.picture = picture;
    this.brush = null; // { x, y, radius, tool, isCold }
    this.lines = false; // whether streamlines are drawn
    this.shapes = []; // boxes and discs that can be moved, while such a tool is chosen
    this.begin();
  }

  // Forget what is being drawn: a simulation begins to answer
  begin() {
    this.stroke = []; // stretches of walls not yet seen as solids: [x0, y0, x1, y1, radius, number]
    this.sent = 0;
    this.before = null; // stretches that the simulation had when it began to answer
  }

  add(...stretch) {
    this.sent += 1;
    this.stroke.push([...stretch, this.sent]);
  }

  // A frame shows so many stretches as solids
  seen(stretches) {
    this.before ??= stretches;
    this.stroke = this.stroke.filter(([, , , , , number]) => number > stretches - this.before);
  }

  draw(arrows) {
    const { canvas, context: c, picture } = this;
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    const [w, h] = [Math.round(canvas.clientWidth * ratio), Math.round(canvas.clientHeight * ratio)];
    if (!this.#changes(arrows, w, h)) return;
    if (canvas.width !== w || canvas.height !== h) [canvas.width, canvas.height] = [w, h];
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, canvas.clientWidth, canvas.clientHeight);
    const { frame } = picture;
    if (frame?.arrays.tiles) this.#tiles(frame.arrays.tiles);
    if (frame?.arrays.velocity && (arrows || frame.view === "velocity"))
      this.#arrows(frame.arrays.velocity, frame.units.velocity);
    if (this.lines && frame?.arrays.velocity) this.#streamlines(frame);
    this.#stroke();
    this.#border();
    this.#handles();
    this.#brush();
  }

  // Whether there is anything new to draw: without a graphics card it takes as long as a picture of the fluid
  #changes(arrows, w, h) {
    const { picture, stroke, shapes, brush } = this,
      { frame } = picture;
    const moves =
      frame?.arrays.tiles || (frame?.arrays.velocity && (arrows || frame.view === "velocity" || this.lines));
    const { size, scale, center, dark } = picture;
    const shown = moves ? null : JSON.stringify([w, h, size, scale, center, dark, stroke, shapes, brush]);
    const isNew = !shown || shown !== this.shown;
    this.shown = shown;
    return isNew;
  }

  #border() {
    const { context: c, picture } = this,
      [x0, y1] = picture.toScreen([0, 0]),
      [x1, y0] = picture.toScreen(picture.size);
    c.lineWidth = 2;
    c.strokeStyle = picture.dark ? "#4b5969" : "#a3aebc";
    c.strokeRect(x0 - 1, y0 - 1, x1 - x0 + 2, y1 - y0 + 2);
  }

  #tiles({ data, shape }) {
    const { context: c, picture } = this,
      h = picture.size[0] / picture.cells[0],
      edge = 16 * h;
    c.lineWidth = 1;
    c.strokeStyle = picture.dark ? "#7fb4ffb0" : "#1769e0a0";
    c.fillStyle = picture.dark ? "#4c9bff16" : "#1769e010";
    for (let i = 0; i < shape[0]; i++) {
      const [x, y] = picture.toScreen([data[2 * i] * edge, (data[2 * i + 1] + 1) * edge]),
        side = edge * picture.scale;
      c.fillRect(x, y, side, side);
      c.strokeRect(x + 0.5, y + 0.5, side - 1, side - 1);
    }
  }

  #arrows({ data, shape }, unit) {
    const { context: c, picture } = this,
      [, rows, columns] = shape,
      h = picture.size[0] / picture.cells[0];
    const shown = picture.cells[0] / picture.zoom,
      stride = Math.max(1, Math.ceil(shown / MOST_ARROWS));
    let fastest = 1e-9;
    for (const value of data) if (value !== -32768) fastest = Math.max(fastest, Math.abs(value));
    const longest = (stride * h * picture.scale * 0.92) / fastest;
    c.lineWidth = 1.2;
    c.lineCap = "round";
    const colors = picture.dark ? ["#ffd166", "#7ee0c3"] : ["#b3541e", "#0b7a5c"];
    for (let axis = 0; axis < 2; axis++) {
      c.strokeStyle = colors[axis];
      c.beginPath();
      for (let j = stride >> 1; j < rows; j += stride)
        for (let i = stride >> 1; i < columns; i += stride) {
          const value = data[(axis * rows + j) * columns + i];
          if (value === -32768 || Math.abs(value) * longest < 0.7) continue;
          const place = axis === 0 ? [i * h, (j + 0.5) * h] : [(i + 0.5) * h, j * h];
          const [x, y] = picture.toScreen(place),
            length = value * longest,
            head = Math.min(3, Math.abs(length) * 0.4) * Math.sign(length);
          if (axis === 0) {
            c.moveTo(x, y);
            c.lineTo(x + length, y);
            c.moveTo(x + length - head, y - head * 0.8);
            c.lineTo(x + length, y);
            c.lineTo(x + length - head, y + head * 0.8);
          } else {
            c.moveTo(x, y);
            c.lineTo(x, y - length);
            c.moveTo(x - head * 0.8, y - length + head);
            c.lineTo(x, y - length);
            c.lineTo(x + head * 0.8, y - length + head);
          }
        }
      c.stroke();
    }
  }

  // In liquids where the liquid is, in other fluids everywhere; found once for each frame
  #streamlines(frame) {
    const { context: c, picture } = this,
      { velocity, phi } = frame.arrays,
      [nx, ny] = picture.cells,
      h = picture.size[0] / nx;
    if (this.traced !== frame) {
      const isLiquid = phi && picture.method !== "stable_fluids";
      this.found = streamlines(
        velocity,
        picture.cells,
        isLiquid ? (x, y) => phi.data[Math.min(ny - 1, y | 0) * nx + Math.min(nx - 1, x | 0)] < 0 : () => true,
      );
      this.traced = frame;
      this.canvas.dataset.lines = this.found.length;
    }
    c.lineWidth = 1.3;
    c.lineJoin = "round";
    c.strokeStyle = c.fillStyle = picture.dark ? "#ffe08acc" : "#7a1f5ccc";
    for (const line of this.found) {
      c.beginPath();
      for (const [x, y] of line) c.lineTo(...picture.toScreen([x * h, y * h]));
      c.stroke();
      const middle = line.length >> 1,
        [x1, y1] = picture.toScreen(line[middle].map((value) => value * h)),
        [x0, y0] = picture.toScreen(line[Math.max(0, middle - 3)].map((value) => value * h)),
        angle = Math.atan2(y1 - y0, x1 - x0);
      c.beginPath();
      for (const turn of [0, 2.5, -2.5])
        c.lineTo(x1 + 4.5 * Math.cos(angle + turn), y1 + 4.5 * Math.sin(angle + turn));
      c.fill();
    }
  }

  #handles() {
    const { context: c, picture } = this;
    c.lineWidth = 1.5;
    for (const { shape, x0, y0, x1, y1, isChosen } of this.shapes) {
      const [left, bottom] = picture.toScreen([x0, y0]),
        [right, top] = picture.toScreen([x1, y1]);
      c.strokeStyle = isChosen ? "#ff8a00" : picture.dark ? "#ffffffc0" : "#16202cc0";
      c.fillStyle = "#ffffff";
      c.beginPath();
      if (shape === "box") c.rect(left, top, right - left, bottom - top);
      else c.arc((left + right) / 2, (top + bottom) / 2, (right - left) / 2, 0, 2 * Math.PI);
      c.stroke();
      for (const [x, y] of handlesOf({ shape, x0, y0, x1, y1 })) {
        const [px, py] = picture.toScreen([x, y]);
        c.beginPath();
        c.arc(px, py, 5, 0, 2 * Math.PI);
        c.fill();
        c.stroke();
      }
    }
  }

  #stroke() {
    const { context: c, picture } = this;
    c.lineCap = "round";
    c.strokeStyle = picture.dark ? "#6b7889" : "#616d80";
    for (const [x0, y0, x1, y1, radius] of this.stroke) {
      c.lineWidth = Math.max(2, 2 * radius * picture.scale);
      c.beginPath();
      c.moveTo(...picture.toScreen([x0, y0]));
      c.lineTo(...picture.toScreen([x1, y1]));
      c.stroke();
    }
  }

  #brush() {
    if (!this.brush) return;
    const { context: c, picture } = this,
      { x, y, radius, tool, isCold } = this.brush,
      [px, py] = picture.toScreen([x, y]);
    c.beginPath();
    c.arc(px, py, Math.max(2, radius * picture.scale), 0, 2 * Math.PI);
    c.lineWidth = 1.5;
    c.strokeStyle = picture.dark ? "#ffffffb0" : "#16202ca0";
    if (tool === "heat") {
      c.strokeStyle = isCold ? "#3f8cff" : "#ff6a2b";
      c.lineWidth = 2.5;
    }
    c.setLineDash(tool === "erase" || tool === "drain" ? [4, 4] : []);
    c.stroke();
    c.setLineDash([]);
  }
}

// Where a box or a disc can be taken hold of, to make it larger or smaller: its corners, or points of its rim
export function handlesOf({ shape, x0, y0, x1, y1 }) {
  const x = (x0 + x1) / 2,
    y = (y0 + y1) / 2;
  if (shape === "disc")
    return [
      [x1, y],
      [x, y1],
      [x0, y],
      [x, y0],
    ];
  return [
    [x0, y0],
    [x1, y0],
    [x1, y1],
    [x0, y1],
  ];
}
