// Draws frames with WebGL 2, and knows where the domain is on the screen.

import { attribute, program } from "./programs.js";
import { DOT, DOTS, fluid, QUAD } from "./shaders.js";

const SURFACE = 0,
  FAINT = 1,
  DENSITY = 5,
  SMOKE = 6,
  TINT = 7;
const MODES = {
  surface: SURFACE,
  velocity: FAINT,
  tiles: FAINT,
  pressure: 2,
  density: 2,
  divergence: 3,
  divergence_before: 3,
  vorticity: 3,
  phi: 3,
  cells: 4,
  band: 4,
  smoke: SMOKE,
  flame: 8,
};
const TEXTURES = ["phi", "solid", "value", "density", "depth", "tint", "smoke", "flame"];
const SLOW = 25; // ms for a picture, above which fewer pixels are drawn
const MARGIN = { side: 26, top: 26, bottom: 52 };
const SMALL_MARGIN = { side: 8, top: 8, bottom: 32 }; // where there is little room
const SMALL = 480; // pixels of CSS, along the shorter side

export class Picture {
  constructor(canvas) {
    this.canvas = canvas;
    this.gl = canvas.getContext("webgl2", { antialias: false, alpha: false, preserveDrawingBuffer: true });
    if (!this.gl) throw new Error("This browser has no WebGL 2, which the studio draws with.");
    this.size = [1, 1];
    this.cells = [1, 1];
    this.quantities = {}; // that particles carry, and have a view
    this.method = "liquid";
    this.zoom = 1;
    this.quality = 1; // pixels drawn for each of the screen, along a side
    this.middle = null;
    this.dark = false;
    this.lines = false;
    this.liquid = [0.18, 0.53, 0.78];
    this.frame = null;
    this.range = 1;
    this.#prepare();
  }

  // A scene follows; true if its domain differs from the last one's
  begin({ size, cells, quantities, method, color, smoke }) {
    const isOther = String(this.cells) !== String(cells) || String(this.size) !== String(size);
    Object.assign(this, { size, cells, quantities, method, smokeColor: smoke ? channels(smoke) : null });
    this.liquid = channels(color);
    return isOther;
  }

  // Where things are

  get scale() {
    // screen pixels (of CSS) a metre
    const { width, height, margin } = this.#box();
    const fit = Math.min(
      (width - 2 * margin.side) / this.size[0],
      (height - margin.top - margin.bottom) / this.size[1],
    );
    return Math.max(fit, 1e-6) * this.zoom;
  }

  get center() {
    return this.middle ?? [this.size[0] / 2, this.size[1] / 2];
  }

  toScreen([x, y]) {
    const { width, height, margin } = this.#box(),
      s = this.scale,
      [cx, cy] = this.center;
    return [width / 2 + (x - cx) * s, (height + margin.top - margin.bottom) / 2 - (y - cy) * s];
  }

  toDomain([px, py]) {
    const { width, height, margin } = this.#box(),
      s = this.scale,
      [cx, cy] = this.center;
    return [cx + (px - width / 2) / s, cy - (py - (height + margin.top - margin.bottom) / 2) / s];
  }

  zoomAt(point, factor) {
    const before = this.toDomain(point);
    this.zoom = Math.min(24, Math.max(1, this.zoom * factor));
    if (this.zoom === 1) {
      this.middle = null;
      return;
    }
    this.middle = [...this.center];
    const after = this.toDomain(point);
    this.middle = this.middle.map((value, axis) =>
      Math.min(this.size[axis], Math.max(0, value + before[axis] - after[axis])),
    );
  }

  fit() {
    this.zoom = 1;
    this.middle = null;
  }

  #box() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const margin = Math.min(width, height) < SMALL ? SMALL_MARGIN : MARGIN;
    return { width: Math.max(width, 1), height: Math.max(height, 1), margin };
  }

  // Drawing

  #prepare() {
    const gl = this.gl;
    this.programs = new Map(); // of the fluid, by what they draw
    this.dots = program(gl, DOTS, DOT);
    this.quad = gl.createVertexArray();
    gl.bindVertexArray(this.quad);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([0, 0, 1, 0, 0, 1, 1, 1]), gl.STATIC_DRAW);
    gl.enableVertexAttribArray(0); // the corner, in any program of the fluid
    gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
    this.cloud = gl.createVertexArray();
    gl.bindVertexArray(this.cloud);
    this.places = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, this.places);
    attribute(gl, this.dots, "dot_place", 2, gl.UNSIGNED_SHORT, true);
    this.shades = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, this.shades);
    attribute(gl, this.dots, "dot_shade", 1, gl.UNSIGNED_BYTE, true);
    this.tones = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, this.tones);
    attribute(gl, this.dots, "dot_tone", 3, gl.UNSIGNED_BYTE, true);
    this.textures = {};
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
  }

  take(frame) {
    const gl = this.gl,
      { phi, solid, value, label, density, color, smoke, flame, points, shade, tone } = frame.arrays;
    this.frame = frame;
    this.missing = new Set();
    if (!phi) for (const name of ["phi", "depth"]) this.missing.add(name);
    if (phi) {
      this.#texture("phi", gl.R8_SNORM, gl.BYTE, phi, phi.data, gl.LINEAR);
      if (solid) this.solid = solid;
      this.#texture("depth", gl.R8, gl.UNSIGNED_BYTE, phi, depthOf(phi, this.solid), gl.LINEAR);
    }
    if (solid) {
      this.#texture("solid", gl.R8_SNORM, gl.BYTE, solid, solid.data, gl.LINEAR);
      this.hasSolid = solid.data.some((gap) => gap < 127);
    }
    this.hasValue = Boolean(value || label);
    if (value) {
      this.range = rangeOf(value.data) * frame.units.value;
      const step = frame.units.value / (this.range || 1);
      this.#texture(
        "value",
        gl.R16F,
        gl.FLOAT,
        value,
        Float32Array.from(value.data, (v) => (v === -32768 ? -2 : Math.max(-1.2, Math.min(1.2, v * step)))),
        value.data.includes(-32768) ? gl.NEAREST : gl.LINEAR,
      );
    }
    if (label) this.#texture("value", gl.R16F, gl.FLOAT, label, Float32Array.from(label.data), gl.NEAREST);
    if (density) this.#texture("density", gl.R8, gl.UNSIGNED_BYTE, density, density.data, gl.LINEAR);
    if (color) this.#texture("tint", gl.RGB8, gl.UNSIGNED_BYTE, color, color.data, gl.LINEAR, gl.RGB);
    if (smoke) this.#texture("smoke", gl.R8, gl.UNSIGNED_BYTE, smoke, smoke.data, gl.LINEAR);
    if (flame) this.#texture("flame", gl.R8, gl.UNSIGNED_BYTE, flame, flame.data, gl.LINEAR);
    this.hasFlame = Boolean(flame);
    this.hasTint = Boolean(color);
    this.hasTones = Boolean(tone);
    this.count = points ? points.shape[0] : 0;
    if (points) {
      gl.bindBuffer(gl.ARRAY_BUFFER, this.places);
      gl.bufferData(gl.ARRAY_BUFFER, points.data, gl.STREAM_DRAW);
      gl.bindBuffer(gl.ARRAY_BUFFER, this.shades);
      gl.bufferData(gl.ARRAY_BUFFER, shade.data, gl.STREAM_DRAW);
      gl.bindBuffer(gl.ARRAY_BUFFER, this.tones);
      gl.bufferData(gl.ARRAY_BUFFER, tone ? tone.data : new Uint8Array(3 * this.count), gl.STREAM_DRAW);
    }
  }

  // Whether a view shows all particles: by their speed, in their own colours, by their sign, or by what they carry
  showsDots(view) {
    return view === "particles" || view === "color" || view === "signed" || view in this.quantities;
  }

  // How a view is drawn; some depend on what there is to draw
  #mode(view) {
    const { color, smoke, density, value } = this.frame?.arrays ?? {};
    if (this.showsDots(view)) return FAINT;
    if (view === "temperature" || view === "viscosity") return color && this.method !== "liquid" ? TINT : SURFACE;
    if (smoke && MODES[view] === FAINT) return SMOKE;
    if (density && !value) return DENSITY;
    return MODES[view] ?? (smoke ? SMOKE : SURFACE);
  }

  draw() {
    const quality = this.frame?.running ? this.quality : 1;
    const gl = this.gl,
      ratio = Math.min(window.devicePixelRatio || 1, 2) * quality,
      { width, height } = this.#box();
    const start = performance.now();
    const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (this.canvas.width !== w || this.canvas.height !== h) [this.canvas.width, this.canvas.height] = [w, h];
    gl.viewport(0, 0, w, h);
    const low = this.toDomain([0, height]),
      high = this.toDomain([width, 0]);
    const view = this.frame?.view ?? "surface";
    const shared = (p) => {
      gl.useProgram(p);
      const at = (name) => gl.getUniformLocation(p, name);
      gl.uniform4f(at("frame"), low[0], low[1], high[0], high[1]);
      gl.uniform2f(at("size"), ...this.size);
      gl.uniform1i(at("dark"), this.dark ? 1 : 0);
      gl.uniform3f(at("liquid"), ...this.liquid);
      return at;
    };
    const at = shared(this.#fluid(view));
    gl.uniform2f(at("cells"), ...this.cells);
    gl.uniform1f(at("levels"), view === "phi" ? (this.range * this.cells[0]) / this.size[0] : 0);
    gl.uniform1f(at("faint"), view === "smoke" ? 1 : 0.45);
    gl.uniform3f(at("soot"), ...(this.smokeColor ?? (this.dark ? [0.84, 0.86, 0.89] : [0.27, 0.3, 0.34])));
    gl.uniform1f(at("pixel"), 1 / (this.scale * ratio));
    TEXTURES.forEach((name, unit) => {
      gl.activeTexture(gl.TEXTURE0 + unit);
      gl.bindTexture(gl.TEXTURE_2D, (!this.missing?.has(name) && this.textures[name]?.id) || this.#blank());
      gl.uniform1i(at(name), unit);
    });
    gl.disable(gl.BLEND);
    gl.clearColor(...(this.dark ? [0.039, 0.055, 0.075] : [0.968, 0.976, 0.988]), 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.enable(gl.SCISSOR_TEST);
    gl.scissor(...this.#shown(ratio, w, h));
    gl.bindVertexArray(this.quad);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    gl.disable(gl.SCISSOR_TEST);
    if (this.count) this.#drawDots(shared, view, ratio);
    this.#keepUp(start);
  }

  // The program that draws a view of this frame: with what it has, and nothing else
  #fluid(view) {
    const choices = {
      MODE: this.#mode(view),
      PHI: !this.missing?.has("phi") && Boolean(this.textures.phi),
      VALUE: Boolean(this.hasValue),
      SOLID: Boolean(this.hasSolid),
      TINT: Boolean(this.hasTint),
      FLAME: Boolean(this.hasFlame),
      LINES: this.lines && (this.scale * this.size[0]) / this.cells[0] > 3,
    };
    const key = String(Object.values(choices));
    if (!this.programs.has(key)) this.programs.set(key, program(this.gl, QUAD, fluid(choices)));
    return this.programs.get(key);
  }

  // Where the domain and its rim are: column, row, width and height in pixels drawn, from the lower left
  #shown(ratio, width, height) {
    const rim = 4,
      [left, bottom] = this.toScreen([0, 0]).map((value) => value * ratio),
      [right, top] = this.toScreen(this.size).map((value) => value * ratio);
    const within = (value, most) => Math.min(most, Math.max(0, value));
    const x = within(Math.floor(left - rim), width),
      y = within(Math.floor(height - bottom - rim), height);
    return [x, y, within(Math.ceil(right + rim), width) - x, within(Math.ceil(height - top + rim), height) - y];
  }

  // Without a graphics card a picture takes long: then it is drawn coarser, and finer again when there is time
  #keepUp(start) {
    this.drawn = (this.drawn ?? 0) + 1;
    if (this.drawn % 16 !== 3 || !this.frame?.running) return;
    this.gl.readPixels(0, 0, 1, 1, this.gl.RGBA, this.gl.UNSIGNED_BYTE, new Uint8Array(4));
    const took = performance.now() - start;
    if (took > SLOW && this.canvas.width * this.canvas.height > 200000) this.quality *= 0.7;
    else if (took < 6 && this.quality < 1) this.quality = Math.min(1, this.quality / 0.7);
  }

  #drawDots(shared, view, ratio) {
    const gl = this.gl,
      at = shared(this.dots),
      isAll = this.showsDots(view);
    const cell = ((this.scale * this.size[0]) / this.cells[0]) * ratio;
    const isSigned = view === "signed"; // such particles touch the surface: their diameter is a cell at most
    gl.uniform1f(at("diameter"), isSigned ? cell : Math.max((isAll ? 1.6 : 2) * ratio, cell * (isAll ? 0.42 : 0.62)));
    gl.uniform1i(at("bySize"), isSigned ? 1 : 0);
    gl.uniform1i(at("byShade"), isAll && view !== "color" && !isSigned ? 1 : 0);
    gl.uniform1i(at("byTone"), this.hasTones ? 1 : 0);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    gl.bindVertexArray(this.cloud);
    gl.drawArrays(gl.POINTS, 0, this.count);
  }

  #texture(name, format, type, { shape }, data, filter, channels = this.gl.RED) {
    const gl = this.gl,
      [height, width] = shape;
    const texture = (this.textures[name] ??= { id: gl.createTexture() }),
      kind = `${format} ${width} ${height} ${filter}`;
    gl.activeTexture(gl.TEXTURE8);
    gl.bindTexture(gl.TEXTURE_2D, texture.id);
    if (texture.kind === kind) {
      gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, width, height, channels, type, data);
      return;
    }
    texture.kind = kind;
    gl.texImage2D(gl.TEXTURE_2D, 0, format, width, height, 0, channels, type, data);
    for (const side of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, side, gl.CLAMP_TO_EDGE);
    for (const end of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, end, filter);
  }

  #blank() {
    if (!this.textures.blank)
      this.#texture("blank", this.gl.R8_SNORM, this.gl.BYTE, { shape: [1, 1] }, new Int8Array([127]), this.gl.NEAREST);
    return this.textures.blank.id;
  }
}

// Red, green and blue of a colour, each up to 1
function channels(color) {
  return [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16) / 255);
}

// How far cells are below the surface, in sixteenths of a cell: two sweeps over the cells (Borgefors 1986)
function depthOf({ data, shape }, solid) {
  const [rows, columns] = shape,
    depth = new Uint8Array(data.length);
  const take = (at, other, step) => {
    const far = depth[other] + step;
    if (far < depth[at]) depth[at] = far;
  };
  const nodes = solid?.shape[0] === 2 * rows + 1 ? solid : null; // a wall is not where the liquid ends
  for (let j = 0, at = 0; j < rows; j++)
    for (let i = 0; i < columns; i++, at++) {
      const isWall = nodes && nodes.data[(2 * j + 1) * nodes.shape[1] + 2 * i + 1] < 8;
      depth[at] = data[at] < 0 || isWall ? 230 : 0;
    }
  for (let j = 0; j < rows; j++)
    for (let i = 0; i < columns; i++) {
      const at = j * columns + i;
      if (!depth[at]) continue;
      if (i) take(at, at - 1, 16);
      if (j) {
        take(at, at - columns, 16);
        if (i) take(at, at - columns - 1, 22);
        if (i < columns - 1) take(at, at - columns + 1, 22);
      }
    }
  for (let j = rows - 1; j >= 0; j--)
    for (let i = columns - 1; i >= 0; i--) {
      const at = j * columns + i;
      if (!depth[at]) continue;
      if (i < columns - 1) take(at, at + 1, 16);
      if (j < rows - 1) {
        take(at, at + columns, 16);
        if (i) take(at, at + columns - 1, 22);
        if (i < columns - 1) take(at, at + columns + 1, 22);
      }
    }
  return depth;
}

// The size that all but the largest hundredth of values stay below: one odd cell must not make all others grey
function rangeOf(values) {
  const counts = new Uint32Array(256);
  let total = 0;
  for (const value of values)
    if (value !== -32768) {
      counts[Math.abs(value) >> 7]++;
      total++;
    }
  let above = 0;
  for (let bin = 255; bin >= 0; bin--) {
    above += counts[bin];
    if (above > total * 0.01) return (bin + 1) * 128;
  }
  return 32767;
}
