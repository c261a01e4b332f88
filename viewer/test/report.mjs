// Looks at reports in a real browser: node report.mjs PART PACKAGES CHROMIUM FOLDER [IMAGES]
//
// PART is `replay` (drawn content, poses, contacts, keyboard, dark, axe, no scripts, hostile names) or `layout` (cost of a
// frame, 200 %, print). PACKAGES has node_modules with playwright-core and axe-core; FOLDER has runs `plain` and `hostile` with their CSV
// files, and `mesh` and `map` with pages of `inspect`. Prints one JSON document: what was measured. Exit 1 with the first
// thing that is not as it should be, 3 where the browser cannot draw at all: it does not start, or has no WebGL. A slow
// machine has five minutes for each thing that is waited for.

import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const [part, packages, executablePath, folder, images] = process.argv.slice(2);
const require = createRequire(join(packages, 'x.js'));
const { chromium } = require('playwright-core');
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

const must = (fact, words) => {
  if (!fact) throw new Error(words);
};
const csv = (run, file) => {
  const [head, ...lines] = readFileSync(join(folder, run, file), 'utf8').trim().split('\n');
  const names = head.split(',').map((n) => n.replace(/ \[.*/, ''));
  return lines.map((line) => Object.fromEntries(line.split(',').map((x, k) => [names[k], x])));
};

const browser = await chromium.launch({
  executablePath,
  timeout: 120000,
  args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'],
}).catch((error) => {
  console.error(error.message);
  process.exit(3);
});
const PATIENCE = 300000;
const drawing = await browser.newPage().then((page) => page.evaluate(() => document.createElement('canvas').getContext('webgl2') !== null)).catch(() => false);
if (!drawing) {
  console.error('the browser has no WebGL');
  await browser.close();
  process.exit(3);
}
const measured = {};
const trouble = [];

async function open(run, options = {}, query = '?keep') {
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  page.on('console', (m) => {
    if (['error', 'warning'].includes(m.type()) && !m.text().includes('GPU stall due to ReadPixels')) trouble.push(`${run}: ${m.text()}`);
  });
  page.on('pageerror', (e) => trouble.push(`${run}: ${e.message}`));
  page.on('dialog', (d) => trouble.push(`${run}: a dialog says ${d.message()}`));
  page.on('request', (r) => {
    if (!r.url().startsWith('file://') || !r.url().includes('report.html')) trouble.push(`${run} asks for ${r.url().slice(0, 120)}`);
  });
  await page.goto(`file://${join(folder, run, 'report.html')}${query}`);
  if (options.javaScriptEnabled !== false) {
    for (let k = 0; k < PATIENCE / 100 && !(await page.evaluate(() => window.__fingerpad?.ready)); k++) await page.waitForTimeout(100);
    const error = await page.evaluate(() => window.__fingerpad?.error ?? (window.__fingerpad ? null : 'the script did not run'));
    must(!error, `${run}: ${error}`);
  }
  return page;
}

const stats = (page) => page.evaluate(() => window.__fingerpad.stats());
const text = (page, selector) => page.locator(selector).innerText();
async function seek(page, t) {
  await page.evaluate((t) => {
    const slider = document.getElementById('replay-time');
    slider.value = String(t);
    slider.dispatchEvent(new Event('input'));
  }, t);
  await until(async () => Math.abs((await stats(page)).t - t) < 1e-6);
  await page.waitForTimeout(400);
}
/** Waits for a fact. */
async function until(fact) {
  const began = Date.now();
  while (Date.now() - began < PATIENCE) {
    if (await fact()) return true;
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error(`nothing came of it: ${fact}`);
}
/** Pixels of the canvas: how many colours, mean, and how many are near a colour. */
const pixels = (page, near) =>
  page.evaluate((near) => {
    const canvas = document.getElementById('replay-canvas');
    const copy = document.createElement('canvas');
    [copy.width, copy.height] = [canvas.width, canvas.height];
    const ink = copy.getContext('2d');
    ink.drawImage(canvas, 0, 0);
    const { data } = ink.getImageData(0, 0, copy.width, copy.height);
    const colours = new Set();
    let [sum, found] = [0, 0];
    for (let k = 0; k < data.length; k += 4) {
      colours.add((data[k] << 16) | (data[k + 1] << 8) | data[k + 2]);
      sum += data[k] + data[k + 1] + data[k + 2];
      if (near && Math.hypot(data[k] - near[0], data[k + 1] - near[1], data[k + 2] - near[2]) < 40) found++;
    }
    return { colours: colours.size, mean: (sum / data.length) * (4 / 3), found };
  }, near);

async function replay() {
  const page = await open('plain');
  // Drawn content: more than a flat colour.
  const first = await pixels(page);
  must(first.colours > 60, `the picture has ${first.colours} colours`);

  // Seek: the pose shown is that of the CSV row.
  const bodies = csv('plain', 'bodies.csv');
  const contacts = csv('plain', 'contacts.csv');
  const times = await page.evaluate(() => Array.from(window.__fingerpad.run.times));
  const touching = times.filter((t) => contacts.some((c) => Math.abs(c.t - t) < 2e-7));
  must(touching.length > 2, 'no frame has a contact');
  let worst = 0;
  for (const t of [times[0], touching[touching.length >> 1], times.at(-1)]) {
    await seek(page, t);
    const shown = await text(page, '#replay-pose');
    const name = shown.split(':')[0];
    const row = bodies.find((b) => Math.abs(b.t - t) < 2e-7 && b.body === name);
    must(row, `no row of ${name} at ${t}`);
    const numbers = [...shown.matchAll(/\(([^)]*)\)/g)].map((m) => m[1].split(',').map(Number));
    const p = [row.x, row.y, row.z].map(Number);
    const q = [row.qw, row.qx, row.qy, row.qz].map(Number);
    const sign = Math.sign(q.reduce((s, x, k) => s + x * numbers[1][k], 0));
    p.forEach((x, k) => (worst = Math.max(worst, Math.abs(x - numbers[0][k]))));
    must(worst < 1.6e-6, `${name} at ${t}: shown ${numbers[0]}, row ${p}`);
    q.forEach((x, k) => must(Math.abs(sign * x - numbers[1][k]) < 3e-5, `${name} at ${t}: shown ${numbers[1]}, row ${q}`));
  }
  measured.pose_error_m = worst;

  // A contact: the margin shown is that of the CSV row, the limit surface is there with the load where it belongs.
  const single = touching.filter((t) => {
    const now = contacts.filter((c) => Math.abs(c.t - t) < 2e-7);
    return now.length === 1 && now[0].margin > 0.05 && now[0].margin < 0.95;
  });
  must(single.length > 0, 'no frame has one contact with a margin to tell');
  const moment = single[single.length >> 1];
  await seek(page, moment);
  await page.locator('#replay-canvas').focus();
  await page.keyboard.press('1');
  await until(() => page.locator('#limit-load').isVisible());
  const shown = Object.fromEntries(
    await page.evaluate(() => [...document.querySelectorAll('#replay-contact div')].map((d) => [d.children[0].textContent, d.children[1].textContent])),
  );
  const pair = Object.keys(shown)[0];
  const row = contacts.find((c) => Math.abs(c.t - moment) < 2e-7 && pair.startsWith(`${c.a}–${c.b}`) && (pair.includes('#') ? pair.endsWith(`#${c.id}`) : true));
  must(row, `no row of contact ${pair} at ${moment}`);
  measured.margin_shown = Number(shown['friction margin']);
  measured.margin_row = Number(row.margin);
  must(Math.abs(measured.margin_shown - measured.margin_row) < 1e-4, `margin of ${pair}: shown ${measured.margin_shown}, row ${row.margin}`);
  must(await page.locator('#limit-load').isVisible(), 'no load in the friction limit');
  const label = await page.locator('#replay-limit svg').getAttribute('aria-label');
  must(label.includes(`${(100 * (1 - row.margin)).toFixed(1)} %`), `the limit says: ${label}`);
  // Contact colours are in the picture: blue of stick or orange of slip.
  const marks = (await pixels(page, [0, 114, 178])).found + (await pixels(page, [213, 94, 0])).found;
  must(marks > 20, `only ${marks} pixels show contacts`);

  // Keyboard alone: to the play button, play, pause, step, ends.
  await page.evaluate(() => (document.activeElement instanceof HTMLElement ? document.activeElement.blur() : 0));
  await seek(page, times[0]);
  let reached = false;
  for (let k = 0; k < 60 && !reached; k++) {
    await page.keyboard.press('Tab');
    reached = await page.evaluate(() => document.activeElement?.id === 'replay-play');
  }
  must(reached, 'Tab does not reach the play button');
  await page.keyboard.press('Enter');
  const began = Date.now();
  await until(async () => (await stats(page)).t > times[0]);
  await page.waitForTimeout(1000);
  await page.keyboard.press('Enter');
  await until(async () => !(await stats(page)).playing);
  const played = await stats(page);
  measured.played_s = played.t - times[0];
  measured.wall_s = (Date.now() - began) / 1000;
  must(played.t > times[0] && !played.playing, 'it does not play and pause');
  await page.locator('#replay-canvas').focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowRight');
  must(await until(async () => Math.abs((await stats(page)).t - times[1]) < 1e-9), 'the arrow key does not step');
  await page.keyboard.press('End');
  must(await until(async () => (await stats(page)).t === times.at(-1)), 'End does not go to the end');
  must((await text(page, '#replay-now')).includes('contact'), 'no text for screen readers');
  await page.close();

  // Dark, by the system and by key.
  const dark = await open('plain', { colorScheme: 'dark' });
  const night = await pixels(dark);
  must(night.mean < first.mean - 20, `dark is not darker: ${night.mean} against ${first.mean}`);
  await dark.locator('#replay-canvas').focus();
  await dark.keyboard.press('d');
  must(await until(async () => (await pixels(dark)).mean > night.mean + 20), 'the key D does not change the theme');
  await dark.keyboard.press('d');
  await seek(dark, moment);
  for (const scheme of ['dark', 'light']) {
    await dark.evaluate((s) => (document.documentElement.dataset.theme = s), scheme);
    await dark.evaluate(axe);
    const found = await dark.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
    const serious = found.violations.filter((v) => ['serious', 'critical'].includes(v.impact));
    measured[`axe_serious_${scheme}`] = serious.length;
    must(serious.length === 0, `axe, ${scheme}: ${serious.map((v) => `${v.id} (${v.nodes[0].html.slice(0, 160)}; ${v.nodes[0].failureSummary})`).join('; ')}`);
  }
  await dark.close();

  // Without scripts.
  const bare = await open('plain', { javaScriptEnabled: false });
  const plots = await bare.locator('figure.plot svg').count();
  must(plots >= 6, `${plots} plots without scripts`);
  must(await bare.locator('.stills svg').first().isVisible(), 'no still views without scripts');
  must((await bare.locator('#verdicts tbody tr').count()) > 0, 'no verdicts without scripts');
  await bare.close();

  // Pages of a mesh and a map: the same replay of one moment, without controls of time.
  for (const thing of ['mesh', 'map']) {
    const page = await open(thing);
    const { colours } = await pixels(page);
    must(colours > 3, `the picture of a ${thing} has ${colours} colours`);
    must(!(await page.locator('#replay-play').isVisible()), `a ${thing} can be played`);
    await page.close();
  }

  // Quality stands beside the verdicts, with its causes.
  const graded = await open('plain', { javaScriptEnabled: false });
  const { quality, warnings } = JSON.parse(readFileSync(join(folder, 'plain', 'summary.json'), 'utf8'));
  const verdicts = await text(graded, '#verdicts');
  must(verdicts.includes(`Quality: ${quality.verdict}`), `the verdicts say: ${verdicts}`);
  for (const cause of (warnings ?? []).filter((w) => / quality: /.test(w))) must(verdicts.includes(cause.split(' quality: ')[1]), `no cause of the quality: ${cause}`);
  await graded.close();

  // Pictures for the docs.
  for (const colorScheme of images ? ['light', 'dark'] : []) {
    const shown = await open('plain', { colorScheme, deviceScaleFactor: 0.75 });
    // The strongest of the contacts with a margin to tell.
    const force = (t) => Number(contacts.find((c) => Math.abs(c.t - t) < 2e-7).normal);
    await seek(shown, single.reduce((best, t) => (force(t) > force(best) ? t : best)));
    await shown.locator('#replay-canvas').focus();
    await shown.keyboard.press('1');
    await shown.evaluate(() => document.activeElement.blur());
    await shown.evaluate(() => document.getElementById('replay').scrollIntoView());
    await shown.waitForTimeout(800);
    await shown.screenshot({ path: join(images, `report-${colorScheme}.png`) });
    await shown.close();
  }

  // Names that try to be markup stay text.
  const hostile = await open('hostile');
  must((await hostile.locator('img').count()) === 0, 'a name became an element');
  must((await hostile.title()).includes('<b>'), 'the title is not the name of the scene');
  must((await text(hostile, '#verdicts')).includes('<img src=x onerror=alert(1)> "q" \'p\''), 'the name of a check is not shown as it is');
  must((await text(hostile, '#replay-pose')).includes('球:'), 'the name of a body is not shown as it is');
  must((await hostile.locator('body').innerText()).includes('球'), 'letters that are not Latin are lost');
  await hostile.close();
}

async function layout() {
  const page = await open('plain');
  await page.locator('#replay-canvas').focus();
  // What a frame costs, at 1280 x 720 of canvas.
  await page.addStyleTag({ content: '.replay { display: block !important; } #replay-canvas { width: 1280px !important; height: 720px !important; max-width: none; }' }).catch(() => {});
  await page.keyboard.press('Home');
  await page.waitForTimeout(1500);
  // Processor time of the page's own thread: what other programs do meanwhile does not count.
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const script = async () => (await session.send('Performance.getMetrics')).metrics.find((m) => m.name === 'ScriptDuration').value;
  const [before, spent] = [await stats(page), await script()];
  const start = Date.now();
  await page.keyboard.press(' ');
  await page.waitForTimeout(4000);
  const after = await stats(page);
  measured.script_cpu_ms = ((await script() - spent) * 1000) / (after.frames - before.frames);
  Object.assign(measured, {
    frames_per_s: ((after.frames - before.frames) / (Date.now() - start)) * 1000,
    script_ms_median: after.script,
    draw_calls: after.calls,
    triangles: after.triangles,
    canvas: await page.evaluate(() => [document.getElementById('replay-canvas').width, document.getElementById('replay-canvas').height]),
    renderer: await page.evaluate(() => {
      const gl = document.createElement('canvas').getContext('webgl2');
      const info = gl?.getExtension('WEBGL_debug_renderer_info');
      return info ? gl.getParameter(info.UNMASKED_RENDERER_WEBGL) : 'unknown';
    }),
  });
  must(after.calls <= 80, `${after.calls} draw calls`);
  must(after.triangles <= 60000, `${after.triangles} triangles`);
  await page.close();

  const light = await open('plain');
  // 200 %: half the width in CSS pixels, nothing is cut off at the side.
  await light.setViewportSize({ width: 640, height: 900 });
  // Curves follow once the page has been laid out anew.
  const width = () => light.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
  let [wide, room] = await width();
  for (let k = 0; k < 40 && wide > room + 1; k++) {
    await light.waitForTimeout(250);
    [wide, room] = await width();
  }
  const outside = await light.evaluate(() =>
    [...document.querySelectorAll('body *')].filter((e) => e.getBoundingClientRect().right > window.innerWidth + 1 && !e.closest('.scroll')).slice(0, 4).map((e) => e.outerHTML.slice(0, 120)),
  );
  must(wide <= room + 1, `at 200 % the page is ${wide} px wide in ${room}: ${outside.join('\n')}`);
  // Print.
  await light.emulateMedia({ media: 'print' });
  must(!(await light.locator('nav').isVisible()), 'navigation is printed');
  must(await light.locator('#energy svg').first().isVisible(), 'plots are not printed');
  const paper = await light.pdf();
  must(paper.length > 20000, `the printed report has ${paper.length} bytes`);
  measured.pdf_bytes = paper.length;
  await light.close();
}

try {
  await (part === 'layout' ? layout() : replay());
  must(trouble.length === 0, trouble.join('\n'));
  console.log(JSON.stringify(measured));
} catch (error) {
  console.error(`${error.message}\n${trouble.join('\n')}\n${JSON.stringify(measured)}`);
  process.exitCode = 1;
} finally {
  await browser.close();
}
