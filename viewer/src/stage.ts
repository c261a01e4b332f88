// The 3-D picture: bodies, ground, map patches, contacts and forces of one moment.
//
// Lambert shading, no shadows, one instanced mesh for each kind of thing: software rendering must keep up.

import {
  AmbientLight,
  BufferAttribute,
  BufferGeometry,
  CircleGeometry,
  Color,
  ConeGeometry,
  CylinderGeometry,
  DirectionalLight,
  DoubleSide,
  DynamicDrawUsage,
  FrontSide,
  HemisphereLight,
  InstancedMesh,
  LineBasicMaterial,
  LineSegments,
  Matrix4,
  Mesh,
  MeshBasicMaterial,
  MeshLambertMaterial,
  PerspectiveCamera,
  Quaternion,
  RingGeometry,
  Scene,
  Vector3,
  WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { COL, type Run, type Track } from './data';

const MOST = 256;

export interface Shown {
  patches: boolean;
  normals: boolean;
  forces: boolean;
  ways: boolean;
  magnify: number;
  force: number;
}

/** A contact at the moment shown. */
export interface Live {
  track: Track;
  index: number;
  at: number;
  p: Vector3;
}

export class Stage {
  readonly renderer: WebGLRenderer;
  readonly camera = new PerspectiveCamera(35, 1, 0.001, 1000);
  readonly controls: OrbitControls;
  private scene = new Scene();
  private bodies: { mesh: InstancedMesh; of: number[]; ground: boolean }[] = [];
  private discs: InstancedMesh;
  private rings: InstancedMesh;
  private halo: Mesh;
  private shafts: InstancedMesh;
  private heads: InstancedMesh;
  private fill: Mesh;
  private ways: LineSegments;
  private visited: { mesh: Mesh; now: Mesh[]; map: number }[] = [];
  /** How many patches were visited up to each frame: they are in the order of the first visit. */
  private seen: Int32Array;
  private peak = 0;
  live: Live[] = [];
  shown: Shown = { patches: true, normals: true, forces: true, ways: true, magnify: 1, force: 1 };
  private colour = { stick: new Color(), slip: new Color(), touch: new Color(), force: new Color() };

  constructor(
    private run: Run,
    canvas: HTMLCanvasElement,
    onChange: () => void,
    keep: boolean,
  ) {
    this.renderer = new WebGLRenderer({ canvas, antialias: false, preserveDrawingBuffer: keep, powerPreference: 'low-power' });
    this.renderer.info.autoReset = true;
    const { reach } = run;
    const middle = new Vector3(...run.middle);
    this.camera.up.set(0, 0, 1);
    this.camera.near = reach * 0.01;
    this.camera.far = reach * 60;
    this.camera.position.copy(middle).add(new Vector3(1.08, -1.87, 1.28).multiplyScalar(reach));
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.target.copy(middle);
    this.controls.enableDamping = false;
    this.controls.addEventListener('change', onChange);
    this.controls.update();
    const sun = new DirectionalLight(0xffffff, 1.9);
    sun.position.set(0.5, -0.8, 1.6);
    this.scene.add(new HemisphereLight(0xffffff, 0x8a8f99, 1.25), new AmbientLight(0xffffff, 0.25), sun);
    this.seen = new Int32Array(run.frames);
    for (let f = 0; f < run.frames; f++) this.seen[f] = run.under.reduce((most, under) => Math.max(most, under[f] + 1), f > 0 ? this.seen[f - 1] : 0);
    this.addBodies();
    this.addPatches();
    this.ways = this.addWays();
    const over = { transparent: true, depthTest: false, depthWrite: false, side: DoubleSide } as const;
    const instanced = (geometry: BufferGeometry, material: MeshBasicMaterial | MeshLambertMaterial, order: number) => {
      const mesh = new InstancedMesh(geometry, material, MOST);
      mesh.instanceMatrix.setUsage(DynamicDrawUsage);
      mesh.frustumCulled = false;
      mesh.count = 0;
      mesh.renderOrder = order;
      mesh.setColorAt(0, new Color(1, 1, 1));
      this.scene.add(mesh);
      return mesh;
    };
    this.discs = instanced(new CircleGeometry(1, 40), new MeshBasicMaterial({ ...over, opacity: 0.72 }), 10);
    this.rings = instanced(new RingGeometry(0.62, 1, 32), new MeshBasicMaterial({ ...over, opacity: 0.9 }), 10);
    const shaft = new CylinderGeometry(0.01 * reach, 0.01 * reach, 1, 10).translate(0, 0.5, 0).rotateX(Math.PI / 2);
    const tip = new ConeGeometry(0.03 * reach, 0.085 * reach, 14).translate(0, 0.0425 * reach, 0).rotateX(Math.PI / 2);
    const drawn = { transparent: true, opacity: 0.95, depthTest: false, depthWrite: false } as const;
    this.shafts = instanced(shaft, new MeshLambertMaterial(drawn), 12);
    this.heads = instanced(tip, new MeshLambertMaterial(drawn), 12);
    this.halo = new Mesh(new RingGeometry(1.12, 1.3, 40), new MeshBasicMaterial({ ...over }));
    this.halo.renderOrder = 13;
    this.scene.add(this.halo);
    const fill = new BufferGeometry();
    fill.setAttribute('position', new BufferAttribute(new Float32Array(9 * 4096), 3).setUsage(DynamicDrawUsage));
    fill.setAttribute('color', new BufferAttribute(new Float32Array(9 * 4096), 3).setUsage(DynamicDrawUsage));
    this.fill = new Mesh(fill, new MeshBasicMaterial({ ...over, opacity: 0.55, vertexColors: true }));
    this.fill.frustumCulled = false;
    this.fill.renderOrder = 9;
    this.scene.add(this.fill);
    for (const t of run.track) for (const f of t.column[COL.normal]) this.peak = Math.max(this.peak, f);
    this.theme();
  }

  /** Colours of the page. */
  theme(): void {
    const style = getComputedStyle(document.documentElement);
    const of = (name: string) => new Color(style.getPropertyValue(name).trim() || '#888');
    this.scene.background = of('--stage');
    this.colour = { stick: of('--stick'), slip: of('--slip'), touch: of('--touch'), force: of('--ink') };
    (this.ways.material as LineBasicMaterial).color = of('--soft');
    (this.halo.material as MeshBasicMaterial).color = of('--ink');
    // Ground of full brightness glares on a dark page.
    const dim = new Color(style.getPropertyValue('--ground').trim() || '#fff');
    for (const { mesh, ground } of this.bodies) if (ground) (mesh.material as MeshLambertMaterial).color = dim;
  }

  private addBodies(): void {
    const { run } = this;
    run.shape.forEach((shape, s) => {
      const of = run.shape_of.flatMap((k, body) => (k === s ? [body] : []));
      const geometry = new BufferGeometry();
      geometry.setAttribute('position', new BufferAttribute(shape.position, 3));
      geometry.setAttribute('normal', new BufferAttribute(shape.normal, 3));
      geometry.setIndex(new BufferAttribute(shape.index, 1));
      // Ground is seen from above alone: the outside of a bowl does not hide what is in it.
      const material = new MeshLambertMaterial({ side: FrontSide, polygonOffset: shape.ground, polygonOffsetFactor: 1, polygonOffsetUnits: 1 });
      const step = shape.grid ?? [niceStep(run.reach / 3), niceStep(run.reach / 3)];
      material.onBeforeCompile = (shader) => {
        // Octants of round bodies in two tones show how they turn; ground has lines.
        shader.vertexShader = shader.vertexShader
          .replace('#include <common>', '#include <common>\nvarying vec3 vOwn;')
          .replace('#include <begin_vertex>', '#include <begin_vertex>\nvOwn = position;');
        const tone = shape.ground
          ? `vec2 cell = vOwn.xy / vec2(${step[0].toExponential(8)}, ${step[1].toExponential(8)});
             vec2 line = abs(fract(cell - 0.5) - 0.5) / max(fwidth(cell), vec2(1e-6));
             diffuseColor.rgb *= mix(0.8, 1.0, clamp(min(line.x, line.y), 0.0, 1.0));`
          : shape.round
            ? 'diffuseColor.rgb *= vOwn.x * vOwn.y * vOwn.z > 0.0 ? 1.0 : 0.74;'
            : '';
        shader.fragmentShader = shader.fragmentShader
          .replace('#include <common>', '#include <common>\nvarying vec3 vOwn;')
          .replace('#include <color_fragment>', `#include <color_fragment>\n${tone}`);
      };
      material.customProgramCacheKey = () => `${shape.ground}${shape.round}${step}`;
      const mesh = new InstancedMesh(geometry, material, of.length);
      mesh.instanceMatrix.setUsage(DynamicDrawUsage);
      mesh.frustumCulled = false;
      of.forEach((body, k) => {
        const [r, g, b] = run.fixed[body] ? run.ground : run.colours[body % run.colours.length];
        mesh.setColorAt(k, new Color(`rgb(${r},${g},${b})`));
      });
      this.scene.add(mesh);
      this.bodies.push({ mesh, of, ground: shape.ground });
    });
  }

  /** Patches of maps that bodies were above: those visited so far, and the present ones. */
  private addPatches(): void {
    this.run.patches.forEach((patches, map) => {
      const { side, at } = patches;
      const heights = this.run.heights[map];
      const [dx, dy] = this.run.shape[this.run.shape_of[patches.body]].grid ?? [1, 1];
      const position = new Float32Array(3 * heights.length);
      const index: number[] = [];
      at.forEach(([i, j], k) => {
        for (let u = 0; u < side; u++)
          for (let v = 0; v < side; v++) {
            const n = k * side * side + u * side + v;
            position.set([(i + u / (side - 1)) * dx, (j + v / (side - 1)) * dy, heights[n]], 3 * n);
            if (u + 1 < side && v + 1 < side) index.push(n, n + side, n + side + 1, n, n + side + 1, n + 1);
          }
      });
      const geometry = new BufferGeometry();
      geometry.setAttribute('position', new BufferAttribute(position, 3));
      geometry.setIndex(index);
      geometry.computeVertexNormals();
      const [m] = this.pose(patches.body, 0, 0);
      const add = (colour: number, opacity: number) => {
        const mesh = new Mesh(geometry.clone(), new MeshLambertMaterial({ color: colour, transparent: true, opacity, depthWrite: false, polygonOffset: true, polygonOffsetFactor: -1, polygonOffsetUnits: -1 }));
        mesh.matrixAutoUpdate = false;
        mesh.matrix.copy(m);
        mesh.frustumCulled = false;
        this.scene.add(mesh);
        return mesh;
      };
      const now = this.run.over.slice(0, 8).map(() => add(0xf0a000, 0.9));
      this.visited.push({ mesh: add(0xe6b800, 0.5), now, map });
    });
  }

  private addWays(): LineSegments {
    const points: number[] = [];
    const movers = this.run.motion.filter((m) => m !== null);
    const step = Math.max(1, Math.ceil((movers.length * this.run.frames) / 20000));
    for (const m of movers.slice(0, 200)) {
      for (let k = 0; k + step < this.run.frames; k += step) {
        for (const j of [k, k + step]) points.push(m[0][j], m[1][j], m[2][j]);
      }
    }
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(new Float32Array(points), 3));
    const lines = new LineSegments(geometry, new LineBasicMaterial({ transparent: true, opacity: 0.75 }));
    lines.frustumCulled = false;
    this.scene.add(lines);
    return lines;
  }

  /** Pose of a body between two frames, as a matrix, with position and quaternion. */
  pose(body: number, frame: number, part: number): [Matrix4, Vector3, Quaternion] {
    const still = this.run.poses[body];
    const m = this.run.motion[body];
    const p = new Vector3();
    const q = new Quaternion();
    if (m === null) {
      const [x, y, z, w, i, j, k] = still ?? [0, 0, 0, 1, 0, 0, 0];
      p.set(x, y, z);
      q.set(i, j, k, w);
    } else {
      p.set(m[0][frame], m[1][frame], m[2][frame]);
      q.set(m[4][frame], m[5][frame], m[6][frame], m[3][frame]).normalize();
      if (part > 0) {
        const n = frame + 1;
        p.lerp(new Vector3(m[0][n], m[1][n], m[2][n]), part);
        q.slerp(new Quaternion(m[4][n], m[5][n], m[6][n], m[3][n]).normalize(), part);
      }
    }
    return [new Matrix4().compose(p, q, ONE), p, q];
  }

  /** Puts everything where it is at a moment. */
  update(frame: number, part: number, picked: Track | null): void {
    for (const { mesh, of } of this.bodies) {
      of.forEach((body, k) => mesh.setMatrixAt(k, this.pose(body, frame, part)[0]));
      mesh.instanceMatrix.needsUpdate = true;
    }
    this.updatePatches(frame);
    this.updateContacts(frame, part, picked);
    this.ways.visible = this.shown.ways;
  }

  private updatePatches(frame: number): void {
    for (const { mesh, now, map } of this.visited) {
      const { side, count } = this.run.patches[map];
      const each = 6 * (side - 1) * (side - 1);
      const seen = this.seen[frame];
      this.run.under.forEach((under, k) => {
        if (k < now.length) {
          now[k].visible = this.shown.patches && under[frame] >= 0 && under[frame] < count;
          now[k].geometry.setDrawRange(each * Math.max(0, under[frame]), each);
        }
      });
      mesh.visible = this.shown.patches && seen > 0;
      mesh.geometry.setDrawRange(0, each * seen);
    }
  }

  private updateContacts(frame: number, part: number, picked: Track | null): void {
    const { run, shown, colour } = this;
    const step = part > 0.5 ? 1 : 0;
    const m = new Matrix4();
    const [n, e1, e2, p, q] = [new Vector3(), new Vector3(), new Vector3(), new Vector3(), new Quaternion()];
    let [discs, rings, arrows, corner] = [0, 0, 0, 0];
    this.live = [];
    this.halo.visible = false;
    const place = this.fill.geometry.getAttribute('position') as BufferAttribute;
    const tint = this.fill.geometry.getAttribute('color') as BufferAttribute;
    const arrow = (from: Vector3, along: Vector3, length: number, c: Color) => {
      if (!(length > 0) || arrows >= MOST) return;
      q.setFromUnitVectors(Z, along);
      this.shafts.setMatrixAt(arrows, m.compose(from, q, new Vector3(1, 1, length)));
      this.heads.setMatrixAt(arrows, m.compose(from.clone().addScaledVector(along, length), q, ONE));
      this.shafts.setColorAt(arrows, c);
      this.heads.setColorAt(arrows, c);
      arrows++;
    };
    run.track.forEach((track, index) => {
      let at = frame + step - track.start;
      if (at < 0 || at >= track.count) at = frame - track.start;
      if (at < 0 || at >= track.count) return;
      const c = (k: number) => track.column[k][at];
      p.set(c(COL.px), c(COL.py), c(COL.pz));
      this.live.push({ track, index, at, p: p.clone() });
      if (this.live.length > MOST) return;
      n.set(c(COL.nx), c(COL.ny), c(COL.nz)).normalize();
      e1.set(c(COL.ex), c(COL.ey), c(COL.ez));
      e1.addScaledVector(n, -n.dot(e1)).normalize();
      e2.crossVectors(n, e1);
      const tone = c(COL.mode) === 2 ? colour.slip : c(COL.mode) === 1 ? colour.stick : colour.touch;
      let [a, b] = [c(COL.a) * shown.magnify, c(COL.b) * shown.magnify];
      const dot = 0.022 * run.reach;
      const flat = track.outline && track.first[at + 1] > track.first[at];
      if (flat) {
        const [from, to] = [track.first[at], track.first[at + 1]];
        for (let k = from + 1; k + 1 < to && corner + 3 < 3 * 4096; k++)
          for (const v of [from, k, k + 1]) {
            // Magnified about the contact point.
            const out = (d: number, o: number) => o + (track.corners[3 * v + d] - o) * shown.magnify;
            place.setXYZ(corner, out(0, p.x), out(1, p.y), out(2, p.z));
            tint.setXYZ(corner++, tone.r, tone.g, tone.b);
          }
        [a, b] = [dot, dot];
      } else if (track.patch && a > 0) {
        m.makeBasis(e1.clone().multiplyScalar(a), e2.clone().multiplyScalar(b), n).setPosition(p);
        if (shown.patches) {
          this.discs.setMatrixAt(discs, m);
          this.discs.setColorAt(discs++, tone);
        }
        // A patch smaller than a few pixels is found by its ring.
        if (a < 0.25 * dot) [a, b] = [dot, dot];
      } else [a, b] = [dot, dot];
      if (shown.patches && (flat || a === dot)) {
        m.makeBasis(e1.clone().multiplyScalar(dot), e2.clone().multiplyScalar(dot), n).setPosition(p);
        this.rings.setMatrixAt(rings, m);
        this.rings.setColorAt(rings++, tone);
      }
      if (track === picked) {
        this.halo.visible = true;
        this.halo.matrixAutoUpdate = false;
        this.halo.matrix.makeBasis(e1.clone().multiplyScalar(Math.max(a, dot)), e2.clone().multiplyScalar(Math.max(b, dot)), n).setPosition(p);
      }
      const scale = (shown.force * 0.5 * run.reach) / (this.peak || 1);
      // Forces on B.
      if (shown.normals) arrow(p, n, c(COL.normal) * scale, tone);
      if (shown.forces) {
        const t = e1.clone().multiplyScalar(-c(COL.f1)).addScaledVector(e2, -c(COL.f2));
        const size = t.length();
        if (size > 1e-3 * this.peak) arrow(p, t.divideScalar(size), size * scale, colour.force);
      }
    });
    this.discs.count = discs;
    this.rings.count = rings;
    this.shafts.count = this.heads.count = arrows;
    for (const mesh of [this.discs, this.rings, this.shafts, this.heads]) {
      upload(mesh.instanceMatrix, 16 * mesh.count);
      if (mesh.instanceColor) upload(mesh.instanceColor, 3 * mesh.count);
    }
    this.fill.geometry.setDrawRange(0, corner);
    this.fill.visible = corner > 0 && shown.patches;
    upload(place, 3 * corner);
    upload(tint, 3 * corner);
  }

  /** The contact nearest to a point of the canvas (px), if one is near. */
  pick(x: number, y: number): Live | null {
    const { clientWidth: w, clientHeight: h } = this.renderer.domElement;
    let best: Live | null = null;
    let least = 28;
    for (const live of this.live) {
      const at = live.p.clone().project(this.camera);
      const d = Math.hypot(((at.x + 1) / 2) * w - x, ((1 - at.y) / 2) * h - y);
      if (d < least) [best, least] = [live, d];
    }
    return best;
  }

  resize(width: number, height: number, ratio: number): void {
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
  }

  draw(): void {
    this.renderer.render(this.scene, this.camera);
  }
}

/** Marks the first numbers of an attribute as changed: a whole buffer of contacts that are not there costs a frame 0.4 MB. */
function upload(attribute: BufferAttribute, count: number): void {
  if (count === 0) return;
  attribute.clearUpdateRanges();
  attribute.addUpdateRange(0, count);
  attribute.needsUpdate = true;
}

const ONE = new Vector3(1, 1, 1);
const Z = new Vector3(0, 0, 1);

/** 1, 2 or 5 times a power of ten. */
function niceStep(x: number): number {
  const power = 10 ** Math.floor(Math.log10(x));
  return power * (x / power >= 5 ? 5 : x / power >= 2 ? 2 : 1);
}
