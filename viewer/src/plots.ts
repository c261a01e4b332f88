// Curves of the picked contact's pair and of the energies under the replay: zoom by dragging, click to go there.

import uPlot from 'uplot';
import { COL, type Run, type Track } from './data';
import { element } from './words';

interface Drawn {
  name: string;
  unit: string;
  x: number[];
  series: [string, (number | null)[]][];
}

export class Curves {
  private plots: uPlot[] = [];
  private now = 0;
  private data: Drawn[] = [];
  constructor(
    private host: HTMLElement,
    private run: Run,
    private seek: (t: number) => void,
  ) {}

  show(track: Track | null): void {
    this.plots.forEach((p) => p.destroy());
    this.plots = [];
    this.data = [];
    this.host.replaceChildren();
    const x = Array.from(this.run.times);
    if (track) {
      // Contacts come and go: the curves are those of the pair, as far as it touches.
      const { names } = this.run;
      const pair = `${names[track.a]}–${names[track.b]}`;
      const empty = () => new Array<number | null>(x.length).fill(null);
      const [normal, tangential, margin] = [empty(), empty(), empty()];
      for (const t of this.run.track.filter((t) => t.a === track.a && t.b === track.b)) {
        const c = t.column;
        for (let k = 0; k < t.count; k++) {
          const f = t.start + k;
          normal[f] = (normal[f] ?? 0) + c[COL.normal][k];
          tangential[f] = (tangential[f] ?? 0) + Math.hypot(c[COL.f1][k], c[COL.f2][k]);
          if (t.mu !== null) margin[f] = Math.min(margin[f] ?? 1, 1 - c[COL.used][k]);
        }
      }
      this.data.push({ name: `Forces of ${pair}`, unit: 'N', x, series: [['normal', normal], ['tangential', tangential]] });
      if (track.mu !== null) this.data.push({ name: `Friction margin of ${pair}`, unit: '', x, series: [['margin', margin]] });
    }
    const wanted = ['KE', 'PE', 'E_visc', 'E_slip', 'W_injected'];
    const series = this.run.energies.flatMap((e, k): [string, number[]][] => (wanted.includes(e.name) ? [[e.name, Array.from(this.run.energy[k])]] : []));
    if (series.length > 0) this.data.push({ name: 'Energies', unit: 'J', x, series });
    for (const d of this.data) this.add(d);
  }

  private add(d: Drawn): void {
    const style = getComputedStyle(document.documentElement);
    const of = (name: string) => style.getPropertyValue(name).trim();
    const grid = { stroke: of('--line'), width: 1 };
    const axis = { stroke: of('--soft'), grid, ticks: grid, font: '12px system-ui' };
    const box = element('div', { class: 'curves' });
    const save = element('button', { type: 'button' }, 'Save as CSV');
    save.addEventListener('click', () => this.save(d));
    box.append(element('div', { class: 'curves-head' }, element('h3', {}, d.name), save));
    this.host.append(box);
    const plot = new uPlot(
      {
        width: Math.max(320, this.host.clientWidth),
        height: 170,
        scales: { x: { time: false } },
        axes: [{ ...axis, label: 't [s]', labelSize: 16, size: 34 }, { ...axis, label: d.unit ? `[${d.unit}]` : '', labelSize: 16, size: 64 }],
        series: [{ label: 't [s]' }, ...d.series.map(([label], k) => ({ label, stroke: of(`--k${k}`), width: 1.6, ...(d.series[k][1].includes(null) ? { points: { show: true, size: 4 } } : {}) }))],
        cursor: { y: false },
        legend: { live: true },
      },
      [d.x, ...d.series.map((s) => s[1])] as uPlot.AlignedData,
      box,
    );
    plot.over.addEventListener('click', () => {
      const { left } = plot.cursor;
      if (left !== undefined && left >= 0) this.seek(plot.posToVal(left, 'x'));
    });
    plot.root.setAttribute('aria-hidden', 'true');
    const mark = element('div', { class: 'mark' });
    plot.over.append(mark);
    this.plots.push(plot);
  }

  /** Moves the mark of the present moment. */
  at(t: number): void {
    this.now = t;
    for (const plot of this.plots) {
      const mark = plot.over.querySelector<HTMLElement>('.mark');
      if (!mark) continue;
      const at = plot.valToPos(t, 'x');
      mark.hidden = !(at >= 0 && at <= plot.over.clientWidth);
      if (!mark.hidden) mark.style.transform = `translateX(${at}px)`;
    }
  }

  resize(): void {
    const width = Math.max(320, this.host.clientWidth);
    this.plots.forEach((p) => p.setSize({ width, height: 170 }));
    this.at(this.now);
  }

  private save(d: Drawn): void {
    const unit = d.unit || '-';
    const rows = [['t [s]', ...d.series.map(([n]) => `${n} [${unit}]`)].join(',')];
    d.x.forEach((t, k) => rows.push([t, ...d.series.map((s) => s[1][k] ?? '')].join(',')));
    const link = element('a', { download: `${d.name.toLowerCase().replaceAll(' ', '-')}.csv` });
    link.href = URL.createObjectURL(new Blob([rows.join('\n') + '\n'], { type: 'text/csv' }));
    link.click();
    URL.revokeObjectURL(link.href);
  }
}
