// The page: one stream of ticks from groth16-web, and every part drawn from it.
import { byId, bytes, clock, duration, el, setText } from '/dom.js';
import { addSamples, drawMemory, forgetSamples } from '/memory.js';
import { drawPipeline } from '/pipeline.js';
import { addLaneDeaths, addSpans, drawTimeline, forgetSpans } from '/timeline.js';
import * as jobs from '/jobs.js';
import { applyTheme, toggleTheme } from '/theme.js';

const MOST_DEATHS = 100;
let mayOperate = false;
let deaths = [];
let now = null;  // the last tick

function toast(text) {
  const box = byId('toast');
  box.textContent = text;
  box.classList.add('shown');
  clearTimeout(toast.timer);
  toast.timer = setTimeout(() => box.classList.remove('shown'), 4000);
}

async function post(path, body) {
  const response = await fetch(path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
  if (response.ok) return true;
  toast((await response.json()).error.text);
  return false;
}

async function operateWorker(slot, verb) {
  if (await post('/api/worker', { slot, verb })) toast(`${slot}: ${verb} is under way`);
}

async function operateJob(job, verb) {
  if (await post('/api/job', { job, verb })) toast(`${job}: ${verb} is under way`);
}

function showState(tick) {
  const badge = byId('state');
  setText('state', tick.state === 'silent' ? 'no answer' : tick.state);
  badge.className = `badge ${tick.state}`;
  badge.title = tick.error || '';
  document.title = tick.state === 'ready' ? 'groth16d' : `groth16d · ${tick.state}`;
}

function drawQueue(queues) {
  byId('queue').tBodies[0].replaceChildren(...queues.map((queue) => el('tr', {},
    el('th', { scope: 'row' }, queue.priority), el('td', {}, String(queue.jobs)), el('td', {}, String(queue.partitions)),
    el('td', {}, queue.oldest_ms ? duration(queue.oldest_ms) : '–'))));
}

function drawCards(cards) {
  byId('cards').replaceChildren(...cards.map((card) => el('p', {}, el('b', {}, card.name), ' ',
    el('span', { class: 'quiet' }, `${bytes(card.memory_used_bytes)} of ${bytes(card.memory_total_bytes)} · ${card.utilisation_percent} % · ${card.temperature_celsius} °C`))));
}

function addDeaths(more) {
  deaths = [...more.slice().reverse(), ...deaths].slice(0, MOST_DEATHS);
  byId('no-deaths').hidden = deaths.length > 0;
  byId('deaths').hidden = deaths.length === 0;
  byId('deaths').replaceChildren(...deaths.map((death) => el('li', { 'data-slot': death.slot },
    el('time', { class: 'quiet', datetime: new Date(death.at_ms).toISOString() }, clock(death.at_ms)), el('b', {}, death.slot),
    el('span', { class: ['orderly', 'requested'].includes(death.cause) ? 'quiet' : 'died' }, death.cause),
    el('span', { class: 'why' }, (death.job ? `at ${death.stage} of ${death.job} · ${death.partition}: ` : '') + death.text))));
}

function draw() {
  if (!now || now.state === 'silent') return;
  for (const word of ['queued', 'running', 'done', 'failed']) setText(`jobs-${word}`, String(now[`jobs_${word}`]));
  setText('about', `${now.version} · up ${duration(now.uptime_ms)}`);
  drawMemory();
  drawPipeline(now.partitions, now.in_flight, jobs.choose);
  drawTimeline(now.workers, now.at_ms, operateWorker, mayOperate);
  drawQueue(now.queues);
  drawCards(now.cards);
}

function take(tick) {
  showState(tick);
  now = tick;
  if (tick.state === 'silent') return;
  addSamples([tick.sample]);
  addSpans(tick.spans, tick.at_ms);
  if (tick.deaths.length) { addDeaths(tick.deaths); addLaneDeaths(tick.deaths, tick.at_ms); }
  draw();
}

function begin(past) {
  const at = past.now?.at_ms ?? Date.now();
  forgetSamples();
  forgetSpans();
  addSamples(past.samples);
  addSpans(past.spans, at);
  deaths = [];
  addDeaths(past.deaths);
  addLaneDeaths(past.deaths, at);
  if (past.now) { now = past.now; showState(now); draw(); }
  jobs.search();
}

function listen() {
  const stream = new EventSource('/api/stream');
  stream.addEventListener('history', (event) => begin(JSON.parse(event.data)));
  stream.addEventListener('tick', (event) => take(JSON.parse(event.data)));
  stream.onerror = async () => {
    showState({ state: 'silent', error: 'groth16-web does not answer' });
    // A browser gives up on a stream that was refused: perhaps the session is over.
    if (stream.readyState === EventSource.CLOSED) {
      const me = await fetch('/api/me').catch(() => null);
      if (me?.status === 401) location.href = '/login';
      else setTimeout(listen, 2000);
    }
  };
}

applyTheme();
byId('theme').addEventListener('click', () => { toggleTheme(); draw(); });
addEventListener('resize', draw);
const me = await fetch('/api/me');
if (me.status === 401) location.href = '/login';
mayOperate = (await me.json()).role === 'operate';
jobs.setUp(operateJob, mayOperate);
// One round after the other: a daemon that does not answer is not asked ever more.
async function keepFresh() {
  await jobs.refresh();
  if (!document.hidden) await jobs.search();
  setTimeout(keepFresh, 3000);
}
setTimeout(keepFresh, 3000);
listen();
