// The socket to the simulation: texts up, texts and frames down.

const TYPES = { int8: Int8Array, uint8: Uint8Array, int16: Int16Array, uint16: Uint16Array, float32: Float32Array };

export function frameOf(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const frame = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  const arrays = {};
  for (const { name, type, shape, start } of frame.arrays) {
    const count = shape.reduce((product, n) => product * n, 1);
    arrays[name] = { shape, data: new TYPES[type](buffer, 4 + length + start, count) };
  }
  frame.arrays = arrays;
  return frame;
}

export class Link {
  constructor(listeners) {
    this.listeners = listeners;
    this.isOpen = false;
    this.waiting = null;
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    this.socket = new WebSocket(`${scheme}://${location.host}/live`);
    this.socket.binaryType = "arraybuffer";
    this.socket.onopen = () => {
      this.isOpen = true;
      listeners.open();
    };
    this.socket.onclose = (event) => {
      this.isOpen = false;
      listeners.close(event.code, event.reason);
    };
    this.socket.onmessage = ({ data }) => (typeof data === "string" ? this.#text(JSON.parse(data)) : this.#frame(data));
  }

  say(kind, data = {}) {
    if (this.isOpen) this.socket.send(JSON.stringify({ kind, ...data }));
  }

  sendPicture(bytes) {
    if (this.isOpen) this.socket.send(bytes);
  }

  seen(number) {
    this.say("seen", { frame: number });
  }

  // A text says something of the frames that come after it
  #text(message) {
    this.#deliver();
    this.listeners[message.kind]?.(message);
  }

  #deliver() {
    const frame = this.waiting;
    this.waiting = null;
    if (frame) this.listeners.frame(frame);
  }

  // A frame is drawn with the next picture of the screen; a newer one takes its place
  #frame(buffer) {
    const isFirst = this.waiting === null;
    if (!isFirst) {
      const { solid, other_solid } = this.waiting.arrays;
      this.seen(this.waiting.number);
      this.waiting = frameOf(buffer);
      const { arrays } = this.waiting;
      if (solid) arrays.solid ??= solid;
      if (other_solid) arrays.other_solid ??= other_solid;
      return;
    }
    this.waiting = frameOf(buffer);
    requestAnimationFrame(() => this.#deliver());
  }
}
