// Light or dark: the system's choice until a person makes their own, which stays in this browser.
const KEY = 'groth16d.theme';

export function applyTheme() {
  const chosen = localStorage.getItem(KEY);
  if (chosen) document.documentElement.dataset.theme = chosen;
}

export function toggleTheme() {
  const root = document.documentElement;
  const system = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  const next = (root.dataset.theme || system) === 'dark' ? 'light' : 'dark';
  root.dataset.theme = next;
  localStorage.setItem(KEY, next);
}
