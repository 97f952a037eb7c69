import type { SenderJson } from '@nightbell/proto';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button, ButtonLink } from '~/components/ui/button';
import * as cardKit from '~/components/ui/card.module.css';
import { Dialog } from '~/components/ui/dialog';
import * as dialogKit from '~/components/ui/dialog.module.css';
import { ToolLogo } from '~/components/ui/tool-logo';
import { senderList } from '~/data/senders';
import { slackConfig } from '~/data/slack';
import { paths } from '~/lib/paths';
import { mayAct } from '~/lib/role';
import { useNow } from '~/lib/time/clock';
import { dateOf } from '~/lib/time/instant';
import { relativeTime } from '~/lib/time/words';
import type { Tool } from '../model/cards';
import * as styles from './integration-cards.module.css';

interface CardsProps {
  tools: readonly Tool[];
  /** Shows how a sender of the catalogue is set up. */
  onSender: (kind: string) => void;
}

/** The tools of the specification with what is true of each: Connected means a call within 30 days. */
export function IntegrationCards({ tools, onSender }: CardsProps) {
  const [asked, setAsked] = useState<Tool | null>(null);
  const slack = useQuery(slackConfig);
  const github = useGitHub();
  return (
    <>
      <ul className={styles.integrationCards}>
        {tools.map((tool) => {
          if (tool.name === 'Slack')
            return (
              <IntegrationCard
                key={tool.name}
                tool={
                  slack.data?.active ? { ...tool, about: `Pages arrive in ${slack.data.channel}.` } : tool
                }
                connected={known(slack, slack.data?.active)}
                onPress={() => setAsked(slackToday)}
              />
            );
          if (tool.name === 'GitHub')
            return (
              <IntegrationCard key={tool.name} tool={tool} {...github} onPress={() => onSender('github')} />
            );
          return (
            <IntegrationCard key={tool.name} tool={tool} connected={false} onPress={() => setAsked(tool)} />
          );
        })}
      </ul>
      {asked && <TodayDialog tool={asked} onClose={() => setAsked(null)} onSender={onSender} />}
    </>
  );
}

// The page of the integration itself comes with the next version; the channel works.
const slackToday: Tool = {
  name: 'Slack',
  category: 'Communication',
  view: 'communication',
  logo: '',
  about: '',
  today:
    'A shared channel with an incoming webhook of Slack receives pages today: add it to an escalation policy. Buttons to acknowledge and resolve inside Slack do not exist yet.',
};

/** Whether something is connected; null while that is not known, 'failed' when it could not be read. */
type Connected = boolean | null | 'failed';

function known(query: UseQueryResult<unknown>, connected: boolean | undefined): Connected {
  return connected ?? (query.isError ? 'failed' : null);
}

function useGitHub(): { connected: Connected; note?: string } {
  const senders = useQuery(senderList());
  const now = useNow(30_000);
  const sender = senders.data?.find(({ kind }) => kind === 'github');
  return {
    connected: known(senders, senders.data && (sender?.connected ?? false)),
    note: sender && `Last deployment ${calledLast(sender, now)}`,
  };
}

/** When a sender called last, as "2 minutes ago". */
export function calledLast(sender: SenderJson, now: Date): string {
  return relativeTime(dateOf(sender.last_called_at), now);
}

interface CardProps {
  tool: Tool;
  connected: Connected;
  note?: string;
  onPress: () => void;
}

function IntegrationCard({ tool, connected, note, onPress }: CardProps) {
  const { name, category, logo, about } = tool;
  const verb = connected === true || connected === 'failed' ? 'Configure' : 'Add';
  return (
    <li className={cardKit.card}>
      <div className={styles.top}>
        <ToolLogo name={name} src={logo} />
        <div>
          <h2>{name}</h2>
          <p className="text-3 size-12">{category}</p>
        </div>
        {connected === 'failed' && <span className="text-3">Status unknown</span>}
        {typeof connected === 'boolean' && (
          <span className={styles.on} data-on={connected}>
            {connected ? 'Connected' : 'Not Connected'}
          </span>
        )}
      </div>
      <p className="text-2">{about}</p>
      <div className={styles.foot}>
        <Button aria-label={`${verb} ${name}`} onClick={onPress}>
          {verb}
        </Button>
        {note}
      </div>
    </li>
  );
}

interface TodayProps {
  tool: Tool;
  onClose: () => void;
  onSender: (kind: string) => void;
}

// What does the job of a tool today, and the way there.
function TodayDialog({ tool, onClose, onSender }: TodayProps) {
  const look = (kind: string) => {
    onClose();
    onSender(kind);
  };
  return (
    <Dialog title={tool.name} saving={false} onClose={onClose}>
      <div className={dialogKit.body}>
        <p className="text-2">{tool.today}</p>
        <div className={dialogKit.choices}>
          {tool.view === 'ticketing' && mayAct('admin') && (
            <ButtonLink to={paths.webhooks}>Open webhooks</ButtonLink>
          )}
          {tool.name === 'Slack' && <ButtonLink to={paths.contacts}>Open shared channels</ButtonLink>}
          {tool.name === 'Datadog' && <Button onClick={() => look('http')}>Show the calls</Button>}
          {tool.name === 'PagerDuty' && (
            <Button onClick={() => look('alertmanager')}>Set up Prometheus</Button>
          )}
        </div>
      </div>
    </Dialog>
  );
}
