// The page: what is where, what a button does, what comes from the simulation and where it goes.

import { Charts } from "./charts.js";
import { fillScenes, fillViews, markScene } from "./choices.js";
import { $, $$, toast } from "./dom.js";
import { Picture } from "./draw.js";
import { Files } from "./files.js";
import { Heat } from "./heat.js";
import { fillHelp } from "./help.js";
import { Inside } from "./inside.js";
import { firstTheme, keep, kept, keptTheme } from "./keep.js";
import { listenToKeys } from "./keys.js";
import { Link } from "./link.js";
import { Overlay } from "./overlay.js";
import { Pointer } from "./pointer.js";
import { Runs } from "./runs.js";
import { Settings } from "./settings.js";
import { showStatus } from "./status.js";
import { Waiting } from "./waiting.js";

const MOST_LOST = 4;
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
const waiting = new Waiting(),
  busy = (text, isBad) => waiting.say(text, isBad);
let link = null,
  lost = 0, // connections in a row
  settings,
  charts,
  inside,
  files,
  runs,
  pointer,
  heat;

const say = (kind, data) => link?.say(kind, data);

// What comes from the simulation

const listeners = {
  open() {
    const { session } = kept();
    if (session) say("return", { name: session });
    else say("start");
  },
  close(code, reason) {
    files.lost();
    if (reason || lost >= MOST_LOST) {
      busy(reason || "The studio has ended. Start it again, and open the address that it prints.", true);
      return;
    }
    busy("The connection was lost. Trying again");
    setTimeout(connect, 500 * 2 ** lost++);
  },
  session({ name }) {
    lost = 0;
    if (kept().session === name) return;
    if (kept().session) toast("The simulation that this page had is gone: a new one begins.");
    keep({ session: name });
    state.kind = null;
    say("speed", { value: Number($("#speed").value) });
  },
  returned({ view, arrows, speed, solver }) {
    Object.assign(state, { view, arrows, kind: solver });
    $("#arrows").checked = arrows;
    $("#speed").value = speed;
  },
  preparing: () => busy("Getting ready"),
  compiling: () => waiting.compiling(),
  ready: () => busy("Filling in the fluid"),
  note({ level, text }) {
    toast(text, level);
    if (!state.scene) busy(text, true);
    else if (waiting.refused()) markScene(state.scene);
  },
  file: (message) => files.saved(message),
  recorded: (message) => files.recorded(message),
  scene: showScene,
  frame: showFrame,
};

function connect() {
  state.overlay.begin();
  link = new Link(listeners);
}

function showScene(scene) {
  state.scene = scene;
  waiting.scene();
  const { picture } = state;
  if (!pointer.color) $("#paint").value = scene.color;
  if (picture.begin(scene)) picture.fit();
  heat.show(scene);
  if (!scene.warmth.length && pointer.tool === "heat") setTool("push");
  Object.assign(picture, state.zoom);
  state.zoom = null;
  settings.show(scene.values, scene.solver);
  inside.setKind(scene.method);
  charts.setKind(scene.method, scene.counts);
  $("#undo").disabled = !scene.undo;
  $("#redo").disabled = !scene.redo;
  document.title = `${scene.title || "Scene"} · plash studio`;
  $("#s-cells").textContent = `${scene.cells[0]} × ${scene.cells[1]} cells`;
  fillViews(scene, state.view, setView);
  if (state.kind !== scene.solver || !scene.views.includes(state.view)) setView(scene.views[0]);
  state.kind = scene.solver;
  markScene(scene);
}

function openScene(text, name) {
  waiting.forScene(name);
  say("open", { text });
}

async function showFrame(frame) {
  state.shown = performance.now();
  waiting.picture();
  state.overlay.seen(frame.stretches);
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
  heat.use(name);
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

// The panel and the menu, which small windows show only when they are wanted
function setOpen(name, isOpen) {
  $(`#${name}`).classList.toggle("open", isOpen);
  $(`#${name}-toggle`).ariaExpanded = String(isOpen);
}

const isOpen = (name) => $(`#${name}`).classList.contains("open");

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
  setTheme(keptTheme(state.picture.dark ? "light" : "dark"));
}

function redraw() {
  state.picture.draw();
  state.overlay.draw(state.arrows);
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
    setOpen("panel", true);
    say("stage");
  },
  r: () => say("reset"),
  1: () => setTool("push"),
  2: () => setTool("pour"),
  3: () => setTool("drain"),
  4: () => setTool("draw"),
  5: () => setTool("erase"),
  6: () => state.scene?.warmth.length && setTool("heat"),
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
  "Control z": () => say("undo"),
  "Control Shift z": () => say("redo"),
  "Control y": () => say("redo"),
  Escape: () => setOpen("more", false),
  ArrowLeft: () => isRuns() && runs.nudge(-1),
  ArrowRight: () => isRuns() && runs.nudge(1),
};
const isRuns = () => document.body.dataset.room === "runs";

function record() {
  files.start();
  play(true);
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
  for (const name of ["panel", "more"]) press(`#${name}-toggle`, () => setOpen(name, !isOpen(name)));
  press("#panel-close", () => setOpen("panel", false));
  $("#format").onchange = () => {
    if (files.recording) {
      files.start();
    }
  };
  $("#render-dialog").addEventListener("close", () => {
    if ($("#render-dialog").returnValue === "start") startRender();
  });
  $("#speed").onchange = (event) => say("speed", { value: Number(event.target.value) });
  $("#preset").onchange = ({ target }) => {
    if (!target.value) return;
    waiting.forScene(target.selectedOptions[0].textContent);
    say("start", { preset: target.value });
  };
  $("#brush").oninput = (event) => {
    pointer.share = Number(event.target.value);
  };
  $("#paint").oninput = (event) => {
    pointer.color = event.target.value;
    setTool("pour");
  };
  $("#arrows").onchange = (event) => setArrows(event.target.checked);
  $("#gridlines").onchange = (event) => setLines(event.target.checked);
  for (const button of $$(".tools [data-tool]")) button.onclick = () => setTool(button.dataset.tool);
  for (const button of $$(".rooms button")) button.onclick = () => setRoom(button.dataset.room);
  for (const tab of $$(".panel [role=tab]")) tab.onclick = () => setTab(tab.dataset.tab);
  listenToKeys(ACTIONS);
  setInterval(() => waiting.notice(state), 500);
  // A button clicked with the mouse gives the keys back
  document.addEventListener("click", (event) => {
    if (event.detail) event.target.closest?.("button, input[type=range], input[type=checkbox]")?.blur();
    if (!event.target.closest?.("#more-toggle")) setOpen("more", false);
  });
  window.addEventListener("pagehide", remember);
  new ResizeObserver(redraw).observe($("#fluid"));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (event) =>
    setTheme(event.matches ? "dark" : "light"),
  );
  window.addEventListener("dragover", (event) => event.preventDefault());
  window.addEventListener("drop", async (event) => {
    event.preventDefault();
    const [file] = event.dataTransfer.files;
    if (file) openScene(await file.text(), file.name);
  });
}

function remember() {
  const { zoom, middle, lines } = state.picture,
    tab = $(".panel [aria-selected=true]").dataset.tab,
    room = document.body.dataset.room;
  keep({ zoom: { zoom, middle }, lines, tool: pointer.tool, brush: pointer.share, tab, room, panel: isOpen("panel") });
}

// The page as it was before it was loaded again
function restore({ zoom, lines, tool, brush, tab, room, panel }) {
  state.zoom = zoom;
  if (lines) setLines(true);
  if (tool) setTool(tool);
  if (brush !== undefined) setBrush(brush);
  if (tab) setTab(tab);
  setOpen("panel", Boolean(panel));
  setRoom(room ?? "simulate");
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
  heat = new Heat(pointer);
  settings = new Settings($("#tab-settings"), about.controls, say);
  charts = new Charts($("#tab-charts"));
  inside = new Inside($("#tab-inside"), say, setView);
  files = new Files(() => link, [$("#fluid"), $("#overlay")], state, openScene);
  runs = new Runs(state);
  $("#runs-folder").textContent = about.runs;
  fillScenes(about.presets);
  fillHelp($("#help-dialog"));
  wire();
  setTheme(firstTheme());
  restore(kept());
  connect();
}

begin().catch((error) => busy(error.message, true));
