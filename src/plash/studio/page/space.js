// Surfaces of a run in space: PLY files as plash writes them, shown with three.js.

import { OrbitControls } from "/page/lib/OrbitControls.js";
import * as THREE from "/page/lib/three.module.min.js";

const LIQUID = 0x2f86d8; // colour of liquid that carries none

export class Space {
  constructor(canvas) {
    this.canvas = canvas;
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, alpha: true, preserveDrawingBuffer: true });
    this.scene = new THREE.Scene();
    this.camera = new THREE.PerspectiveCamera(35, 1, 0.001, 1000);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.addEventListener("change", () => this.draw());
    const sun = new THREE.DirectionalLight(0xffffff, 2.4),
      back = new THREE.DirectionalLight(0xbcd7ff, 1.1);
    sun.position.set(2, 4, 3);
    back.position.set(-3, 1, -2);
    this.scene.add(sun, back, new THREE.HemisphereLight(0xffffff, 0x51606f, 1.5));
    this.material = new THREE.MeshStandardMaterial({
      color: LIQUID,
      roughness: 0.22,
      metalness: 0.05,
      side: THREE.DoubleSide,
    });
    this.mesh = new THREE.Mesh(new THREE.BufferGeometry(), this.material);
    this.scene.add(this.mesh);
    this.box = null;
    new ResizeObserver(() => this.draw()).observe(canvas);
  }

  begin(size, dark) {
    const [x, y, z = 0] = size;
    if (this.box) this.scene.remove(this.box);
    this.box = new THREE.LineSegments(
      new THREE.EdgesGeometry(new THREE.BoxGeometry(x, y, z || 1e-6)),
      new THREE.LineBasicMaterial({ color: dark ? 0x4a5768 : 0xa9b4c2 }),
    );
    this.box.position.set(x / 2, y / 2, z / 2);
    this.scene.add(this.box);
    const aspect = this.canvas.clientWidth / Math.max(this.canvas.clientHeight, 1);
    const reach = Math.hypot(x, y, z) * Math.max(1, 1.35 / Math.max(aspect, 0.3));
    this.controls.target.set(x / 2, y * 0.42, z / 2);
    this.camera.position.set(x / 2 + (z ? 0.5 : 0) * reach, y / 2 + (z ? 0.5 : 0) * reach, z / 2 + 1.3 * reach);
    this.camera.near = reach / 200;
    this.camera.far = reach * 20;
    this.controls.update();
  }

  show(buffer) {
    const { places, normals, colors, faces } = plyOf(buffer),
      geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(places, 3));
    geometry.setIndex(new THREE.BufferAttribute(faces, 1));
    if (normals) geometry.setAttribute("normal", new THREE.BufferAttribute(normals, 3));
    else geometry.computeVertexNormals();
    if (colors) geometry.setAttribute("color", new THREE.BufferAttribute(colors, 3));
    if (this.material.vertexColors !== Boolean(colors)) {
      this.material.vertexColors = Boolean(colors);
      this.material.color.set(colors ? 0xffffff : LIQUID);
      this.material.needsUpdate = true;
    }
    this.mesh.geometry.dispose();
    this.mesh.geometry = geometry;
    this.triangles = faces.length / 3;
    this.draw();
  }

  set({ wireframe, smooth }) {
    this.material.wireframe = wireframe;
    this.material.flatShading = !smooth;
    this.material.needsUpdate = true;
    this.draw();
  }

  draw() {
    const { clientWidth: w, clientHeight: h } = this.canvas;
    if (!w || !h) return;
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, 2));
    this.renderer.setSize(w, h, false);
    this.camera.aspect = w / h;
    this.camera.updateProjectionMatrix();
    this.renderer.render(this.scene, this.camera);
  }
}

export function plyOf(buffer) {
  const head = new TextDecoder("ascii").decode(buffer.slice(0, 2000)),
    end = head.indexOf("end_header\n");
  if (!head.startsWith("ply\nformat binary_little_endian") || end < 0)
    throw new Error("This is no surface that plash wrote.");
  const header = head.slice(0, end),
    start = end + 11;
  const count = (what) => Number(header.match(new RegExp(`^element ${what} (\\d+)$`, "m"))?.[1] ?? 0);
  const names = [...header.matchAll(/^property float (\w+)$/gm)].map((match) => match[1]),
    n = count("vertex"),
    m = count("face"),
    shades = [...header.matchAll(/^property uchar \w+$/gm)].length,
    width = 4 * names.length + shades; // bytes of a vertex
  const rows = new DataView(buffer, start, width * n);
  const columns = (wanted) => {
    const at = wanted.map((name) => names.indexOf(name));
    if (at.includes(-1)) return null;
    const out = new Float32Array(3 * n);
    for (let i = 0; i < n; i++) for (let k = 0; k < 3; k++) out[3 * i + k] = rows.getFloat32(i * width + 4 * at[k], true);
    return out;
  };
  const faces = new Uint32Array(3 * m),
    view = new DataView(buffer, start + width * n);
  for (let i = 0; i < m; i++) for (let k = 0; k < 3; k++) faces[3 * i + k] = view.getInt32(13 * i + 1 + 4 * k, true);
  return {
    places: columns(["x", "y", "z"]),
    normals: columns(["nx", "ny", "nz"]),
    colors: columns(["light_red", "light_green", "light_blue"]),
    faces,
  };
}
