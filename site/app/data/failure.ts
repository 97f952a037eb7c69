import { ApiError } from '~/lib/api';
import { toast } from '~/lib/toast';
import { shortId } from '~/lib/words';

/**
 * Says what failed, in the product's words, on which incident, and why, in the server's; `retry` does it
 * again, and is not offered for what is refused as the thing is now.
 */
export function showFailure(
  error: Error,
  { id, tried, retry }: { id?: string; tried?: string; retry?: () => void } = {},
): void {
  toast({
    kind: 'failure',
    title: error.message,
    name: id && shortId(id),
    detail: error instanceof ApiError ? error.detail : undefined,
    tried,
    retry: isFinal(error) ? undefined : retry,
  });
}

// What the server refuses comes to the same again, except for what passes by itself: a session, a limit, or a
// press that is still being carried out. A refusal without its word is a proxy's.
function isFinal(error: Error): boolean {
  if (!(error instanceof ApiError) || ['', 'idempotency_in_progress'].includes(error.code)) return false;
  return error.status >= 400 && error.status < 500 && ![401, 408, 425, 429].includes(error.status);
}
