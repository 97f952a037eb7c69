import type { ContactMethodJson, NotificationRuleJson } from '@nightbell/proto';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { channelOf } from '~/components/channel';
import { Button, IconButton } from '~/components/ui/button';
import { Card } from '~/components/ui/card';
import { Icon } from '~/components/ui/icon';
import { FetchFailed, Loading } from '~/components/ui/states';
import { notificationRules, useDeleteRule } from '~/data/notification-rules';
import { reasonOf } from '~/lib/api';
import { useSettledPress } from '~/lib/settled-press';
import { toast } from '~/lib/toast';
import { delayWords, fallbackWords, rulesFor, urgencies } from '../model/rules';
import * as styles from './contact-list.module.css';
import { RuleDialog } from './rule-dialog';

/** When the reader is told, by what: for urgent incidents and for the others. */
export function RuleCard({ own }: { own: readonly ContactMethodJson[] }) {
  const rules = useQuery(notificationRules);
  const [adding, setAdding] = useState(false);
  const settled = useSettledPress('', (rules.data ?? []).map(({ id }) => id).join(' '));
  return (
    <Card
      title="When you are told"
      actions={
        own.length > 0 && (
          <Button icon="plus" onClick={() => setAdding(true)}>
            Add rule
          </Button>
        )
      }
    >
      {rules.isPending && <Loading what="notification rules" />}
      <FetchFailed of={rules}>Failed to load notification rules</FetchFailed>
      {rules.data &&
        urgencies.map(({ value, word }) => {
          const list = rulesFor(value, rules.data);
          return (
            <section key={value} className={styles.urgency} aria-label={`${word} severity`}>
              <h3>{word}</h3>
              {list.length === 0 && <p className="text-3">{fallbackWords(rules.data)}</p>}
              <ul className={styles.contacts}>
                {list.map((rule) => (
                  <RuleRow
                    key={rule.id}
                    rule={rule}
                    settled={settled}
                    contact={own.find(({ id }) => id === rule.contact_method_id)}
                  />
                ))}
              </ul>
            </section>
          );
        })}
      {adding && <RuleDialog own={own} onClose={() => setAdding(false)} />}
    </Card>
  );
}

interface RuleRowProps {
  rule: NotificationRuleJson;
  settled: ReturnType<typeof useSettledPress>;
  contact?: ContactMethodJson;
}

function RuleRow({ rule, settled, contact }: RuleRowProps) {
  const remove = useDeleteRule();
  const { id = '', etag, delay_seconds = 0 } = rule;
  const when = delayWords(delay_seconds);
  const { icon } = channelOf(contact?.kind);
  return (
    <li>
      <Icon name={icon} />
      <p className="grow">
        {when} <span className="text-2">{contact?.name}</span>
      </p>
      <span className="mono text-3 size-12">{contact?.hint}</span>
      <IconButton
        icon="trash"
        label={`Delete the rule: ${when} ${contact?.name ?? ''}`}
        disabled={remove.isPending}
        onClick={settled(() =>
          remove.mutate(
            { id, etag },
            { onError: (error) => toast({ kind: 'failure', title: reasonOf(error) }) },
          ),
        )}
      />
    </li>
  );
}
