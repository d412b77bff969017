// Lessons: a text, something to do, a question; then the next step. What they say and ask for is data of the studio.

import { made, toast } from "./dom.js";

const DONE = "plash-lessons";

export class Lessons {
  // `app` opens scenes, chooses views and tells what was done
  constructor(box, lessons, app) {
    Object.assign(this, { box, lessons, app });
    this.#list();
  }

  // Every frame, scene, tool and tab is looked at: is what was asked for done?
  notice(what = {}) {
    if (!this.now) return;
    const { did } = this.now;
    if (what.tool) did.tools.add(what.tool);
    if (what.stage) did.stages.add(what.stage);
    if (what.begins) did.steps = null;
    if (what.steps !== undefined) {
      if (this.now.isReady) this.now.isOpening = false; // the first picture of the scene that was opened
      if (did.steps === null || what.steps < did.steps) did.steps = what.steps;
      did.taken = Math.max(did.taken, what.steps - did.steps);
    }
    if (!this.now.isDone && this.#isDone()) this.#mark();
  }

  // A lesson that was under way before the page was loaded again
  restore(place) {
    const lesson = this.lessons.find(({ name }) => name === place?.name);
    if (lesson) this.#step(lesson, place.number, { isSameScene: true });
  }

  get place() {
    return this.now ? { name: this.now.lesson.name, number: this.now.number } : null;
  }

  #isDone() {
    const { step, did } = this.now,
      { view, stage, steps, seconds, setting, word, least, most, tool, tab, probe } = step.do,
      { state } = this.app,
      value = state.scene?.values[setting];
    return (
      !this.now.isOpening &&
      (!view || state.frame?.view === view) &&
      (!stage || did.stages.has(stage)) &&
      (!steps || did.taken >= steps) &&
      (!seconds || (state.frame?.time ?? 0) >= seconds - 1e-6) &&
      (!setting || (word === undefined ? value >= (least ?? -Infinity) && value <= (most ?? Infinity) : value === word)) &&
      (!tool || did.tools.has(tool)) &&
      (!tab || this.app.tab() === tab || did.tabs.has(tab)) &&
      (!probe || this.app.probes() > did.probes)
    );
  }

  opened(tab) {
    this.now?.did.tabs.add(tab);
    this.notice();
  }

  #list() {
    this.now = null;
    const done = doneLessons();
    this.box.replaceChildren(
      made("p", { textContent: "Each lesson opens scenes, asks you to do something, and then asks a question. What you made before can be undone back to." }),
      made(
        "ol",
        { class: "lesson-list" },
        ...this.lessons.map((lesson) =>
          made(
            "li",
            {},
            made(
              "button",
              { "data-lesson": lesson.name, onclick: () => this.#step(lesson, 0, {}) },
              made("b", { textContent: `${lesson.title}${done.has(lesson.name) ? " ✓" : ""}` }),
              made("span", { textContent: lesson.about }),
              made("small", { textContent: `${lesson.step.length} steps, ${lesson.minutes} minutes${done.has(lesson.name) ? ", done" : ""}` }),
            ),
          ),
        ),
      ),
    );
  }

  #step(lesson, number, { isSameScene = false }) {
    const step = lesson.step[number],
      did = { tools: new Set(), stages: new Set(), tabs: new Set(), steps: null, taken: 0, probes: this.app.probes() };
    this.now = { lesson, number, step, did, isDone: false, isRight: false, isOpening: false, isReady: false };
    const title = made("h2", { textContent: lesson.title, tabIndex: -1 });
    const bar = made("progress", { max: lesson.step.length, value: number, ariaLabel: "Steps done" });
    this.doing = made("p", { class: "do" }, made("b", { textContent: "Do: " }), step.do_text, (this.mark = made("span", { class: "mark", role: "status" })));
    this.feedback = made("p", { class: "feedback", role: "status" });
    const isLast = number + 1 === lesson.step.length;
    this.next = made("button", { class: "main", id: "lesson-next", disabled: true, textContent: isLast ? "Finish" : "Next", onclick: () => this.#next() });
    const leave = made("button", { id: "lesson-leave", textContent: "All lessons", onclick: () => this.#list() });
    this.asking = this.#question(step.question);
    this.box.replaceChildren(
      title,
      made("small", { textContent: `Step ${number + 1} of ${lesson.step.length}` }),
      bar,
      made("p", { class: "lesson-text" }, ...words(step.text)),
      this.doing,
      this.asking,
      this.feedback,
      made("div", { class: "lesson-buttons" }, leave, this.next),
    );
    this.box.scrollTop = 0;
    title.focus({ preventScroll: true });
    if (isSameScene) this.notice();
    else this.#prepare(step);
  }

  // Open the scene, change settings, begin the comparison, choose the view
  #prepare({ preset, settings = {}, compare = {}, view }) {
    const { now } = this;
    now.isOpening = Boolean(preset);
    this.app.prepare({ preset, settings, compare, view }, () => {
      now.isReady = true;
      now.did.steps = null;
      now.did.taken = 0;
      this.notice();
    });
  }

  #question({ text, answers }) {
    const name = `answer-${this.now.lesson.name}-${this.now.number}`;
    return made(
      "fieldset",
      { class: "question", disabled: true },
      made("legend", { textContent: text }),
      ...answers.map((answer) =>
        made(
          "label",
          {},
          made("input", { type: "radio", name, onchange: () => this.#answer(answer) }),
          made("span", { textContent: answer.text }),
        ),
      ),
    );
  }

  #mark() {
    this.now.isDone = true;
    this.mark.textContent = " ✓ done";
    this.doing.classList.add("done");
    this.asking.disabled = false;
  }

  #answer({ right, feedback }) {
    this.feedback.textContent = feedback;
    this.feedback.className = `feedback ${right ? "right" : "wrong"}`;
    this.now.isRight = right || this.now.isRight;
    this.next.disabled = !this.now.isRight;
    this.feedback.scrollIntoView({ block: "nearest" });
  }

  #next() {
    const { lesson, number } = this.now;
    if (number + 1 < lesson.step.length) return this.#step(lesson, number + 1, {});
    keepDone(lesson.name);
    toast(`“${lesson.title}” is done.`);
    this.#list();
    this.box.querySelector(`[data-lesson="${lesson.name}"]`)?.focus();
  }
}

// Words between stars are set off
function words(text) {
  return text.split(/\*([^*]+)\*/).map((part, i) => (i % 2 ? made("em", { textContent: part }) : part));
}

function doneLessons() {
  try {
    return new Set(JSON.parse(localStorage.getItem(DONE)) ?? []);
  } catch {
    return new Set();
  }
}

function keepDone(name) {
  try {
    localStorage.setItem(DONE, JSON.stringify([...doneLessons().add(name)]));
  } catch {
    /* private windows keep nothing */
  }
}
