import type { UserJson } from '@nightbell/proto';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { DutyList } from '~/components/duty-list';
import { ConfirmDialog } from '~/components/ui/confirm-dialog';
import { type Choice, SearchSelect } from '~/components/ui/search-select';
import { FetchFailed, Loading } from '~/components/ui/states';
import { memberList } from '~/data/members';
import { useRemoveUser, userDuties } from '~/data/users';

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
            signed out of this organization within five seconds. Invitations that {own ? 'you' : 'they'} sent
            and nobody has accepted are withdrawn. The account stays; past incidents keep the name.
          </p>
          <DutyList
            kinds={[
              ['Schedules', duties.data.schedules],
              ['Escalation policies', duties.data.escalation_policies],
              ['Teams that are paged', duties.data.teams],
              ['Open incidents', duties.data.incidents],
              ['Owned services', duties.data.services],
              ['API keys, which go on working', duties.data.api_keys],
            ]}
          />
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
          {needed && heir.length === 0 && (
            <p className="text-3 size-12">Choose first who takes over, so that nothing is left to nobody.</p>
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
