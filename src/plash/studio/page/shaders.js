// What the graphics card computes: the fluid from its distance field, numbers by cell as colours, particles as dots.

export const QUAD = `#version 300 es
layout(location = 0) in vec2 corner;
uniform vec4 frame;          // of the picture on the screen: left, bottom, right, top in metres
out vec2 place;
void main() {
  place = mix(frame.xy, frame.zw, corner);
  gl_Position = vec4(2.0 * corner - 1.0, 0.0, 1.0);
}`;

// MODE is 0 surface, 1 faint, 2 one sign, 3 two signs, 4 cells, 5 density, 6 smoke, 7 tint, 8 flame; the other choices say
// which textures there are. A program is made for each set of choices: a processor that stands in for a graphics card
// would compute all branches for every pixel.
export const fluid = (choices) => `#version 300 es
${Object.entries(choices)
  .map(([name, value]) => `#define ${name} ${Number(value)}`)
  .join("\n")}
precision highp float;
in vec2 place;
out vec4 color;
uniform sampler2D phi, solid, value, density, depth, tint, smoke, flame;
uniform vec2 size, cells;
uniform float pixel;         // metres a pixel
uniform float levels, faint; // lines of equal value for each colour; how much of smoke is seen
uniform bool dark;
uniform vec3 liquid, soot;   // colours

float distanceAt(sampler2D field, vec2 uv, vec2 count) {
  // Cubic B-spline from four linear samples (Sigg and Hadwiger 2005): no facets however large a cell is
  float rough = texture(field, uv).r * 127.0 / 32.0;
  if (abs(rough) > 2.5) return rough;  // where nothing of the outline is seen
  vec2 at = uv * count - 0.5, whole = floor(at), f = at - whole;
  vec2 w0 = (1.0 - f) * (1.0 - f) * (1.0 - f) / 6.0, w1 = 2.0 / 3.0 - 0.5 * f * f * (2.0 - f);
  vec2 w2 = 2.0 / 3.0 - 0.5 * (1.0 - f) * (1.0 - f) * (1.0 + f), w3 = f * f * f / 6.0;
  vec2 g0 = w0 + w1, g1 = w2 + w3;
  vec2 h0 = (whole - 0.5 + w1 / g0) / count, h1 = (whole + 1.5 + w3 / g1) / count;
  float low = mix(texture(field, vec2(h1.x, h0.y)).r, texture(field, h0).r, g0.x);
  float high = mix(texture(field, h1).r, texture(field, vec2(h0.x, h1.y)).r, g0.x);
  return mix(high, low, g0.y) * 127.0 / 32.0;
}

vec3 oneSign(float t) {      // dark blue to yellow through teal (viridis, fitted)
  t = clamp(t, 0.0, 1.0);
  const vec3 c0 = vec3(0.277727, 0.005407, 0.334100), c1 = vec3(0.105093, 1.404613, 1.384590);
  const vec3 c2 = vec3(-0.330862, 0.214848, 0.095095), c3 = vec3(-4.634230, -5.799101, -19.332441);
  const vec3 c4 = vec3(6.228270, 14.179933, 56.690553), c5 = vec3(4.776385, -13.745145, -65.353033);
  const vec3 c6 = vec3(-5.435456, 4.645853, 26.312435);
  return c0 + t * (c1 + t * (c2 + t * (c3 + t * (c4 + t * (c5 + t * c6)))));
}

vec3 twoSigns(float t) {     // blue, neutral, red
  vec3 middle = dark ? vec3(0.16, 0.19, 0.23) : vec3(0.94, 0.95, 0.96);
  vec3 low = dark ? vec3(0.30, 0.62, 1.0) : vec3(0.10, 0.36, 0.78), high = dark ? vec3(1.0, 0.45, 0.36) : vec3(0.80, 0.20, 0.14);
  float strength = pow(clamp(abs(t), 0.0, 1.0), 0.6);
  return mix(middle, t < 0.0 ? low : high, strength);
}

vec3 fire(float t) {         // dark red, orange, yellow, nearly white
  vec3 low = mix(vec3(0.45, 0.05, 0.02), vec3(0.93, 0.33, 0.05), clamp(t / 0.35, 0.0, 1.0));
  vec3 high = mix(low, vec3(1.0, 0.78, 0.25), clamp((t - 0.35) / 0.35, 0.0, 1.0));
  return mix(high, vec3(1.0, 0.96, 0.80), clamp((t - 0.7) / 0.3, 0.0, 1.0));
}

vec3 paper() {
  vec3 base = dark ? vec3(0.058, 0.078, 0.105) : vec3(1.0);
#if LINES
  vec2 to = abs(fract(place / size * cells + 0.5) - 0.5) * size / cells / pixel;
  base = mix(base, dark ? vec3(0.17, 0.21, 0.27) : vec3(0.85, 0.88, 0.92), 1.0 - smoothstep(0.4, 1.1, min(to.x, to.y)));
#endif
  return base;
}

vec3 body(vec3 c, vec2 uv, float gap) {  // liquid, at a distance from its surface in widths of the outline
  float below = texture(depth, uv).r * 16.0, rim = exp(-below / 1.6), dim = 0.70 + 0.30 * exp(-below / 9.0);
#if TINT
  vec3 own = texture(tint, uv).rgb;
  rim *= 0.4; dim = 1.0;  // colours are seen as they are
#else
  vec3 own = liquid;
#endif
  vec3 inner = mix(own * dim, mix(own, vec3(1.0), dark ? 0.34 : 0.5), rim);
  c = mix(c, inner, smoothstep(0.7, -0.7, gap) * (MODE == 0 ? 0.96 : (dark ? 0.20 : 0.16)));
  float line = smoothstep(1.6, 0.4, abs(gap + 0.8)) * smoothstep(2.0, 1.0, below);
  return mix(c, MODE == 0 ? mix(own, dark ? vec3(0.9, 0.97, 1.0) : vec3(0.02, 0.2, 0.5), 0.5) : liquid, line * (MODE == 0 ? 0.55 : 0.8));
}

void main() {
  vec2 uv = place / size;
  vec3 outside = dark ? vec3(0.039, 0.055, 0.075) : vec3(0.968, 0.976, 0.988);
  vec2 over = max(-place, place - size);
  float inside = smoothstep(0.75, -0.75, max(over.x, over.y) / pixel);
  vec3 c = paper();
  float h = size.x / cells.x;
#if PHI
  float gap = distanceAt(phi, uv, cells);
#else
  float gap = 4.0;
#endif
  float soft = min(pixel, 0.5 * h);
#if MODE == 0 || MODE == 1
  if (gap < 2.5) c = body(c, uv, gap * h / soft);
#elif MODE == 5
  float t = texture(density, uv).r;
  c = mix(c, mix(liquid, vec3(1.0), dark ? t * 0.5 : 0.15 * (1.0 - t)), smoothstep(0.0, 0.9, t));
#elif MODE == 6
#if TINT
  if (!dark) c *= vec3(0.53, 0.58, 0.64);  // on which white smoke is seen as well as black
  c = mix(c, texture(tint, uv).rgb, faint * texture(smoke, uv).r);
#else
  c = mix(c, soot, faint * texture(smoke, uv).r);
#endif
#if FLAME
  float burns = texture(flame, uv).r;
  c = mix(c, fire(burns), 1.0 - exp(-5.0 * burns));
#endif
#elif MODE == 7
  c = texture(tint, uv).rgb;
  float line = smoothstep(1.5, 0.4, abs(gap * h / soft));
  c = mix(c, vec3(1.0), line * 0.7);
#elif MODE == 8
  float burns = texture(flame, uv).r;
  c = mix(c, fire(burns), smoothstep(0.0, 0.12, burns));
#elif VALUE && MODE == 4
  float v = texture(value, uv).r;
  vec3 air = dark ? vec3(0.10, 0.13, 0.17) : vec3(0.93, 0.95, 0.97);
  vec3 wet = mix(liquid, vec3(1.0), dark ? 0.35 : 0.45), dry = dark ? vec3(0.42, 0.30, 0.16) : vec3(0.98, 0.85, 0.66);
  vec3 stone = vec3(0.45, 0.48, 0.52), kind = v < 0.5 ? air : v < 1.5 ? liquid : v < 2.5 ? stone : v < 3.5 ? wet : dry;
  c = mix(kind, c, LINES == 1 ? 0.15 : 0.0);
  vec2 to = abs(fract(uv * cells + 0.5) - 0.5) * h / pixel;
  if (h / pixel > 5.0) c = mix(c, c * (dark ? 0.72 : 0.9), 1.0 - smoothstep(0.3, 0.9, min(to.x, to.y)));
#elif VALUE
  float v = texture(value, uv).r;
  if (v > -1.5) {
    if (levels == 0.0 || v < 0.985) c = MODE == 2 ? oneSign(v) : twoSigns(v);
    float level = v * levels;
    if (levels > 0.0 && abs(v) < 0.99) {
      float away = abs(fract(level + 0.5) - 0.5) / max(fwidth(level), 1e-6);
      c = mix(c, c * (dark ? 1.5 : 0.72), 1.0 - smoothstep(0.4, 1.2, away));
    }
  }
  float line = smoothstep(1.5, 0.4, abs(gap * h / soft));
  c = mix(c, dark ? vec3(0.8, 0.9, 1.0) : vec3(0.1, 0.25, 0.45), line * 0.7);
#endif
#if SOLID
  vec2 nodes = 2.0 * cells + 1.0;
  float wall = distanceAt(solid, (uv * 2.0 * cells + 0.5) / nodes, nodes) * h / pixel;
  vec3 shade = dark ? vec3(0.42, 0.47, 0.54) : vec3(0.38, 0.43, 0.50);
  shade = mix(shade, shade * 1.22, smoothstep(-5.0, -0.5, wall));
  c = mix(c, shade, smoothstep(0.7, -0.7, wall));
#endif
  color = vec4(mix(outside, c, inside), 1.0);
}`;

export const DOTS = `#version 300 es
in vec2 dot_place;
in float dot_shade;
in vec3 dot_tone;
uniform vec4 frame;
uniform vec2 size;
uniform float diameter;
uniform bool bySize;
out float shade;
out vec3 tone;
void main() {
  vec2 at = (dot_place * size - frame.xy) / (frame.zw - frame.xy);
  gl_Position = vec4(2.0 * at - 1.0, 0.0, 1.0);
  gl_PointSize = bySize ? max(2.0, diameter * dot_shade) : diameter;
  shade = dot_shade;
  tone = dot_tone;
}`;

export const DOT = `#version 300 es
precision highp float;
in float shade;
in vec3 tone;
out vec4 color;
uniform bool dark, byShade, byTone, bySize;
uniform vec3 liquid;
void main() {
  float r = length(2.0 * gl_PointCoord - 1.0);
  if (r > 1.0) discard;
  vec3 slow = dark ? vec3(0.16, 0.36, 0.85) : vec3(0.09, 0.30, 0.72);
  vec3 middle = dark ? vec3(0.20, 0.78, 0.86) : vec3(0.10, 0.66, 0.74), fast = dark ? vec3(1.0, 0.93, 0.55) : vec3(0.95, 0.45, 0.12);
  float t = sqrt(shade);
  vec3 c = byShade ? (t < 0.5 ? mix(slow, middle, 2.0 * t) : mix(middle, fast, 2.0 * t - 1.0)) : byTone ? tone : liquid;
  float ring = bySize ? mix(0.3, 0.85, smoothstep(0.55, 0.8, r)) : 1.0;
  color = vec4(c, ring * smoothstep(1.0, 0.75, r));
}`;
