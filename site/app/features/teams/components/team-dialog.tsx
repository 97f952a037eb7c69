import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { EditConflict } from '~/components/edit-conflict';
import { Button } from '~/components/ui/button';
import { Banner, Dialog } from '~/components/ui/dialog';
import * as dialogKit from '~/components/ui/dialog.module.css';
import { TextField } from '~/components/ui/field';
import { type Choice, SearchSelect } from '~/components/ui/search-select';
import { memberList } from '~/data/members';
import { teamList, useSaveTeam } from '~/data/teams';
import { reasonOf } from '~/lib/api';
import { idsOnTop, isConflict, onTop, theirChanges } from '~/lib/edits';
import { type Team, toTeams } from '../model/team';
import { teamWords } from '../model/team-words';

/** Writes a team: its name, what it does, who is in it. */
export function TeamDialog({ team, onClose }: { team: Team; onClose: () => void }) {
  const save = useSaveTeam();
  const members = useQuery(memberList);
  const people: Choice[] = (members.data ?? []).map(({ id, name, hue }) => ({ id, word: name, hue }));
  const client = useQueryClient();
  // What the fields began as, the version they are based on, and what was refused beside what is stored.
  const [shown, setShown] = useState(team);
  const [base, setBase] = useState(team);
  const [conflict, setConflict] = useState<{ mine: Team; theirs: Team } | null>(null);
  const [ids, setIds] = useState(team.memberIds);
  const refused = async (mine: Team, error: Error) => {
    if (!isConflict(error)) return;
    const stored = await client.query({ ...teamList, staleTime: 0, select: toTeams });
    const theirs = stored.find(({ id }) => id === team.id);
    if (theirs) setConflict({ mine, theirs });
  };
  const goOn = (from: Team, theirs: Team) => {
    setShown(from);
    setIds(from.memberIds);
    setBase(theirs);
    setConflict(null);
    save.reset();
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string) => String(form.get(name) ?? '').trim();
    const mine = { ...base, name: text('name'), description: text('description'), memberIds: ids };
    const { memberIds: user_ids, ...stored } = mine;
    save.mutate(
      { ...stored, user_ids: [...user_ids] },
      { onSuccess: onClose, onError: (error) => void refused(mine, error) },
    );
  };
  const verb = team.id ? 'Save team' : 'Create team';
  return (
    <Dialog title={team.id ? 'Edit team' : 'Create team'} onClose={onClose}>
      <form key={base.etag} onSubmit={submit}>
        {conflict && (
          <EditConflict
            changes={theirChanges(teamWords(people), base, conflict.theirs, conflict.mine)}
            onKeepMine={() => goOn(teamOnTop(base, conflict.mine, conflict.theirs), conflict.theirs)}
            onTakeTheirs={() => goOn(conflict.theirs, conflict.theirs)}
          />
        )}
        {save.isError && !conflict && <Banner tone="failed">{reasonOf(save.error)}</Banner>}
        {members.isError && !members.data && <Banner tone="failed">{members.error.message}</Banner>}
        <TextField
          label="Name"
          name="name"
          required
          maxLength={200}
          placeholder="Platform"
          defaultValue={shown.name}
        />
        <TextField
          label="Description"
          optional
          name="description"
          maxLength={4000}
          defaultValue={shown.description}
        />
        <SearchSelect
          label="Members"
          placeholder="Add somebody"
          choices={people}
          chosen={ids.flatMap((id) => people.find((one) => one.id === id) ?? [])}
          onChange={(chosen) => setIds(kept(ids, people, chosen))}
        />
        <Button type="submit" look="primary" size="lg" disabled={save.isPending} labels={['Saving team...']}>
          {save.isPending ? 'Saving team...' : verb}
        </Button>
        <p className={dialogKit.note}>A policy that pages the team pages everybody in it, or one in turn.</p>
      </form>
    </Dialog>
  );
}

// Members who are not loaded, or left the workspace, are not lost by an edit.
function kept(ids: readonly string[], people: readonly Choice[], chosen: readonly Choice[]): string[] {
  const unknown = ids.filter((id) => !people.some((one) => one.id === id));
  return [...unknown, ...chosen.map(({ id }) => id)];
}

function teamOnTop(base: Team, mine: Team, theirs: Team): Team {
  const memberIds = idsOnTop(base.memberIds, mine.memberIds, theirs.memberIds);
  return { ...onTop(base, mine, theirs), memberIds };
}
