// What is drawn over the fluid: arrows on the faces of cells, tiles, the brush, walls that are being drawn.

const MOST_ARROWS = 56; // across

export class Overlay {
  constructor(canvas, picture) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.picture = picture;
    this.brush = null; // { x, y, radius, tool, isCold }
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
    if (canvas.width !== w || canvas.height !== h) [canvas.width, canvas.height] = [w, h];
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, canvas.clientWidth, canvas.clientHeight);
    const { frame } = picture;
    if (frame?.arrays.tiles) this.#tiles(frame.arrays.tiles);
    if (frame?.arrays.velocity && (arrows || frame.view === "velocity"))
      this.#arrows(frame.arrays.velocity, frame.units.velocity);
    this.#stroke();
    this.#border();
    this.#brush();
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
