// Streamlines: paths that follow the velocity of this moment, from the faces of cells, spread evenly over the picture.

const UNKNOWN = -32768,
  APART = 0.024, // between two lines, of the longer side of the domain
  STEP = 0.4, // cells
  MOST = 400; // steps of a line, either way

// The velocity in cells (x and y in cells), or null where it is not known
function sampler({ data, shape }) {
  const [, rows, columns] = shape;
  const at = (axis, i, j) => data[(axis * rows + j) * columns + i];
  const mean = (axis, x, y) => {
    const i = Math.min(columns - 2, Math.max(0, Math.floor(x))),
      j = Math.min(rows - 2, Math.max(0, Math.floor(y))),
      fx = Math.min(1, Math.max(0, x - i)),
      fy = Math.min(1, Math.max(0, y - j));
    const corners = [at(axis, i, j), at(axis, i + 1, j), at(axis, i, j + 1), at(axis, i + 1, j + 1)];
    if (corners.includes(UNKNOWN)) return null;
    return (corners[0] * (1 - fx) + corners[1] * fx) * (1 - fy) + (corners[2] * (1 - fx) + corners[3] * fx) * fy;
  };
  return (x, y) => {
    const u = mean(0, x, y - 0.5),
      v = mean(1, x - 0.5, y);
    return u === null || v === null ? null : [u, v];
  };
}

// Lines of points in cells. `isInside` says where fluid is
export function streamlines(velocity, cells, isInside) {
  const [nx, ny] = cells,
    apart = Math.max(1.5, APART * Math.max(nx, ny)),
    field = sampler(velocity),
    columns = Math.ceil(nx / apart),
    rows = Math.ceil(ny / apart),
    taken = new Uint8Array(columns * rows),
    lines = [];
  let fastest = 1;
  for (const value of velocity.data) if (value !== UNKNOWN) fastest = Math.max(fastest, Math.abs(value));
  const box = (x, y) => Math.floor(y / apart) * columns + Math.floor(x / apart);
  const follow = (x, y, sign, own) => {
    const points = [];
    for (let n = 0; n < MOST; n++) {
      const first = field(x, y);
      if (!first) break;
      const speed = Math.hypot(...first);
      if (speed < 0.004 * fastest) break;
      const half = (0.5 * sign * STEP) / speed,
        second = field(x + half * first[0], y + half * first[1]);
      if (!second) break;
      const length = Math.hypot(...second);
      if (length < 0.004 * fastest) break;
      x += (sign * STEP * second[0]) / length;
      y += (sign * STEP * second[1]) / length;
      if (x < 0 || y < 0 || x >= nx || y >= ny || !isInside(x, y)) break;
      const here = box(x, y);
      if (taken[here] && !own.has(here)) break;
      own.add(here);
      points.push([x, y]);
    }
    return points;
  };
  for (let j = 0; j < rows; j++)
    for (let i = 0; i < columns; i++) {
      const x = Math.min(nx - 0.01, (i + 0.5) * apart),
        y = Math.min(ny - 0.01, (j + 0.5) * apart);
      if (taken[box(x, y)] || !isInside(x, y)) continue;
      const own = new Set([box(x, y)]),
        after = follow(x, y, 1, own),
        before = follow(x, y, -1, own);
      if (after.length + before.length < 8) continue;
      for (const here of own) taken[here] = 1;
      lines.push([...before.reverse(), [x, y], ...after]);
    }
  return lines;
}
