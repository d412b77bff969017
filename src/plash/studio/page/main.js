// The page: what is where, what a button does, what comes from the simulation and where it goes.

import { Brush } from "./brush.js";
import { Charts } from "./charts.js";
import { fillScenes, fillViews, markScene } from "./choices.js";
import { Compare } from "./compare.js";
import { $, $$, toast } from "./dom.js";
import { Picture } from "./draw.js";
import { Files } from "./files.js";
import { Heat } from "./heat.js";
import { fillHelp } from "./help.js";
import { Inside } from "./inside.js";
import { firstTheme, keep, kept, keptTheme } from "./keep.js";
import { LessonScene } from "./lesson_scene.js";
import { Lessons } from "./lessons.js";
import { Link } from "./link.js";
import { Overlay } from "./overlay.js";
import { Pointer } from "./pointer.js";
import { Probe } from "./probe.js";
import { Runs } from "./runs.js";
import { Settings } from "./settings.js";
import { Shapes } from "./shapes.js";
import { keptText, linkedText, Share } from "./share.js";
import { showStatus } from "./status.js";
import { Waiting } from "./waiting.js";
import { wire } from "./wiring.js";

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
  heat,
  brushes,
  probe,
  shapes,
  compare,
  lessons,
  share,
  lessonScene,
  linked = null; // scene of the address, to be opened when there is a simulation

// Some messages are something done, as lessons ask for it
function say(kind, data) {
  link?.say(kind, data);
  lessons?.notice({ tool: kind === "place" ? data.shape : kind });
}

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
    const before = kept().session,
      text = linked ?? (before && before !== name ? keptText() : null);
    linked = null;
    if (text) openScene(text, "your scene");
    if (before === name) return;
    if (before) toast("The simulation that this page had is gone: a new one begins with the scene that was kept.");
    keep({ session: name });
    state.kind = null;
    say("speed", { value: Number($("#speed").value) });
  },
  waiting: (message) => waiting.inLine(message),
  probe: (message) => probe.show(message.probe, message.other),
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
  if (!pointer.color) $("#paint").value = scene.paint;
  if (picture.begin(scene)) picture.fit();
  heat.show(scene);
  brushes.show();
  if (!scene.warmth.length && pointer.tool === "heat") setTool("push");
  Object.assign(picture, state.zoom);
  state.zoom = null;
  settings.show(scene.values, scene.solver);
  shapes.show(scene);
  compare.show(scene);
  share.changed();
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
  lessonScene.show(scene);
  lessons.notice({ begins: true });
}

function openScene(text, name) {
  waiting.forScene(name);
  say("open", { text });
}

function showFrame(frame) {
  state.shown = performance.now();
  waiting.picture();
  state.overlay.seen(frame.stretches);
  state.picture.take(frame);
  state.frame = frame;
  setRunning(frame.running);
  charts.take(frame);
  inside.take(frame);
  compare.take(frame);
  $("#back").disabled = !frame.back;
  redraw();
  status(frame);
  if (frame.probe) probe.show(frame.probe, frame.other?.probe);
  lessons.notice({ stage: frame.stage, steps: frame.steps });
  if (files.recording && frame.running) files.capture();
  link.seen(frame.number);
}

function status(frame) {
  if (showStatus(frame, state) && !$("#tab-charts").hidden) charts.draw(state.picture.dark);
}

// What the user does

function setView(name) {
  state.view = name;
  for (const button of $$("#views button")) button.ariaPressed = String(button.dataset.view === name);
  say("view", { name, arrows: state.arrows || state.overlay.lines });
}

// Told to those who listen, and not seen
function tell(text) {
  $("#said").textContent = text;
}

function setRunning(running) {
  if (state.running === running && state.drawnButton) return;
  state.running = running;
  state.drawnButton = true;
  $("#play use").setAttribute("href", running ? "#i-pause" : "#i-play");
  $("#play span").textContent = running ? "Pause" : "Run";
  $("#play").ariaPressed = String(running);
  $("#play").ariaLabel = running ? "Pause" : "Run";
  tell(running ? "Running" : state.frame ? `Paused at ${state.frame.time.toFixed(2)} s` : "");
}

function play(running = !state.running) {
  state.shown = performance.now();
  setRunning(running);
  say("play", { running });
}

function setTool(name) {
  pointer.tool = name;
  heat.use(name);
  brushes.show();
  shapes.use(name);
  state.overlay.draw(state.arrows);
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
  for (const tab of $$(".panel [role=tab]")) {
    tab.ariaSelected = String(tab.dataset.tab === name);
    tab.tabIndex = tab.dataset.tab === name ? 0 : -1;
  }
  for (const box of $$(".panel .tab")) box.hidden = box.id !== `tab-${name}`;
  if (name === "charts") charts.draw(state.picture.dark);
  lessons?.opened(name);
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
  compare.draw(state.picture, state.arrows, state.overlay);
}

function setArrows(on) {
  state.arrows = on;
  $("#arrows").checked = on;
  setView(state.view);
}

function setStreamlines(on) {
  state.overlay.lines = on;
  $("#streamlines").checked = on;
  setView(state.view);
}

function setLines(on) {
  state.picture.lines = on;
  $("#gridlines").checked = on;
  redraw();
}

async function startRender() {
  if (await runs.render(await files.text("render"))) setRoom("runs");
}

function openPreset(name, title) {
  waiting.forScene(title);
  say("start", { preset: name });
}

function record() {
  files.start();
  play(true);
}

function remember() {
  const { zoom, middle, lines } = state.picture,
    tab = $(".panel [aria-selected=true]").dataset.tab,
    room = document.body.dataset.room;
  const { place } = lessons,
    flow = state.overlay.lines;
  keep({ zoom: { zoom, middle }, lines, flow, tool: pointer.tool, brush: pointer.share, tab, room, place });
  keep({ panel: isOpen("panel") });
}

// The page as it was before it was loaded again
function restore({ zoom, lines, flow, tool, brush, tab, room, panel, place }) {
  state.zoom = zoom;
  if (lines) setLines(true);
  if (flow) setStreamlines(true);
  lessons.restore(place);
  if (tool) setTool(tool);
  if (brush !== undefined) brushes.set(brush);
  if (tab) setTab(tab);
  setOpen("panel", panel ?? true);
  setRoom(room ?? "simulate");
}

async function begin() {
  linked = await linkedText();
  if (location.search) history.replaceState(null, "", "/");
  const about = await (await fetch("/api/studio")).json();
  state.picture = new Picture($("#fluid"));
  state.overlay = new Overlay($("#overlay"), state.picture);
  state.redraw = redraw;
  probe = new Probe(say);
  compare = new Compare($("#compare"), about.controls, say);
  pointer = new Pointer(
    $("#overlay"),
    state.picture,
    state.overlay,
    say,
    (isMoved) => {
      if (isMoved) redraw();
      else state.overlay.draw(state.arrows);
    },
    (place) => (place ? probe.at(place) : probe.leave()),
  );
  shapes = pointer.shapes = new Shapes($("#shapes"), state.picture, state.overlay, say);
  heat = new Heat(pointer);
  brushes = new Brush(pointer);
  settings = new Settings($("#tab-settings"), about.controls, say);
  charts = new Charts($("#tab-charts"));
  inside = new Inside($("#tab-inside"), say, setView);
  files = new Files(() => link, [$("#fluid"), $("#overlay")], state, openScene);
  share = new Share(files, about.lan);
  runs = new Runs(state);
  lessonScene = new LessonScene({ say, setView, openPreset, pause: () => state.running && play(false) });
  const tab = () => $(".panel [role=tab][aria-selected=true]").dataset.tab;
  lessons = new Lessons($("#tab-lessons"), about.lessons, { state, prepare: (step, done) => lessonScene.prepare(step, done), tab, probes: () => probe.count });
  $("#runs-folder").textContent = about.runs;
  document.body.classList.toggle("guest", about.guest);
  fillScenes(about.presets, Boolean(keptText()));
  fillHelp($("#help-dialog"));
  wire({
    ...{ state, say, play, record, setView, setTool, setRoom, setTab, setOpen, isOpen, setTheme, toggleTheme, redraw },
    ...{ brushes, setArrows, setStreamlines, setLines, startRender, openScene, openPreset, remember, tell },
    ...{ files, runs, pointer, probe, share, waiting, keptText },
  });
  setTheme(firstTheme());
  restore(kept());
  connect();
}

begin().catch((error) => busy(error.message, true));
