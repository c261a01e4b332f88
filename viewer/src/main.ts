// The replay inside a report: reads the data in the page, draws it by the clock, answers keys and pointer.
//
// Time runs by the clock: a slow machine shows fewer frames, never slower motion. Nothing is drawn while nothing
// changes or the page is hidden.

import { COL, frameAt, unpack, type Run, type Track } from './data';
import { drawLimit } from './limit';
import { Curves } from './plots';
import { Stage, type Live } from './stage';
import css from './style.css';
import { element, MODES, quantity } from './words';

declare global {
  interface Window {
    /** For tests: what was drawn, and how long a frame took. */
    __fingerpad?: { ready: boolean; error?: string; stats: () => object; run?: Run };
  }
}

const SPEEDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 4];

async function begin(): Promise<void> {
  const here = document.getElementById('replay-here');
  const data = document.getElementById('run');
  if (!here || !data) return;
  document.head.append(element('style', {}, css));
  const run = await unpack(data.textContent ?? '');
  data.remove();
  if (run.frames === 0) {
    here.replaceChildren(element('p', {}, 'The run has no rows: nothing to replay.'));
    return;
  }
  new Replay(run, here);
}

class Replay {
  private t: number;
  private playing = false;
  private speed = 1;
  private picked: Track | null = null;
  private body = 0;
  private stale = true;
  private clock = 0;
  private ratio = 1;
  private slow = 0;
  private spoken = 0;
  private written = 0;
  private idle = 0;
  private listed = '';
  private script: number[] = [];
  private drawn = 0;
  private stage: Stage;
  private curves: Curves;
  private canvas = element('canvas', { id: 'replay-canvas', role: 'img', tabindex: '0', 'aria-label': 'Replay of the run in three dimensions', 'aria-describedby': 'replay-now' });
  private play = element('button', { type: 'button', id: 'replay-play' }, 'Play');
  private slider = element('input', { type: 'range', id: 'replay-time', 'aria-label': 'Time', step: 'any' });
  private clockText = element('output', { for: 'replay-time', id: 'replay-clock' });
  private now = element('p', { id: 'replay-now', class: 'soft', 'aria-live': 'polite' });
  private pose = element('p', { class: 'pose', id: 'replay-pose' });
  private list = element('div', { class: 'list', role: 'group', 'aria-label': 'Contacts now' });
  private limit = element('div', { class: 'limit', id: 'replay-limit' });
  private numbers = element('dl', { class: 'numbers', id: 'replay-contact' });
  private help = element('p', { class: 'help soft', id: 'replay-help' });

  constructor(
    private run: Run,
    here: HTMLElement,
  ) {
    this.t = run.times[0];
    const keep = new URLSearchParams(location.search).has('keep');
    this.stage = new Stage(run, this.canvas, () => this.wake(), keep);
    const side = element('div', { class: 'side' }, element('h3', {}, 'Contacts'), this.list, this.limit, this.numbers);
    const curves = element('div', { class: 'wide' });
    this.curves = new Curves(curves, run, (t) => this.seek(t));
    this.help.innerHTML =
      'Keys: <kbd>space</kbd> plays, <kbd>←</kbd> <kbd>→</kbd> step, <kbd>Home</kbd> <kbd>End</kbd>, <kbd>1</kbd>–<kbd>9</kbd> pick a contact, <kbd>D</kbd> light or dark. Drag turns, wheel zooms, right drag moves; a click on a contact picks it.';
    const notes = element('p', { class: 'soft', id: 'replay-notes' });
    const { position, quaternion } = run.resolution;
    notes.textContent = `Positions to ${quantity(position, 'm')}, quaternions to ${quaternion}; full data: run.mcap and the CSV files. ${run.notes.map((n) => n[0].toUpperCase() + n.slice(1) + '.').join(' ')}`;
    // A single moment has no time to control: a mesh or a map to look at.
    const still = run.frames === 1;
    if (still) side.hidden = true;
    here.replaceChildren(element('div', { class: still ? 'replay still' : 'replay' }, element('div', {}, this.canvas, this.now), side, this.controls(), element('div', { class: 'wide' }, this.pose, this.help, notes), curves));
    this.canvas.addEventListener('keydown', (e) => this.key(e));
    document.addEventListener('keydown', (e) => {
      // Elsewhere on the page only keys that no page uses.
      if (e.target === document.body && ['d', 'D', '?'].includes(e.key)) this.key(e);
    });
    let down = [0, 0];
    this.canvas.addEventListener('pointerdown', (e) => (down = [e.clientX, e.clientY]));
    this.canvas.addEventListener('pointerup', (e) => {
      if (Math.hypot(e.clientX - down[0], e.clientY - down[1]) > 4) return;
      const box = this.canvas.getBoundingClientRect();
      const found = this.stage.pick(e.clientX - box.left, e.clientY - box.top);
      if (found) this.choose(found.track);
    });
    new ResizeObserver(() => {
      this.fit();
      this.curves.resize();
    }).observe(here);
    document.addEventListener('visibilitychange', () => this.wake());
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.theme());
    this.body = Math.max(0, run.fixed.indexOf(false));
    this.fit();
    this.show();
    // The strongest contact of the run is the one people look for.
    const peak = (t: Track) => t.column[COL.normal].reduce((m, x) => Math.max(m, x), 0);
    const first = run.track.reduce<Track | null>((best, t) => (!best || peak(t) > peak(best) ? t : best), null);
    if (!still) this.choose(first);
    window.__fingerpad = { ready: true, stats: () => this.stats(), run };
    if (!matchMedia('(prefers-reduced-motion: reduce)').matches && !keep && !navigator.webdriver && !still) this.toggle();
  }

  private controls(): HTMLElement {
    const { run, stage } = this;
    this.play.addEventListener('click', () => this.toggle());
    this.slider.min = String(run.times[0]);
    this.slider.max = String(run.times[run.frames - 1]);
    this.slider.addEventListener('input', () => this.seek(Number(this.slider.value)));
    const speed = element('select', { 'aria-label': 'Speed' }, ...SPEEDS.map((s) => element('option', { value: String(s) }, `${s} ×`)));
    const length = run.times[run.frames - 1] - run.times[0];
    // Short runs are shown slower, so that there is something to see.
    this.speed = SPEEDS.find((s) => length / s <= 20 && length / s >= 0) ?? 1;
    if (length >= 4) this.speed = 1;
    speed.value = String(this.speed);
    speed.addEventListener('change', () => (this.speed = Number(speed.value)));
    const box = (name: string, key: 'patches' | 'normals' | 'forces' | 'ways') => {
      const input = element('input', { type: 'checkbox' });
      input.checked = stage.shown[key];
      input.addEventListener('change', () => {
        stage.shown[key] = input.checked;
        this.wake(true);
      });
      return element('label', {}, input, name);
    };
    const scale = (name: string, key: 'magnify' | 'force', most: number) => {
      const input = element('input', { type: 'range', min: '0', max: String(Math.log10(most)), step: '0.01', value: '0', id: `replay-${key}` });
      const out = element('output', {}, '1 ×');
      input.addEventListener('input', () => {
        stage.shown[key] = 10 ** Number(input.value);
        out.textContent = `${stage.shown[key].toPrecision(2)} ×`;
        input.setAttribute('aria-valuetext', out.textContent);
        this.wake(true);
      });
      return element('label', {}, name, input, out);
    };
    const theme = element('button', { type: 'button' }, 'Light or dark');
    theme.addEventListener('click', () => this.dark());
    const bodies = element('select', { 'aria-label': 'Body whose pose is shown', id: 'replay-body' }, ...run.names.map((n, k) => element('option', { value: String(k) }, n)));
    bodies.value = String(Math.max(0, run.fixed.indexOf(false)));
    bodies.addEventListener('change', () => {
      this.body = Number(bodies.value);
      this.wake(true);
    });
    const time = element('div', { class: 'time' }, this.slider, this.clockText);
    return element('div', { class: 'controls' }, this.play, time, speed, bodies, box('patches', 'patches'), box('normal forces', 'normals'), box('friction', 'forces'), box('ways', 'ways'), scale('patch size', 'magnify', 100), scale('arrows', 'force', 20), theme);
  }

  private key(e: KeyboardEvent): void {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const [frame] = frameAt(this.run.times, this.t);
    const to = (k: number) => this.seek(this.run.times[Math.max(0, Math.min(this.run.frames - 1, k))]);
    if (e.key === ' ') this.toggle();
    else if (e.key === 'ArrowRight') to(frame + 1);
    else if (e.key === 'ArrowLeft') to(this.t > this.run.times[frame] ? frame : frame - 1);
    else if (e.key === 'Home') to(0);
    else if (e.key === 'End') to(this.run.frames - 1);
    else if (e.key >= '1' && e.key <= '9') {
      const live = this.stage.live[Number(e.key) - 1];
      if (live) this.choose(live.track);
    } else if (e.key === 'd' || e.key === 'D') this.dark();
    else if (e.key === '?') this.help.scrollIntoView({ block: 'center' });
    else return;
    e.preventDefault();
  }

  private dark(): void {
    const root = document.documentElement;
    const is = root.dataset.theme ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
    root.dataset.theme = is === 'dark' ? 'light' : 'dark';
    this.theme();
  }

  private theme(): void {
    this.stage.theme();
    this.curves.show(this.picked);
    this.curves.at(this.t);
    this.wake(true);
  }

  private toggle(): void {
    this.playing = !this.playing;
    if (this.playing && this.t >= this.run.times[this.run.frames - 1]) this.t = this.run.times[0];
    this.play.textContent = this.playing ? 'Pause' : 'Play';
    this.clock = performance.now();
    this.ratio = this.coarse();
    this.fit();
    this.wake(true);
  }

  seek(t: number): void {
    this.t = Math.max(this.run.times[0], Math.min(this.run.times[this.run.frames - 1], t));
    this.clock = performance.now();
    this.wake(true);
  }

  private choose(track: Track | null): void {
    this.picked = track;
    this.listed = '';
    this.curves.show(track);
    this.wake(true);
  }

  private waiting = false;

  /** Asks for a frame; `stale` if more than the view changed. */
  private wake(stale = false): void {
    this.stale ||= stale;
    if (this.waiting || document.hidden) return;
    this.waiting = true;
    requestAnimationFrame((now) => {
      this.waiting = false;
      this.frame(now);
    });
  }

  private frame(now: number): void {
    const began = performance.now();
    if (!this.playing && this.ratio > this.coarse()) {
      this.ratio = this.coarse();
      this.size();
    }
    if (this.playing) {
      const gone = Math.min(1000, now - this.clock) / 1000;
      this.clock = now;
      this.t += gone * this.speed;
      const end = this.run.times[this.run.frames - 1];
      if (this.t >= end) {
        this.t = end;
        this.playing = false;
        this.play.textContent = 'Play';
        this.fit();
      }
      this.stale = true;
      this.adapt(gone);
    }
    if (this.stale) this.show();
    this.stage.draw();
    this.drawn++;
    this.script.push(performance.now() - began);
    if (this.script.length > 600) this.script.shift();
    if (this.playing) this.wake();
    else this.refine();
  }

  /** A picture that stays is drawn once more with finer pixels, in place of antialiasing, which every frame would pay. */
  private refine(): void {
    window.clearTimeout(this.idle);
    const fine = Math.max(2, this.coarse());
    if (this.ratio >= fine) return;
    this.idle = window.setTimeout(() => {
      if (this.playing || document.hidden) return;
      this.ratio = fine;
      this.size();
      this.stage.draw();
    }, 350);
  }

  private coarse(): number {
    return Math.min(2, window.devicePixelRatio || 1);
  }

  /** Coarser pixels while frames take long; fine ones again when the motion stops. */
  private adapt(gone: number): void {
    this.slow = gone > 0.05 ? this.slow + 1 : Math.max(0, this.slow - 1);
    if (this.slow > 4 && this.ratio > 0.5) {
      this.ratio = Math.max(0.5, this.ratio * 0.7);
      this.slow = 0;
      this.size();
    }
  }

  private fit(): void {
    if (!this.playing) this.ratio = this.coarse();
    this.size();
    this.wake();
  }

  private size(): void {
    this.stage.resize(Math.max(1, this.canvas.clientWidth), Math.max(1, this.canvas.clientHeight), this.ratio);
  }

  /** Brings picture and text to the present time. */
  private show(): void {
    this.stale = false;
    const [frame, part] = frameAt(this.run.times, this.t);
    this.stage.update(frame, part, this.picked);
    this.slider.value = String(this.t);
    const text = `${this.t.toFixed(3)} s`;
    this.clockText.textContent = `${text} of ${this.run.times[this.run.frames - 1].toFixed(3)} s`;
    this.slider.setAttribute('aria-valuetext', text);
    if (!this.playing || performance.now() - this.written > 100) this.showPose(frame, part);
    this.curves.at(this.t);
    const time = performance.now();
    // Numbers that change at every frame cannot be read: the picture follows each frame, the text ten times a second.
    if (!this.playing || time - this.written > 100) {
      this.written = time;
      this.contacts();
    }
    if (!this.playing || time - this.spoken > 2000) {
      this.spoken = time;
      const slips = this.stage.live.filter((l) => l.track.column[COL.mode][l.at] === 2).slice(0, 3);
      const count = this.stage.live.length;
      this.now.textContent = `t = ${this.t.toFixed(3)} s, ${count === 1 ? '1 contact' : `${count} contacts`}${slips.map((l) => `, ${this.name(l.track)} slips`).join('')}`;
    }
  }

  private showPose(frame: number, part: number): void {
    const [, p, q] = this.stage.pose(this.body, frame, part);
    const n = (x: number, digits: number) => (Object.is(Number(x.toFixed(digits)), -0) ? 0 : x).toFixed(digits);
    this.pose.textContent = `${this.run.names[this.body]}: position (${[p.x, p.y, p.z].map((x) => n(x, 6)).join(', ')}) m, quaternion wxyz (${[q.w, q.x, q.y, q.z].map((x) => n(x, 5)).join(', ')})`;
  }

  private name(t: Track): string {
    return `${this.run.names[t.a]}–${this.run.names[t.b]}${t.id > 0 ? ` #${t.id}` : ''}`;
  }

  private contacts(): void {
    const live = this.stage.live.slice(0, 40);
    const key = live.map((l) => `${l.index}:${l.track.column[COL.mode][l.at]}`).join() + (this.picked ? this.run.track.indexOf(this.picked) : '');
    if (key !== this.listed) {
      this.listed = key;
      const held = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.track : undefined;
      this.list.replaceChildren(
        ...live.map((l, k) => {
          const mode = l.track.column[COL.mode][l.at];
          const dot = element('i');
          dot.style.background = `var(${mode === 2 ? '--slip' : mode === 1 ? '--stick' : '--touch'})`;
          const button = element('button', { type: 'button', 'aria-pressed': String(l.track === this.picked), 'data-track': String(l.index) }, dot, `${k < 9 ? `${k + 1}  ` : ''}${this.name(l.track)} ${MODES[mode]}`);
          button.addEventListener('click', () => this.choose(l.track));
          return button;
        }),
      );
      if (live.length === 0) this.list.append(element('p', { class: 'soft' }, 'No contact at this moment.'));
      if (held !== undefined) this.list.querySelector<HTMLElement>(`[data-track="${held}"]`)?.focus();
    }
    const found = this.stage.live.find((l) => l.track === this.picked) ?? this.follow();
    this.details(found ?? null);
  }

  /** A picked contact that ended hands over to one of the same pair. */
  private follow(): Live | undefined {
    const { picked } = this;
    if (!picked) return undefined;
    const found = this.stage.live.find((l) => l.track.a === picked.a && l.track.b === picked.b);
    if (found) {
      this.picked = found.track;
      this.listed = '';
      this.curves.show(this.picked);
      this.wake(true);
    }
    return found;
  }

  private details(live: Live | null): void {
    if (!live) {
      this.limit.replaceChildren();
      this.numbers.replaceChildren();
      if (this.picked) this.numbers.append(element('div', {}, element('dt', {}, this.name(this.picked)), element('dd', {}, 'not in contact now')));
      return;
    }
    const { track, at } = live;
    const c = (k: number) => track.column[k][at];
    const [normal, f1, f2, tau, used, e_n] = [c(COL.normal), c(COL.f1), c(COL.f2), c(COL.tau), c(COL.used), c(COL.e_n)];
    const mode = c(COL.mode);
    const rows: [string, string][] = [
      [this.name(track), MODES[mode]],
      ['normal force', quantity(normal, 'N')],
      ['tangential', quantity(Math.hypot(f1, f2), 'N')],
      ['moment', quantity(Math.abs(tau), 'N·m')],
      ['depth', quantity(c(COL.depth), 'm')],
      ['path of slip', quantity(c(COL.slid), 'm')],
    ];
    if (track.patch) rows.push(['patch', `${quantity(c(COL.a), 'm')} × ${quantity(c(COL.b), 'm')}`]);
    if (track.mu !== null) rows.splice(1, 0, ['friction margin', (1 - used).toFixed(4)]);
    this.numbers.replaceChildren(...rows.map(([a, b]) => element('div', {}, element('dt', {}, a), element('dd', {}, b))));
    if (track.mu === null || normal <= 0) {
      this.limit.replaceChildren(element('p', { class: 'soft' }, 'No friction limit here.'));
      return;
    }
    const most = track.mu * normal;
    const moment = e_n > 0 ? most * e_n : 0;
    // The moment's share where its limit is not known: what force leaves of the share in use.
    const force = Math.hypot(f1, f2) / most;
    const turn = moment > 0 ? tau / moment : Math.sign(tau) * Math.sqrt(Math.max(0, used * used - force * force));
    drawLimit(this.limit, {
      share: [f1 / most, f2 / most, turn],
      used,
      slips: mode === 2,
      label: `Friction limit of ${this.name(track)}: the load uses ${(100 * used).toFixed(1)} % of it; tangential force ${quantity(Math.hypot(f1, f2), 'N')} of ${quantity(most, 'N')}, moment ${quantity(Math.abs(tau), 'N·m')}${moment > 0 ? ` of ${quantity(moment, 'N·m')}` : ''}`,
      limits: [`limit ${quantity(most, 'N')}${moment > 0 ? `, ${quantity(moment, 'N·m')}` : ''}`, `in use: ${(100 * used).toFixed(1)} %`],
    });
  }

  private stats(): object {
    const sorted = [...this.script].sort((a, b) => a - b);
    const { calls, triangles } = this.stage.renderer.info.render;
    return { frames: this.drawn, script: sorted[sorted.length >> 1] ?? 0, calls, triangles, t: this.t, ratio: this.ratio, playing: this.playing };
  }
}

begin().catch((error: unknown) => {
  const here = document.getElementById('replay-here');
  const why = error instanceof Error ? error.message : String(error);
  here?.replaceChildren(element('p', { class: 'note' }, `The replay cannot be shown here (${why}). Everything else in this report is complete.`));
  window.__fingerpad = { ready: true, error: why, stats: () => ({}) };
});
