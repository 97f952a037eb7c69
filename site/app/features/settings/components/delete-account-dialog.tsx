import type { AccountPlaceJson } from '@nightbell/proto';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { DutyList } from '~/components/duty-list';
import { ConfirmDialog } from '~/components/ui/confirm-dialog';
import { type Choice, SearchSelect } from '~/components/ui/search-select';
import { FetchFailed, Loading } from '~/components/ui/states';
import { accountDuties, useDeleteAccount } from '~/data/account-end';
import { endSession } from '~/lib/session-change';
import { OwnPassword } from './own-password';
import * as styles from './settings.module.css';

/** Says what becomes of each organization, asks who takes over and for the password, and deletes the account. */
export function DeleteAccountDialog({ onClose }: { onClose: () => void }) {
  const duties = useQuery(accountDuties);
  const remove = useDeleteAccount();
  const [heirs, setHeirs] = useState<Readonly<Record<string, readonly Choice[]>>>({});
  const [password, setPassword] = useState('');
  const places = duties.data?.organizations ?? [];
  const kept = places.some(({ outcome }) => outcome === 'kept');
  const waits = places.some(
    ({ organization, replacement_needed }) => replacement_needed && !heirs[organization?.id ?? '']?.length,
  );
  const confirm = () => {
    const replacements = Object.entries(heirs).flatMap(([org_id, [heir]]) =>
      heir ? [{ org_id, replace_by: heir.id }] : [],
    );
    remove.mutate({ password, replacements }, { onSuccess: () => endSession('account-deleted') });
  };
  return (
    <ConfirmDialog
      title="Delete your account"
      verb="Delete account"
      doing="Deleting..."
      icon="trash"
      pending={remove.isPending || !duties.data || kept || waits || password === ''}
      busy={remove.isPending}
      error={remove.error}
      onConfirm={confirm}
      onClose={onClose}
    >
      {duties.isPending && <Loading what="what names you" />}
      <FetchFailed of={duties}>Failed to load what names you</FetchFailed>
      {duties.data && (
        <>
          <p className="text-2">
            Your addresses, rules, devices and sessions are deleted for good, and you are signed out
            everywhere within five seconds. History says “Deleted user”; audit logs keep your name until their
            year is over.
          </p>
          {places.map((place) => (
            <Place
              key={place.organization?.id}
              place={place}
              heir={heirs[place.organization?.id ?? ''] ?? []}
              onHeir={(heir) => setHeirs({ ...heirs, [place.organization?.id ?? '']: heir })}
            />
          ))}
          {waits && (
            <p className="text-3 size-12">
              Choose first who takes your place, so that nothing is left to nobody.
            </p>
          )}
          {!kept && <OwnPassword value={password} onType={setPassword} />}
        </>
      )}
    </ConfirmDialog>
  );
}

function Place({
  place,
  heir,
  onHeir,
}: {
  place: AccountPlaceJson;
  heir: readonly Choice[];
  onHeir: (heir: readonly Choice[]) => void;
}) {
  const { organization, outcome, other_user_count: others = 0, replacement_needed, services = [] } = place;
  const people = others === 1 ? '1 other person' : `${others} other people`;
  return (
    <section className={styles.place}>
      <h3>{organization?.name}</h3>
      {outcome === 'deleted' && (
        <p className="text-2">
          Nobody else is in it: it is deleted with all it has, and nobody is paged for it any more.
        </p>
      )}
      {outcome === 'kept' && (
        <p className={styles.bad}>
          You are its only owner, and {people} {others === 1 ? 'is' : 'are'} in it. Make one of them an owner,
          or delete the organization, first.
        </p>
      )}
      {outcome === 'left' && (
        <>
          <p className="text-2">
            {replacement_needed
              ? 'It goes on without you. Somebody has to take your place:'
              : 'It goes on without you. No schedule, policy or open incident waits for you.'}
          </p>
          <DutyList
            kinds={[
              ['Schedules', place.schedules],
              ['Escalation policies', place.escalation_policies],
              ['Teams that are paged', place.teams],
              ['Open incidents', place.incidents],
              ['Owned services', services],
            ]}
          />
          {(replacement_needed || services.length > 0) && (
            <SearchSelect
              single
              label={`Replace by${replacement_needed ? '' : ' (may stay empty)'}`}
              placeholder="Choose who takes over"
              choices={(place.replacements ?? []).map(({ id = '', name = '' }) => ({ id, word: name }))}
              chosen={heir}
              onChange={onHeir}
            />
          )}
        </>
      )}
    </section>
  );
}
