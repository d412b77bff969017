// What the page says over the picture while there is nothing new to see. The picture of before is dimmed meanwhile.

import { $ } from "./dom.js";

const SOON = 200; // ms in which most scenes are there

export class Waiting {
  constructor() {
    this.isForScene = false; // whether another scene was asked for, and has not come yet
    this.compiled = 0; // functions, since the last picture
  }

  say(text, isBad = false) {
    clearTimeout(this.timer);
    $("#busy").hidden = false;
    $("#busy").classList.toggle("bad", isBad);
    $("#busy p").textContent = text;
  }

  // Another scene was asked for: pictures of the one before do not count
  forScene(title) {
    this.isForScene = true;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.say(`Preparing “${title}”`), SOON);
  }

  // All places are taken, or others come first
  inLine({ number, full, tabs }) {
    const before = number === 1 ? "you are next" : `${number - 1} before you`;
    this.say(
      full
        ? `${tabs} tabs simulate already. This page waits, and begins by itself when one is closed: ${before}.`
        : `Many begin at once. This page waits for its turn: ${before}.`,
    );
  }

  compiling() {
    this.compiled += 1;
    const many = this.compiled === 1 ? "1 function" : `${this.compiled} functions`;
    this.say(`Compiling, once for this version of plash: ${many} so far. This can take a minute or two.`);
  }

  scene() {
    this.isForScene = false;
  }

  picture() {
    if (this.isForScene) return;
    clearTimeout(this.timer);
    this.compiled = 0;
    $("#busy").hidden = true;
  }

  // A step that takes long
  notice({ shown, running }) {
    if (running && $("#busy").hidden && !document.hidden && performance.now() - shown > 2000)
      $("#s-fps").textContent = "working";
  }

  // The scene that was asked for cannot be; true if there was one
  refused() {
    const was = this.isForScene;
    this.isForScene = false;
    if (was) this.picture();
    return was;
  }
}
