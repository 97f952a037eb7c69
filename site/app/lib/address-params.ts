import { useEffect, useRef } from 'react';
import { useSearchParams } from 'react-router';

type Change = (current: URLSearchParams) => Record<string, string>;

/**
 * The parameters of the page's address, and the way to change them from what they are. Changes that
 * follow each other faster than the page is drawn add up; none takes the one before it back. The
 * entry is replaced, so that Back leaves the page.
 */
export function useAddressParams(): [URLSearchParams, (change: Change) => void] {
  const [params, setParams] = useSearchParams();
  const latest = useRef(params);
  useEffect(() => {
    latest.current = params;
  }, [params]);
  const set = (change: Change) => {
    latest.current = new URLSearchParams(change(latest.current));
    setParams(latest.current, { replace: true, preventScrollReset: true });
  };
  return [params, set];
}
