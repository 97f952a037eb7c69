import { expect, it } from 'vitest';
import { testAlert } from './curl';

it('the test alert is what Alertmanager sends', () => {
  const at = new Date('2026-11-24T03:00:00Z');
  const labels = { alertname: 'TestAlert', instance: at.toISOString(), severity: 'critical' };
  expect(testAlert(at, 'A test')).toEqual({
    version: '4',
    status: 'firing',
    groupKey: expect.any(String),
    groupLabels: { alertname: 'TestAlert' },
    commonLabels: labels,
    externalURL: location.origin,
    alerts: [
      {
        status: 'firing',
        labels,
        annotations: { summary: 'A test', description: expect.any(String) },
        startsAt: at.toISOString(),
        endsAt: '0001-01-01T00:00:00Z',
      },
    ],
  });
});
