import { useQuery, useQueryClient } from '@tanstack/react-query';
import { DraftForm } from '~/components/draft-form';
import { DraftProblem } from '~/components/draft-problem';
import { Banner, Dialog } from '~/components/ui/dialog';
import * as dialogKit from '~/components/ui/dialog.module.css';
import { TextField } from '~/components/ui/field';
import { type Choice, SearchSelect } from '~/components/ui/search-select';
import { Submit } from '~/components/ui/submit';
import { memberList } from '~/data/members';
import { teamList, useSaveTeam } from '~/data/teams';
import { useDraft } from '~/lib/draft';
import { idsOnTop, onTop } from '~/lib/edits';
import { type Team, toTeamRequest, toTeams } from '../model/team';
import { teamWords } from '../model/team-words';

/** Writes a team: its name, what it does, who is in it. */
export function TeamDialog({ team, onClose }: { team: Team; onClose: () => void }) {
  const members = useQuery(memberList);
  const people: Choice[] = (members.data ?? []).map(({ id, name, hue }) => ({ id, word: name, hue }));
  const client = useQueryClient();
  const edit = useDraft({
    stored: team,
    draftOf: (stored) => stored,
    request: toTeamRequest,
    save: useSaveTeam(),
    onSaved: onClose,
    fetchNow: async () => {
      const stored = await client.query({ ...teamList, staleTime: 0, select: toTeams });
      return stored.find(({ id }) => id === team.id);
    },
    words: () => teamWords(people),
    onTop: teamOnTop,
  });
  const { draft, text } = edit;
  return (
    <Dialog title={team.id ? 'Edit team' : 'Create team'} saving={edit.pending} onClose={onClose}>
      <DraftForm of={edit}>
        <DraftProblem of={edit} />
        {members.isError && !members.data && <Banner tone="failed">{members.error.message}</Banner>}
        <TextField label="Name" required maxLength={200} placeholder="Platform" {...text('name')} />
        <TextField label="Description" optional maxLength={4000} {...text('description')} />
        <SearchSelect
          label="Members"
          placeholder="Add somebody"
          choices={people}
          chosen={draft.memberIds.flatMap((id) => people.find((one) => one.id === id) ?? [])}
          onChange={(chosen) => edit.set({ memberIds: kept(draft.memberIds, people, chosen) })}
        />
        <Submit size="lg" pending={edit.pending} doing="Saving team...">
          {team.id ? 'Save team' : 'Create team'}
        </Submit>
        <p className={dialogKit.note}>A policy that pages the team pages everybody in it, or one in turn.</p>
      </DraftForm>
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
