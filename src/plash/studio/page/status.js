// Numbers and colours: what the picture means.

import { $, made, short } from "./dom.js";

const LEGENDS = {
  particles: ["Speed", "m/s"],
  pressure: ["Pressure", "Pa"],
  divergence: ["Divergence after", "1/s"],
  divergence_before: ["Divergence before", "1/s"],
  temperature: ["Warmer than the liquid", "K"],
};

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
    ? `volume ${error >= 0 ? "+" : "−"}${Math.abs(100 * error).toFixed(2)} %`
    : "";
  ledger(frame);
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

function ledger(frame) {
  const rows = [
    ["Target volume", frame.target_volume],
    ["Carried", frame.particle_volume],
    ["Measured", frame.volume],
    ["Added", frame.inflow],
    ["Left", frame.outflow],
  ];
  $("#ledger").replaceChildren(
    ...rows.flatMap(([name, value]) => [
      made("dt", { textContent: name }),
      made("dd", { textContent: `${short(value, 4)} m²` }),
    ]),
  );
  $("#ledger").dataset.target = frame.target_volume;
}

function legend(frame, state) {
  const box = $("#legend"),
    quantity = state.scene.quantities[frame.view],
    entry = quantity ? [quantity.title, quantity.unit] : LEGENDS[frame.view];
  box.hidden = !entry && frame.view !== "cells";
  if (box.hidden) return;
  if (frame.view === "cells") {
    const air = state.picture.dark ? "#1a212b" : "#edf2f7";
    const rows = [
      ["liquid", state.scene.color],
      ["air", air],
      ["solid", "#737a85"],
    ];
    box.replaceChildren(made("ul", {}, ...rows.map(([name, color]) => made("li", {}, mark(color), name))));
    return;
  }
  const isSigned = frame.view.startsWith("divergence") || frame.view === "temperature";
  const most = state.picture.showsDots(frame.view) ? 255 * (frame.units.shade ?? 0) : state.picture.range;
  const low = made("span", { textContent: isSigned ? short(-most, 2) : "0" });
  const high = made("span", { textContent: `${short(most, 2)} ${entry[1]}` });
  box.replaceChildren(entry[0], bar(stopsOf(frame.view, state.picture)), made("div", {}, low, high));
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
  if (view === "pressure") return ["#440154", "#3b528b", "#21918c", "#5ec962", "#fde725"];
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
