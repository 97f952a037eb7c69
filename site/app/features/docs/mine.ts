import { call } from '~/lib/api';
import { currentSession, identityOf, subscribeSession } from '~/lib/session';

interface Service {
  id: string;
  name: string;
}

const stored = 'docs-own-values';
const lookEvery = 2000;
const samples = { address: 'http://127.0.0.1:8480', key: 'nbs_your-key' };

/**
 * For signed-in readers: their own address and the key of a service of theirs in the examples of
 * this page, and a line that says when their first incident arrives. Nothing is sent anywhere.
 */
export async function offerOwnValues(): Promise<void> {
  const blocks = [...document.querySelectorAll<HTMLElement>('figure code')];
  if (!blocks.some((block) => block.textContent?.includes(samples.key))) return;
  reloadForOthers();
  const { services } = await call<{ services: Service[] }>({
    method: 'GET',
    path: '/v1/services?limit=100',
    action: 'fetch services',
    keepSession: true,
  });
  if (services.length === 0) return;
  const { panel, choice, on } = draw(services);
  document.querySelector('main h1 + p')?.after(panel);
  const originals = blocks.map((block) => block.innerHTML);
  let stop = () => {};
  const show = async () => {
    stop();
    blocks.forEach((block, n) => {
      block.innerHTML = originals[n] ?? '';
    });
    remember(on.checked);
    const service = services.find(({ id }) => id === choice.value);
    if (!on.checked || !service) return;
    stop = waitForFirst(service);
    for (const block of blocks) fill(block, samples.address, location.origin, location.origin);
    // Viewers may not see keys; their address is filled in all the same.
    const answer = await call<{ service_key: string }>({
      method: 'GET',
      path: `/v1/services/${service.id}/key`,
      action: 'fetch the key',
      keepSession: true,
    }).catch(() => null);
    if (!answer || !on.checked || choice.value !== service.id) return;
    const { service_key: key } = answer;
    for (const block of blocks) fill(block, samples.key, `${key.slice(0, 8)}…${key.slice(-4)}`, key);
  };
  choice.addEventListener('change', show);
  on.addEventListener('change', show);
  await show();
}

/** Loads the page again once the reader is signed out or is somebody else, also when it comes back by Back. */
function reloadForOthers(): void {
  const identity = () => {
    const session = currentSession();
    return session && identityOf(session);
  };
  const reader = identity();
  const look = () => {
    if (identity() !== reader) location.reload();
  };
  subscribeSession(look);
  window.addEventListener('pageshow', look);
}

function draw(services: readonly Service[]) {
  const panel = document.createElement('p');
  panel.dataset.own = '';
  const label = document.createElement('label');
  const on = document.createElement('input');
  on.type = 'checkbox';
  on.setAttribute('role', 'switch');
  on.checked = remembered();
  label.append(on, ' Examples use your own values');
  const choice = document.createElement('select');
  choice.setAttribute('aria-label', 'Service');
  for (const { id, name } of services) choice.append(new Option(name, id));
  const said = document.createElement('span');
  said.textContent = 'Filled in here, sent nowhere.';
  panel.append(label, choice, said);
  return { panel, choice, on };
}

/** Puts a value in place of a sample. What is shown may be shorter than what is copied. */
function fill(block: HTMLElement, sample: string, shown: string, whole: string): void {
  const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
  const found: Text[] = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    if (node.nodeValue?.includes(sample)) found.push(node as Text);
  for (const text of found) {
    const parts = (text.nodeValue ?? '').split(sample);
    const nodes = parts.flatMap((part, n) => {
      const own = document.createElement('mark');
      own.dataset.whole = whole;
      own.textContent = shown;
      return n === 0 ? [part] : [own, part];
    });
    text.replaceWith(...nodes);
  }
}

/** Looks for an incident of the service that was not there when the page was opened. */
function waitForFirst(service: Service): () => void {
  const line = document.querySelector<HTMLElement>('[data-block="waiting"]');
  if (!line) return () => {};
  line.hidden = false;
  line.textContent = `Waiting for your first event from ${service.name}`;
  let known: Set<string> | undefined;
  const look = async () => {
    if (document.hidden) return;
    const path = `/v1/incidents?service_id=${encodeURIComponent(service.id)}&limit=25`;
    const answer = await call<{ incidents: { id: string; title: string }[] }>({
      method: 'GET',
      path,
      action: 'fetch incidents',
      keepSession: true,
    }).catch(() => null);
    if (!answer) return;
    known ??= new Set(answer.incidents.map(({ id }) => id));
    const first = answer.incidents.find(({ id }) => !known?.has(id));
    if (!first) return;
    clearInterval(timer);
    line.dataset.received = '';
    const link = document.createElement('a');
    link.href = `/incidents/${first.id}`;
    link.textContent = 'Open it';
    line.replaceChildren(`First event received: ${first.title} `, link);
  };
  const timer = setInterval(() => void look(), lookEvery);
  void look();
  return () => {
    clearInterval(timer);
    line.hidden = true;
    delete line.dataset.received;
  };
}

function remembered(): boolean {
  try {
    return localStorage.getItem(stored) !== 'off';
  } catch {
    return true;
  }
}

function remember(on: boolean): void {
  try {
    localStorage.setItem(stored, on ? 'on' : 'off');
  } catch {
    // It holds for this page.
  }
}
