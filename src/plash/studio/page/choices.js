// What can be chosen: scenes, and views of them.

import { $, made } from "./dom.js";

const VIEWS = {
  surface: ["Surface", "where the liquid ends"],
  particles: ["Particles", "coloured by speed"],
  velocity: ["Velocity", "on the faces of cells"],
  pressure: ["Pressure", "that keeps it incompressible"],
  divergence: ["Divergence", "after the projection"],
  divergence_before: ["Divergence", "before the projection"],
  cells: ["Cells", "liquid, air, solid"],
  tiles: ["Tiles", "the grid exists only here"],
  density: ["Density", "of the fluid"],
  color: ["Colour", "that particles carry"],
  temperature: ["Temperature", "how warm it is"],
  viscosity: ["Viscosity", "how thick it is"],
  smoke: ["Smoke", "and flames, as they are seen"],
  flame: ["Flame", "fuel that is hot enough"],
  vorticity: ["Vorticity", "which way it turns, and how fast"],
  phi: ["φ", "distance to the surface"],
  band: ["Band", "where φ is kept"],
  signed: ["Signed particles", "that correct φ"],
};

const AIR = { cells: ["Cells", "air near smoke, beyond, solid"], density: ["Density", "of smoke"] };

// Views that the page does not know are particles, coloured by a quantity that they carry
export function fillViews({ views, quantities, method }, now, choose) {
  const entries = { ...VIEWS, ...(method === "smoke" ? AIR : {}) };
  for (const [name, { title, about }] of Object.entries(quantities)) entries[name] = [title, about];
  $("#views").replaceChildren(
    ...views.map((name) =>
      made(
        "button",
        { "data-view": name, ariaPressed: name === now, onclick: () => choose(name) },
        entries[name][0],
        made("small", { textContent: entries[name][1] }),
      ),
    ),
  );
}

export const LAST = "last scene"; // the one that this browser had, before it was closed

export function fillScenes(presets, hasLast) {
  $("#preset").append(
    ...presets.map(({ name, title, sentence }) =>
      made("option", { value: name, textContent: title, title: sentence }),
    ),
  );
  if (hasLast)
    $("#preset").append(made("option", { value: LAST, textContent: "Your last scene", title: "as this browser kept it" }));
}

// The scene that is shown; one from a file is added to those offered
export function markScene({ title }) {
  const own = [...$("#preset").options].find((option) => option.textContent === title);
  if (own) $("#preset").value = own.value;
  else {
    $("#preset").querySelector("[data-other]")?.remove();
    $("#preset").append(
      made("option", { value: "", textContent: title || "Opened scene", selected: true, "data-other": "" }),
    );
    $("#preset").value = "";
  }
}
