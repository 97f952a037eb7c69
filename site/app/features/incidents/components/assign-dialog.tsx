import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Avatar } from '~/components/ui/avatar';
import { Banner, Dialog } from '~/components/ui/dialog';
import * as dialogKit from '~/components/ui/dialog.module.css';
import { FilterField } from '~/components/ui/filter-field';
import { Icon } from '~/components/ui/icon';
import { usePortion } from '~/components/ui/portion';
import { FetchFailed, Loading } from '~/components/ui/states';
import { useAssignIncident } from '~/data/incident-changes';
import { memberList } from '~/data/members';
import type { Incident } from '../model/incident';
import * as styles from './assign-dialog.module.css';

// As many as are seen without scrolling; more are found by typing.
const searchFrom = 8;

/** Gives the incident to somebody, or to nobody. Choosing is enough. */
export function AssignDialog({ incident, onClose }: { incident: Incident; onClose: () => void }) {
  const members = useQuery(memberList);
  const assign = useAssignIncident(incident.id);
  const [text, setText] = useState('');
  const found = (members.data ?? []).filter(({ name }) =>
    name.toLowerCase().includes(text.trim().toLowerCase()),
  );
  const { shown, more } = usePortion(found);
  const choose = (userId: string) => assign.mutate(userId, { onSuccess: onClose });
  return (
    <Dialog title="Assign" narrow onClose={onClose}>
      <div className={dialogKit.body}>
        {assign.isError && <Banner tone="failed">{assign.error.message}</Banner>}
        {members.isPending && <Loading what="people" />}
        <FetchFailed of={members} />
        {members.data && members.data.length > searchFrom && (
          <FilterField
            label="Search name"
            text={text}
            onChange={setText}
            shown={found.length}
            total={members.data.length}
          />
        )}
        <ul className={styles.people}>
          {shown.map((member) => (
            <li key={member.id}>
              <button type="button" disabled={assign.isPending} onClick={() => choose(member.id)}>
                <Avatar name={member.name} hue={member.hue} />
                <span className="grow ellipsis">{member.name}</span>
                {incident.assignee?.id === member.id && <Icon name="check" />}
              </button>
            </li>
          ))}
          {incident.assignee && (
            <li>
              <button type="button" disabled={assign.isPending} onClick={() => choose('')}>
                <Avatar name="-" />
                <span className="grow">Nobody</span>
              </button>
            </li>
          )}
        </ul>
        {more}
        <p className={dialogKit.note}>Whoever gets it is told. Paging goes on until somebody acknowledges.</p>
      </div>
    </Dialog>
  );
}
