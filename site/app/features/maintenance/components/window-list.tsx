import { Button, IconButton } from '~/components/ui/button';
import { Card } from '~/components/ui/card';
import { usePortion } from '~/components/ui/portion';
import { Empty } from '~/components/ui/states';
import { useNow } from '~/lib/time/clock';
import { plainDuration, relativeTime } from '~/lib/time/words';
import { type MaintenanceWindow, spanInWords, type WindowState } from '../model/window';
import * as styles from './window-list.module.css';

const minute = 60_000;

interface WindowListProps {
  windows: readonly MaintenanceWindow[];
  mayWrite: boolean;
  onEdit: (window: MaintenanceWindow) => void;
  onEnd: (window: MaintenanceWindow) => void;
}

type Actions = Pick<WindowListProps, 'onEdit' | 'onEnd'>;

const parts: readonly { state: WindowState; title: string; empty: string }[] = [
  { state: 'under_way', title: 'Under way', empty: 'No maintenance now. Incidents page as usual.' },
  { state: 'scheduled', title: 'Ahead', empty: 'Nothing is planned.' },
  { state: 'ended', title: 'Ended', empty: 'Nothing ended yet.' },
];

/** The windows by where they stand, what is under way first. */
export function WindowList({ windows, mayWrite, onEdit, onEnd }: WindowListProps) {
  return (
    <div className="stack">
      {parts.map(({ state, title, empty }) => (
        <Part
          key={state}
          title={title}
          empty={empty}
          windows={windows.filter((window) => window.state === state)}
          actions={mayWrite && state !== 'ended' ? { onEdit, onEnd } : undefined}
        />
      ))}
    </div>
  );
}

function Part({
  title,
  empty,
  windows,
  actions,
}: {
  title: string;
  empty: string;
  windows: readonly MaintenanceWindow[];
  actions?: Actions;
}) {
  const { shown, more } = usePortion(windows);
  return (
    <Card title={title} className={styles.maintenanceList}>
      {windows.length === 0 && <Empty>{empty}</Empty>}
      <ul>
        {shown.map((window) => (
          <Row key={window.id} window={window} actions={actions} />
        ))}
      </ul>
      {more}
    </Card>
  );
}

function Row({ window, actions }: { window: MaintenanceWindow; actions?: Actions }) {
  const now = useNow(30_000);
  const held =
    window.held === 1 ? 'Holds the pages of 1 incident' : `Holds the pages of ${window.held} incidents`;
  return (
    <li data-state={window.state}>
      <div className={styles.what}>
        <p className={styles.name}>{window.description}</p>
        <p className="size-12 text-2">{window.services.join(', ')}</p>
      </div>
      <div className={styles.when}>
        <p>{whenOf(window, now)}</p>
        <p className="size-12 text-3">{spanInWords(window)}</p>
      </div>
      <div className={styles.who}>
        {window.held > 0 && <p className={styles.held}>{held}</p>}
        {window.createdBy && <p className="size-12 text-3">Planned by {window.createdBy}</p>}
      </div>
      {actions && (
        <div className="row">
          <IconButton
            icon="edit"
            label={`Edit ${window.description}`}
            onClick={() => actions.onEdit(window)}
          />
          <Button
            size="sm"
            aria-label={`${verbOf(window)} ${window.description}`}
            onClick={() => actions.onEnd(window)}
          >
            {verbOf(window)}
          </Button>
        </div>
      )}
    </li>
  );
}

function verbOf(window: MaintenanceWindow): string {
  return window.state === 'scheduled' ? 'Call off' : 'End now';
}

function whenOf({ state, startsAt, endsAt }: MaintenanceWindow, now: Date): string {
  if (state === 'ended') return `Ended ${relativeTime(endsAt, now)}`;
  const [verb, at] = state === 'scheduled' ? ['Starts', startsAt] : ['Ends', endsAt];
  const seconds = Math.ceil((at.getTime() - now.getTime()) / minute) * 60;
  return seconds > 0 ? `${verb} in ${plainDuration(seconds)}` : `${verb} now`;
}
