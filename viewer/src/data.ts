// What a run looked like, as the report holds it: format FPR1.
//
// "FPR1", header length (u32, little endian), header (JSON), then columns: a byte, 1 or 2, and zig-zag varints of
// the first or second differences, in units of the column's resolution. The header says which columns there are and in which order; `docs/formats.md` has the format.

export interface ShapeHead {
  kind: string;
  points: number;
  faces: number;
  scale: number;
  ground: boolean;
  round: boolean;
  grid?: [number, number];
}

export interface TrackHead {
  a: number;
  b: number;
  id: number;
  start: number;
  count: number;
  mu: number | null;
  patch: boolean;
  outline: boolean;
}

export interface Head {
  scene: string;
  frames: number;
  names: string[];
  fixed: boolean[];
  shape_of: number[];
  poses: (number[] | null)[];
  shapes: ShapeHead[];
  resolution: { time: number; position: number; quaternion: number };
  /** How many contacts there are; what each is of stands in columns. */
  tracks: number;
  frictions: number[];
  energies: { name: string; res: number }[];
  patches: { body: number; count: number; side: number; res: number; at: number[][] }[];
  over: number[];
  middle: [number, number, number];
  reach: number;
  notes: string[];
  colours: number[][];
  ground: number[];
}

export interface Shape extends ShapeHead {
  position: Float32Array;
  normal: Float32Array;
  index: Uint32Array;
}

/** Columns of a contact: see COLUMNS in `replay.rs`. */
export const COL = { mode: 0, px: 1, py: 2, pz: 3, nx: 4, ny: 5, nz: 6, ex: 7, ey: 8, ez: 9, a: 10, b: 11, normal: 12, f1: 13, f2: 14, tau: 15, used: 16, e_n: 17, depth: 18, slid: 19 };
const COLUMNS = 20;

export interface Track extends TrackHead {
  column: Float64Array[];
  /** For faces: corners of each frame, and where they begin. */
  corners: Float32Array;
  first: Int32Array;
}

export interface Run extends Head {
  times: Float64Array;
  /** Seven columns for each body: x, y, z, qw, qx, qy, qz; null for those that stay. */
  motion: (Float64Array[] | null)[];
  shape: Shape[];
  track: Track[];
  energy: Float64Array[];
  /** Heights of the patches of each map. */
  heights: Float64Array[];
  /** Which patch lies under each body of `over`, by frame; -1 for none. */
  under: Float64Array[];
}

class Reader {
  at = 0;
  constructor(private bytes: Uint8Array) {}

  column(count: number, resolution: number): Float64Array {
    const out = new Float64Array(count);
    const bytes = this.bytes;
    let at = this.at;
    const order = bytes[at++];
    let value = 0;
    let slope = 0;
    for (let k = 0; k < count; k++) {
      let low = 0;
      let shift = 0;
      let byte = 0;
      do {
        byte = bytes[at++];
        if (shift < 28) low |= (byte & 127) << shift;
        else low = low + (byte & 127) * 2 ** shift;
        shift += 7;
      } while (byte > 127);
      const whole = low >= 0 && low < 2 ** 31 ? (low >>> 1) ^ -(low & 1) : low % 2 ? -(low + 1) / 2 : low / 2;
      slope = order === 2 ? slope + whole : whole;
      value += slope;
      out[k] = value * resolution;
    }
    if (at > bytes.length) throw new Error('the data of this report is cut short');
    this.at = at;
    return out;
  }
}

export async function unpack(text: string): Promise<Run> {
  const packed = Uint8Array.from(atob(text.trim()), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  if (String.fromCharCode(...bytes.subarray(0, 4)) !== 'FPR1') throw new Error('the data of this report is not FPR1');
  const length = new DataView(bytes.buffer).getUint32(4, true);
  const head: Head = JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + length)));
  const reader = new Reader(bytes.subarray(8 + length));
  const { frames, resolution } = head;
  const times = reader.column(frames, resolution.time);
  const shape = head.shapes.map((s) => shapeOf(s, reader));
  const motion: (Float64Array[] | null)[] = head.fixed.map((fixed) => (fixed ? null : []));
  for (let k = 0; k < 7; k++) for (const m of motion) m?.push(reader.column(frames, k < 3 ? resolution.position : resolution.quaternion));
  const track = tracksOf(head, reader);
  const energy = head.energies.map((e) => reader.column(frames, e.res));
  const heights = head.patches.map((p) => reader.column(p.count * p.side * p.side, p.res));
  const under = head.over.map(() => reader.column(frames, 1));
  return { ...head, times, shape, motion, track, energy, heights, under };
}

function shapeOf(s: ShapeHead, reader: Reader): Shape {
  const xyz = [0, 1, 2].map(() => reader.column(s.points, s.scale));
  const nnn = [0, 1, 2].map(() => reader.column(s.points, 1 / 127));
  const index = Uint32Array.from(reader.column(3 * s.faces, 1));
  const weave = (columns: Float64Array[]) => {
    const out = new Float32Array(3 * s.points);
    columns.forEach((c, k) => c.forEach((x, i) => (out[3 * i + k] = x)));
    return out;
  };
  return { ...s, position: weave(xyz), normal: weave(nnn), index };
}

function tracksOf(head: Head, reader: Reader): Track[] {
  const [a, b, id, start, count, friction, kind] = Array.from({ length: 7 }, () => reader.column(head.tracks, 1));
  const tracks = Array.from(count, (n, k): Track => ({
    a: a[k],
    b: b[k],
    id: id[k],
    start: start[k],
    count: n,
    mu: friction[k] < 0 ? null : head.frictions[friction[k]],
    patch: (kind[k] & 1) > 0,
    outline: (kind[k] & 2) > 0,
    column: [],
    corners: new Float32Array(0),
    first: new Int32Array(n + 1),
  }));
  for (let k = 0; k < COLUMNS; k++) {
    const exponent = reader.column(head.tracks, 1);
    tracks.forEach((t, i) => t.column.push(reader.column(t.count, 2 ** exponent[i])));
  }
  for (const t of tracks.filter((t) => t.outline)) {
    reader.column(t.count, 1).forEach((n, k) => (t.first[k + 1] = t.first[k] + n));
    const total = t.first[t.count];
    t.corners = new Float32Array(3 * total);
    for (let k = 0; k < 3; k++) reader.column(total, head.resolution.position).forEach((x, i) => (t.corners[3 * i + k] = x));
  }
  return tracks;
}

/** The frame at or before a time, and how far the next one is gone into. */
export function frameAt(times: Float64Array, t: number): [number, number] {
  let low = 0;
  let high = times.length - 1;
  if (high <= 0 || t <= times[0]) return [0, 0];
  if (t >= times[high]) return [high, 0];
  while (high - low > 1) {
    const mid = (low + high) >> 1;
    if (times[mid] <= t) low = mid;
    else high = mid;
  }
  return [low, (t - times[low]) / (times[high] - times[low])];
}
