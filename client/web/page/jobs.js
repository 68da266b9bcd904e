// Jobs: found by name and state, and one of them in detail: its partitions, each with the timeline of its stages.
import { byId, color, duration, el, keyed, put, svg } from '/dom.js';

let chosen = '';
let act = () => {};
let mayOperate = false;

export function setUp(verbs, operate) {
  act = verbs;
  mayOperate = operate;
  byId('search').addEventListener('submit', (event) => { event.preventDefault(); search(); });
  byId('state-filter').addEventListener('change', search);
}

async function ask(path) {
  const response = await fetch(path);
  const body = await response.json();
  if (!response.ok) throw new Error(body.error.text);
  return body;
}

function makeRow(job) {
  return el('tr', {}, el('td', {}, el('button', { type: 'button', onclick: () => choose(job.job) }, job.job)), el('td'), el('td'), el('td'), el('td'));
}

function fillRow(row, job) {
  const proven = job.partitions.filter((partition) => partition.state === 'proven').length;
  row.setAttribute('aria-selected', String(job.job === chosen));
  const [, circuit, state, partitions, age] = row.cells;
  put(circuit, job.circuit);
  put(state, job.state);
  state.className = job.state;
  put(partitions, `${proven} of ${job.partitions.length}`);
  put(age, duration(job.age_ms));
}

// A line in the place of jobs.
function say(text, tone) {
  byId('jobs').tBodies[0].replaceChildren(el('tr', {}, el('td', { colspan: 5, class: tone }, text)));
}

export async function search() {
  const query = new URLSearchParams({ contains: byId('contains').value, state: byId('state-filter').value });
  try {
    const { jobs } = await ask(`/api/jobs?${query}`);
    keyed(byId('jobs').tBodies[0], jobs, (job) => job.job, makeRow, fillRow);
    if (jobs.length === 0) say('No job is like that.', 'quiet');
  } catch (error) {
    say(error.message, 'failed');
  }
}

function lane(spans, end) {
  const x = (at) => at / Math.max(end, 1) * 400;
  return svg('svg', { class: 'lane', viewBox: '0 0 400 30', preserveAspectRatio: 'none', role: 'img',
                      'aria-label': spans.map((span) => `${span.stage} ${span.outcome || 'running'}`).join(', ') },
    ...spans.map((span) => svg('rect', { x: x(span.begin_ms), y: span.stage === 'b2' ? 17 : 4, height: span.stage === 'b2' || span.stage === 'prove' ? 11 : 22, rx: 2,
                                         width: Math.max(1.5, x((span.outcome ? span.end_ms : end) - span.begin_ms)), fill: color(span.stage), 'fill-opacity': span.outcome && span.outcome !== 'done' ? 0.35 : 1 },
      svg('title', {}, `${span.stage} on ${span.slot}, attempt ${span.attempt}: ${span.outcome || 'running'}${span.outcome ? ` after ${span.end_ms - span.begin_ms} ms` : ''}`))));
}

function detail(job) {
  const end = Math.max(...job.timeline.map((span) => span.outcome ? span.end_ms : job.age_ms), 1);
  const verb = (word, label) => el('button', { type: 'button', onclick: () => operate(job.job, word) }, label);
  const ended = ['done', 'failed', 'cancelled', 'quarantined'].includes(job.state);
  return [
    el('h3', { tabindex: -1 }, job.job, ' ', el('small', { class: job.state }, job.state)),
    el('p', { class: 'quiet' }, `${job.circuit} · ${job.priority} · ${duration(job.age_ms)} old${job.waiting_for ? ` · waits for ${job.waiting_for}` : ''}`),
    job.failure ? el('p', { class: 'failed' }, job.failure.text) : null,
    mayOperate ? el('div', { class: 'verbs' }, !ended ? verb('cancel', 'Cancel this job') : null, job.state === 'quarantined' ? verb('kick', 'Queue it again') : null) : null,
    el('table', { id: 'partitions' }, el('thead', {}, el('tr', {}, ...['', 'state', 'attempt', 'stages'].map((word) => el('th', { scope: 'col' }, word)))),
      el('tbody', {}, ...job.partitions.map((partition) => el('tr', {},
        el('th', { scope: 'row' }, String(partition.partition)), el('td', { class: partition.state }, partition.state), el('td', {}, String(partition.attempt)),
        el('td', { class: 'bar' }, lane(job.timeline.filter((span) => span.partition === partition.partition), end)))))),
  ].filter((part) => part !== null);
}

export async function choose(name) {
  chosen = name;
  for (const line of byId('jobs').tBodies[0].rows) line.setAttribute('aria-selected', String(line.cells[0].textContent === name));
  await refresh();
}

// The button may be gone afterwards: the focus goes to the job's name, and the job is shown as it becomes.
async function operate(job, word) {
  await act(job, word);
  await redraw();
  byId('job').querySelector('h3')?.focus();
}

// The chosen job as it is now, unless a button of it has the focus: nothing moves under a key press.
export async function refresh() {
  const focus = document.activeElement?.closest?.('#job') !== null && document.activeElement?.tagName === 'BUTTON';
  if (chosen && !focus) await redraw();
}

async function redraw() {
  try {
    byId('job').replaceChildren(...detail(await ask(`/api/jobs/${encodeURIComponent(chosen)}`)));
  } catch (error) {
    byId('job').replaceChildren(el('p', { class: 'failed' }, error.message));
  }
}
