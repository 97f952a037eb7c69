import github from '~/assets/logos/github.svg';
import grafana from '~/assets/logos/grafana.svg';
import prometheus from '~/assets/logos/prometheus.svg';
import { paths } from '~/lib/paths';

/** Where a sender calls, and the key that it calls with. */
export interface Address {
  base: string;
  key: string;
}

/** Something to copy: a name, as of a file, and what it holds for an address. */
export interface Block {
  title: string;
  code: (address: Address) => string;
}

/** A kind of program that can call Nightbell, as the server names it, and how it is set up. */
export interface SenderEntry {
  kind: string;
  name: string;
  group: 'Monitoring tools' | 'Your code' | 'Jobs and changes';
  /** Its logo; its first letter stands for it without one. */
  logo?: string;
  about: string;
  /** What it sends, in the singular: "alert". */
  sends: string;
  /** Whether what it sends can open incidents. */
  opens: boolean;
  blocks: readonly Block[];
  more?: { to: string; word: string };
}

const webhook = ({ base, key }: Address) => `${base}/v1/webhooks/prometheus/${key}`;

// Quotes that neither YAML nor a shell reads anything into; addresses and keys hold none.
const quoted = (text: string) => `'${text}'`;

const receiver = (address: Address) => `# Where yours has a route or receivers, merge these with them.
route:
  receiver: nightbell
  group_by: [alertname, cluster, namespace]
receivers:
  - name: nightbell
    webhook_configs:
      - url: ${quoted(webhook(address))}
        send_resolved: true
`;

const contactPoint = (address: Address) => `apiVersion: 1
contactPoints:
  - orgId: 1
    name: nightbell
    receivers:
      - uid: nightbell
        type: webhook
        settings:
          url: ${quoted(webhook(address))}
          httpMethod: POST
`;

const tryAlert = (address: Address) => `curl -sS ${quoted(webhook(address))} \\
  -H 'Content-Type: application/json' \\
  -d '{"version":"4","status":"firing","alerts":[{"status":"firing","labels":{"alertname":"TestAlert","severity":"warning"},"annotations":{"summary":"A test alert from a terminal"}}]}'
`;

const environment = ({ base, key }: Address) => `NIGHTBELL_BASE_URL=${base}
NIGHTBELL_SERVICE_KEY=${key}
`;

// The middles of the SDKs' own examples, which their tests run.
const nodeTrigger = `import { Nightbell } from '@nightbell/node';

const client = new Nightbell(); // NIGHTBELL_SERVICE_KEY and NIGHTBELL_BASE_URL

const incident = await client.triggerIncident({
  title: 'Orders stopped',
  severity: 'critical',
  description: 'No order for ten minutes.',
  tags: { type: 'business' },
  metadata: { orders_count: 0, time_window: '10m' },
  dedupKey: 'orders-stopped',
});
`;

const pythonTrigger = `import nightbell

client = nightbell.init()  # NIGHTBELL_SERVICE_KEY and NIGHTBELL_BASE_URL

result = client.trigger_incident(
    "Orders stopped",
    "critical",
    description="No order for 10 minutes.",
    tags={"type": "business", "metric": "orders"},
    metadata={"orders_count": 3, "threshold": 10, "time_window": "1h"},
)
`;

const goTrigger = `// The keys and the address come from NIGHTBELL_SERVICE_KEY and NIGHTBELL_BASE_URL.
client, err := nightbell.New(nightbell.Config{})
if err != nil {
	panic(err)
}
defer client.Close(context.Background()) // delivers what waits

incident, err := client.TriggerIncident(context.Background(), nightbell.Incident{
	Title:       "Orders stopped",
	Severity:    nightbell.Critical,
	Description: "No order for ten minutes.",
	Tags:        map[string]string{"type": "business"},
	Metadata:    map[string]any{"orders_count": 0, "time_window": "10m"},
	DedupKey:    "orders-stopped",
})
`;

const post = ({ base, key }: Address, path: string, body: string) => `curl -sS ${quoted(base + path)} \\
  -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' \\
  -d '${body}'
`;

const trigger = (address: Address) =>
  post(
    address,
    '/v1/events',
    '{"title":"Orders stopped","severity":"high","dedup_key":"orders","source":"orders-worker-3"}',
  );

const resolve = (address: Address) =>
  post(address, '/v1/events', '{"action":"resolve","dedup_key":"orders"}');

const ping = ({ base, key }: Address, query = '') =>
  `${base}/v1/heartbeats/nightly-backup/ping/${key}${query}`;

const cron = (
  address: Address,
) => `0 3 * * * /usr/local/bin/backup && curl -fsS -m 10 --retry 5 ${quoted(ping(address, '?every_seconds=86400&grace_seconds=3600'))}
`;

// It stops at once what it made, so that nothing is missed tomorrow.
const once = (
  address: Address,
) => `curl -fsS ${quoted(ping(address, '?every_seconds=86400&grace_seconds=3600&status=stop'))}
`;

// The shell's own words stay for GitHub's machine; none of them can hold a quote.
const workflow = ({ base }: Address) => `- name: Tell Nightbell what was deployed
  env:
    NIGHTBELL_SERVICE_KEY: \${{ secrets.NIGHTBELL_SERVICE_KEY }}
  run: |
    curl -fsS -A github-actions '${base}/v1/changes' \\
      -H "Authorization: Bearer $NIGHTBELL_SERVICE_KEY" -H 'Content-Type: application/json' -d @- <<EOF
    {"kind": "deployment", "summary": "Deployed \${GITHUB_SHA:0:7}", "version": "$GITHUB_SHA", "author": "$GITHUB_ACTOR",
     "links": [{"href": "$GITHUB_SERVER_URL/$GITHUB_REPOSITORY/commit/$GITHUB_SHA", "text": "Commit"}]}
    EOF
`;

const change = (address: Address) =>
  post(address, '/v1/changes', '{"kind":"deployment","summary":"Deployed 2.4.1","version":"2.4.1"}');

const sample = (address: Address) =>
  `${post(
    address,
    '/v1/samples',
    `{"name":"latency","unit":"ms","points":[{"at":"'"$(date -u +%Y-%m-%dT%H:%M:%SZ)"'","value":212}]}`,
  )}`;

const addressBlock = { title: 'Address', code: webhook };
const variables = { title: 'Environment', code: environment };

/** Everything that can call today, in the order of the page. */
export const catalogue: readonly SenderEntry[] = [
  {
    kind: 'alertmanager',
    name: 'Prometheus',
    group: 'Monitoring tools',
    logo: prometheus,
    about:
      'Alertmanager posts what fires and what is over. The rulers of Loki, Mimir, Thanos and VictoriaMetrics alert through it, too. The test below opens an incident and pages like any other alert.',
    sends: 'alert',
    opens: true,
    blocks: [
      addressBlock,
      { title: 'alertmanager.yml', code: receiver },
      { title: 'Try it from a terminal', code: tryAlert },
    ],
  },
  {
    kind: 'grafana',
    name: 'Grafana',
    group: 'Monitoring tools',
    logo: grafana,
    about:
      'Alerting, Contact points, New contact point, type Webhook with this address. Or provision it from the file below. Leave the custom payload empty.',
    sends: 'alert',
    opens: true,
    blocks: [addressBlock, { title: 'contact-points.yaml', code: contactPoint }],
  },
  {
    kind: 'node_sdk',
    name: 'Node.js SDK',
    group: 'Your code',
    about: 'Errors, incidents, slow operations and heartbeats of Node.js programs.',
    sends: 'event',
    opens: true,
    blocks: [variables, { title: 'trigger.js', code: () => nodeTrigger }],
    more: {
      to: `${paths.docs}/platforms/nodejs`,
      word: 'How to install it, and middleware for Express, Next.js and others',
    },
  },
  {
    kind: 'python_sdk',
    name: 'Python SDK',
    group: 'Your code',
    about: 'Errors, incidents, slow operations and heartbeats of Python programs.',
    sends: 'event',
    opens: true,
    blocks: [variables, { title: 'trigger.py', code: () => pythonTrigger }],
    more: {
      to: `${paths.docs}/platforms/python`,
      word: 'How to install it, and middleware for Django, Flask and others',
    },
  },
  {
    kind: 'go_sdk',
    name: 'Go SDK',
    group: 'Your code',
    about: 'Errors, incidents, slow operations and heartbeats of Go programs.',
    sends: 'event',
    opens: true,
    blocks: [variables, { title: 'main.go', code: () => goTrigger }],
    more: {
      to: `${paths.docs}/platforms/go`,
      word: 'How to install it, and middleware for Gin, Echo and others',
    },
  },
  {
    kind: 'http',
    name: 'Your own script',
    group: 'Your code',
    about:
      'One POST opens an incident, another resolves it; what has the same dedup_key is the same problem. Anything that speaks HTTP can do it.',
    sends: 'event',
    opens: true,
    blocks: [
      { title: 'Open an incident', code: trigger },
      { title: 'Resolve it', code: resolve },
    ],
    more: { to: `${paths.docs}/api`, word: 'All fields' },
  },
  {
    kind: 'heartbeat',
    name: 'Cron jobs',
    group: 'Jobs and changes',
    about:
      'A job calls this address when it is done. When it does not in time, an incident opens. The first call makes the heartbeat; the test below makes it and stops it, until the job itself calls.',
    sends: 'ping',
    opens: false,
    blocks: [
      { title: 'crontab', code: cron },
      { title: 'Try it from a terminal', code: once },
    ],
  },
  {
    kind: 'github',
    name: 'GitHub Actions',
    group: 'Jobs and changes',
    logo: github,
    about:
      'A step after your deployment. What was deployed stands beside the incidents that followed it. Store the key as the secret NIGHTBELL_SERVICE_KEY of the repository.',
    sends: 'deployment',
    opens: false,
    blocks: [
      { title: 'The secret', code: ({ key }) => key },
      { title: 'A step of the workflow', code: workflow },
    ],
  },
  {
    kind: 'change',
    name: 'Other deployments',
    group: 'Jobs and changes',
    about:
      'Deployments, configuration changes and feature flags, from wherever you make them. They page nobody.',
    sends: 'change',
    opens: false,
    blocks: [{ title: 'Tell of a deployment', code: change }],
  },
  {
    kind: 'sample',
    name: 'Latency and error rate',
    group: 'Jobs and changes',
    about: 'Readings for the tiles of the service, kept for 30 days. They page nobody.',
    sends: 'reading',
    opens: false,
    blocks: [{ title: 'Send a reading', code: sample }],
  },
];

/** The entry of a kind; the first one for a kind that is not known. */
export function entryOf(kind: string | null): SenderEntry {
  const [first] = catalogue;
  if (!first) throw new Error('the catalogue is empty');
  return catalogue.find((one) => one.kind === kind) ?? first;
}

/** A key as it is shown: its beginning, and nothing that calls. */
export function shortened(hint: string | undefined): string {
  return hint ? `${hint.replace(/…$/, '')}····` : 'nbs_····';
}
