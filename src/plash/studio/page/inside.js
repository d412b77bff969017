// The glass box: a time step, one stage at a time, with the equation and the function of each.

import { made } from "./dom.js";

const math = (body) => `<math display="block" tabindex="0">${body}</math>`; // it may be wider than the panel
const u = "<mi mathvariant='bold'>u</mi>",
  star = `<msup>${u}<mo>*</mo></msup>`,
  dt = "<mrow><mi>Δ</mi><mi>t</mi></mrow>",
  nabla = "<mo>∇</mo>";

const STAGES = [
  [
    "grid",
    "Where everything is",
    "Particles are sorted by tile, and each cell is labelled: liquid where the distance to the surface is negative, solid, or air.",
    math(
      "<mrow><mi>φ</mi><mo>(</mo><mi mathvariant='bold'>x</mi><mo>)</mo><mo>&lt;</mo><mn>0</mn><mo>⇒</mo><mtext>liquid</mtext></mrow>",
    ),
    "sort_particles, SurfaceTracker.label",
    ["cells", "tiles", "surface"],
  ],
  [
    "advect",
    "Carry the velocity along",
    "Particles give their velocity (APIC: and its gradient) to the faces of cells near them: a mean with weights that fall off over one cell.",
    math(
      `<mrow><msub><mi>u</mi><mi>f</mi></msub><mo>=</mo><mfrac><mrow><msub><mo>∑</mo><mi>p</mi></msub><msub><mi>w</mi><mrow><mi>f</mi><mi>p</mi></mrow></msub><msub><mi>V</mi><mi>p</mi></msub><mrow><mo>(</mo><msub><mi>u</mi><mi>p</mi></msub><mo>+</mo><msub><mi>C</mi><mi>p</mi></msub><mi>Δ</mi><mi mathvariant='bold'>x</mi><mo>)</mo></mrow></mrow><mrow><msub><mo>∑</mo><mi>p</mi></msub><msub><mi>w</mi><mrow><mi>f</mi><mi>p</mi></mrow></msub><msub><mi>V</mi><mi>p</mi></msub></mrow></mfrac></mrow>`,
    ),
    "Transfer.to_grid → particles_to_grid",
    ["velocity", "particles"],
  ],
  [
    "forces",
    "Forces and viscosity",
    "Gravity speeds everything up, viscosity evens out differences. Now the velocity is no longer free of divergence.",
    math(
      `<mrow>${star}<mo>=</mo>${u}<mo>+</mo>${dt}<mrow><mo>(</mo><mi mathvariant='bold'>g</mi><mo>+</mo><mi>ν</mi><msup>${nabla}<mn>2</mn></msup>${u}<mo>)</mo></mrow></mrow>`,
    ),
    "Forces.add, Viscosity.apply",
    ["velocity", "divergence"],
  ],
  [
    "project",
    "Make it incompressible",
    "The pressure that leaves just the divergence with which straight moves keep volume is found by conjugate gradients with multigrid, and its gradient is subtracted.",
    math(
      `<mrow><mfrac>${dt}<mi>ρ</mi></mfrac><msup>${nabla}<mn>2</mn></msup><mi>p</mi><mo>=</mo>${nabla}<mo>·</mo>${star}<mo>,</mo><mspace width='.6em'/>${u}<mo>=</mo>${star}<mo>−</mo><mfrac>${dt}<mi>ρ</mi></mfrac>${nabla}<mi>p</mi></mrow>`,
    ),
    "Solids.enforce_no_flux, PressureSolver.project",
    ["pressure", "divergence", "velocity"],
  ],
  [
    "extrapolate",
    "Continue it into the air",
    "Particles near the surface will read velocities beyond it: each unknown face takes the mean of its known neighbours, layer by layer.",
    math(
      `<mrow><msub><mi>u</mi><mi>f</mi></msub><mo>=</mo><mfrac><mn>1</mn><mi>n</mi></mfrac><msub><mo>∑</mo><mtext>known</mtext></msub><msub><mi>u</mi><mi>g</mi></msub></mrow>`,
    ),
    "extrapolate, Solids.enforce_slip",
    ["velocity"],
  ],
  [
    "move",
    "Carry everything along",
    "Particles take the new velocity, are spread evenly where they crowd, and move straight ahead.",
    math(
      `<mrow><msub><mi mathvariant='bold'>x</mi><mi>p</mi></msub><mo>+=</mo>${dt}<mspace width='.2em'/>${u}<mo>(</mo><msub><mi mathvariant='bold'>x</mi><mi>p</mi></msub><mo>)</mo></mrow>`,
    ),
    "Transfer.to_particles, DensityCorrection.correct, move_particles",
    ["particles", "surface"],
  ],
];
const ADVECTED = math(
  `<mrow><mi>q</mi><mo>(</mo><mi mathvariant='bold'>x</mi><mo>)</mo><mo>←</mo><mi>q</mi><mo>(</mo><mi mathvariant='bold'>x</mi><mo>−</mo>${dt}<mspace width='.2em'/>${u}<mo>)</mo></mrow>`,
);
const STABLE = [
  [
    "force",
    "Forces",
    "Weight, pours and whatever pushes are added, and half of the last pressure.",
    math(`<mrow>${u}<mo>+=</mo>${dt}<mspace width='.2em'/><mi mathvariant='bold'>f</mi></mrow>`),
    "StableFluidsSolver._add_forces",
    ["velocity", "divergence"],
  ],
  [
    "advect",
    "Carry the velocity along",
    "Each face takes what was upstream of it: traced back along the velocity, so that no step is too long to be stable.",
    ADVECTED,
    "DenseAdvection.carried",
    ["velocity", "divergence"],
  ],
  [
    "diffuse",
    "Viscosity",
    "Solved implicitly: stable however viscous the fluid is.",
    math(
      `<mrow><mo>(</mo><mi>I</mi><mo>−</mo><mi>ν</mi>${dt}<msup>${nabla}<mn>2</mn></msup><mo>)</mo>${star}<mo>=</mo>${u}</mrow>`,
    ),
    "Diffusion.apply",
    ["velocity", "divergence"],
  ],
  [
    "project",
    "Make it incompressible",
    "The pressure that removes all divergence is found, and its gradient is subtracted.",
    math(
      `<mrow><mfrac>${dt}<mi>ρ</mi></mfrac><msup>${nabla}<mn>2</mn></msup><mi>p</mi><mo>=</mo>${nabla}<mo>·</mo>${star}<mo>,</mo><mspace width='.6em'/>${u}<mo>=</mo>${star}<mo>−</mo><mfrac>${dt}<mi>ρ</mi></mfrac>${nabla}<mi>p</mi></mrow>`,
    ),
    "DenseProjection.project",
    ["pressure", "divergence", "velocity"],
  ],
  [
    "scalars",
    "Carry the density along",
    "The liquid is where the density is: it is traced back too, through the new velocity.",
    ADVECTED,
    "StableFluidsSolver._updated",
    ["density", "surface"],
  ],
];
const LEVEL_SET = STAGES.map((stage) => [...stage]);
LEVEL_SET[0].splice(
  2,
  4,
  "The surface is where φ is zero. Each cell is labelled by the sign of φ, which is kept in a band of seven cells on either side.",
  math(
    "<mrow><mi>φ</mi><mo>(</mo><mi mathvariant='bold'>x</mi><mo>)</mo><mo>&lt;</mo><mn>0</mn><mo>⇒</mo><mtext>liquid</mtext><mo>,</mo><mspace width='.6em'/><mrow><mo>|</mo><mo>∇</mo><mi>φ</mi><mo>|</mo></mrow><mo>=</mo><mn>1</mn></mrow>",
  ),
  "LevelSetLiquid.label",
  ["band", "phi", "cells"],
);
LEVEL_SET[1].splice(
  2,
  4,
  "The velocity lives on the grid: each face takes what was upstream of it.",
  ADVECTED,
  "WideSemiLagrangian.to_grid → trace_back",
  ["velocity"],
);
LEVEL_SET[5].splice(
  2,
  4,
  "φ is carried along; particles that ended up on the wrong side of it correct it; and it becomes a distance again.",
  math(
    `<mrow><mi>φ</mi><mo>(</mo><mi mathvariant='bold'>x</mi><mo>)</mo><mo>←</mo><mi>φ</mi><mo>(</mo><mi mathvariant='bold'>x</mi><mo>−</mo>${dt}<mspace width='.2em'/>${u}<mo>)</mo></mrow>`,
  ),
  "LevelSet.follow → carry, correct, mended_distance",
  ["phi", "signed", "surface"],
);
const SMOKE = [
  [
    "grid",
    "Where smoke is",
    "Air is followed near smoke, heat and sources alone: tiles appear where they go, and vanish behind them.",
    math(
      "<mrow><mrow><mo>|</mo><mi>ρ</mi><mo>|</mo></mrow><mo>&gt;</mo><msub><mi>ρ</mi><mtext>least</mtext></msub><mo>⇒</mo><mtext>followed</mtext></mrow>",
    ),
    "SmokeSolver.follow_smoke, Envelope.label",
    ["tiles", "cells", "smoke"],
  ],
  [
    "advect",
    "Carry everything along",
    "Smoke and heat go through the faces of cells, so that none is lost; the velocity is traced back and corrected. Then sources give, fuel burns, and smoke fades.",
    ADVECTED,
    "Transport.carried, Advection.carried, Fire.burn",
    ["smoke", "density", "velocity"],
  ],
  [
    "forces",
    "Forces",
    "What is warm rises, dense smoke sinks; swirls are spun up again, and the border is drawn to the wind.",
    math(
      `<mrow>${star}<mo>=</mo>${u}<mo>+</mo>${dt}<mrow><mo>(</mo><mrow><mo>(</mo><mi>α</mi><mi>T</mi><mo>−</mo><mi>β</mi><mi>ρ</mi><mo>)</mo></mrow><mi mathvariant='bold'>y</mi><mo>+</mo><mi>ε</mi><mi>h</mi><mrow><mo>(</mo><mi mathvariant='bold'>N</mi><mo>×</mo><mi mathvariant='bold'>ω</mi><mo>)</mo></mrow><mo>)</mo></mrow></mrow>`,
    ),
    "Buoyancy.add, Confinement.add, Wind.draw",
    ["velocity", "vorticity", "divergence"],
  ],
  [
    "project",
    "Make it incompressible",
    "The pressure that removes all divergence, but for what burning air asks for, is found, and its gradient is subtracted.",
    math(
      `<mrow><mfrac>${dt}<mi>ρ</mi></mfrac><msup>${nabla}<mn>2</mn></msup><mi>p</mi><mo>=</mo>${nabla}<mo>·</mo>${star}<mo>,</mo><mspace width='.6em'/>${u}<mo>=</mo>${star}<mo>−</mo><mfrac>${dt}<mi>ρ</mi></mfrac>${nabla}<mi>p</mi></mrow>`,
    ),
    "PressureSolver.project, Solids.enforce_slip",
    ["vorticity", "divergence", "velocity"],
  ],
];
const KINDS = { liquid: STAGES, levelset: LEVEL_SET, stable_fluids: STABLE, smoke: SMOKE };

export class Inside {
  constructor(box, say, setView) {
    this.follow = made("input", { type: "checkbox", checked: true, id: "follow" });
    const next = made("button", {
      class: "main",
      id: "next-stage",
      textContent: "Next stage",
      title: "N",
      onclick: () => say("stage"),
    });
    const step = made("button", { textContent: "Whole step", title: ".", onclick: () => say("step") });
    this.list = made("ol", { class: "stages" });
    box.append(
      made("p", {
        textContent:
          "Every step of the method, from start to end. Take it apart: the picture shows what each stage left behind.",
      }),
      made("div", { class: "inside-buttons" }, next, step),
      made(
        "label",
        { class: "row switch" },
        made("span", { textContent: "Show the field of each stage" }),
        this.follow,
      ),
      this.list,
    );
    this.setView = setView;
    this.last = "";
    this.setKind("liquid");
  }

  setKind(kind) {
    if (kind === this.kind) return;
    this.kind = kind;
    this.items = Object.fromEntries(KINDS[kind].map((stage) => [stage[0], this.#item(stage)]));
    this.list.replaceChildren(...Object.values(this.items).map(({ item }) => item));
  }

  #item([name, title, sentence, equation, code, views]) {
    const time = made("span", { class: "ms" }),
      sum = made("div");
    sum.innerHTML = equation;
    const see = views.map((view) => made("button", { textContent: view, onclick: () => this.setView(view) }));
    const item = made(
      "li",
      { "data-stage": name },
      time,
      made("b", { textContent: title }),
      made("p", { textContent: sentence }),
      sum,
      made("code", { textContent: code }),
      made("div", { class: "see" }, ...see),
    );
    return { item, time, views };
  }

  take(frame) {
    const names = Object.keys(this.items),
      now = names.indexOf(frame.stage);
    names.forEach((name, i) => {
      const { item, time } = this.items[name];
      item.classList.toggle("now", i === now);
      item.classList.toggle("done", i < now);
      const ms = frame.milliseconds[name];
      time.textContent = ms === undefined ? "" : `${ms.toFixed(ms < 10 ? 1 : 0)} ms`;
    });
    if (frame.stage && frame.stage !== this.last && this.follow.checked)
      this.setView(this.items[frame.stage]?.views[0] ?? "surface");
    if (frame.stage && frame.stage !== this.last)
      this.items[frame.stage]?.item.scrollIntoView({ block: "start", behavior: "smooth" });
    this.last = frame.stage;
  }
}
