// The dashboard as a person uses it: log in, watch partitions move while 30 jobs run, restart a worker, kill one and see
// its death, find a job and open it, in both themes, by keyboard too; then drain a worker, cancel a job, enable the
// worker, and queue a quarantined job again, each by its button. Any error on the console fails it.
import assert from 'node:assert/strict';
import { execFile, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';

const programs = process.argv[2];
const pictures = process.env.GROTH16D_SCREENSHOTS;
const JOBS = 30;
const READ = 'r'.repeat(32), OPERATE = 'o'.repeat(32);

const folder = mkdtempSync(join(tmpdir(), 'groth16d-browser-'));
const children = [];
const run = join(folder, 'run');
const program = (name) => join(programs, name);
const ctl = (...words) => execFileSync(program('groth16ctl'), ['--runtime-dir', run, ...words], { encoding: 'utf8' });
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

async function until(what, holds, timeout_ms = 60_000) {
  for (const end = Date.now() + timeout_ms; Date.now() < end; await pause(100)) if (await holds()) return;
  assert.fail(`not within ${timeout_ms} ms: ${what}`);
}

// Their words go to files: a pipe that nobody empties while a command runs would hold the daemon up.
function start(name, ...words) {
  const log = join(folder, `${name}.log`);
  const child = spawn(program(name), words, { stdio: ['ignore', openSync(log, 'w'), openSync(log, 'a')] });
  child.words = () => readFileSync(log, 'utf8');
  children.push(child);
  return child;
}

const inFolder = (name) => join(folder, name);
const WITNESSES = [inFolder('witness-1.wtns'), inFolder('witness-2.wtns')];

// A circuit of 2^16 rows: about a second a partition, long enough to be seen.
function makeCircuit() {
  execFileSync(program('groth16-demo-circuit'), ['bn128', '16', '2', folder]);
  ctl('setup', '--insecure', '--r1cs', inFolder('circuit.r1cs'), '--zkey', inFolder('circuit.zkey'));
}

async function startService() {
  start('groth16d', '--state-dir', inFolder('state'), '--runtime-dir', run, '--root', folder, '--budget', '384 MiB', '--synth', '2');
  await until('the daemon answers', () => { try { ctl('status'); return true; } catch { return false; } });
  ctl('circuit', 'add', 'fifth', '--zkey', inFolder('circuit.zkey'), '--r1cs', inFolder('circuit.r1cs'), '--allow-insecure-key');
  writeFileSync(inFolder('tokens'), `read ${READ}\noperate ${OPERATE}\n`, { mode: 0o600 });
  const web = start('groth16-web', '--runtime-dir', run, '--port', '0', '--tokens', inFolder('tokens'));
  await until('groth16-web says where it is', () => /http:\S+\//.test(web.words()));
  return web.words().match(/http:\S+\//)[0];
}

// While the page is watched.
async function submitAll() {
  for (let job = 0; job < JOBS; ++job)
    await promisify(execFile)(program('groth16ctl'), ['--runtime-dir', run, 'submit', '--circuit', 'fifth', '--job', `night-${String(job).padStart(2, '0')}`, ...WITNESSES]);
}

async function openPage(browser, url, token, colorScheme) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 1180 }, colorScheme });
  const page = await context.newPage();
  page.errors = [];
  page.on('console', (message) => { if (['error', 'warning'].includes(message.type())) page.errors.push(message.text()); });
  page.on('pageerror', (error) => page.errors.push(String(error)));
  page.on('request', (request) => { if (!request.url().startsWith(url) && !request.url().startsWith('data:')) page.errors.push(`asked elsewhere: ${request.url()}`); });
  await page.goto(url);
  assert.match(page.url(), /login$/);
  await page.getByLabel('Token').fill(token);
  await page.keyboard.press('Enter');
  await page.waitForSelector('#state.ready');
  return page;
}

async function picture(page, name) {
  if (!pictures) return;
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
}

// The stage columns in which each partition was seen.
async function watchMoves(page, seen) {
  const places = await page.$$eval('#pipeline > li', (columns) => columns.flatMap((column) =>
    [...column.querySelectorAll('[data-partition]')].map((chip) => [chip.dataset.partition, column.dataset.stage])));
  for (const [partition, stage] of places) seen.set(partition, (seen.get(partition) ?? new Set()).add(stage));
}

const workers = () => JSON.parse(ctl('--json', 'worker', 'list'));
const worker = (slot) => workers().find((one) => one.slot === slot);
const stateOf = (job) => JSON.parse(ctl('--json', 'status', job)).state;
const submit = (job, partitions = 1) =>
  ctl('submit', '--circuit', 'fifth', '--job', job, ...Array(partitions).fill(WITNESSES[0]));
const press = (page, name) => page.getByRole('button', { name, exact: true }).click();

async function openJob(page, job) {
  await page.getByLabel('Name').fill(job);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: job, exact: true }).click();
  await page.waitForSelector(`#job h3:has-text("${job}")`);
}
const shows = (page, state) => until(`the page shows the job ${state}`, async () =>
  (await page.locator('#job h3 small').textContent()) === state);

// A drained prover ends its partition and leaves the job's others, so that there is time to cancel them.
async function drainAndCancel(page) {
  submit('unwanted', 12);
  await press(page, 'drain cpu-0');
  await until('cpu-0 rests', () => worker('cpu-0').state === 'disabled');
  await openJob(page, 'unwanted');
  await press(page, 'Cancel this job');
  await until('the job is cancelled', () => stateOf('unwanted') === 'cancelled');
  await shows(page, 'cancelled');
  assert.equal(await page.getByRole('button', { name: 'Cancel this job' }).count(), 0);
  await press(page, 'enable cpu-0');
  await until('cpu-0 is ready again', () => worker('cpu-0').state === 'ready');
}

// Three deaths on one partition: the job is kept aside until an operator queues it again.
async function quarantineAndKick(page) {
  submit('unlucky');
  for (let death = 1; death <= 3; ++death) {
    let prover;
    await until(`cpu-0 proves it for the ${death}. time`, () => {
      prover = worker('cpu-0');
      return prover.job === 'unlucky' && prover.stage === 'prove';
    });
    process.kill(prover.pid, 'SIGSEGV');
    await until('it has died', () => worker('cpu-0').epoch !== prover.epoch || worker('cpu-0').state !== 'busy');
  }
  await until('the job is quarantined', () => stateOf('unlucky') === 'quarantined');
  await openJob(page, 'unlucky');
  await shows(page, 'quarantined');
  await press(page, 'Queue it again');
  await until('the job is proven after all', () => stateOf('unlucky') === 'done', 120_000);
  await shows(page, 'done');
}

async function main() {
  makeCircuit();
  const url = await startService();
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });
  try {
    const page = await openPage(browser, url, OPERATE, 'light');

    const submitted = submitAll();
    const seen = new Map();
    await until('a partition moves from stage to stage', async () => {
      await watchMoves(page, seen);
      return [...seen.values()].some((stages) => stages.size >= 2);
    }, 180_000);
    await picture(page, 'dashboard-light');

    await page.getByRole('button', { name: 'restart cpu-0' }).click();
    await until('the restart shows among the deaths', async () =>
      (await page.locator('#deaths li[data-slot="cpu-0"]').count()) > 0);

    const synth = worker('synth-0');
    process.kill(synth.pid, 'SIGSEGV');
    await until('the death of synth-0 is in the list, with its cause', async () =>
      (await page.locator('#deaths li[data-slot="synth-0"]').first().textContent().catch(() => '')).includes('crash'));
    await submitted;

    await page.getByLabel('Name').fill('night-07');
    await page.keyboard.press('Enter');
    const found = page.locator('#jobs tbody button');
    await until('the search finds one job', async () => (await found.count()) === 1 && (await found.textContent()) === 'night-07');
    await found.focus();
    await page.keyboard.press('Enter');
    await page.waitForSelector('#partitions tbody tr');
    assert.equal(await page.locator('#partitions tbody tr').count(), 2);

    const reader = await openPage(browser, url, READ, 'dark');
    assert.equal(await reader.getByRole('button', { name: 'restart cpu-0' }).count(), 0);
    await until('all jobs end', async () => (await reader.locator('#jobs-done').textContent()) === String(JOBS), 600_000);
    await picture(reader, 'dashboard-dark');
    await openJob(reader, 'night-07');
    assert.equal(await reader.locator('#job .verbs').count(), 0);

    await drainAndCancel(page);
    await quarantineAndKick(page);

    // Every control has a name, every plot a description.
    for (const one of [page, reader]) {
      const nameless = await one.$$eval('button, input, select, svg[role=img]', (all) => all.filter((e) =>
        !(e.getAttribute('aria-label') || e.textContent.trim() || e.closest('label') || e.title)).length);
      assert.equal(nameless, 0);
      assert.deepEqual(one.errors, []);
    }
    console.log(`ok: ${JOBS} jobs, ${seen.size} partitions seen, moves: ${[...seen].filter(([, stages]) => stages.size > 1).length}`);
  } finally {
    await browser.close();
  }
}

try {
  await main();
} catch (error) {
  for (const child of children) console.error(`--- ${child.spawnfile}\n${child.words().slice(-4000)}`);
  console.error(error);
  process.exitCode = 1;
} finally {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}
