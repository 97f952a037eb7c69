import { useSearchParams } from 'react-router';
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
  const [params, setParams] = useSearchParams();
  const at = Date.parse(params.get('at') ?? '');
  const address: Address = {
    view: toView(params.get('view')),
    scheduleId: params.get('schedule') ?? '',
    span: toSpan(params.get('range')),
    at: Number.isNaN(at) ? null : at,
  };
  const change = (wanted: Partial<Address>) =>
    setParams(paramsOf({ ...address, ...wanted }), { replace: true, preventScrollReset: true });
  return [address, change];
}

function paramsOf({ view, scheduleId, span, at }: Address): Record<string, string> {
  return {
    ...(view === 'schedules' ? {} : { view }),
    ...(scheduleId ? { schedule: scheduleId } : {}),
    ...(span === 'week' ? {} : { range: span }),
    ...(at === null ? {} : { at: new Date(at).toISOString() }),
  };
}
