import { Button, IconButton } from '~/components/ui/button';
import { useChangeMany } from '../api/change-many';
import type { Incident } from '../model/incident';

interface BulkBarProps {
  selected: readonly Incident[];
  onDone: (changed: readonly string[]) => void;
  onClear: () => void;
}

/** What can be done to the selected incidents at once. Each button takes only those it applies to. */
export function BulkBar({ selected, onDone, onClear }: BulkBarProps) {
  const change = useChangeMany();
  const run = async (verb: 'acknowledge' | 'resolve', ids: readonly string[]) => {
    const tally = await change.mutateAsync({ ids, verb });
    onDone(ids.filter((id) => !tally.failed.includes(id)));
  };
  const triggered = idsOf(selected, 'triggered');
  const acknowledged = idsOf(selected, 'acknowledged');
  if (selected.length === 0) return null;
  return (
    <section className="bulk-bar" aria-label="Selected incidents">
      <span className="strong">{selected.length} selected</span>
      <span className="separator" />
      {triggered.length > 0 && (
        <Button
          look="person"
          size="sm"
          disabled={change.isPending}
          onClick={() => run('acknowledge', triggered)}
        >
          Acknowledge {triggered.length}
        </Button>
      )}
      {acknowledged.length > 0 && (
        <Button
          size="sm"
          icon="check"
          disabled={change.isPending}
          onClick={() => run('resolve', acknowledged)}
        >
          Resolve {acknowledged.length}
        </Button>
      )}
      {triggered.length + acknowledged.length === 0 && (
        <span className="text-2">Nothing to do, they are resolved.</span>
      )}
      <IconButton icon="x" label="Clear selection" size="sm" onClick={onClear} />
    </section>
  );
}

function idsOf(incidents: readonly Incident[], status: string): string[] {
  return incidents.filter((incident) => incident.status === status).map((incident) => incident.id);
}
