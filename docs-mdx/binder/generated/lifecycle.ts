import { read } from '../repository';

/** The picture of an incident's life, and the whole matrix that the server's test compares itself with. */
export function lifecycle(): string {
  const matrix = read('api/internal/incident/testdata/lifecycle.md')
    .replace(/^#.*\n/gm, '')
    .trim();
  return `${picture()}\n\n${matrix}`;
}

function picture(): string {
  const box = (x: number, word: string, colour: string) =>
    `<rect x="${x}" y="40" width="150" height="44" rx="10" fill="var(--surface-1)" stroke="var(--line)"/><circle cx="${x + 22}" cy="62" r="5" fill="var(--${colour})"/><text x="${x + 36}" y="66" font-size="14" fill="var(--text-1)">${word}</text>`;
  const arrow = (from: number, to: number, word: string) =>
    `<path d="M${from} 62H${to - 6}" stroke="var(--text-3)" stroke-width="1.5"/><path d="M${to - 9} 57l7 5-7 5" fill="none" stroke="var(--text-3)" stroke-width="1.5"/><text x="${(from + to) / 2}" y="52" font-size="11" text-anchor="middle" fill="var(--text-2)">${word}</text>`;
  return `<svg role="img" aria-label="An incident is triggered, then acknowledged, then resolved; what reports that it is well again resolves it at once." viewBox="0 0 700 124">${box(0, 'triggered', 'triggered')}${arrow(150, 275, 'Acknowledge')}${box(275, 'acknowledged', 'acknowledged')}${arrow(425, 550, 'Resolve')}${box(550, 'resolved', 'resolved')}<path d="M75 84v22h550V90" fill="none" stroke="var(--text-3)" stroke-width="1.5"/><path d="M620 95l5-8 5 8" fill="none" stroke="var(--text-3)" stroke-width="1.5"/><text x="350" y="120" font-size="11" text-anchor="middle" fill="var(--text-2)">its last alert is well again</text></svg>`;
}
