// Curves of the picked contact and of the energies under the replay: zoom by dragging, click to go there.

import uPlot from 'uplot';
import { COL, type Run, type Track } from './data';
import { element } from './words';

export class Curves {
  private plots: uPlot[] = [];
  private now = 0;
  private data: { name: string; unit: string; x: number[]; series: [string, number[]][] }[] = [];
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
    if (track) {
      const x = Array.from(this.run.times.subarray(track.start, track.start + track.count));
      const c = (k: number) => Array.from(track.column[k]);
      const tangential = c(COL.f1).map((f, k) => Math.hypot(f, track.column[COL.f2][k]));
      this.data.push({ name: 'Forces of the picked contact', unit: 'N', x, series: [['normal', c(COL.normal)], ['tangential', tangential]] });
      if (track.mu !== null) this.data.push({ name: 'Friction margin of the picked contact', unit: '', x, series: [['margin', c(COL.used).map((u) => 1 - u)]] });
    }
    const x = Array.from(this.run.times);
    const wanted = ['KE', 'PE', 'E_visc', 'E_slip', 'W_injected'];
    const series = this.run.energies.flatMap((e, k): [string, number[]][] => (wanted.includes(e.name) ? [[e.name, Array.from(this.run.energy[k])]] : []));
    if (series.length > 0) this.data.push({ name: 'Energies', unit: 'J', x, series });
    for (const d of this.data) this.add(d);
  }

  private add(d: { name: string; unit: string; x: number[]; series: [string, number[]][] }): void {
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
        series: [{ label: 't [s]' }, ...d.series.map(([label], k) => ({ label, stroke: of(`--k${k}`), width: 1.6 }))],
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
      // A contact's curve ends where the contact does.
      mark.hidden = !(at >= 0 && at <= plot.over.clientWidth);
      if (!mark.hidden) mark.style.transform = `translateX(${at}px)`;
    }
  }

  resize(): void {
    const width = Math.max(320, this.host.clientWidth);
    this.plots.forEach((p) => p.setSize({ width, height: 170 }));
    this.at(this.now);
  }

  private save(d: { name: string; unit: string; x: number[]; series: [string, number[]][] }): void {
    const unit = d.unit || '-';
    const rows = [['t [s]', ...d.series.map(([n]) => `${n} [${unit}]`)].join(',')];
    d.x.forEach((t, k) => rows.push([t, ...d.series.map((s) => s[1][k])].join(',')));
    const link = element('a', { download: `${d.name.toLowerCase().replaceAll(' ', '-')}.csv` });
    link.href = URL.createObjectURL(new Blob([rows.join('\n') + '\n'], { type: 'text/csv' }));
    link.click();
    URL.revokeObjectURL(link.href);
  }
}
