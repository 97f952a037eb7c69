import { toIso } from '~/lib/time/instant';

/** One firing alert in the shape Alertmanager uses; each opens an incident of its own. */
export function testAlert(at: Date, summary: string, alertname = 'TestAlert'): object {
  const labels = { alertname, instance: toIso(at), severity: 'critical' };
  return {
    version: '4',
    groupKey: `test ${toIso(at)}`,
    status: 'firing',
    groupLabels: { alertname },
    commonLabels: labels,
    externalURL: location.origin,
    alerts: [
      {
        status: 'firing',
        labels,
        annotations: { summary, description: 'Nothing is wrong: somebody tries whether alerts arrive.' },
        startsAt: toIso(at),
        endsAt: '0001-01-01T00:00:00Z',
      },
    ],
  };
}

/** A command that sends one firing alert to a webhook address, in the shape Alertmanager uses. */
export function testAlertCommand(webhookUrl: string): string {
  const alert = {
    version: '4',
    groupKey: 'test',
    status: 'firing',
    alerts: [
      {
        status: 'firing',
        labels: { alertname: 'TestAlert', instance: 'my-laptop', severity: 'critical' },
        annotations: { summary: 'A test alert from the command line' },
      },
    ],
  };
  return `curl -X POST ${webhookUrl} \\\n  -H 'Content-Type: application/json' \\\n  -d '${JSON.stringify(alert)}'`;
}

/** What to merge into alertmanager.yml, where a second `route` is refused. */
export function alertmanagerReceiver(webhookUrl: string): string {
  return `# Where yours has a route or receivers, merge these with them.\nroute:\n  receiver: nightbell\n  group_by: [alertname, cluster, namespace]\nreceivers:\n  - name: nightbell\n    webhook_configs:\n      - url: ${webhookUrl}\n        send_resolved: true`;
}
