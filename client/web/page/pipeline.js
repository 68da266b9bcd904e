// Partitions on their way: a column a stage, a chip a partition, filled as far as its stage has come.
import { byId, color, el } from '/dom.js';

const COLUMNS = [['waiting', ['waiting', 'ready_synth'], 'input'], ['synthesis', ['synthesising'], 'synth'], ['sealed', ['sealed'], 'witness'],
                 ['proving', ['proving'], 'prove'], ['finalizing', ['finalizing'], 'assemble'], ['proven', ['proven'], 'key']];
const MOST_CHIPS = 24;

function chip(entry, tone, choose) {
  const name = `${entry.job} · ${entry.partition}`;
  const button = el('button', { type: 'button', class: 'chip', title: `${name}: ${entry.state}, ${Math.round(entry.progress / 10)} %`,
                                'data-partition': `${entry.job}/${entry.partition}`, onclick: () => choose(entry.job) }, name);
  button.style.setProperty('--tone', color(tone));
  button.style.setProperty('--part', `${entry.progress / 10}%`);
  return button;
}

// `counts`: partitions of unfinished jobs by state; `inFlight`: those that hold memory, one by one.
export function drawPipeline(counts, inFlight, choose) {
  const held = document.activeElement?.dataset?.partition;
  byId('pipeline').replaceChildren(...COLUMNS.map(([word, states, tone]) => {
    const here = inFlight.filter((entry) => states.includes(entry.state));
    const total = states.reduce((sum, state) => sum + (counts[state] || 0), 0);
    const chips = here.slice(0, MOST_CHIPS).map((entry) => chip(entry, tone, choose));
    return el('li', { 'data-stage': word }, el('h3', {}, word, el('b', {}, String(total))), el('div', { class: 'chips' }, ...chips));
  }));
  if (held) document.querySelector(`[data-partition="${CSS.escape(held)}"]`)?.focus();
}
