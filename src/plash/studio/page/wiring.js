// Which button, key and field does what.

import { LAST } from "./choices.js";
import { $, $$ } from "./dom.js";
import { listenToKeys } from "./keys.js";

const TOOLS = ["push", "pour", "drain", "draw", "erase", "heat", "box", "disc"];

export function wire(app) {
  wireButtons(app);
  wireFields(app);
  wireTabs(app);
  wireWindow(app);
  listenToKeys(actionsOf(app));
  setInterval(() => app.waiting.notice(app.state), 500);
}

const isRuns = () => document.body.dataset.room === "runs";

function nextStage({ setTab, setOpen, say }) {
  setTab("inside");
  setOpen("panel", true);
  say("stage");
}

function actionsOf(app) {
  const { state, say, files, runs, pointer } = app;
  const actions = {
    " ": () => (isRuns() ? runs.toggle() : app.play()),
    ".": () => say("step"),
    ",": () => say("back"),
    n: () => nextStage(app),
    r: () => say("reset"),
    "[": () => app.brushes.set(pointer.share - 0.1),
    "]": () => app.brushes.set(pointer.share + 0.1),
    a: () => app.setArrows(!state.arrows),
    f: () => app.setStreamlines(!state.overlay.lines),
    g: () => app.setLines(!state.picture.lines),
    v: () => {
      const { views } = state.scene;
      app.setView(views[(views.indexOf(state.view) + 1) % views.length]);
      app.tell(`View: ${state.view.replaceAll("_", " ")}`);
    },
    o: () => files.open(),
    s: () => files.save(),
    l: () => app.share.link(),
    p: () => files.screenshot(),
    m: () => (files.recording ? files.stop() : app.record()),
    0: () => {
      state.picture.fit();
      app.redraw();
    },
    t: app.toggleTheme,
    "?": () => $("#help-dialog").showModal(),
    "Control z": () => say("undo"),
    "Control Shift z": () => say("redo"),
    "Control y": () => say("redo"),
    Escape: () => app.setOpen("more", false),
    ArrowLeft: () => isRuns() && runs.nudge(-1),
    ArrowRight: () => isRuns() && runs.nudge(1),
  };
  TOOLS.forEach((tool, i) => {
    actions[i + 1] = () => !$(`[data-tool="${tool}"]`).hidden && app.setTool(tool);
  });
  return actions;
}

function wireButtons(app) {
  const { say, files } = app;
  const press = (id, action) => {
    $(id).onclick = action;
  };
  press("#play", () => app.play());
  for (const kind of ["step", "back", "reset", "undo", "redo"]) press(`#${kind}`, () => say(kind));
  press("#stage", () => nextStage(app));
  press("#open", () => files.open());
  press("#save", () => files.save());
  press("#share", () => app.share.link());
  press("#screenshot", () => files.screenshot());
  press("#record", () => (files.recording ? files.stop() : app.record()));
  press("#stop-recording", () => files.stop());
  press("#render", () => $("#render-dialog").showModal());
  press("#theme", app.toggleTheme);
  press("#help", () => $("#help-dialog").showModal());
  for (const name of ["panel", "more"]) press(`#${name}-toggle`, () => app.setOpen(name, !app.isOpen(name)));
  press("#panel-close", () => app.setOpen("panel", false));
  for (const button of $$(".tools [data-tool]")) button.onclick = () => app.setTool(button.dataset.tool);
  for (const button of $$(".rooms button")) button.onclick = () => app.setRoom(button.dataset.room);
  $("#render-dialog").addEventListener("close", () => {
    if ($("#render-dialog").returnValue === "start") app.startRender();
  });
}

function wireFields(app) {
  const { say, files, pointer } = app;
  $("#format").onchange = () => {
    if (files.recording) files.start();
  };
  $("#speed").onchange = (event) => say("speed", { value: Number(event.target.value) });
  $("#preset").onchange = ({ target }) => {
    if (target.value === LAST) app.openScene(app.keptText(), "your last scene");
    else if (target.value) app.openPreset(target.value, target.selectedOptions[0].textContent);
  };
  $("#paint").oninput = (event) => {
    pointer.color = event.target.value;
    app.setTool("pour");
  };
  $("#arrows").onchange = (event) => app.setArrows(event.target.checked);
  $("#streamlines").onchange = (event) => app.setStreamlines(event.target.checked);
  $("#gridlines").onchange = (event) => app.setLines(event.target.checked);
  $("#probing").onchange = (event) => app.probe.set(event.target.checked);
}

// Arrow keys go from tab to tab, as readers of screens expect
function wireTabs(app) {
  const tabs = $$(".panel [role=tab]");
  tabs.forEach((tab, i) => {
    tab.onclick = () => app.setTab(tab.dataset.tab);
    tab.onkeydown = (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!step) return;
      event.preventDefault();
      event.stopPropagation();
      const next = tabs[(i + step + tabs.length) % tabs.length];
      app.setTab(next.dataset.tab);
      next.focus();
    };
  });
}

function wireWindow(app) {
  // A button clicked with the mouse gives the keys back
  document.addEventListener("click", (event) => {
    if (event.detail) event.target.closest?.("button, input[type=range], input[type=checkbox]")?.blur();
    if (!event.target.closest?.("#more-toggle")) app.setOpen("more", false);
  });
  window.addEventListener("pagehide", app.remember);
  for (const id of ["#fluid", "#fluid-beside"]) new ResizeObserver(app.redraw).observe($(id));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (event) =>
    app.setTheme(event.matches ? "dark" : "light"),
  );
  window.addEventListener("dragover", (event) => event.preventDefault());
  window.addEventListener("drop", async (event) => {
    event.preventDefault();
    const [file] = event.dataTransfer.files;
    if (file) app.openScene(await file.text(), file.name);
  });
}
