// The list of runs, and the player of one.

import { $, $$, made, toast } from "./dom.js";

const fileOf = (name, kind, frame) => `/api/file?${new URLSearchParams({ name, kind, ...(frame ? { frame } : {}) })}`;

export class Runs {
  constructor(state) {
    this.state = state;
    this.runs = [];
    this.current = null;
    this.mode = "surface";
    this.playing = false;
    this.cache = new Map();
    this.space = null;
    this.items = new Map();
    for (const button of $$("#run-modes button")) button.onclick = () => this.setMode(button.dataset.mode);
    $("#t-frame").oninput = () => {
      this.playing = false;
      this.#playIcon();
      this.showFrame();
    };
    $("#t-play").onclick = () => this.toggle();
    for (const id of ["#t-wire", "#t-smooth"]) $(id).onchange = () => this.space?.set(this.#style());
  }

  enter() {
    this.refresh();
    this.timer ??= setInterval(() => this.refresh(), 2000);
  }

  leave() {
    clearInterval(this.timer);
    this.timer = null;
    this.playing = false;
  }

  async refresh() {
    let answer;
    try {
      answer = await (await fetch("/api/runs")).json();
    } catch {
      return;
    }
    this.runs = answer.runs;
    const box = $("#run-items"),
      names = new Set(this.runs.map((run) => run.name));
    for (const [name, item] of this.items)
      if (!names.has(name)) {
        item.remove();
        this.items.delete(name);
      }
    this.runs.forEach((run, i) => {
      const item = this.#item(run),
        old = this.items.get(run.name);
      if (!old || old.dataset.state !== item.dataset.state) {
        if (old) old.replaceWith(item);
        this.items.set(run.name, item);
      }
      const shown = this.items.get(run.name);
      if (box.children[i] !== shown) box.insertBefore(shown, box.children[i] ?? null);
      shown.setAttribute("aria-current", run.name === this.current?.name);
    });
    $("#run-empty").hidden = this.runs.length > 0;
    const wanted = this.wanted && this.runs.find((run) => run.name === this.wanted);
    if (wanted) {
      this.wanted = null;
      this.choose(wanted);
    } else if (!this.current && this.runs.length) this.choose(this.runs[0]);
    else if (this.current) this.#follow();
  }

  #item(run) {
    const total = Math.max(1, run.frames * run.wanted.length),
      done = run.wanted.reduce((sum, name) => sum + run.done[name], 0);
    const item = made("button", { class: "run", "data-name": run.name, onclick: () => this.choose(run) });
    const thumb = run.picture
      ? made("img", { class: "thumb", alt: "", src: fileOf(run.name, "picture", run.picture), loading: "lazy" })
      : made("span", { class: "thumb" });
    const word = run.finished ? "finished" : run.running ? "running" : run.message ? "ended early" : "stopped";
    const state = made(
      "small",
      { class: "state" },
      `${word}, ${run.done.simulate} of ${run.frames} frames`,
      made("span", { class: "spring" }),
    );
    if (run.running && run.own)
      state.append(made("a", { textContent: "Stop", onclick: (event) => this.#ask(event, "stop", run) }));
    if (!run.running && !run.finished)
      state.append(made("a", { textContent: "Resume", onclick: (event) => this.#ask(event, "resume", run) }));
    const track = made("span", { class: "track" }, made("i"));
    track.firstChild.style.width = `${(100 * done) / total}%`;
    item.append(
      thumb,
      made("b", { textContent: run.title }),
      state,
      run.message && !run.finished ? made("small", { class: "bad", textContent: run.message }) : track,
    );
    item.dataset.state = JSON.stringify([run.done, run.running, run.message, run.picture, run.own, run.movie]);
    return item;
  }

  async #ask(event, what, run) {
    event.stopPropagation();
    const answer = await post(`/api/${what}`, { name: run.name });
    if (answer.error) toast(answer.error, "error");
    this.refresh();
  }

  // New frames of a run under way appear as they come
  #follow() {
    const run = this.runs.find((other) => other.name === this.current.name);
    if (!run) {
      this.current = null;
      return;
    }
    const grew = run.surfaces.length !== this.current.surfaces.length,
      hasMovie = run.movie && !this.current.movie;
    this.current = run;
    if (grew) {
      const wasEmpty = Number($("#t-frame").max) < 2;
      this.#timeline();
      if (wasEmpty) this.showFrame();
    }
    if (hasMovie) this.setMode(this.mode);
  }

  choose(run) {
    this.current = run;
    this.cache.clear();
    $("#run-title").textContent = run.title;
    for (const [name, item] of this.items) item.setAttribute("aria-current", name === run.name);
    this.#timeline();
    $("#t-frame").value = 1;
    this.shown = null;
    this.setMode(this.mode === "report" && !run.report ? "surface" : this.mode);
  }

  setMode(mode) {
    this.mode = mode;
    const run = this.current;
    if (!run) return;
    for (const button of $$("#run-modes button")) button.setAttribute("aria-selected", button.dataset.mode === mode);
    $("#space").hidden = mode !== "surface";
    $("#timeline").hidden = mode !== "surface";
    const movie = $("#movie"),
      report = $("#report");
    movie.hidden = mode !== "movie" || !run.movie;
    report.hidden = mode !== "report" || !run.report;
    const missing = (mode === "movie" && !run.movie) || (mode === "report" && !run.report);
    $("#run-empty").hidden = !missing;
    $("#run-empty").textContent = missing ? `There is no ${mode} yet: it is made when the run ends.` : "";
    if (!movie.hidden) {
      const source = fileOf(run.name, "movie");
      if (movie.dataset.source !== source) {
        movie.src = source;
        movie.dataset.source = source;
      }
    } else movie.pause();
    if (!report.hidden) {
      const source = fileOf(run.name, "report");
      if (report.dataset.source !== source) {
        report.src = source;
        report.dataset.source = source;
      }
    }
    if (mode === "surface") this.#open();
  }

  async #open() {
    if (!this.space) {
      const { Space } = await import("/page/space.js");
      this.space ??= new Space($("#space"));
    }
    const size = this.current.size;
    if (this.size !== String(size)) {
      this.size = String(size);
      this.space.begin(size, this.state.picture.dark);
    }
    this.space.set(this.#style());
    this.showFrame();
  }

  #style() {
    return { wireframe: $("#t-wire").checked, smooth: $("#t-smooth").checked };
  }

  #timeline() {
    $("#t-frame").max = Math.max(1, this.current.surfaces.length);
    this.#text();
  }

  #text() {
    const { surfaces } = this.current,
      at = Number($("#t-frame").value);
    $("#t-text").textContent = surfaces.length ? `${at} / ${surfaces.length}` : "no surface";
  }

  async showFrame() {
    const run = this.current,
      at = Number($("#t-frame").value),
      number = run?.surfaces[at - 1];
    if (!run || !this.space || number === undefined) return;
    this.#text();
    const key = `${run.name} ${number}`;
    this.latest = key;
    const buffer = await this.#load(run.name, number);
    if (!buffer || this.latest !== key) return;
    this.space.show(buffer);
    this.shown = number;
    $("#space").dataset.frame = number;
    $("#space").dataset.triangles = this.space.triangles;
  }

  async #load(name, number) {
    const key = `${name} ${number}`;
    if (!this.cache.has(key)) {
      if (this.cache.size > 60) this.cache.delete(this.cache.keys().next().value);
      this.cache.set(
        key,
        fetch(fileOf(name, "surface", number)).then((answer) => (answer.ok ? answer.arrayBuffer() : null)),
      );
    }
    return this.cache.get(key);
  }

  // Start a run of a scene with the depth and size that the dialog says
  async render(text) {
    const answer = await post("/api/render", {
      text,
      depth: Number($("#r-depth").value),
      resolution: Math.round(Number($("#r-resolution").value)),
      frames: Math.round(Number($("#r-frames").value)),
      quality: $("#r-quality").value,
    });
    toast(answer.error ?? "The run has started", answer.error ? "error" : "note");
    this.wanted = answer.name;
    return !answer.error;
  }

  toggle() {
    this.playing = !this.playing && (this.current?.surfaces.length ?? 0) > 1;
    this.#playIcon();
    if (this.playing) this.#play();
  }

  #playIcon() {
    $("#t-play use").setAttribute("href", this.playing ? "#i-pause" : "#i-play");
  }

  async #play() {
    const slider = $("#t-frame");
    while (this.playing && this.current) {
      const start = performance.now();
      slider.value = Number(slider.value) >= Number(slider.max) ? 1 : Number(slider.value) + 1;
      await this.showFrame();
      await new Promise((resolve) =>
        setTimeout(resolve, Math.max(0, 1000 / this.current.fps - performance.now() + start)),
      );
    }
  }

  nudge(by) {
    const slider = $("#t-frame");
    slider.value = Number(slider.value) + by;
    this.showFrame();
  }
}

async function post(address, data) {
  try {
    const answer = await fetch(address, {
      method: "POST",
      body: JSON.stringify(data),
      headers: { "content-type": "application/json" },
    });
    return await answer.json();
  } catch {
    return { error: "The studio does not answer." };
  }
}
