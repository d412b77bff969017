// The scene kept in this browser, and as a link: its text, packed into the part of an address that no server sees.

import { $, toast } from "./dom.js";

const PLACE = "plash-last-scene",
  MARK = "#scene=",
  LONGEST_LINK = 32000, // characters that browsers and chats pass on
  LONGEST_TEXT = 200000, // characters of a scene
  SOON = 1200; // ms after a change

export class Share {
  constructor(files, lan) {
    Object.assign(this, { files, lan });
    $("#link-copy").addEventListener("click", (event) => {
      event.preventDefault();
      this.#copy();
    });
  }

  // Keep the scene a moment after its last change
  changed() {
    clearTimeout(this.timer);
    this.timer = setTimeout(async () => keepText(await this.files.text("keep")), SOON);
  }

  async link() {
    const text = await this.files.text("link"),
      packed = await pack(text);
    if (packed.length > LONGEST_LINK) {
      toast("This scene is too long for a link: save it as a file instead.", "error");
      return;
    }
    const host = this.lan || location.host;
    $("#link-text").value = `http://${host}/${MARK}${packed}`;
    $("#link-told").textContent = this.lan
      ? "Whoever knows the password of this studio can open it."
      : "It opens this scene in a studio on this machine. With plash studio --lan others can open it too.";
    $("#link-dialog").showModal();
    $("#link-text").select();
  }

  // Without a secure connection browsers give no clipboard: then the text is selected, and copied the old way
  async #copy() {
    const field = $("#link-text");
    field.select();
    try {
      await navigator.clipboard.writeText(field.value);
      toast("Copied");
    } catch {
      toast(document.execCommand("copy") ? "Copied" : "Copy the selected text with Ctrl C.");
    }
  }
}

function keepText(text) {
  try {
    localStorage.setItem(PLACE, text);
  } catch {
    /* private windows keep nothing */
  }
}

// The scene that this browser had last
export function keptText() {
  try {
    return localStorage.getItem(PLACE);
  } catch {
    return null;
  }
}

// The scene of the address, if it has one; the address is plain again afterwards
export async function linkedText() {
  const { hash } = location;
  if (!hash.startsWith(MARK)) return null;
  history.replaceState(null, "", "/");
  try {
    if (hash.length > LONGEST_LINK + MARK.length) throw new Error("too long");
    return await unpack(hash.slice(MARK.length));
  } catch {
    toast("The link has no scene in it that can be read: it is damaged, or too long.", "error");
    return null;
  }
}

async function pack(text) {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const letters = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

// A few bytes can be packed that grow without end: no more is unpacked than a scene may have
async function unpack(packed) {
  if (!/^[\w-]+$/.test(packed)) throw new Error("not a scene");
  const letters = atob(packed.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    text += decoder.decode(value, { stream: true });
    if (text.length > LONGEST_TEXT) throw new Error("too long");
  }
}
