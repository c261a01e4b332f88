// Numbers as people read them.

/** A number with a unit and four digits. */
export function quantity(x: number, unit: string): string {
  if (!isFinite(x)) return '–';
  // What is below a picometre or a piconewton is rounding.
  if (Math.abs(x) < 1e-12) return `0 ${unit}`.trim();
  const steps: [number, string][] = [[1e3, 'k'], [1, ''], [1e-3, 'm'], [1e-6, 'µ'], [1e-9, 'n']];
  const size = Math.abs(x);
  if (!unit || unit.startsWith('rad')) return `${x.toPrecision(4)} ${unit}`.trim();
  const [scale, prefix] = steps.find(([s]) => size >= s && !(s > 1 && unit === 'm')) ?? [1e-9, 'n'];
  return `${(x / scale).toPrecision(4)} ${prefix}${unit}`;
}

export function element<K extends keyof HTMLElementTagNameMap>(name: K, attributes: Record<string, string> = {}, ...children: (Node | string)[]): HTMLElementTagNameMap[K] {
  const e = document.createElement(name);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
  e.append(...children);
  return e;
}

export const MODES = ['touches', 'sticks', 'slips', 'touches without pressing'];
