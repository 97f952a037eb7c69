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

// Of a conflict the same again comes to the same, except with a press that is still being carried out.
function isFinal(error: Error): boolean {
  return error instanceof ApiError && error.status === 409 && error.code !== 'idempotency_in_progress';
}
