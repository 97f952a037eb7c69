import { useEffect, useState } from 'react';

// A laptop that slept or a phone set by hand can be minutes off; the server's Date header is not.
let skew = 0;
const tolerance = 2000;

/** Learns from an answer's Date header how far this computer's clock is from the server's. */
export function learnServerTime(date: string | null, receivedAt: number): void {
  const served = date === null ? Number.NaN : Date.parse(date);
  if (Number.isNaN(served)) return;
  const distance = served - receivedAt;
  skew = Math.abs(distance) > tolerance ? distance : 0;
}

/** The server's time as well as it is known here. */
export function serverNow(): Date {
  return new Date(Date.now() + skew);
}

/** The server's time, renewed every `everyMs` so that ages and countdowns move. */
export function useNow(everyMs: number): Date {
  const [now, setNow] = useState(serverNow);
  useEffect(() => {
    const timer = setInterval(() => setNow(serverNow()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
