import type { DutyJson, UserJson } from '@nightbell/proto';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '~/components/ui/confirm-dialog';
import { type Choice, SearchSelect } from '~/components/ui/search-select';
import { FetchFailed, Loading } from '~/components/ui/states';
import { memberList } from '~/data/members';
import { useRemoveUser, userDuties } from '~/data/users';
import * as styles from './remove-dialog.module.css';

interface RemoveDialogProps {
  user: UserJson;
  /** The reader leaves by themselves. */
  own?: boolean;
  onRemoved?: () => void;
  onClose: () => void;
}

/** Says first what names somebody and who takes over, and then takes them out of the organization. */
export function RemoveDialog({ user, own = false, onRemoved, onClose }: RemoveDialogProps) {
  const { id = '', name = '' } = user;
  const duties = useQuery(userDuties(id));
  const remove = useRemoveUser();
  const members = useQuery(memberList);
  const [heir, setHeir] = useState<readonly Choice[]>([]);
  const people = (members.data ?? [])
    .filter((one) => one.id !== id)
    .map(({ id, name, hue }) => ({ id, word: name, hue }));
  const needed = duties.data?.replacement_needed === true;
  const confirm = () =>
    remove.mutate(
      { id, replaceBy: heir[0]?.id },
      {
        onSuccess: () => {
          onRemoved?.();
          onClose();
        },
      },
    );
  return (
    <ConfirmDialog
      title={own ? 'Leave the organization' : `Remove ${name}`}
      verb={own ? 'Leave' : `Remove ${name}`}
      doing={own ? 'Leaving...' : 'Removing...'}
      icon="trash"
      pending={remove.isPending || !duties.data || (needed && heir.length === 0)}
      busy={remove.isPending}
      error={remove.error}
      onConfirm={confirm}
      onClose={onClose}
    >
      {duties.isPending && <Loading what="what names this person" />}
      <FetchFailed of={duties} />
      {duties.data && (
        <>
          <p className="text-2">
            {own ? (
              'You are'
            ) : (
              <>
                <b className="strong">{name}</b> is
              </>
            )}{' '}
            signed out of this organization within five seconds. The account stays; past incidents keep the
            name.
          </p>
          <dl className={styles.duties}>
            <Duties word="Schedules" list={duties.data.schedules} />
            <Duties word="Escalation policies" list={duties.data.escalation_policies} />
            <Duties word="Teams that are paged" list={duties.data.teams} />
            <Duties word="Open incidents" list={duties.data.incidents} />
            <Duties word="Owned services" list={duties.data.services} />
            <Duties word="API keys, which go on working" list={duties.data.api_keys} />
          </dl>
          {(needed || (duties.data.services ?? []).length > 0) && (
            <SearchSelect
              single
              label={needed ? 'Replace by' : 'Replace by (may stay empty)'}
              placeholder="Choose who takes over"
              choices={people}
              chosen={heir}
              onChange={setHeir}
            />
          )}
          {!needed && (
            <p className="text-3 size-12">
              No schedule, policy or open incident waits for {own ? 'you' : name}.
            </p>
          )}
        </>
      )}
    </ConfirmDialog>
  );
}

const most = 5;

function Duties({ word, list = [] }: { word: string; list?: readonly DutyJson[] }) {
  if (list.length === 0) return null;
  const names = list.slice(0, most).map(({ name }) => name);
  return (
    <div>
      <dt>{word}</dt>
      <dd>
        {names.join(', ')}
        {list.length > most && ` and ${list.length - most} more`}
      </dd>
    </div>
  );
}
