import type { UserJson } from '@nightbell/proto';
import { Avatar } from '~/components/ui/avatar';
import { Badge } from '~/components/ui/badge';
import { IconButton } from '~/components/ui/button';
import { type Column, DataTable } from '~/components/ui/data-table';
import { Icon } from '~/components/ui/icon';
import * as tableKit from '~/components/ui/table.module.css';
import { Time } from '~/components/ui/time';
import { useHues } from '~/data/members';
import { currentSession } from '~/lib/session';
import { dateOf } from '~/lib/time/instant';
import { relativeTime } from '~/lib/time/words';
import { capitalised } from '~/lib/words';
import { isReachable, lastTest, mayManage, waysOf, wordsOf } from '../model/person';
import * as styles from './user-table.module.css';

interface UserTableProps {
  users: readonly UserJson[];
  onChangeRole: (user: UserJson) => void;
  onRemove: (user: UserJson) => void;
}

/** Everybody of the organization: who, what they may do, whether a page would reach them now. */
export function UserTable({ users, onChangeRole, onRemove }: UserTableProps) {
  const me = currentSession()?.user;
  const manages = users.some(({ id, role }) => id !== me?.id && mayManage(me?.role, role));
  const hueOf = useHues();
  const columns: (Column<UserJson> | false)[] = [
    {
      head: 'Name',
      className: styles.who,
      cell: ({ id, name = '', email }) => (
        <div className={styles.person}>
          <Avatar name={name} hue={hueOf(id)} large />
          <div>
            <p className={styles.name}>
              {name} {id === me?.id && <Badge>You</Badge>}
            </p>
            <p className={styles.email}>{email}</p>
          </div>
        </div>
      ),
    },
    { head: 'Role', cell: ({ role = '' }) => capitalised(role) },
    {
      head: 'Teams',
      className: `text-2 ${styles.wide}`,
      cell: ({ teams = [] }) => teams.map((team) => team.name).join(', '),
    },
    {
      head: 'On call now',
      className: `strong ${styles.wide}`,
      cell: ({ on_call = [] }) => on_call.map((one) => one.name).join(', '),
    },
    {
      head: 'Reached by',
      className: styles.reached,
      cell: (user) => <Reached user={user} needs={needsAWay(user)} />,
    },
    {
      head: 'Last seen',
      className: styles.seen,
      cell: ({ last_seen_at: at }) => (at ? <Seen at={dateOf(at)} /> : 'Never'),
    },
    manages && {
      head: 'Actions',
      quiet: true,
      className: `${tableKit.actions} ${styles.manage}`,
      cell: (user) =>
        mayManage(me?.role, user.role) && (
          <>
            <IconButton
              icon="edit"
              label={`Change the role of ${user.name}`}
              onClick={() => onChangeRole(user)}
            />
            {user.id !== me?.id && (
              <IconButton icon="trash" label={`Remove ${user.name}`} onClick={() => onRemove(user)} />
            )}
          </>
        ),
    },
  ];
  return (
    <DataTable
      label="Members"
      className={styles.userTable}
      rows={users}
      keyOf={({ id }) => id}
      columns={columns}
      rowProps={(user) => ({ 'data-needs': needsAWay(user) || undefined })}
      filter={{
        label: 'Search name, e-mail, role or team',
        none: 'Nobody with these words.',
        words: wordsOf,
      }}
    />
  );
}

// Amber means a person is needed: somebody is on call whom no page would reach.
function needsAWay({ on_call = [], reached_by = [] }: UserJson): boolean {
  return on_call.length > 0 && !isReachable(reached_by);
}

function Reached({ user: { reached_by = [] }, needs }: { user: UserJson; needs: boolean }) {
  const test = lastTest(reached_by);
  const words = { works: '', unverified: ', not verified', failing: ', failing' };
  return (
    <>
      <ul className={styles.ways}>
        {waysOf(reached_by).map(({ kind, word, icon, state }) => (
          <li key={kind} data-state={state} title={`${word}${words[state]}`}>
            <Icon name={icon} />
            <span className="visually-hidden">
              {word}
              {words[state]}
            </span>
          </li>
        ))}
      </ul>
      {needs ? (
        <p className={`${styles.note} ${styles.needs}`}>No way that works</p>
      ) : (
        <p className={styles.note}>{testWords(reached_by.length, test)}</p>
      )}
    </>
  );
}

function testWords(ways: number, test: { at: Date; sent: boolean } | undefined): string {
  if (ways === 0) return 'No contact method';
  if (!test) return 'Not tested yet';
  return `${test.sent ? 'Tested' : 'Test failed'} ${relativeTime(test.at, new Date())}`;
}

function Seen({ at }: { at: Date }) {
  return (
    <Time at={at} note=", to a quarter of an hour">
      {relativeTime(at, new Date())}
    </Time>
  );
}
