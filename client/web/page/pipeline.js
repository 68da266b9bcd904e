// Partitions on their way: a column a stage, a chip a partition, filled as far as its stage has come.
import { byId, color, el, keyed, put } from '/dom.js';

const COLUMNS = [['waiting', ['waiting', 'ready_synth'], 'input'], ['synthesis', ['synthesising'], 'synth'], ['sealed', ['sealed'], 'witness'],
                 ['proving', ['proving'], 'prove'], ['finalizing', ['finalizing'], 'assemble'], ['proven', ['proven'], 'key']];
const MOST_CHIPS = 24;

const nameOf = (entry) => `${entry.job} · ${entry.partition}`;

function fillChip(button, entry, tone) {
  put(button, nameOf(entry));
  button.title = `${nameOf(entry)}: ${entry.state}, ${Math.round(entry.progress_permille / 10)} %`;
  button.style.setProperty('--tone', color(tone));
  button.style.setProperty('--part', `${entry.progress_permille / 10}%`);
}

function makeColumn([word]) {
  return el('li', { 'data-stage': word }, el('h3', {}, el('span', {}, word), el('b')), el('div', { class: 'chips' }));
}

// `counts`: {state, count} of the partitions of unfinished jobs; `inFlight`: those that hold memory, one by one.
export function drawPipeline(counts, inFlight, choose) {
  const makeChip = (entry) => el('button', { type: 'button', class: 'chip', 'data-partition': `${entry.job}/${entry.partition}`,
                                             onclick: () => choose(entry.job) });
  keyed(byId('pipeline'), COLUMNS, ([word]) => word, makeColumn, (column, [, states, tone]) => {
    put(column.querySelector('b'), String(counts.filter((one) => states.includes(one.state)).reduce((sum, one) => sum + one.count, 0)));
    const here = inFlight.filter((entry) => states.includes(entry.state)).slice(0, MOST_CHIPS);
    keyed(column.querySelector('.chips'), here, (entry) => `${entry.job}/${entry.partition}`, makeChip, (chip, entry) => fillChip(chip, entry, tone));
  });
}
