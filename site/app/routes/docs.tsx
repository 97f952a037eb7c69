import { CodeBlock } from '~/components/ui/code-block';
import { PublicPage } from '~/features/landing/components/public-page';
import { company } from '~/lib/company';
import '~/features/landing/landing.css';

export function meta() {
  return [
    { title: 'Documentation - Nightbell' },
    {
      name: 'description',
      content:
        'Run Nightbell, send it a first alert from Alertmanager or the command line, and see the page arrive.',
    },
  ];
}

const receiver = `receivers:
  - name: nightbell
    webhook_configs:
      - url: http://127.0.0.1:8480/v1/webhooks/prometheus/YOUR_SERVICE_KEY
        send_resolved: true`;

const alert = `curl -X POST http://127.0.0.1:8480/v1/webhooks/prometheus/YOUR_SERVICE_KEY \\
  -H 'Content-Type: application/json' \\
  -d '{"version":"4","groupKey":"test","status":"firing","alerts":[{"status":"firing",
       "labels":{"alertname":"TestAlert","severity":"critical"},
       "annotations":{"summary":"A test alert"}}]}'`;

/** The way from a clone to the first page. The guides for SDKs follow here. */
export default function Docs() {
  return (
    <PublicPage
      title="Documentation"
      lede="From a clone to a page that wakes you, in about five minutes. Guides for Node.js, Python and Go are being written and will appear here."
    >
      <h2 id="deploy">Run it</h2>
      <p>
        One binary holds the server, this site and a private PostgreSQL. You need git, make, Go and Node to
        build it.
      </p>
      <CodeBlock title="Terminal" code={`git clone ${company.repository}\ncd nightbell\nmake run`} />
      <p>
        The address, a demo sign-in, the inbox and a ready command that fires an alert are printed at start.
        Set <span className="mono">DATABASE_URL</span> to use your own PostgreSQL, and{' '}
        <span className="mono">NIGHTBELL_SMTP_HOST</span> to send real mail.{' '}
        <span className="mono">nightbell doctor</span> says what is configured and what is missing.
      </p>
      <h2 id="first-alert">Send a first alert</h2>
      <p>
        Every service has a webhook address of its own. Log in, open Services, choose one and copy its
        address; the page also shows this command with the key filled in.
      </p>
      <CodeBlock title="Terminal" code={alert} />
      <p>
        The person on call is paged within a second. Without a mail server the mail arrives in the built-in
        Inbox, where its link opens the incident. Press Acknowledge and paging stops.
      </p>
      <h2 id="alertmanager">Connect Alertmanager</h2>
      <p>
        Add a receiver and route to it. Repeats are counted, not paged again, and when Alertmanager reports an
        alert as resolved the incident resolves with its last alert. Grafana's contact point of type Webhook
        works with the same address.
      </p>
      <CodeBlock title="alertmanager.yml" code={receiver} />
      <h2 id="api">API</h2>
      <p>
        Everything the site does goes through a public API. Its description is an{' '}
        <a href="/v1/openapi.yaml">OpenAPI 3 file</a> served by your own installation.
      </p>
    </PublicPage>
  );
}
