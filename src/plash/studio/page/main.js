// The page: what is where, what a button does, what comes from the simulation and where it goes.

import { Charts } from "./charts.js";
import { $, $$, made, toast } from "./dom.js";
import { Picture } from "./draw.js";
import { Files } from "./files.js";
import { fillHelp } from "./help.js";
import { Inside } from "./inside.js";
import { Link } from "./link.js";
import { Overlay } from "./overlay.js";
import { Pointer } from "./pointer.js";
import { Runs } from "./runs.js";
import { Settings } from "./settings.js";
import { showStatus } from "./status.js";

const VIEWS = {
  surface: ["Surface", "where the liquid ends"],
  particles: ["Particles", "coloured by speed"],
  velocity: ["Velocity", "on the faces of cells"],
  pressure: ["Pressure", "that keeps it incompressible"],
  divergence: ["Divergence", "after the projection"],
  divergence_before: ["Divergence", "before the projection"],
  cells: ["Cells", "liquid, air, solid"],
  tiles: ["Tiles", "the grid exists only here"],
  density: ["Density", "of the fluid"],
  temperature: ["Temperature", "above that of the liquid"],
};
const state = {
  picture: null,
  overlay: null,
  view: "surface",
  arrows: false,
  running: false,
  redraw: () => {},
  frames: 0,
  fps: 0,
  since: performance.now(),
};
let link = null,
  settings,
  charts,
  inside,
  files,
  runs,
  pointer;

const say = (kind, data) => link?.say(kind, data);

// What comes from the simulation

const listeners = {
  open() {
    say("start");
  },
  close(code, reason) {
    busy(reason || "The studio has ended. Start it again, and load this page again.", true);
  },
  preparing() {
    busy("Getting ready. The very first time the kernels are compiled, which takes a minute or two.");
  },
  ready() {
    busy("Filling in the liquid");
  },
  note({ level, text }) {
    toast(text, level);
    if (!state.scene) busy(text, true);
  },
  file(message) {
    files.saved(message);
  },
  recorded(message) {
    files.recorded(message);
  },
  scene: showScene,
  frame: showFrame,
};

function showScene(scene) {
  state.scene = scene;
  const { picture } = state,
    isOther = String(picture.cells) !== String(scene.cells) || String(picture.size) !== String(scene.size);
  picture.size = scene.size;
  picture.cells = scene.cells;
  picture.liquid = [1, 3, 5].map((at) => parseInt(scene.color.slice(at, at + 2), 16) / 255);
  if (isOther) picture.fit();
  settings.show(scene.values);
  inside.setKind(scene.solver);
  charts.setKind(scene.solver);
  $("#undo").disabled = !scene.undo;
  $("#redo").disabled = !scene.redo;
  document.title = `${scene.title || "Scene"} · plash studio`;
  $("#s-cells").textContent = `${scene.cells[0]} × ${scene.cells[1]} cells`;
  $("#views").replaceChildren(
    ...scene.views.map((name) =>
      made(
        "button",
        { "data-view": name, ariaPressed: name === state.view, onclick: () => setView(name) },
        VIEWS[name][0],
        made("small", { textContent: VIEWS[name][1] }),
      ),
    ),
  );
  if (state.kind !== scene.solver || !scene.views.includes(state.view)) setView(scene.views[0]);
  state.kind = scene.solver;
  const own = [...$("#preset").options].find((option) => option.textContent === scene.title);
  if (own) $("#preset").value = own.value;
  else {
    $("#preset").querySelector("[data-other]")?.remove();
    $("#preset").append(
      made("option", { value: "", textContent: scene.title || "Opened scene", selected: true, "data-other": "" }),
    );
    $("#preset").value = "";
  }
}

// A step that takes long: most likely something is compiled, which happens once
function notice() {
  const wait = performance.now() - (state.shown ?? performance.now());
  if (!state.running || !$("#busy").hidden || document.hidden || wait < 2000) return;
  $("#s-fps").textContent = "working";
  if (wait > 5000 && !state.warned) {
    state.warned = true;
    toast("Still working: what is used for the first time is compiled first, which can take a minute.");
  }
}

async function showFrame(frame) {
  state.shown = performance.now();
  $("#busy").hidden = true;
  if (frame.arrays.solid) state.overlay.stroke = [];
  state.picture.take(frame);
  state.frame = frame;
  setRunning(frame.running);
  charts.take(frame);
  inside.take(frame);
  redraw();
  status(frame);
  if (files.recording && frame.running) await files.capture();
  link.seen(frame.number);
}

function status(frame) {
  if (showStatus(frame, state) && !$("#tab-charts").hidden) charts.draw(state.picture.dark);
}

// What the user does

function setView(name) {
  state.view = name;
  for (const button of $$("#views button")) button.ariaPressed = String(button.dataset.view === name);
  say("view", { name, arrows: state.arrows });
}

function setRunning(running) {
  if (state.running === running && state.drawnButton) return;
  state.running = running;
  state.drawnButton = true;
  $("#play use").setAttribute("href", running ? "#i-pause" : "#i-play");
  $("#play span").textContent = running ? "Pause" : "Run";
  $("#play").ariaPressed = String(running);
}

function play(running = !state.running) {
  state.shown = performance.now();
  setRunning(running);
  say("play", { running });
}

function setTool(name) {
  pointer.tool = name;
  for (const button of $$(".tools [data-tool]")) button.ariaPressed = String(button.dataset.tool === name);
}

function setRoom(name) {
  document.body.dataset.room = name;
  for (const button of $$(".rooms button")) button.ariaPressed = String(button.dataset.room === name);
  $("#simulate").hidden = name !== "simulate";
  $("#runs").hidden = name !== "runs";
  if (name === "runs") {
    if (state.running) play(false);
    runs.enter();
  } else {
    runs.leave();
    redraw();
  }
}

function setTab(name) {
  for (const tab of $$(".panel [role=tab]")) tab.ariaSelected = String(tab.dataset.tab === name);
  for (const box of $$(".panel .tab")) box.hidden = box.id !== `tab-${name}`;
  if (name === "charts") charts.draw(state.picture.dark);
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  state.picture.dark = theme === "dark";
  if (runs?.space && runs.current) runs.space.begin(runs.current.size, state.picture.dark);
  redraw();
  if (state.frame) {
    state.told = 0;
    status(state.frame);
  }
}

function toggleTheme() {
  const theme = state.picture.dark ? "light" : "dark";
  try {
    localStorage.setItem("plash-theme", theme);
  } catch {
    /* private windows keep nothing */
  }
  setTheme(theme);
}

function redraw() {
  state.picture.draw();
  state.overlay.draw(state.arrows);
}

function busy(text, isBad = false) {
  $("#busy").hidden = false;
  $("#busy").classList.toggle("bad", isBad);
  $("#busy p").textContent = text;
}

function setBrush(share) {
  pointer.share = Math.min(1, Math.max(0, share));
  $("#brush").value = pointer.share;
}

function setArrows(on) {
  state.arrows = on;
  $("#arrows").checked = on;
  setView(state.view);
}

function setLines(on) {
  state.picture.lines = on;
  $("#gridlines").checked = on;
  redraw();
}

async function startRender() {
  if (await runs.render(await files.text())) setRoom("runs");
}

const ACTIONS = {
  " ": () => (isRuns() ? runs.toggle() : play()),
  ".": () => say("step"),
  n: () => {
    setTab("inside");
    say("stage");
  },
  r: () => say("reset"),
  1: () => setTool("push"),
  2: () => setTool("pour"),
  3: () => setTool("drain"),
  4: () => setTool("draw"),
  5: () => setTool("erase"),
  "[": () => setBrush(pointer.share - 0.1),
  "]": () => setBrush(pointer.share + 0.1),
  a: () => setArrows(!state.arrows),
  g: () => setLines(!state.picture.lines),
  v: () => {
    const { views } = state.scene;
    setView(views[(views.indexOf(state.view) + 1) % views.length]);
  },
  o: () => files.open(),
  s: () => files.save(),
  p: () => files.screenshot(),
  m: () => (files.recording ? files.stop() : record()),
  0: () => {
    state.picture.fit();
    redraw();
  },
  t: toggleTheme,
  "?": () => $("#help-dialog").showModal(),
  ArrowLeft: () => isRuns() && runs.nudge(-1),
  ArrowRight: () => isRuns() && runs.nudge(1),
};
const isRuns = () => document.body.dataset.room === "runs";

function record() {
  files.start();
  play(true);
}

function onKey(event) {
  if (
    document.querySelector("dialog[open]") ||
    event.target.matches("select, input:not([type=range]):not([type=checkbox])")
  )
    return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (event.ctrlKey || event.metaKey) {
    const what = key === "z" ? (event.shiftKey ? "redo" : "undo") : key === "y" ? "redo" : "";
    if (what) {
      event.preventDefault();
      say(what);
    }
    return;
  }
  if (event.altKey || !ACTIONS[key] || (key === " " && event.target.matches("button, input[type=checkbox]"))) return;
  if (key.startsWith("Arrow") && event.target.matches("input")) return;
  event.preventDefault();
  ACTIONS[key]();
}

function wire() {
  const press = (id, action) => {
    $(id).onclick = action;
  };
  press("#play", () => play());
  for (const [id, kind] of [
    ["#step", "step"],
    ["#reset", "reset"],
    ["#undo", "undo"],
    ["#redo", "redo"],
  ])
    press(id, () => say(kind));
  press("#open", () => files.open());
  press("#save", () => files.save());
  press("#screenshot", () => files.screenshot());
  press("#record", () => (files.recording ? files.stop() : record()));
  press("#stop-recording", () => files.stop());
  press("#render", () => $("#render-dialog").showModal());
  press("#theme", toggleTheme);
  press("#help", () => $("#help-dialog").showModal());
  press("#panel-toggle", () => $("#panel").classList.toggle("open"));
  press("#panel-close", () => $("#panel").classList.remove("open"));
  $("#format").onchange = () => {
    if (files.recording) {
      files.start();
    }
  };
  $("#render-dialog").addEventListener("close", () => {
    if ($("#render-dialog").returnValue === "start") startRender();
  });
  $("#speed").onchange = (event) => say("speed", { value: Number(event.target.value) });
  $("#preset").onchange = (event) => event.target.value && say("start", { preset: event.target.value });
  $("#brush").oninput = (event) => {
    pointer.share = Number(event.target.value);
  };
  $("#arrows").onchange = (event) => setArrows(event.target.checked);
  $("#gridlines").onchange = (event) => setLines(event.target.checked);
  for (const button of $$(".tools [data-tool]")) button.onclick = () => setTool(button.dataset.tool);
  for (const button of $$(".rooms button")) button.onclick = () => setRoom(button.dataset.room);
  for (const tab of $$(".panel [role=tab]")) tab.onclick = () => setTab(tab.dataset.tab);
  document.addEventListener("keydown", onKey);
  setInterval(notice, 500);
  // A button clicked with the mouse gives the keys back
  document.addEventListener("click", (event) => {
    if (event.detail) event.target.closest?.("button, input[type=range], input[type=checkbox]")?.blur();
  });
  new ResizeObserver(redraw).observe($("#fluid"));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (event) =>
    setTheme(event.matches ? "dark" : "light"),
  );
  window.addEventListener("dragover", (event) => event.preventDefault());
  window.addEventListener("drop", async (event) => {
    event.preventDefault();
    const [file] = event.dataTransfer.files;
    if (file) say("open", { text: await file.text() });
  });
}

function storedTheme() {
  try {
    return localStorage.getItem("plash-theme");
  } catch {
    return null;
  }
}

async function begin() {
  if (location.search) history.replaceState(null, "", "/");
  const about = await (await fetch("/api/studio")).json();
  state.picture = new Picture($("#fluid"));
  state.overlay = new Overlay($("#overlay"), state.picture);
  state.redraw = redraw;
  pointer = new Pointer($("#overlay"), state.picture, state.overlay, say, (isMoved) =>
    isMoved ? redraw() : state.overlay.draw(state.arrows),
  );
  settings = new Settings($("#tab-settings"), about.controls, say);
  charts = new Charts($("#tab-charts"));
  inside = new Inside($("#tab-inside"), say, setView);
  files = new Files(() => link, [$("#fluid"), $("#overlay")], state);
  runs = new Runs(state);
  $("#runs-folder").textContent = about.runs;
  $("#preset").append(
    ...about.presets.map(({ name, title, sentence }) =>
      made("option", { value: name, textContent: title, title: sentence }),
    ),
  );
  fillHelp($("#help-dialog"));
  document.body.dataset.room = "simulate";
  wire();
  setTheme(storedTheme() ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
  link = new Link(listeners);
}

begin().catch((error) => busy(error.message, true));
