// Scenes to and from files, pictures, and movies of what is seen.

import { $, download, toast } from "./dom.js";

export class Files {
  constructor(link, canvases, state, openScene) {
    Object.assign(this, { link, canvases, state, openScene });
    this.recording = false;
    this.count = 0;
    this.wanted = {}; // who waits for the text of the scene, by purpose
    $("#file").addEventListener("change", () => this.#opened());
  }

  open() {
    $("#file").click();
  }

  async #opened() {
    const [file] = $("#file").files;
    $("#file").value = "";
    if (!file) return;
    if (file.size > 200000) {
      toast("That is no scene file: it is too large.", "error");
      return;
    }
    this.openScene(await file.text(), file.name);
  }

  save() {
    this.link().say("save");
  }

  // The text of the scene, when it comes
  text(purpose) {
    return new Promise((resolve) => {
      this.wanted[purpose] = resolve;
      this.link().say("save", { purpose });
    });
  }

  saved({ text, name, purpose }) {
    if (purpose === "file") download(new Blob([text], { type: "application/toml" }), `${name}.toml`);
    else this.wanted[purpose]?.(text);
  }

  screenshot() {
    download(new Blob([encoded(this.#composed(2048), "image/png")], { type: "image/png" }), "plash.png");
  }

  start() {
    this.recording = true;
    this.count = 0;
    this.size = null;
    this.link().say("record", { fps: 30, format: $("#format").value });
    $("#recording").hidden = false;
    this.tell();
  }

  stop() {
    if (!this.recording) return;
    this.recording = false;
    this.link().say("stop_recording");
    $("#recording").hidden = true;
    toast(this.count ? "Making the movie" : "Nothing was recorded: run the simulation while recording.");
  }

  // What was recorded is gone with the connection
  lost() {
    if (!this.recording) return;
    this.recording = false;
    $("#recording").hidden = true;
    toast("The recording ended with the connection.", "error");
  }

  tell() {
    $("#recording span").textContent = `${(this.count / 30).toFixed(1)} s`;
  }

  // Send the picture of a frame; the simulation goes on when it is there. All have the size of the first, though the
  // page may be drawn coarser when it cannot keep up, or its window may change
  capture() {
    const canvas = this.#composed(1280, this.size);
    this.size ??= [canvas.width, canvas.height];
    this.link().sendPicture(encoded(canvas, "image/jpeg", 0.93).buffer);
    this.count++;
    this.tell();
  }

  recorded({ name, pictures }) {
    toast(`Recorded ${(pictures / 30).toFixed(1)} s`);
    const link = document.createElement("a");
    link.href = `/recordings/${name}`;
    link.download = name;
    link.click();
  }

  // The domain alone, cut out of both canvases
  #composed(widest, size = null) {
    const { picture } = this.state,
      [fluid, overlay] = this.canvases,
      ratio = fluid.width / fluid.clientWidth;
    const [x0, y1] = picture.toScreen([0, 0]),
      [x1, y0] = picture.toScreen(picture.size);
    const left = Math.max(0, x0 - 2) * ratio,
      top = Math.max(0, y0 - 2) * ratio;
    const width = Math.min(fluid.width - left, (x1 - x0 + 4) * ratio),
      height = Math.min(fluid.height - top, (y1 - y0 + 4) * ratio);
    const scale = Math.min(1, widest / width),
      canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = size ?? [width, height].map((side) => 2 * Math.round((side * scale) / 2));
    const c = canvas.getContext("2d"),
      brush = this.state.overlay.brush;
    this.state.overlay.brush = null;
    this.state.redraw();
    for (const source of [fluid, overlay])
      c.drawImage(source, left, top, width, height, 0, 0, canvas.width, canvas.height);
    this.state.overlay.brush = brush;
    return canvas;
  }
}

// The file of a canvas, at once: toBlob waits until the browser has nothing else to do, on a busy machine for ever
function encoded(canvas, type, quality) {
  const url = canvas.toDataURL(type, quality);
  return Uint8Array.from(atob(url.slice(url.indexOf(",") + 1)), (letter) => letter.charCodeAt(0));
}
