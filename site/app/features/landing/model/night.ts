/** Where the dots of the sample night lie, in the chart's own units. */
export interface Night {
  /** SVG path of the alerts far from any incident. */
  quiet: string;
  /** SVG path of the alerts that belong to one of the three incidents. */
  storm: string;
  /** How many dots both paths have. */
  count: number;
}

/** Width and height of the chart. */
export const chart = { width: 1200, height: 116 };

/** Horizontal places of the three incidents; the middle one woke somebody. */
export const incidentsAt = [270, 783, 1040] as const;

const storms = [
  { at: incidentsAt[0], alerts: 201, spread: 26 },
  { at: incidentsAt[1], alerts: 487, spread: 30 },
  { at: incidentsAt[2], alerts: 138, spread: 16 },
];
const quietAlerts = 458;

/** The same 1,284 alerts on every call, so that the prerendered page and the browser agree. */
export function sampleNight(): Night {
  const random = generator(20260325);
  const around = () => random() + random() + random() - 1.5;
  const y = () => chart.height / 2 + around() * 34;
  let storm = '';
  for (const { at, alerts, spread } of storms) {
    for (let i = 0; i < alerts; i++) storm += dot(at + around() * spread * 1.6, y());
  }
  let quiet = '';
  for (let i = 0; i < quietAlerts; i++) quiet += dot(4 + random() * (chart.width - 8), y());
  return { quiet, storm, count: quietAlerts + storms.reduce((sum, s) => sum + s.alerts, 0) };
}

function dot(x: number, y: number): string {
  return `M${Math.round(x)} ${Math.round(y)}h0`;
}

// Mulberry32: small, seeded, and good enough to scatter dots.
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
