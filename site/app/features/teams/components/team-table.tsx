import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { Avatar } from '~/components/ui/avatar';
import { IconButton } from '~/components/ui/button';
import { FilterField } from '~/components/ui/filter-field';
import { usePortion } from '~/components/ui/portion';
import { Empty } from '~/components/ui/states';
import * as tableKit from '~/components/ui/table.module.css';
import { type Member, memberList } from '~/data/members';
import type { Team } from '../model/team';
import * as styles from './team-table.module.css';

interface TeamTableProps {
  teams: readonly Team[];
  mayWrite: boolean;
  onEdit: (team: Team) => void;
  onDelete: (team: Team) => void;
}

/** The teams and who is in them. Typing narrows by name, description or member. */
export function TeamTable({ teams, mayWrite, onEdit, onDelete }: TeamTableProps) {
  const [text, setText] = useState('');
  const members = new Map((useQuery(memberList).data ?? []).map((member) => [member.id, member]));
  const found = matching(teams, members, useDeferredValue(text));
  const { shown, more } = usePortion(found);
  return (
    <>
      <FilterField
        label="Search name or member"
        text={text}
        onChange={setText}
        shown={found.length}
        total={teams.length}
      />
      {found.length === 0 && <Empty>No team with these words.</Empty>}
      {found.length > 0 && (
        <table className={`${tableKit.table} ${styles.teamTable}`} aria-label="Teams">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Description</th>
              <th scope="col">Members</th>
              {mayWrite && (
                <th scope="col">
                  <span className="visually-hidden">Actions</span>
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {shown.map((team) => (
              <tr key={team.id}>
                <td className={styles.name}>{team.name}</td>
                <td className={`text-2 ${styles.description}`}>{team.description}</td>
                <td>
                  <People ids={team.memberIds} members={members} />
                </td>
                {mayWrite && (
                  <td className={styles.actions}>
                    <IconButton icon="edit" label={`Edit ${team.name}`} onClick={() => onEdit(team)} />
                    <IconButton icon="trash" label={`Delete ${team.name}`} onClick={() => onDelete(team)} />
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {more}
    </>
  );
}

// As many names as a row holds; the rest is a number.
const most = 4;

function People({ ids, members }: { ids: readonly string[]; members: ReadonlyMap<string, Member> }) {
  if (ids.length === 0) return <span className="text-3">Nobody yet</span>;
  const known = ids.flatMap((id) => members.get(id) ?? []);
  const others = ids.length - Math.min(known.length, most);
  return (
    <ul className={styles.peopleLine}>
      {known.slice(0, most).map((member) => (
        <li key={member.id}>
          <Avatar name={member.name} hue={member.hue} />
          {member.name}
        </li>
      ))}
      {others > 0 && <li className="text-3">{others === ids.length ? others : `${others} more`}</li>}
    </ul>
  );
}

function matching(
  teams: readonly Team[],
  members: ReadonlyMap<string, Member>,
  text: string,
): readonly Team[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return teams;
  return teams.filter(({ name, description, memberIds }) =>
    [name, description, ...memberIds.map((id) => members.get(id)?.name ?? '')].some((word) =>
      word.toLowerCase().includes(wanted),
    ),
  );
}
