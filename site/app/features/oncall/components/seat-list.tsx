import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Avatar } from '~/components/ui/avatar';
import { Button, IconButton } from '~/components/ui/button';
import * as fieldKit from '~/components/ui/field.module.css';
import { memberList, useHues } from '~/data/members';
import { moved, newKey, type SeatDraft } from '../model/draft';
import type { Person } from '../model/schedule';
import { OrderButtons } from './order-buttons';
import * as styles from './seat-list.module.css';

interface SeatListProps {
  seats: readonly SeatDraft[];
  onChange: (seats: readonly SeatDraft[]) => void;
}

/** Who takes turns, in order. A turn can be several people, or nobody, which keeps the cadence. */
export function SeatList({ seats, onChange }: SeatListProps) {
  const list = useRef<HTMLFieldSetElement>(null);
  const [news, setNews] = useState('');
  const refocus = useRefocus(list);
  const move = (at: number, step: 1 | -1) => {
    const after = moved(seats, at, step);
    if (after === seats) return;
    refocus(`[data-seat="${seats[at]?.key}"] .order > :nth-child(${step === -1 ? 1 : 2})`);
    setNews(`${nameOf(seats[at])} is now ${at + step + 1} of ${seats.length}`);
    onChange(after);
  };
  const remove = (at: number) => {
    setNews(`${nameOf(seats[at])} removed`);
    refocus('[data-adder]');
    onChange(seats.toSpliced(at, 1));
  };
  return (
    <fieldset ref={list} className={styles.turns} aria-label="Who takes turns">
      <span className={fieldKit.label}>Who takes turns, in order</span>
      {seats.length > 0 && (
        <ol className={styles.seats}>
          {seats.map((seat, i) => (
            <li key={seat.key} data-seat={seat.key}>
              <span className={styles.seatPlace}>{i + 1}</span>
              <Seat seat={seat} onChange={(people) => onChange(seats.with(i, { ...seat, people }))} />
              <OrderButtons
                name={`turn ${i + 1}, ${nameOf(seat)}`}
                place={i}
                count={seats.length}
                onMove={(step) => move(i, step)}
              >
                <IconButton
                  icon="x"
                  size="sm"
                  label={`Remove turn ${i + 1}, ${nameOf(seat)}`}
                  onClick={() => remove(i)}
                />
              </OrderButtons>
            </li>
          ))}
        </ol>
      )}
      <div className="row">
        <AddPerson
          label="Add a person"
          without={[]}
          onAdd={(person) => onChange([...seats, { key: newKey(), people: [person] }])}
        />
        <Button size="sm" onClick={() => onChange([...seats, { key: newKey(), people: [] }])}>
          Add a vacant turn
        </Button>
      </div>
      <p className="visually-hidden" role="status">
        {news}
      </p>
    </fieldset>
  );
}

interface SeatProps {
  seat: SeatDraft;
  onChange: (people: readonly Person[]) => void;
}

function Seat({ seat, onChange }: SeatProps) {
  const hueOf = useHues();
  const { people } = seat;
  return (
    <span className={styles.seat}>
      {people.length === 0 && <span className="text-3">Vacant: layers below show through</span>}
      {people.map((person) => (
        <span key={person.id} className={styles.chip}>
          <Avatar name={person.name} hue={hueOf(person.id)} />
          {person.name}
          {people.length > 1 && (
            <IconButton
              icon="x"
              size="sm"
              label={`Take ${person.name} out of this turn`}
              onClick={() => onChange(people.filter((one) => one.id !== person.id))}
            />
          )}
        </span>
      ))}
      <AddPerson
        label={people.length > 0 ? 'Together with' : 'Fill with'}
        without={people}
        onAdd={(person) => onChange([...people, person])}
      />
    </span>
  );
}

interface AddPersonProps {
  label: string;
  without: readonly Person[];
  onAdd: (person: Person) => void;
}

function AddPerson({ label, without, onAdd }: AddPersonProps) {
  const members = useQuery(memberList).data ?? [];
  const open = members.filter((member) => !without.some((person) => person.id === member.id));
  return (
    <span className={`${fieldKit.field} ${styles.adder}`}>
      <select
        aria-label={label}
        data-adder
        value=""
        onChange={(event) => {
          const person = members.find((member) => member.id === event.target.value);
          if (person) onAdd({ id: person.id, name: person.name });
        }}
      >
        <option value="">{label}</option>
        {open.map((member) => (
          <option key={member.id} value={member.id}>
            {member.name}
          </option>
        ))}
      </select>
    </span>
  );
}

function nameOf(seat: SeatDraft | undefined): string {
  return seat?.people.map((person) => person.name).join(' and ') || 'the vacant turn';
}

// Moving an entry takes its buttons out of the page for a moment, and the focus with them.
function useRefocus(list: React.RefObject<HTMLElement | null>) {
  const wanted = useRef<string | null>(null);
  useEffect(() => {
    if (!wanted.current) return;
    list.current?.querySelector<HTMLElement>(wanted.current)?.focus();
    wanted.current = null;
  });
  return (selector: string) => {
    wanted.current = selector;
  };
}
