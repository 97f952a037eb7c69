import { useDeferredValue, useRef, useState } from 'react';
import { PageHead } from '~/components/layout/page-head';
import { Boundary } from '~/components/ui/boundary';
import { Button } from '~/components/ui/button';
import { Empty } from '~/components/ui/states';
import { Tabs } from '~/components/ui/tabs';
import { prefetch } from '~/data/cache';
import { senderList } from '~/data/senders';
import { serviceList } from '~/data/services';
import { slackConfig } from '~/data/slack';
import { IntegrationCards } from '~/features/integrations/components/integration-cards';
import * as styles from '~/features/integrations/components/integration-cards.module.css';
import { IntegrationSearch } from '~/features/integrations/components/integration-search';
import { SenderCatalogue } from '~/features/integrations/components/sender-catalogue';
import { WebhookTeaser } from '~/features/integrations/components/webhook-teaser';
import { matches, tools, viewOf, views } from '~/features/integrations/model/cards';
import { catalogue } from '~/features/integrations/model/catalogue';
import { useAddressParams } from '~/lib/address-params';
import { mayAct } from '~/lib/role';

export function clientLoader() {
  return prefetch((client) => [
    client.query(serviceList),
    client.query(senderList()),
    client.query(slackConfig),
  ]);
}

/** What rings the bell, and where it is heard. */
export default function Integrations() {
  const [params, setParams] = useAddressParams();
  const [text, setText] = useState('');
  const wanted = useDeferredValue(text);
  const senders = useRef<HTMLHeadingElement>(null);
  const view = viewOf(params.get('view'));
  const set = (change: Record<string, string>) =>
    setParams((current) => ({ ...Object.fromEntries(current), ...change }));
  const choose = (next: string) =>
    setParams((current) => {
      const { view: _, ...others } = Object.fromEntries(current);
      return next === 'all' ? others : { ...others, view: next };
    });
  // The catalogue may be hidden by the tab or the search; both give way.
  const add = (kind?: string) => {
    setText('');
    choose('all');
    if (kind) set({ sender: kind });
    setTimeout(() => {
      senders.current?.focus({ preventScroll: true });
      senders.current?.scrollIntoView?.();
    });
  };
  const cards = tools.filter(
    (tool) => (view === 'all' || tool.view === view) && matches(wanted, tool.name, tool.category),
  );
  const entries = catalogue.filter((one) => matches(wanted, one.name, one.group));
  const shown = view === 'all' || view === 'monitoring' ? entries : [];
  return (
    <>
      <PageHead title="Integrations">
        {mayAct('responder') && (
          <Button look="primary" icon="plus" onClick={() => add()}>
            Add Integration
          </Button>
        )}
      </PageHead>
      <div className={styles.integrationBar}>
        <Tabs
          label="Kinds of integrations"
          tabs={views}
          value={view}
          onChoose={choose}
          aside={<IntegrationSearch text={text} onChange={setText} />}
        >
          {cards.length > 0 && <IntegrationCards tools={cards} onSender={add} />}
          {shown.length > 0 && (
            <Boundary what="The senders">
              <SenderCatalogue
                ref={senders}
                entries={shown}
                kind={params.get('sender')}
                serviceId={params.get('service')}
                onKind={(sender) => set({ sender })}
                onService={(service) => set({ service })}
              />
            </Boundary>
          )}
          {cards.length + shown.length === 0 && (
            <Empty action={<Button onClick={() => setText('')}>Clear the search</Button>}>
              No integration matches “{text.trim()}”.
            </Empty>
          )}
          {wanted.trim() === '' && view === 'all' && <WebhookTeaser />}
        </Tabs>
      </div>
    </>
  );
}
