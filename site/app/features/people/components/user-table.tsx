import type { UserJson } from '@nightbell/proto';
import { useDeferredValue, useState } from 'react';
import { Avatar } from '~/components/ui/avatar';
import { Badge } from '~/components/ui/badge';
import { IconButton } from '~/components/ui/button';
import { FilterField } from '~/components/ui/filter-field';
import { Icon } from '~/components/ui/icon';
import { usePortion } from '~/components/ui/portion';
import { Empty } from '~/components/ui/states';
import * as tableKit from '~/components/ui/table.module.css';
import { useHues } from '~/data/members';
import { capitalised, fullTime, relativeTime } from '~/lib/format';
import { currentSession } from '~/lib/session';
import { isReachable, lastTest, matching, mayManage, waysOf } from '../model/person';
import * as styles from './user-table.module.css';

interface UserTableProps {
  users: readonly UserJson[];
  onChangeRole: (user: UserJson) => void;
  onRemove: (user: UserJson) => void;
}

/** Everybody of the organization: who, what they may do, whether a page would reach them now. */
export function UserTable({ users, onChangeRole, onRemove }: UserTableProps) {
  const [text, setText] = useState('');
  const found = matching(users, useDeferredValue(text));
  const { shown, more } = usePortion(found);
  const me = currentSession()?.user;
  const manages = users.some(({ id, role }) => id !== me?.id && mayManage(me?.role, role));
  const hueOf = useHues();
  return (
    <>
      <FilterField
        label="Search name, e-mail, role or team"
        text={text}
        onChange={setText}
        shown={found.length}
        total={users.length}
      />
      {found.length === 0 && <Empty>Nobody with these words.</Empty>}
      {found.length > 0 && (
        <table className={`${tableKit.table} ${styles.userTable}`} aria-label="Members">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Role</th>
              <th scope="col">Teams</th>
              <th scope="col">On call now</th>
              <th scope="col">Reached by</th>
              <th scope="col">Last seen</th>
              {manages && (
                <th scope="col">
                  <span className="visually-hidden">Actions</span>
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {shown.map((user) => (
              <UserRow key={user.id} user={user} hue={hueOf(user.id)} isMe={user.id === me?.id}>
                {manages && (
                  <td className={styles.actions}>
                    {mayManage(me?.role, user.role) && (
                      <>
                        <IconButton
                          icon="edit"
                          label={`Change the role of ${user.name}`}
                          onClick={() => onChangeRole(user)}
                        />
                        {user.id !== me?.id && (
                          <IconButton
                            icon="trash"
                            label={`Remove ${user.name}`}
                            onClick={() => onRemove(user)}
                          />
                        )}
                      </>
                    )}
                  </td>
                )}
              </UserRow>
            ))}
          </tbody>
        </table>
      )}
      {more}
    </>
  );
}

interface UserRowProps {
  user: UserJson;
  hue: number | undefined;
  isMe: boolean;
  children: React.ReactNode;
}

function UserRow({ user, hue, isMe, children }: UserRowProps) {
  const { name = '', email, role = '', teams = [], on_call = [], reached_by = [], last_seen_at } = user;
  // Amber means a person is needed: somebody is on call whom no page would reach.
  const needs = on_call.length > 0 && !isReachable(reached_by);
  return (
    <tr data-needs={needs || undefined}>
      <td>
        <div className={styles.person}>
          <Avatar name={name} hue={hue} large />
          <div>
            <p className={styles.name}>
              {name} {isMe && <Badge>You</Badge>}
            </p>
            <p className={styles.email}>{email}</p>
          </div>
        </div>
      </td>
      <td>{capitalised(role)}</td>
      <td className={`text-2 ${styles.wide} ${teams.length === 0 ? styles.blank : ''}`}>
        {teams.map((team) => team.name).join(', ')}
      </td>
      <td className={`${styles.wide} ${on_call.length === 0 ? styles.blank : ''}`}>
        {on_call.length > 0 && (
          <span className={styles.duty}>{on_call.map((one) => one.name).join(', ')}</span>
        )}
      </td>
      <td className={styles.reached}>
        <Reached user={user} needs={needs} />
      </td>
      <td className={styles.seen}>{last_seen_at ? <Seen at={new Date(last_seen_at)} /> : 'Never'}</td>
      {children}
    </tr>
  );
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
    <time dateTime={at.toISOString()} title={`${fullTime(at)}, to a quarter of an hour`}>
      {relativeTime(at, new Date())}
    </time>
  );
}
