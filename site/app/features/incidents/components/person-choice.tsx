import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Avatar } from '~/components/ui/avatar';
import { FilterField } from '~/components/ui/filter-field';
import { Icon } from '~/components/ui/icon';
import { usePortion } from '~/components/ui/portion';
import { FetchFailed, Loading } from '~/components/ui/states';
import { memberList } from '~/data/members';
import { choiceState } from './choice-state';
import * as styles from './person-choice.module.css';

// As many as are seen without scrolling; more are found by typing.
const searchFrom = 8;

interface PersonChoiceProps {
  /** Who has it already. */
  chosen?: string;
  without?: readonly string[];
  /** Who was chosen and is being stored. */
  doing?: string;
  onChoose: (userId: string) => void;
  /** A last row. */
  children?: ReactNode;
}

/** One person of the organization, found by name. Choosing is enough. */
export function PersonChoice({ chosen, without = [], doing, onChoose, children }: PersonChoiceProps) {
  const members = useQuery(memberList);
  const [text, setText] = useState('');
  const all = (members.data ?? []).filter(({ id }) => !without.includes(id));
  const found = all.filter(({ name }) => name.toLowerCase().includes(text.trim().toLowerCase()));
  const { shown, more } = usePortion(found);
  return (
    <>
      {members.isPending && <Loading what="people" />}
      <FetchFailed of={members} />
      {all.length > searchFrom && (
        <FilterField
          label="Search name"
          text={text}
          onChange={setText}
          shown={found.length}
          total={all.length}
        />
      )}
      {members.data && all.length === 0 && <p className="text-2">Everybody is there already.</p>}
      <ul className={styles.people}>
        {shown.map((member) => (
          <li key={member.id}>
            <button type="button" {...choiceState(doing, member.id)} onClick={() => onChoose(member.id)}>
              <Avatar name={member.name} hue={member.hue} />
              <span className="grow ellipsis">{member.name}</span>
              {chosen === member.id && <Icon name="check" />}
            </button>
          </li>
        ))}
        {children}
      </ul>
      {more}
    </>
  );
}
