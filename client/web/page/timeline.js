// Each worker as a lane of time: what it did in the last five minutes, what it does now, where it died.
import { byId, bytes, clock, color, el, svg } from '/dom.js';

const WINDOW_MS = 5 * 60 * 1000;
const STAGES = ['inspect', 'load', 'synth', 'prove', 'b2', 'assemble'];
const WIDTH = 1000;  // of a lane, in its own units

let spans = [];
let deaths = [];
const since = new Map();  // slot -> {what, at}: when its present work was first seen
const lanes = new Map();  // slot -> its elements, made once, so that focus stays where it is

export const forgetSpans = () => { spans = []; deaths = []; };
export const addSpans = (more, now) => { spans = [...spans, ...more].filter((span) => span.end_ms > now - WINDOW_MS); };
export const addLaneDeaths = (more, now) => { deaths = [...deaths, ...more].filter((death) => death.at_ms > now - WINDOW_MS); };

function bar(span, x, running) {
  const begin = Math.max(0, x(span.begin_ms)), end = Math.max(begin + 1.5, x(span.end_ms));
  return svg('rect', { x: begin.toFixed(1), width: (end - begin).toFixed(1), y: 4, height: 22, rx: 2, fill: color(span.stage), class: running ? 'now' : '',
                       'fill-opacity': span.outcome === 'done' || running ? 1 : 0.35 },
             svg('title', {}, `${span.stage} of ${span.job} · ${span.partition}${running ? '' : `: ${span.outcome} after ${span.end_ms - span.begin_ms} ms`}`));
}

function present(worker, now) {
  const what = worker.stage ? `${worker.epoch} ${worker.job} ${worker.partition} ${worker.stage}` : '';
  if (!what) { since.delete(worker.slot); return null; }
  if (since.get(worker.slot)?.what !== what) {
    const last = spans.filter((span) => span.slot === worker.slot).reduce((latest, span) => Math.max(latest, span.end_ms), now - 1000);
    since.set(worker.slot, { what, at: last });
  }
  return { ...worker, begin_ms: since.get(worker.slot).at, end_ms: now };
}

function verb(word, label, slot, act) {
  return el('button', { type: 'button', class: 'small', 'data-verb': word, 'aria-label': `${label} ${slot}`, onclick: () => act(slot, word) }, label);
}

function makeLane(slot, act, mayOperate) {
  const name = el('div', { class: 'lane-name' });
  const lane = svg('svg', { class: 'lane', viewBox: `0 0 ${WIDTH} 30`, preserveAspectRatio: 'none', role: 'img', 'data-slot': slot });
  const verbs = el('div', { class: 'lane-verbs' });
  if (mayOperate) {
    verbs.append(verb('restart', 'restart', slot, act), verb('drain', 'drain', slot, act), verb('enable', 'enable', slot, act), verb('reset', 'reset', slot, act));
  }
  return { name, lane, verbs };
}

function describe(parts, worker) {
  const doing = worker.stage ? `${worker.stage} ${worker.job} · ${worker.partition}` : '';
  parts.name.replaceChildren(
    el('span', {}, el('b', {}, worker.slot), ' ', el('small', { class: worker.state }, worker.state)),
    el('small', { class: 'quiet' }, doing || `pid ${worker.pid} · ${bytes(worker.private_bytes)}${worker.restarts ? ` · ${worker.restarts} restarts` : ''}`));
  parts.lane.setAttribute('aria-label', `${worker.slot} is ${worker.state}${doing ? `, at ${doing}` : ''}`);
  for (const button of parts.verbs.children) {
    const rests = worker.state === 'disabled', failed = worker.state === 'failed';
    const fits = { restart: !rests && !failed, drain: !rests && !failed, enable: rests, reset: failed }[button.dataset.verb];
    button.hidden = !fits;
  }
}

export function drawTimeline(workers, now, act, mayOperate) {
  const x = (at) => (at - (now - WINDOW_MS)) / WINDOW_MS * WIDTH;
  for (const worker of workers) {
    if (!lanes.has(worker.slot)) {
      const parts = makeLane(worker.slot, act, mayOperate);
      lanes.set(worker.slot, parts);
      byId('timeline').append(parts.name, parts.lane, parts.verbs);
    }
    const parts = lanes.get(worker.slot);
    describe(parts, worker);
    const bars = spans.filter((span) => span.slot === worker.slot).map((span) => bar(span, x, false));
    const running = present(worker, now);
    if (running) bars.push(bar(running, x, true));
    for (const death of deaths.filter((one) => one.slot === worker.slot))
      bars.push(svg('line', { class: 'cut', x1: x(death.at_ms), x2: x(death.at_ms), y1: 0, y2: 30 }, svg('title', {}, `${death.cause}: ${death.text}`)));
    parts.lane.replaceChildren(...bars);
  }
  drawAxis(now);
}

let axis = null;
function drawAxis(now) {
  if (!axis) {
    axis = svg('svg', { class: 'axis', 'aria-hidden': 'true' });
    byId('timeline').append(el('span'), axis, el('span'));
    byId('stage-legend').replaceChildren(...STAGES.map((stage) => { const dot = el('i'); dot.style.color = color(stage); return el('span', {}, dot, stage); }));
  }
  byId('timeline').append(...[axis.previousElementSibling, axis, axis.nextElementSibling]);
  axis.replaceChildren(...[5, 4, 3, 2, 1, 0].map((minutes) =>
    svg('text', { x: `${100 - minutes * 20}%`, y: 12, 'text-anchor': minutes === 5 ? 'start' : minutes === 0 ? 'end' : 'middle' }, clock(now - minutes * 60000))));
}
