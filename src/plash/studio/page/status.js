// Numbers and colours: what the picture means.

import { $, made, short } from "./dom.js";

const LEGENDS = {
  particles: ["Speed", "m/s"],
  pressure: ["Pressure", "Pa"],
  divergence: ["Divergence after", "1/s"],
  divergence_before: ["Divergence before", "1/s"],
  density: ["Density of smoke", "kg/m³"],
  vorticity: ["Vorticity", "1/s"],
  flame: ["Fuel that burns", "of the air"],
  phi: ["Distance to the surface", "m"],
};
const SIGNED = new Set(["divergence", "divergence_before", "vorticity", "phi"]);
const COUNTS = { volume: "m²", mass: "kg/m" };

// The line below the picture, the ledger, and the legend of a view; true if they were brought up to date
export function showStatus(frame, state) {
  state.frames++;
  const now = performance.now();
  if (now - state.since > 500) {
    state.fps = (1000 * state.frames) / (now - state.since);
    state.frames = 0;
    state.since = now;
  }
  $("#s-time").textContent = `${frame.time.toFixed(2)} s`;
  if (now - (state.told ?? 0) < 120 && frame.running) return false;
  state.told = now;
  $("#s-particles").textContent = frame.particles ? `${frame.particles.toLocaleString("en")} particles` : "";
  $("#s-fps").textContent = frame.running ? `${state.fps.toFixed(0)} pictures/s` : "paused";
  $("#s-steps").textContent = frame.running ? `${frame.steps_a_second.toFixed(0)} steps/s` : `step ${frame.steps}`;
  $("#s-pace").textContent = frame.running ? `${short(frame.pace, 2)}× real time` : "";
  const error = frame.target_volume ? frame.volume / frame.target_volume - 1 : 0;
  $("#s-volume").textContent = frame.steps
    ? `${state.scene.counts} ${error >= 0 ? "+" : "−"}${Math.abs(100 * error).toFixed(2)} %`
    : "";
  ledger(frame, state.scene.counts);
  legend(frame, state);
  Object.assign($("#fluid").dataset, {
    title: state.scene.title,
    view: frame.view,
    stage: frame.stage,
    steps: frame.steps,
    time: frame.time,
    center: frame.center,
    volume: frame.target_volume,
    kinetic: frame.kinetic,
  });
  return true;
}

function ledger(frame, counts) {
  const rows = [
    [`Target ${counts}`, frame.target_volume],
    ["Carried", frame.particle_volume],
    ["Measured", frame.volume],
    ["Added", frame.inflow],
    ["Left", frame.outflow],
  ];
  $("#ledger").replaceChildren(
    ...rows.flatMap(([name, value]) => [
      made("dt", { textContent: name }),
      made("dd", { textContent: `${short(value, 4)} ${COUNTS[counts]}` }),
    ]),
  );
  $("#ledger").dataset.target = frame.target_volume;
}

function legend(frame, state) {
  const box = $("#legend"),
    { picture, scene } = state,
    listed = namesOf(frame, picture, scene);
  if (listed) {
    box.hidden = false;
    box.replaceChildren(made("ul", {}, ...listed.map(([name, color]) => made("li", {}, mark(color), name))));
    return;
  }
  const shown = scaleOf(frame, picture, scene);
  box.hidden = !shown;
  if (!shown) return;
  const low = made("span", { textContent: shown.low });
  const high = made("span", { textContent: `${shown.high} ${shown.unit}` });
  box.replaceChildren(shown.title, bar(shown.stops), made("div", {}, low, high));
}

// What a view calls its few colours
function namesOf({ view, arrays }, { dark }, { color, method }) {
  const air = ["air", dark ? "#1a212b" : "#edf2f7"],
    solid = ["solid", "#737a85"];
  if (view === "cells" && method === "smoke") return [["air near smoke", color], ["air beyond", air[1]], solid];
  if (view === "cells") return [["liquid", color], air, solid];
  if (view === "band")
    return [
      ["band, inside", mixed(color, dark ? 0.35 : 0.45)],
      ["band, outside", dark ? "#6b4d29" : "#fad9a8"],
      ["inside", color],
      solid,
    ];
  if (view === "signed") {
    const isOutside = arrays.tone?.data.some((part, i) => i % 3 === 0 && part > 128);
    return [["inside", "#1769e0"], ...(isOutside ? [["outside", "#d85a1e"]] : [])];
  }
  return null;
}

// From which value to which the colours of a view go; nothing if it has no scale
function scaleOf(frame, picture, { quantities, method }) {
  const { view, scale, units } = frame;
  if (scale) return { ...scale, low: short(scale.low), high: short(scale.high) };
  if (view === "density" && method !== "smoke") return null;
  const entry = quantities[view] ? [quantities[view].title, quantities[view].unit] : LEGENDS[view];
  if (!entry) return null;
  const most = view === "flame" ? 1 : picture.showsDots(view) ? 255 * (units.shade ?? 0) : picture.range;
  const [title, unit] = entry,
    low = SIGNED.has(view) ? short(-most, 2) : "0";
  return { title, unit, low, high: short(most, 2), stops: stopsOf(view, picture) };
}

// A colour with a share of white in it
function mixed(color, share) {
  const parts = [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));
  return `rgb(${parts.map((part) => Math.round(part + (255 - part) * share)).join(" ")})`;
}

function mark(color) {
  const square = made("i");
  square.style.background = color;
  square.style.outline = "1px solid #8886";
  return square;
}

function stopsOf(view, picture) {
  const { dark } = picture;
  if (picture.showsDots(view)) return dark ? ["#295cd9", "#33c7db", "#ffed8c"] : ["#174db8", "#1aa8bd", "#f2731f"];
  if (view === "flame") return ["#730d05", "#ed540d", "#ffc740", "#fff5cc"];
  if (view === "pressure" || view === "density") return ["#440154", "#3b528b", "#21918c", "#5ec962", "#fde725"];
  return dark ? ["#4c9eff", "#29303b", "#ff735c"] : ["#1a5cc7", "#f0f2f5", "#cc3324"];
}

function bar(stops) {
  const canvas = made("canvas", { width: 150, height: 1 }),
    c = canvas.getContext("2d");
  const fade = c.createLinearGradient(0, 0, 150, 0);
  stops.forEach((color, i) => fade.addColorStop(i / (stops.length - 1), color));
  c.fillStyle = fade;
  c.fillRect(0, 0, 150, 1);
  return canvas;
}
