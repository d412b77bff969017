// Brings the page to where a step of a lesson begins: its scene, then its settings and comparison, then its view.

import { $ } from "./dom.js";

export class LessonScene {
  constructor(app) {
    this.app = app;
    this.wanted = null;
  }

  // `done` is called when all is there
  prepare(step, done) {
    const { preset, view } = step;
    if (!preset) {
      this.wanted = null;
      this.#set(step);
      if (view) this.app.setView(view);
      done();
      return;
    }
    const title = [...$("#preset").options].find(({ value }) => value === preset).textContent;
    this.wanted = { ...step, title, done, isOpen: false };
    this.app.pause();
    this.app.openPreset(preset, title);
  }

  // A scene came: the one that was asked for, or the same with the settings of the step
  show(scene) {
    const { wanted } = this;
    if (!wanted || scene.title !== wanted.title) return;
    if (!wanted.isOpen) {
      wanted.isOpen = true;
      this.#set(wanted);
    }
    const isSet =
      Object.entries(wanted.settings).every(([key, value]) => scene.values[key] === value) &&
      Object.keys(wanted.compare).join() === Object.keys(scene.compare).join();
    if (!isSet) return;
    this.wanted = null;
    if (wanted.view) this.app.setView(wanted.view);
    wanted.done();
  }

  #set({ settings, compare }) {
    for (const [key, value] of Object.entries(settings)) this.app.say("set", { key, value });
    if (Object.keys(compare).length) this.app.say("compare", { settings: compare });
  }
}
