import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Button } from '~/components/ui/button';
import { Banner, Dialog } from '~/components/ui/dialog';
import { TextField } from '~/components/ui/field';
import { type Choice, SearchSelect } from '~/components/ui/search-select';
import { reasonOf } from '~/lib/api';
import { memberList } from '~/lib/members';
import { type Team, useSaveTeam } from '../api/teams';

/** Writes a team: its name, what it does, who is in it. */
export function TeamDialog({ team, onClose }: { team: Team; onClose: () => void }) {
  const save = useSaveTeam();
  const members = useQuery(memberList);
  const people: Choice[] = (members.data ?? []).map(({ id, name, hue }) => ({ id, word: name, hue }));
  const [ids, setIds] = useState(team.memberIds);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string) => String(form.get(name) ?? '').trim();
    save.mutate(
      { id: team.id, name: text('name'), description: text('description'), memberIds: ids },
      { onSuccess: onClose },
    );
  };
  const verb = team.id ? 'Save team' : 'Create team';
  return (
    <Dialog title={team.id ? 'Edit team' : 'Create team'} onClose={onClose}>
      <form onSubmit={submit}>
        {save.isError && <Banner tone="failed">{reasonOf(save.error)}</Banner>}
        {members.isError && !members.data && <Banner tone="failed">{members.error.message}</Banner>}
        <TextField
          label="Name"
          name="name"
          required
          maxLength={200}
          placeholder="Platform"
          defaultValue={team.name}
        />
        <TextField
          label="Description"
          optional
          name="description"
          maxLength={4000}
          defaultValue={team.description}
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
        <p className="note">A policy that pages the team pages everybody in it, or one in turn.</p>
      </form>
    </Dialog>
  );
}

// Members who are not loaded, or left the workspace, are not lost by an edit.
function kept(ids: readonly string[], people: readonly Choice[], chosen: readonly Choice[]): string[] {
  const unknown = ids.filter((id) => !people.some((one) => one.id === id));
  return [...unknown, ...chosen.map(({ id }) => id)];
}
