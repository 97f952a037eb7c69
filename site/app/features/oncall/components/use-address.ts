import { useAddressParams } from '~/lib/address-params';
import { toIso, toMs } from '~/lib/time/instant';
import { toView, type View } from '../model/filter';
import { type Span, toSpan } from '../model/range';

/** What of the on-call page is on screen, kept in its address so that it can be sent to somebody. */
export interface Address {
  view: View;
  /** The selected schedule; empty until one is chosen. */
  scheduleId: string;
  span: Span;
  /** An instant of the range that is shown; null is now. */
  at: number | null;
}

/** The address and the way to change it. It replaces the entry, so that Back leaves the page. */
export function useAddress(): [Address, (change: Partial<Address>) => void] {
  const [params, setParams] = useAddressParams();
  const change = (wanted: Partial<Address>) => setParams((now) => paramsOf({ ...addressOf(now), ...wanted }));
  return [addressOf(params), change];
}

// Beyond it there is no picture: its end would be no date, and the server knows none of five digits.
const tooLate = toMs('9000-01-01T00:00:00Z');

function addressOf(params: URLSearchParams): Address {
  const at = toMs(params.get('at'));
  return {
    view: toView(params.get('view')),
    scheduleId: params.get('schedule') ?? '',
    span: toSpan(params.get('range')),
    at: at >= 0 && at < tooLate ? at : null,
  };
}

function paramsOf({ view, scheduleId, span, at }: Address): Record<string, string> {
  return {
    ...(view === 'schedules' ? {} : { view }),
    ...(scheduleId ? { schedule: scheduleId } : {}),
    ...(span === 'week' ? {} : { range: span }),
    ...(at === null ? {} : { at: toIso(at) }),
  };
}
