// The dashboard as a person uses it: log in, watch partitions move while 30 jobs run, restart a worker, kill one and see
// its death, find a job and open it, in both themes, by keyboard too. Any error on the console fails it.
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

    const synth = JSON.parse(ctl('--json', 'worker', 'list')).find((worker) => worker.slot === 'synth-0');
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
