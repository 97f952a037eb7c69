import { EditConflict } from '~/components/edit-conflict';
import { Banner } from '~/components/ui/dialog';
import type { TheirChange } from '~/lib/edits';

interface DraftProblemProps {
  of: {
    conflict: {
      changes: readonly TheirChange[];
      onKeepMine: () => void;
      onTakeTheirs: () => void;
    } | null;
    failure: string;
  };
}

/** What keeps a draft from being stored: what somebody else stored meanwhile, or a sentence. */
export function DraftProblem({ of: { conflict, failure } }: DraftProblemProps) {
  if (conflict) return <EditConflict {...conflict} />;
  return failure ? <Banner tone="failed">{failure}</Banner> : null;
}
