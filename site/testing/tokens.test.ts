import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const css = readFileSync(join(import.meta.dirname, '../app/styles/tokens.css'), 'utf8');
const [dark = '', light = ''] = css.split('\n  [data-theme="light"] {');
const themes = { dark: tokensOf(dark), light: { ...tokensOf(dark), ...tokensOf(light) } };

const text: [string, string[]][] = [
  [
    'text-1',
    [
      'canvas',
      'sunken',
      'surface-1',
      'surface-2',
      'surface-3',
      'selected',
      'amber-wash',
      'critical-wash',
      'healthy-wash',
    ],
  ],
  ['text-2', ['canvas', 'sunken', 'surface-1', 'surface-2', 'surface-3', 'selected', 'amber-wash']],
  ['text-3', ['canvas', 'sunken', 'surface-1', 'surface-2', 'surface-3']],
  ['amber-text', ['canvas', 'surface-1', 'surface-2', 'selected', 'amber-wash']],
  ['link', ['canvas', 'surface-1']],
  ['critical', ['canvas', 'surface-1', 'surface-2']],
  ['healthy', ['healthy-wash']],
  ['degraded', ['degraded-wash']],
  ['down', ['down-wash']],
  ['amber-ink', ['amber', 'amber-hover']],
  ['inverse-ink', ['inverse', 'inverse-hover']],
  ['sign-ink', ['critical', 'high']],
  ['p-ink', ['p1', 'p2', 'p3', 'p4', 'p5', 'p6']],
];
const graphics: [string, string[]][] = [
  ['high', ['surface-1']],
  ['medium', ['surface-1']],
  ['low', ['surface-1']],
  ['triggered', ['surface-1']],
  ['acknowledged', ['surface-1']],
  ['resolved', ['surface-1']],
  ['focus', ['canvas', 'surface-1', 'surface-2']],
  ['line-control', ['canvas', 'surface-1', 'surface-2']],
  ['amber-edge', ['surface-1']],
];

describe.each(Object.entries(themes))('%s tokens', (_theme, tokens) => {
  it.each(pairs(text))('%s on %s is readable', (front, back) => {
    expect(contrast(tokens, front, back)).toBeGreaterThanOrEqual(4.5);
  });
  it.each(pairs(graphics))('%s on %s can be seen', (front, back) => {
    expect(contrast(tokens, front, back)).toBeGreaterThanOrEqual(3);
  });
});

type Colour = readonly [lightness: number, chroma: number, hue: number];

function pairs(table: [string, string[]][]): [string, string][] {
  return table.flatMap(([front, backs]) => backs.map((back): [string, string] => [front, back]));
}

function tokensOf(block: string): Record<string, Colour> {
  const found = block.matchAll(/--([\w-]+): oklch\(([\d.]+) ([\d.]+) ([\d.]+)\)|--([\w-]+): oklch\(1 0 0\)/g);
  return Object.fromEntries(
    [...found].map(([, name, l, c, h, white]) => [
      name ?? white,
      [Number(l ?? 1), Number(c ?? 0), Number(h ?? 0)],
    ]),
  );
}

function contrast(tokens: Record<string, Colour>, front: string, back: string): number {
  const [a, b] = [luminance(tokens[front]), luminance(tokens[back])];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

/** Relative luminance of WCAG 2.2 after rounding to 8-bit sRGB, as a screen shows it. */
function luminance(colour: Colour | undefined): number {
  if (!colour) throw new Error('The token does not exist.');
  const [r, g, b] = linearRgb(colour).map((channel) => fromGamma(Math.round(toGamma(channel) * 255) / 255));
  return 0.2126 * (r ?? 0) + 0.7152 * (g ?? 0) + 0.0722 * (b ?? 0);
}

function linearRgb([lightness, chroma, hue]: Colour): number[] {
  const a = chroma * Math.cos((hue * Math.PI) / 180);
  const b = chroma * Math.sin((hue * Math.PI) / 180);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ].map((channel) => Math.min(1, Math.max(0, channel)));
}

function toGamma(channel: number): number {
  return channel <= 0.0031308 ? 12.92 * channel : 1.055 * channel ** (1 / 2.4) - 0.055;
}

function fromGamma(channel: number): number {
  return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
}
