import { useQuery } from '@tanstack/react-query';
import { Avatar } from '~/components/ui/avatar';
import { IconButton } from '~/components/ui/button';
import { type Column, DataTable } from '~/components/ui/data-table';
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

/** The teams and who is in them. */
export function TeamTable({ teams, mayWrite, onEdit, onDelete }: TeamTableProps) {
  const members = new Map((useQuery(memberList).data ?? []).map((member) => [member.id, member]));
  const columns: (Column<Team> | false)[] = [
    { head: 'Name', className: `${tableKit.title} ${styles.name}`, cell: ({ name }) => name },
    {
      head: 'Description',
      className: `text-2 ${styles.description}`,
      cell: ({ description }) => description,
    },
    { head: 'Members', cell: ({ memberIds }) => <People ids={memberIds} members={members} /> },
    mayWrite && {
      head: 'Actions',
      quiet: true,
      className: tableKit.actions,
      cell: (team) => (
        <>
          <IconButton icon="edit" label={`Edit ${team.name}`} onClick={() => onEdit(team)} />
          <IconButton icon="trash" label={`Delete ${team.name}`} onClick={() => onDelete(team)} />
        </>
      ),
    },
  ];
  return (
    <DataTable
      label="Teams"
      className={styles.teamTable}
      rows={teams}
      keyOf={({ id }) => id}
      columns={columns}
      filter={{
        label: 'Search name or member',
        none: 'No team with these words.',
        words: ({ name, description, memberIds }) => [
          name,
          description,
          ...memberIds.map((id) => members.get(id)?.name),
        ],
      }}
    />
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
