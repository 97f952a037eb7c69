import { describe, expect, it } from 'vitest';
import { measured, readingsOf } from './readings';

const since = '2026-11-22T00:00:00Z';
const minute = (n: number) => new Date(Date.parse(since) + n * 60_000).toISOString();
const point = (n: number, value: number) => ({
  at: minute(n),
  sample_count: 2,
  average: value,
  min: value - 1,
  max: value + 1,
  last: value,
});

describe('readings of a service', () => {
  it('has the three usual tiles when nothing was reported', () => {
    expect(readingsOf({}).map(({ label, value, line }) => [label, value, line])).toEqual([
      ['Uptime', '', ''],
      ['Latency', '', ''],
      ['Error rate', '', ''],
    ]);
  });

  it('shows the latest, the mean, the most, and breaks the line where nothing came', () => {
    const [, latency, , orders] = readingsOf({
      since,
      until: minute(4),
      step_seconds: 60,
      series: [
        { name: 'latency', unit: 'ms', points: [point(0, 100), point(1, 300), point(4, 200)] },
        { name: 'orders', unit: '1', points: [] },
      ],
    });
    expect(latency).toMatchObject({
      value: '200',
      unit: 'ms',
      note: '200 ms on average, 301 ms at most',
      line: 'M0.0 38.0h0L60.0 2.0M240.0 20.0h0',
    });
    expect(orders).toMatchObject({ label: 'orders', known: true, value: '', line: '' });
  });

  it('writes values as people read them', () => {
    expect(measured(2314, 'ms')).toEqual(['2.31', 's']);
    expect(measured(0.0123, '', 'error_rate')).toEqual(['1.23', '%']);
    expect(measured(0.9994, '1', 'uptime')).toEqual(['99.94', '%']);
    expect(measured(1.2, '%', 'error_rate')).toEqual(['1.2', '%']);
    expect(measured(12_345, 'orders')).toEqual(['12,345', 'orders']);
    expect(measured(3, '1', 'orders')).toEqual(['3', '']);
  });
});

describe('uptime that nobody measures', () => {
  const tile = (uptime?: number) => readingsOf({ uptime })[0];

  it('follows from incidents', () => {
    expect(tile(0.99875)).toMatchObject({ label: 'Uptime', value: '99.875', unit: '%', at: null });
    expect(tile(0)).toMatchObject({ value: '0' });
    expect(tile(1)).toMatchObject({ value: '100', note: 'Without a critical incident' });
  });

  it('is never rounded up to what it was not', () => {
    expect(tile(0.9999999)?.value).toBe('99.999');
  });

  it('is unknown without an answer, and what was measured goes before', () => {
    expect(tile()?.value).toBe('');
    const measured = {
      name: 'uptime',
      unit: '1',
      points: [{ at: '2026-03-24T10:00:00Z', sample_count: 1, average: 0.5, max: 0.5, last: 0.5 }],
    };
    expect(readingsOf({ uptime: 1, series: [measured] })[0]?.value).toBe('50');
  });
});
