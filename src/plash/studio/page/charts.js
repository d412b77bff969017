// Small plots of the last half minute: volume, energy, steps, time of each stage; and how the pressure was found.
// Their numbers can be had as a table. Of two methods side by side, lines of the second are dashed.

import { download, made, short } from "./dom.js";

const KEPT = 900;
const COLORS = {
  light: ["#1769e0", "#c8681a", "#18794e", "#8a3ffc", "#c8452f", "#5b6878"],
  dark: ["#4c9bff", "#f0a155", "#56d39a", "#b794ff", "#ff7b66", "#93a1b3"],
};
const STAGES = {
  liquid: ["grid", "advect", "forces", "project", "extrapolate", "move"],
  stable_fluids: ["force", "advect", "diffuse", "project", "scalars"],
  smoke: ["grid", "advect", "forces", "project"],
  levelset: ["grid", "advect", "forces", "project", "extrapolate", "move"],
};

export class Charts {
  constructor(box) {
    this.rows = [];
    this.charts = [
      new Chart("Volume, m²", ["target", "carried", "measured"], (r) => [r.target_volume, r.particle_volume, r.volume]),
      new Chart("Energy, J/m", ["kinetic", "potential"], (r) => [r.kinetic, r.potential], { fromZero: true, beside: true }),
      new Chart("Sub-steps a picture", ["sub-steps"], (r) => [r.substeps], { fromZero: true }),
      ...Object.values(STAGES).map(
        (names) =>
          new Chart("Milliseconds a step", names, (r) => names.map((name) => r.milliseconds[name] ?? 0), {
            stacked: true,
          }),
      ),
    ];
    this.solves = new Residuals();
    const save = made("button", { id: "csv", textContent: "Save as a table (CSV)", onclick: () => this.save() });
    box.append(made("div", { class: "buttons" }, save), ...this.charts.map((chart) => chart.figure), this.solves.figure);
  }

  setKind(kind, counts) {
    this.unit = counts === "mass" ? "kg/m" : "m²";
    this.charts[0].title.data = counts === "mass" ? "Mass, kg/m" : "Volume, m²";
    Object.keys(STAGES).forEach((name, i) => {
      this.charts[3 + i].figure.hidden = name !== kind;
    });
    this.solves.figure.hidden = kind !== "liquid" && kind !== "levelset";
  }

  take(frame) {
    // After a step back, what was ahead is gone; a scene that begins again has nothing yet
    while (this.rows.length && this.rows.at(-1).steps > frame.steps) this.rows.pop();
    if (this.rows.length && Boolean(this.rows.at(-1).other) !== Boolean(frame.other)) this.rows = [];
    const last = this.rows.at(-1);
    if (last && frame.steps === last.steps) return;
    const substeps = last ? frame.steps - last.steps : frame.steps;
    const { time, steps, target_volume, particle_volume, volume, kinetic, potential, milliseconds, residuals } = frame;
    const row = { time, steps, substeps, target_volume, particle_volume, volume, kinetic, potential, milliseconds };
    this.rows.push({ ...row, other: frame.other });
    if (this.rows.length > KEPT) this.rows.splice(0, this.rows.length - KEPT);
    this.residuals = residuals;
  }

  // A table of the numbers of all charts, as other programs read it
  csv() {
    const names = ["target_volume", "particle_volume", "volume", "kinetic", "potential"],
      stages = [...new Set(this.rows.flatMap((row) => Object.keys(row.milliseconds)))],
      isTwo = Boolean(this.rows[0]?.other);
    const unit = (name) => (name === "kinetic" || name === "potential" ? `${name} [J/m]` : `${name} [${this.unit}]`);
    const head = [
      ...["time [s]", "steps", "substeps", ...names.map(unit), ...stages.map((name) => `${name} [ms]`)],
      ...(isTwo ? ["steps of the second", ...names.map((name) => `${unit(name)} of the second`)] : []),
    ];
    const lines = this.rows.map((row) => [
      ...[row.time, row.steps, row.substeps, ...names.map((name) => row[name]), ...stages.map((name) => row.milliseconds[name])],
      ...(isTwo ? [row.other.steps, ...names.map((name) => row.other[name])] : []),
    ]);
    return [head, ...lines].map((line) => line.map((value) => value ?? "").join(",")).join("\r\n") + "\r\n";
  }

  save() {
    download(new Blob([this.csv()], { type: "text/csv" }), "plash_charts.csv");
  }

  draw(dark) {
    const colors = COLORS[dark ? "dark" : "light"];
    for (const chart of this.charts) if (!chart.figure.hidden) chart.draw(this.rows, colors);
    this.solves.draw(this.residuals ?? [], colors);
  }
}

class Plot {
  constructor(title, names) {
    this.names = names;
    this.marks = names.map((name) => [made("i"), made("span", { textContent: name })]);
    const keys = names.length > 1 ? this.marks.map(([mark, text]) => made("span", {}, mark, text)) : [];
    this.canvas = made("canvas", { role: "img", ariaLabel: title });
    this.title = document.createTextNode(title);
    this.figure = made("figure", { class: "chart" }, made("figcaption", {}, this.title, ...keys), this.canvas);
  }

  begin(colors) {
    const { canvas } = this,
      ratio = Math.min(window.devicePixelRatio || 1, 2),
      c = canvas.getContext("2d");
    const [w, h] = [canvas.clientWidth, canvas.clientHeight];
    if (canvas.width !== Math.round(w * ratio)) canvas.width = Math.round(w * ratio);
    if (canvas.height !== Math.round(h * ratio)) canvas.height = Math.round(h * ratio);
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, w, h);
    this.marks.forEach(([mark], i) => {
      mark.style.background = colors[i % colors.length];
    });
    const style = getComputedStyle(canvas);
    c.font = "11px system-ui, sans-serif";
    return {
      c,
      w,
      h,
      left: 44,
      bottom: h - 16,
      top: 6,
      right: w - 4,
      soft: style.getPropertyValue("--soft"),
      line: style.getPropertyValue("--line"),
    };
  }

  axis(p, low, high, label) {
    const { c } = p;
    c.strokeStyle = p.line;
    c.fillStyle = p.soft;
    c.lineWidth = 1;
    c.textAlign = "right";
    for (const share of [0, 0.5, 1]) {
      const y = Math.round(p.bottom + (p.top - p.bottom) * share) + 0.5;
      c.beginPath();
      c.moveTo(p.left, y);
      c.lineTo(p.right, y);
      c.stroke();
      c.fillText(label(low + (high - low) * share), p.left - 6, y + 4);
    }
  }
}

class Chart extends Plot {
  constructor(title, names, values, { fromZero = false, stacked = false, beside = false } = {}) {
    super(title, names);
    Object.assign(this, { values, fromZero: fromZero || stacked, stacked, beside });
  }

  draw(rows, colors) {
    const p = this.begin(colors),
      { c } = p;
    if (rows.length < 2) {
      c.fillStyle = p.soft;
      c.fillText("Run the simulation to see this.", 4, p.h / 2);
      return;
    }
    const table = rows.map(this.values),
      second = this.beside && rows[0].other ? rows.map(({ other }) => this.values(other)) : [],
      sums = table.map((row) => (this.stacked ? row.reduce((a, b) => a + b, 0) : Math.max(...row)));
    let low = this.fromZero ? Math.min(0, ...table.flat(), ...second.flat()) : Math.min(...table.flat()),
      high = Math.max(...sums, ...second.flat());
    if (!(high > low)) high = low + (Math.abs(low) || 1) * 0.01;
    if (!this.fromZero) {
      const room = Math.max((high - low) * 0.15, Math.abs(high) * 0.002);
      low -= room;
      high += room;
    }
    this.axis(p, low, high, (v) => short(v));
    const t0 = rows[0].time,
      t1 = rows.at(-1).time;
    const x = (i) => p.left + (p.right - p.left) * ((rows[i].time - t0) / (t1 - t0 || 1)),
      y = (v) => p.bottom + (p.top - p.bottom) * ((v - low) / (high - low));
    c.fillStyle = p.soft;
    c.textAlign = "left";
    c.fillText(`${short(t0)} s`, p.left, p.h - 3);
    c.textAlign = "right";
    c.fillText(`${short(t1)} s`, p.right, p.h - 3);
    if (this.stacked) this.#areas(p, table, colors, x, y);
    else
      this.names.forEach((_, k) => {
        c.beginPath();
        c.strokeStyle = colors[k];
        c.lineWidth = 1.6;
        c.setLineDash(k === 0 && this.names.length === 3 ? [4, 3] : []);
        table.forEach((row, i) => c.lineTo(x(i), y(row[k])));
        c.stroke();
        c.setLineDash([5, 4]);
        c.beginPath();
        second.forEach((row, i) => c.lineTo(x(i), y(row[k])));
        c.stroke();
        c.setLineDash([]);
        this.canvas.ariaLabel = `${this.title.data}: ${this.names.map((name, i) => `${name} ${short(table.at(-1)[i])}${second.length ? `, of the second ${short(second.at(-1)[i])}` : ""}`).join(", ")}`;
      });
  }

  #areas({ c }, table, colors, x, y) {
    const base = table.map(() => 0);
    this.names.forEach((_, k) => {
      c.beginPath();
      table.forEach((row, i) => c.lineTo(x(i), y(base[i] + row[k])));
      for (let i = table.length - 1; i >= 0; i--) c.lineTo(x(i), y(base[i]));
      c.fillStyle = colors[k % colors.length];
      c.fill();
      table.forEach((row, i) => {
        base[i] += row[k];
      });
    });
  }
}

class Residuals extends Plot {
  constructor() {
    super("Residual by iteration of the last step", ["pressure", "spacing of particles"]);
    this.canvas.id = "residuals";
  }

  draw(solves, colors) {
    const p = this.begin(colors),
      { c } = p;
    const longest = Math.max(...solves.map((solve) => solve.length), 2),
      least = Math.min(1e-6, ...solves.flat().filter((v) => v > 0));
    const low = Math.floor(Math.log10(least));
    this.axis(p, low, 0, (v) => (Number.isInteger(v) ? short(10 ** v, 2) : ""));
    const x = (i) => p.left + (p.right - p.left) * (i / (longest - 1)),
      y = (v) => p.bottom + (p.top - p.bottom) * ((Math.log10(Math.max(v, 1e-30)) - low) / -low);
    solves.forEach((solve, k) => {
      c.strokeStyle = c.fillStyle = colors[k === solves.length - 1 && solves.length > 1 ? 1 : 0];
      c.lineWidth = 1.6;
      c.beginPath();
      solve.forEach((value, i) => c.lineTo(x(i), y(value)));
      c.stroke();
      solve.forEach((value, i) => {
        c.beginPath();
        c.arc(x(i), y(value), 2, 0, 7);
        c.fill();
      });
    });
    c.fillStyle = p.soft;
    c.textAlign = "right";
    c.fillText(`${longest - 1} iterations`, p.right, p.h - 3);
  }
}
