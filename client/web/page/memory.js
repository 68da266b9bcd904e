// Memory over time: kinds of buffers stacked, what is reserved and not allocated yet on top, all under the budget.
import { byId, bytes, clock, color, el, setText, svg } from '/dom.js';

const KINDS = ['private', 'key', 'r1cs', 'input', 'witness', 'ab', 'pool', 'reserved'];
const WORDS = { private: 'private memory', key: 'proving keys', r1cs: 'constraint systems', input: 'inputs',
                witness: 'witnesses', ab: 'a and b rows', pool: 'pool', reserved: 'reserved, not allocated' };
const KEEP_MS = 10 * 60 * 1000;
const HEIGHT = 220, LEFT = 64, BOTTOM = 22, TOP = 10;

let samples = [];

export function forgetSamples() { samples = []; }

export function addSamples(more) {
  samples.push(...more.map(([at, total, used, kinds]) => ({ at, total, used, kinds })));
  const newest = samples.length ? samples[samples.length - 1].at : 0;
  samples = samples.filter((sample) => sample.at > newest - KEEP_MS);
}

// Up to five steps of a power of two, at or above the value, for the axis.
function ceiling(value) {
  let step = 1;
  while (step * 5 < value) step *= 2;
  return { top: Math.ceil(value / step) * step, step };
}

function stack(x, y) {
  const floor = new Array(samples.length).fill(0);
  return KINDS.map((kind) => {
    const below = samples.map((s, i) => `${x(s.at)},${y(floor[i])}`);
    const above = samples.map((s, i) => { floor[i] += s.kinds[kind] || 0; return `${x(s.at)},${y(floor[i])}`; });
    return svg('path', { d: `M${above.join('L')}L${below.reverse().join('L')}Z`, fill: color(kind), 'fill-opacity': kind === 'reserved' ? 0.55 : 0.9 },
               svg('title', {}, WORDS[kind]));
  });
}

export function drawMemory() {
  const plot = byId('memory');
  if (samples.length < 1) return;
  const width = plot.clientWidth, last = samples[samples.length - 1];
  const first = Math.min(samples[0].at, last.at - 60000);
  const { top, step } = ceiling(Math.max(...samples.map((s) => s.total)) * 1.04);
  const x = (at) => (LEFT + (at - first) / (last.at - first) * (width - LEFT - 8)).toFixed(1);
  const y = (value) => (TOP + (1 - value / top) * (HEIGHT - TOP - BOTTOM)).toFixed(1);
  const lines = [];
  for (let value = 0; value <= top; value += step) {
    lines.push(svg('line', { class: 'grid', x1: LEFT, x2: width - 8, y1: y(value), y2: y(value) }),
               svg('text', { x: LEFT - 8, y: Number(y(value)) + 4, 'text-anchor': 'end' }, bytes(value)));
  }
  for (let part = 0; part <= 4; part += 1) {
    const at = first + (last.at - first) * part / 4;
    lines.push(svg('text', { x: x(at), y: HEIGHT - 4, 'text-anchor': part === 4 ? 'end' : part === 0 ? 'start' : 'middle' }, clock(at)));
  }
  const budget = svg('polyline', { class: 'budget', points: samples.map((s) => `${x(s.at)},${y(s.total)}`).join(' ') });
  const word = svg('text', { class: 'budget-word', x: width - 10, y: Number(y(last.total)) - 5, 'text-anchor': 'end' }, `budget ${bytes(last.total)}`);
  plot.replaceChildren(...lines, ...stack(x, y), budget, word);
  const summary = `${bytes(last.used)} of ${bytes(last.total)} in use`;
  plot.setAttribute('aria-label', `Memory over the last minutes: now ${summary}`);
  setText('memory-now', summary);
  byId('memory-legend').replaceChildren(...KINDS.filter((kind) => last.kinds[kind] !== undefined).map((kind) => {
    const dot = el('i'); dot.style.color = color(kind);
    return el('li', {}, dot, el('span', {}, WORDS[kind]), el('b', {}, bytes(last.kinds[kind])));
  }));
}
