// The friction limit of a contact and the load inside it, as SVG.
//
// Axes are tangential force along and across the patch (N) and moment about the normal (N·m), each in units of its
// own limit, so that the friction ellipsoid of the law is a ball; the load is a point in it.

const SVG = 'http://www.w3.org/2000/svg';
const SIZE = 250;
const R = 84;
const TURN = -0.62;
const TILT = 0.38;

export interface Load {
  /** Shares of the limits. */
  share: [number, number, number];
  used: number;
  slips: boolean;
  label: string;
  limits: [string, string];
}

function place([x, y, z]: number[]): [number, number, number] {
  const [u, v] = [x * Math.cos(TURN) - y * Math.sin(TURN), x * Math.sin(TURN) + y * Math.cos(TURN)];
  return [SIZE / 2 + R * u, SIZE / 2 + 6 - R * (z * Math.cos(TILT) + v * Math.sin(TILT)), v * Math.cos(TILT) - z * Math.sin(TILT)];
}

export function drawLimit(host: Element, load: Load): void {
  host.replaceChildren();
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', `0 0 ${SIZE} ${SIZE}`);
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', load.label);
  const add = (name: string, attributes: Record<string, string | number>, text?: string) => {
    const e = document.createElementNS(SVG, name);
    for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, String(v));
    if (text) e.textContent = text;
    svg.append(e);
    return e;
  };
  const [cx, cy] = place([0, 0, 0]);
  add('circle', { cx, cy, r: R, class: 'limit-ball' });
  const line = (points: number[][], name: string) => {
    let [front, back] = ['', ''];
    points.forEach((p, k) => {
      if (k === 0) return;
      const [a, b] = [place(points[k - 1]), place(p)];
      const d = `M${a[0].toFixed(1)} ${a[1].toFixed(1)}L${b[0].toFixed(1)} ${b[1].toFixed(1)}`;
      if (a[2] + b[2] > 0) back += d;
      else front += d;
    });
    add('path', { d: back, class: `${name} limit-back` });
    add('path', { d: front, class: name });
  };
  const circle = (of: (c: number, s: number) => number[]) =>
    line(Array.from({ length: 49 }, (_, k) => of(Math.cos((k * Math.PI) / 24), Math.sin((k * Math.PI) / 24))), 'limit-line');
  for (const z of [-0.6, 0, 0.6]) {
    const r = Math.sqrt(1 - z * z);
    circle((c, s) => [r * c, r * s, z]);
  }
  for (let k = 0; k < 4; k++) {
    const [u, v] = [Math.cos((k * Math.PI) / 4), Math.sin((k * Math.PI) / 4)];
    circle((c, s) => [u * c, v * c, s]);
  }
  const names = ['f₁', 'f₂', 'τ'];
  [
    [1.28, 0, 0],
    [0, 1.28, 0],
    [0, 0, 1.2],
  ].forEach((end, k) => {
    const [x, y] = place(end);
    add('path', { d: `M${cx} ${cy}L${x} ${y}`, class: 'limit-axis' });
    add('text', { x: x + (k === 0 ? 8 : k === 1 ? 6 : 0), y: y - 4, 'text-anchor': 'middle', class: 'limit-text' }, names[k]);
  });
  const [x, y] = place(load.share);
  const foot = place([load.share[0], load.share[1], 0]);
  const tone = load.slips ? 'var(--slip)' : 'var(--stick)';
  add('path', { d: `M${foot[0]} ${foot[1]}L${x} ${y}`, class: 'limit-drop' });
  add('path', { d: `M${cx} ${cy}L${x} ${y}`, stroke: tone, 'stroke-width': 3 });
  add('circle', { cx: x, cy: y, r: 6, fill: tone, stroke: 'var(--paper)', 'stroke-width': 1.5, id: 'limit-load' });
  add('text', { x: 6, y: 15, class: 'limit-text' }, load.limits[0]);
  add('text', { x: 6, y: SIZE - 6, class: 'limit-text' }, load.limits[1]);
  host.append(svg);
}
