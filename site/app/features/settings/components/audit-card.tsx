import type { AuditEventJson } from '@nightbell/proto';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Badge } from '~/components/ui/badge';
import { Button } from '~/components/ui/button';
import { Card } from '~/components/ui/card';
import { SelectField } from '~/components/ui/field';
import { MoreRows } from '~/components/ui/portion';
import { type Choice, SearchSelect } from '~/components/ui/search-select';
import { Empty, FetchFailed, Loading } from '~/components/ui/states';
import { Time } from '~/components/ui/time';
import { auditLog, readAudit, shownFirst } from '~/data/audit';
import { memberList } from '~/data/members';
import { reasonOf } from '~/lib/api';
import { dateOf } from '~/lib/time/instant';
import { nightTime } from '~/lib/time/words';
import { toast } from '~/lib/toast';
import { actionWords, toCSV } from '../model/audit';
import * as styles from './settings.module.css';

const anybody: Choice = { id: '', word: 'Anybody', icon: 'users' };
const areas = [
  { value: '', word: 'Everything' },
  { value: 'people', word: 'People and roles' },
  { value: 'config', word: 'Policies, schedules, services' },
  { value: 'keys', word: 'Keys and sign-in' },
  { value: 'incidents', word: 'Incidents' },
];
const spans = [
  { value: '7', word: 'Last 7 days' },
  { value: '30', word: 'Last 30 days' },
  { value: '0', word: 'All there is' },
];
// A spreadsheet holds a million rows; a browser tab should not.
const mostInFile = 10_000;

/** Who changed what, with a filter and a file. */
export function AuditCard() {
  const [filter, setFilter] = useState(shownFirst);
  const log = useInfiniteQuery(auditLog(filter));
  const members = useQuery(memberList);
  const [saving, setSaving] = useState(false);
  const entries = log.data?.pages.flatMap((page) => page.audit_events ?? []) ?? [];
  const choices = [anybody, ...(members.data ?? []).map(({ id, name, hue }) => ({ id, word: name, hue }))];
  const save = async () => {
    setSaving(true);
    try {
      download(toCSV(await readAudit(filter, mostInFile)));
    } catch (cause) {
      toast({ kind: 'failure', title: reasonOf(cause as Error) });
    }
    setSaving(false);
  };
  return (
    <Card
      title="Audit log"
      actions={
        <Button disabled={saving} labels={['Download CSV', 'Reading...']} onClick={() => void save()}>
          {saving ? 'Reading...' : 'Download CSV'}
        </Button>
      }
    >
      <div className={styles.filters}>
        <SearchSelect
          single
          label="Who"
          choices={choices}
          chosen={choices.filter(({ id }) => id === filter.actor)}
          onChange={([who]) => setFilter({ ...filter, actor: who?.id ?? '' })}
        />
        <SelectField
          label="What"
          options={areas}
          value={filter.area}
          onChange={(event) => setFilter({ ...filter, area: event.target.value })}
        />
        <SelectField
          label="When"
          options={spans}
          value={String(filter.days)}
          onChange={(event) => setFilter({ ...filter, days: Number(event.target.value) })}
        />
      </div>
      {log.isPending && <Loading what="the audit log" />}
      <FetchFailed of={log}>Failed to load the audit log</FetchFailed>
      {log.data && entries.length === 0 && <Empty>Nothing was changed that this filter lets through.</Empty>}
      <ol className={styles.audit}>
        {entries.map((entry) => (
          <AuditEntry key={entry.id} entry={entry} />
        ))}
      </ol>
      {log.hasNextPage && (
        <MoreRows source={log} words="older entries" onMore={() => void log.fetchNextPage()} />
      )}
      <p className={styles.foot}>
        Kept for a year at least. Nobody can edit it. The file holds the newest 10,000 entries of the filter.
      </p>
    </Card>
  );
}

function AuditEntry({ entry }: { entry: AuditEventJson }) {
  const { at, actor_kind, actor_name, method = '', outcome = 'ok', address, request = '{}' } = entry;
  const when = dateOf(at);
  const who =
    actor_name ??
    (actor_kind === 'api_key' ? 'A key' : actor_kind === 'system' ? 'Nightbell' : 'Somebody who has left');
  return (
    <li>
      <Time at={when}>{nightTime(when, new Date())}</Time>
      <p>
        <b className="strong">{who}</b>
        {actor_kind === 'api_key' && ' (API key)'} {actionWords(method)}{' '}
        {outcome !== 'ok' && <Badge tone="critical">Refused: {outcome}</Badge>}
      </p>
      <span className="mono text-3 size-12">{address}</span>
      {request !== '{}' && (
        <details>
          <summary>{method}</summary>
          <pre>{request}</pre>
        </details>
      )}
    </li>
  );
}

function download(text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  link.download = 'nightbell-audit.csv';
  link.click();
  URL.revokeObjectURL(link.href);
}
